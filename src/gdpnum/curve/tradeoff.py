"""TradeoffCurve: what an attacker can and cannot do, as one object."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, final, overload

import numpy as np
from numpy.typing import ArrayLike

from gdpnum.arguments import numbers_of
from gdpnum.blocks.block import Table
from gdpnum.blocks.html import html
from gdpnum.errors import InvalidArgument
from gdpnum.floats import NUMPY, Floats
from gdpnum.rounding import rounded_up

Tangents = tuple[Floats, Floats]
"""The points (alphas, betas) at which a curve has given slopes."""

# FPRs at which a notebook shows a curve.
_SHOWN_FPRS = (1e-6, 1e-4, 0.001, 0.01, 0.1, 0.5)


class Makers(NamedTuple):
    """The functions that compare curves, and make them of curves and of numbers.

    They know every kind of curve, and every kind is a `TradeoffCurve`: so they lie above it, each
    in its file, and `gdpnum.curve` hands them down. The methods that call them say what they do.
    """

    composed: Callable[..., TradeoffCurve]
    group: Callable[[TradeoffCurve, int], TradeoffCurve]
    is_below: Callable[[TradeoffCurve, TradeoffCurve], bool]
    from_vertices: Callable[[ArrayLike, ArrayLike], TradeoffCurve]
    from_samples: Callable[[ArrayLike, ArrayLike], TradeoffCurve]
    from_profile: Callable[..., TradeoffCurve]
    from_json: Callable[[str], TradeoffCurve]


class TradeoffCurve(ABC):
    """A trade-off curve f: the least false negative rate of any attack at each false positive rate.

    f is convex, falls, and lies at or below 1 - alpha. Its profile is
    delta(eps) = sup over alpha of 1 - f(alpha) - exp(eps) alpha, for every real eps; the two
    determine each other. A curve computed from a mechanism is a lower bound: no attack with false
    positive rate alpha has a false negative rate below ``beta(alpha)``, and ``delta``,
    ``epsilon``, ``tpr`` and ``advantage`` are upper bounds.

    ``f <= g`` is the Blackwell order: f is nowhere above g, so whatever f guarantees g does too.

    Curves come from `tradeoff_curve` (a mechanism), from a representation such as
    ``GDP(mu=1.0).curve()``, or from numbers::

        >>> from gdpnum import TradeoffCurve
        >>> curve = TradeoffCurve.from_vertices([0.0, 0.25, 1.0], [1.0, 0.25, 0.0])
        >>> curve.advantage, curve.beta(0.125), round(curve.epsilon(0.0), 4)
        (0.5, 0.625, 1.0986)
    """

    _makers: ClassVar[Makers]

    # --- what a curve is asked ------------------------------------------------------------------

    @cached_property
    def advantage(self) -> float:
        """Largest TPR - FPR of any attack, delta(0)."""
        with np.errstate(**NUMPY):
            return min(float(self._deltas(np.zeros(1))[0]), 1.0)

    @overload
    def beta(self, alpha: float) -> float: ...
    @overload
    def beta(self, alpha: ArrayLike) -> float | Floats: ...
    def beta(self, alpha: ArrayLike) -> float | Floats:
        """f(alpha): no attack with FPR alpha has a lower FNR than this."""
        with np.errstate(**NUMPY):
            rates = rates_of("alpha", alpha)
            # Guessing has 1 - alpha.
            return as_asked(np.clip(self._betas(rates), 0.0, 1.0 - rates))

    @overload
    def tpr(self, fpr: float) -> float: ...
    @overload
    def tpr(self, fpr: ArrayLike) -> float | Floats: ...
    def tpr(self, fpr: ArrayLike) -> float | Floats:
        """1 - f(fpr): no attack with that FPR has a higher TPR; accurate where it is tiny."""
        rates = rates_of("fpr", fpr)
        with np.errstate(**NUMPY):
            return as_asked(np.clip(self._tprs(rates), rates, 1.0))

    @overload
    def delta(self, epsilon: float) -> float: ...
    @overload
    def delta(self, epsilon: ArrayLike) -> float | Floats: ...
    def delta(self, epsilon: ArrayLike) -> float | Floats:
        """Smallest delta for which the mechanism is (epsilon, delta)-DP, for any real epsilon."""
        values = _doubles("epsilon", epsilon)
        if np.isnan(values).any():
            raise InvalidArgument("epsilon=nan is not a number; pass a real epsilon")
        with np.errstate(**NUMPY):
            positive = np.minimum(np.abs(values), 1e300)
            deltas = np.minimum(self._deltas(positive), 1.0)
            if (values < 0.0).any():
                # Exchanging P and Q: delta(-eps) = 1 - exp(-eps) (1 - delta_inverse(eps)).
                inverse = np.minimum(self.inverse()._deltas(positive), 1.0)
                deltas = np.where(values < 0.0, 1.0 - np.exp(-positive) * (1.0 - inverse), deltas)
        return as_asked(deltas)

    @overload
    def epsilon(self, delta: float) -> float: ...
    @overload
    def epsilon(self, delta: ArrayLike) -> float | Floats: ...
    def epsilon(self, delta: ArrayLike) -> float | Floats:
        """Smallest epsilon >= 0 for which the mechanism is (epsilon, delta)-DP.

        Infinite for a delta below the mass at infinity.
        """
        wanted = rates_of("delta", delta)
        with np.errstate(**NUMPY):
            return as_asked(self._epsilons_from_zero(wanted))

    def _epsilons_from_zero(self, deltas: Floats) -> Floats:
        return np.where(deltas >= self.advantage, 0.0, self._epsilons(deltas))

    def profile(self) -> Profile:
        """The privacy profile, delta as a function of epsilon."""
        return Profile(self)

    # --- other curves ---------------------------------------------------------------------------

    @abstractmethod
    def inverse(self) -> TradeoffCurve:
        """f^-1, the curve with P and Q exchanged: alphas become betas."""

    @abstractmethod
    def symmetrised(self) -> TradeoffCurve:
        """The convex hull of min(f, f^-1): what holds whichever neighbour is the attacker's guess.

        Its profile is the larger of the two, at every epsilon >= 0.
        """

    @property
    @abstractmethod
    def is_symmetric(self) -> bool:
        """Whether f is its own inverse, up to rounding."""

    def composed_with(self, other: TradeoffCurve, *, tolerance: float = 1e-3) -> TradeoffCurve:
        """The curve of both releases together, from below.

        Exact for two Gaussians, mu = sqrt(mu_1^2 + mu_2^2), and for curves of few vertices;
        otherwise from the accountant, to its ``tolerance``.

        >>> from gdpnum import GDP
        >>> GDP(mu=3.0).curve().composed_with(GDP(mu=4.0).curve())
        GaussianCurve(mu=5.0)
        """
        return self._makers.composed(self, other, tolerance=tolerance)

    def group(self, records: int) -> TradeoffCurve:
        """The curve for several records at once, from below, this one being for one record.

        TPR_k(a) = TPR(TPR_(k-1)(a)): k records added or removed are k steps to a neighbour. It
        makes no use of how the records were sampled; where that is known, ``records_per_person``
        of `PoissonSampled` or `DPSGD` does better. (mu, slack)-GDP becomes (k mu, s_k)-GDP.

        Raises `InvalidArgument` where the bound says nothing any more.

        >>> from gdpnum import GDP
        >>> GDP(mu=0.5).curve().group(3)
        GaussianCurve(mu=1.5)
        """
        return self._makers.group(self, records)

    # --- in a notebook --------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        rows = tuple((f"{fpr:g}", rounded_up(self.tpr(fpr))) for fpr in _SHOWN_FPRS)
        shown = Table(f"{self!r}", ("FPR", "TPR at most"), rows)
        return html([shown])

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as dictionaries, lists and plain floats."""
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    # --- order ----------------------------------------------------------------------------------

    def __le__(self, other: object) -> bool:
        """Whether this curve is nowhere above the other: it is at most as private."""
        if not isinstance(other, TradeoffCurve):
            return NotImplemented
        return self._makers.is_below(self, other)

    def __ge__(self, other: object) -> bool:
        """Whether this curve is nowhere below the other: it is at least as private."""
        if not isinstance(other, TradeoffCurve):
            return NotImplemented
        return other <= self

    # --- from numbers, and to JSON --------------------------------------------------------------

    @staticmethod
    def from_vertices(alphas: ArrayLike, betas: ArrayLike) -> TradeoffCurve:
        """The piecewise linear curve with these vertices, from alpha = 0 to beta = 0.

        They must be all its vertices. Points of a smooth curve are not: the chords between them
        lie above it and would flatter; pass those to `from_samples`.
        """
        return TradeoffCurve._makers.from_vertices(alphas, betas)

    @staticmethod
    def from_samples(alphas: ArrayLike, betas: ArrayLike) -> TradeoffCurve:
        """A piecewise linear lower bound of any convex curve through these points.

        Between two points a convex curve is at least where the chords on either side, prolonged,
        meet; beyond the points it is at least what the last chord says.
        """
        return TradeoffCurve._makers.from_samples(alphas, betas)

    @staticmethod
    def from_profile(
        profile: ArrayLike | Callable[[float], float],
        deltas: ArrayLike | None = None,
        *,
        whole: bool = False,
    ) -> TradeoffCurve:
        """The symmetric curve of a privacy profile: epsilons and deltas, or a function.

        Each pair says that the mechanism is (epsilon, delta)-DP for a symmetric relation. Between
        epsilons the profile is joined linearly in exp(epsilon), which is pessimistic as every
        profile is convex there; beyond the last delta stays. A function is read at some thousand
        epsilons, up to where it no longer falls.

        With ``whole`` it is the profile of one ordered pair, for epsilons below 0 too, and the
        curve is f(alpha) = sup over eps of 1 - delta(eps) - exp(eps) alpha, which need not be
        symmetric: `symmetrised` says what holds in both orders.

        >>> from gdpnum import TradeoffCurve
        >>> curve = TradeoffCurve.from_profile([1.0], [1e-5])
        >>> curve.delta(1.0), round(curve.tpr(0.01), 4)
        (1e-05, 0.0272)
        """
        return TradeoffCurve._makers.from_profile(profile, deltas, whole=whole)

    def to_json(self) -> str:
        """The curve as JSON; infinities are strings, as JSON has none."""
        return json.dumps(self._document(), allow_nan=False)

    @staticmethod
    def from_json(text: str) -> TradeoffCurve:
        """The curve that `to_json` wrote, bit for bit."""
        return TradeoffCurve._makers.from_json(text)

    # --- what each kind of curve provides, for checked arrays ------------------------------------

    @property
    @abstractmethod
    def mass_at_infinity(self) -> float:
        """1 - f(0): the TPR of attacks that never accuse falsely."""

    @property
    @abstractmethod
    def knots(self) -> Floats:
        """The epsilons >= 0 at which the profile has a kink, increasing; f has segments there."""

    @abstractmethod
    def tangents(self, epsilons: Floats) -> Tangents:
        """Points where f has slope -exp(eps), eps >= 0: delta(eps) = 1 - beta - exp(eps) alpha.

        At a knot, where a whole segment has that slope, its end of larger alpha.
        """

    @abstractmethod
    def _betas(self, alphas: Floats) -> Floats: ...

    @abstractmethod
    def _tprs(self, fprs: Floats) -> Floats: ...

    @abstractmethod
    def _deltas(self, epsilons: Floats) -> Floats:
        """The profile at epsilons >= 0."""

    @abstractmethod
    def _epsilons(self, deltas: Floats) -> Floats:
        """The inverse of the profile, for deltas below the advantage."""

    @abstractmethod
    def _document(self) -> dict[str, Any]: ...


