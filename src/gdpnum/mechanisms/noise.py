"""Single releases: noise added to a query.

Noise is measured in units of the sensitivity, the most that one record can move the query:
``sigma`` and ``scale`` are the parameter of the noise divided by it. In DP-SGD the sensitivity is
the clipping norm, and ``sigma`` the noise multiplier. Noise on whole numbers cannot be rescaled:
its ``sensitivity`` is given beside it, and the noise is that on the numbers themselves.

A record more or less moves the query by the sensitivity, and so does one blanked out
(``"zero_out"``); one exchanged for another (``"replace"``) moves it by twice as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final, get_args

from gdpnum import _validate
from gdpnum.directed import quotient_above
from gdpnum.errors import InvalidArgument
from gdpnum.mechanisms.mechanism import Leaf, Neighbouring

_ADVICE = {
    "sigma": "pass the standard deviation of the noise divided by the sensitivity",
    "scale": "pass the scale of the noise divided by the sensitivity",
}
# Each whole number in between is an outcome of its own.
_LARGEST_SENSITIVITY = 1_000_000
_EPSILON_ADVICE = "pass the bound on the log-likelihood ratio, 0 or more"


class Additive(Leaf):
    """Noise added to a query; each has the relation as its field ``neighbouring``."""

    __slots__ = ()
    neighbouring: Neighbouring

    @property
    def moved(self) -> int:
        """How far one record moves the query, in the units of the noise."""
        return (2 if self.neighbouring == "replace" else 1) * int(getattr(self, "sensitivity", 1))

    def __post_init__(self) -> None:
        for name, advice in _ADVICE.items():
            if hasattr(self, name):
                _validate.field(self, name, _validate.positive, advice=advice)
        _validate.choice("neighbouring", self.neighbouring, get_args(Neighbouring))
        if hasattr(self, "sensitivity"):
            _validate.settle(self, sensitivity=_whole_sensitivity(self.sensitivity))


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Gaussian(Additive):
    """Gaussian noise on a real query (or a vector, with L2 sensitivity one).

    One record more or less tells N(0, sigma^2) from N(1, sigma^2), so the release is exactly
    1/sigma-GDP, and likewise for a record blanked out (``"zero_out"``). With
    ``neighbouring="replace"`` a record moves from -1 to 1 and it is 2/sigma-GDP.

    >>> Gaussian(sigma=2.0)
    Gaussian(sigma=2.0)
    >>> Gaussian(sigma=2.0, neighbouring="replace")
    Gaussian(sigma=2.0, neighbouring='replace')
    """

    sigma: float
    neighbouring: Neighbouring = "add_remove"

    @property
    def mu(self) -> float:
        """1 / sigma, or 2 / sigma where a record is replaced, rounded up."""
        return quotient_above(float(self.moved), self.sigma)


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Laplace(Additive):
    """Laplace noise on a real query, density exp(-|x| / scale) / (2 scale).

    It is 1/scale-DP, or 2/scale-DP for a record replaced, and does better than that bound alone
    says.

    >>> Laplace(scale=5.0)
    Laplace(scale=5.0)
    """

    scale: float
    neighbouring: Neighbouring = "add_remove"


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DiscreteGaussian(Additive):
    """Discrete Gaussian noise on an integer query, of sensitivity one unless said otherwise.

    The noise k has probability proportional to exp(-k^2 / (2 sigma^2)) on the integers. Source:
    Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020).

    >>> DiscreteGaussian(sigma=3.0)
    DiscreteGaussian(sigma=3.0)
    >>> DiscreteGaussian(sigma=3.0, sensitivity=2)
    DiscreteGaussian(sigma=3.0, sensitivity=2)
    """

    sigma: float
    sensitivity: int = 1
    neighbouring: Neighbouring = "add_remove"


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DiscreteLaplace(Additive):
    """Discrete Laplace (two-sided geometric) noise on an integer query.

    The noise k has probability proportional to exp(-|k| / scale) on the integers; with
    ``sensitivity`` one it is 1/scale-DP.

    >>> DiscreteLaplace(scale=2.0)
    DiscreteLaplace(scale=2.0)
    """

    scale: float
    sensitivity: int = 1
    neighbouring: Neighbouring = "add_remove"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse(Leaf):
    """One of k categories, reported truthfully with probability e^eps / (e^eps + k - 1).

    Otherwise one of the other categories is reported, each equally likely. The neighbours are two
    values of the same respondent, so it composes with what is described for "replace".

    >>> RandomizedResponse(epsilon=1.0)
    RandomizedResponse(epsilon=1.0, categories=2)
    """

    epsilon: float
    categories: int = 2
    neighbouring: ClassVar[Neighbouring] = "replace"

    def __post_init__(self) -> None:
        advice = "pass the number of possible answers"
        _validate.field(self, "epsilon", _validate.non_negative, advice=_EPSILON_ADVICE)
        _validate.field(self, "categories", _validate.count, minimum=2, advice=advice)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Skellam(Leaf):
    """Skellam noise, a difference of two Poissons, on an integer query with sensitivity one.

    ``sigma`` is its standard deviation: the noise k has probability exp(-v) I_k(v), v = sigma^2.
    Sums of it are of its kind, which is why secure aggregation uses it. Source: Agarwal, Kairouz,
    Liu, "The Skellam Mechanism for Differentially Private Federated Learning" (2021).

    >>> Skellam(sigma=3.0)
    Skellam(sigma=3.0)
    """

    sigma: float
    neighbouring: ClassVar[Neighbouring] = "add_remove"

    def __post_init__(self) -> None:
        _validate.field(self, "sigma", _validate.positive, advice=_ADVICE["sigma"])


def _whole_sensitivity(value: object) -> int:
    found = _validate.count(
        "sensitivity", value, minimum=1, advice="pass the most that one record moves the query"
    )
    if found > _LARGEST_SENSITIVITY:
        raise InvalidArgument(
            f"sensitivity={found} is above {_LARGEST_SENSITIVITY}; divide the query and the noise"
        )
    return found
