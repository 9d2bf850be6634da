"""Single releases: noise added to a query.

Noise is measured in units of the sensitivity, the most that one record can move the query:
``sigma`` and ``scale`` are the parameter of the noise divided by it. In DP-SGD the sensitivity is
the clipping norm, and ``sigma`` the noise multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final, get_args

from gdpnum import _validate
from gdpnum.mechanisms.mechanism import Leaf, Neighbouring

__all__ = [
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Gaussian",
    "Laplace",
    "RandomizedResponse",
    "Skellam",
]

_SIGMA_ADVICE = "pass the standard deviation of the noise divided by the sensitivity"
_SCALE_ADVICE = "pass the scale of the noise divided by the sensitivity"
_EPSILON_ADVICE = "pass the bound on the log-likelihood ratio, 0 or more"


class _Replace(Leaf):
    """A release analysed for neighbours in which one record has another value."""

    __slots__ = ()

    @property
    def neighbouring(self) -> Neighbouring:
        """Always ``"replace"``."""
        return "replace"


class _AddRemove(Leaf):
    """A release analysed for neighbours that differ by one added or removed record."""

    __slots__ = ()

    @property
    def neighbouring(self) -> Neighbouring:
        """Always ``"add_remove"``."""
        return "add_remove"


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Gaussian(Leaf):
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

    def __post_init__(self) -> None:
        _validate.settle(
            self,
            sigma=_validate.positive("sigma", self.sigma, advice=_SIGMA_ADVICE),
            neighbouring=_validate.choice(
                "neighbouring", self.neighbouring, get_args(Neighbouring)
            ),
        )

    def __repr__(self) -> str:
        if self.neighbouring == "add_remove":
            return f"Gaussian(sigma={self.sigma!r})"
        return f"Gaussian(sigma={self.sigma!r}, neighbouring={self.neighbouring!r})"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace(_AddRemove):
    """Laplace noise on a real query, density exp(-|x| / scale) / (2 scale).

    It is 1/scale-DP, and does better than that bound alone says.

    >>> Laplace(scale=5.0)
    Laplace(scale=5.0)
    """

    scale: float

    def __post_init__(self) -> None:
        _validate.settle(self, scale=_validate.positive("scale", self.scale, advice=_SCALE_ADVICE))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian(_AddRemove):
    """Discrete Gaussian noise on an integer query with sensitivity one.

    The noise k has probability proportional to exp(-k^2 / (2 sigma^2)) on the integers. Source:
    Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020).

    >>> DiscreteGaussian(sigma=3.0)
    DiscreteGaussian(sigma=3.0)
    """

    sigma: float

    def __post_init__(self) -> None:
        _validate.settle(self, sigma=_validate.positive("sigma", self.sigma, advice=_SIGMA_ADVICE))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplace(_AddRemove):
    """Discrete Laplace (two-sided geometric) noise on an integer query with sensitivity one.

    The noise k has probability proportional to exp(-|k| / scale) on the integers; it is
    1/scale-DP.

    >>> DiscreteLaplace(scale=2.0)
    DiscreteLaplace(scale=2.0)
    """

    scale: float

    def __post_init__(self) -> None:
        _validate.settle(self, scale=_validate.positive("scale", self.scale, advice=_SCALE_ADVICE))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse(_Replace):
    """One of k categories, reported truthfully with probability e^eps / (e^eps + k - 1).

    Otherwise one of the other categories is reported, each equally likely. The neighbours are two
    values of the same respondent, so it composes with what is described for "replace".

    >>> RandomizedResponse(epsilon=1.0)
    RandomizedResponse(epsilon=1.0, categories=2)
    """

    epsilon: float
    categories: int = 2

    def __post_init__(self) -> None:
        epsilon = _validate.non_negative("epsilon", self.epsilon, advice=_EPSILON_ADVICE)
        categories = _validate.count(
            "categories", self.categories, minimum=2, advice="pass the number of possible answers"
        )
        _validate.settle(self, epsilon=epsilon, categories=categories)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Skellam(_AddRemove):
    """Skellam noise, a difference of two Poissons, on an integer query with sensitivity one.

    ``sigma`` is its standard deviation: the noise k has probability exp(-v) I_k(v), v = sigma^2.
    Sums of it are of its kind, which is why secure aggregation uses it. Source: Agarwal, Kairouz,
    Liu, "The Skellam Mechanism for Differentially Private Federated Learning" (2021).

    >>> Skellam(sigma=3.0)
    Skellam(sigma=3.0)
    """

    sigma: float

    def __post_init__(self) -> None:
        _validate.settle(self, sigma=_validate.positive("sigma", self.sigma, advice=_SIGMA_ADVICE))