@final
@dataclass(frozen=True)
class Profile:
    """The privacy profile of a trade-off curve, to be called.

    >>> from gdpnum import GDP
    >>> profile = GDP(mu=1.0).profile()
    >>> f"{profile(1.0):.4f}, {profile.epsilon(1e-5):.3f}"
    '0.1269, 4.377'
    """

    curve: TradeoffCurve

    @overload
    def __call__(self, epsilon: float) -> float: ...
    @overload
    def __call__(self, epsilon: ArrayLike) -> float | Floats: ...
    def __call__(self, epsilon: ArrayLike) -> float | Floats:
        """Smallest delta for which the mechanism is (epsilon, delta)-DP, for any real epsilon."""
        return self.curve.delta(epsilon)

    delta = __call__

    @overload
    def epsilon(self, delta: float) -> float: ...
    @overload
    def epsilon(self, delta: ArrayLike) -> float | Floats: ...
    def epsilon(self, delta: ArrayLike) -> float | Floats:
        """Smallest epsilon >= 0 for which the mechanism is (epsilon, delta)-DP."""
        return self.curve.epsilon(delta)


# --- questions and answers: a number, or an array ------------------------------------------------


def rates_of(name: str, value: ArrayLike, *, advice: str = "pass a probability") -> Floats:
    """The value as an array of doubles in [0, 1]."""
    found = _doubles(name, value)
    bad = ~((found >= 0.0) & (found <= 1.0))
    if bad.any():
        first = float(np.atleast_1d(found)[np.atleast_1d(bad)][0])
        raise InvalidArgument(f"{name}={first!r} is outside [0, 1]; {advice}")
    return found


def _doubles(name: str, value: ArrayLike) -> Floats:
    """The value as an array of doubles; one that is an array of doubles as it is."""
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    return numbers_of(name, value)


def as_asked(found: Floats) -> float | Floats:
    """The answer as a float where a number was asked about, which is an array of no dimension."""
    return float(found) if found.ndim == 0 else found
