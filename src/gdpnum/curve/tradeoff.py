"""TradeoffCurve: what an attacker can and cannot do, as one object."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from gdpnum.curve.lines import Lines
from gdpnum.errors import InvalidArgument
from gdpnum.loss.pair import Floats

__all__ = ["TradeoffCurve"]


@dataclass(frozen=True, eq=False, repr=False)
class TradeoffCurve:
    """A symmetric, convex, piecewise linear lower bound f of a mechanism's trade-off curve.

    No attack with false positive rate alpha has a false negative rate below f(alpha). Stored is
    the steep half, slopes -exp(eps) with eps >= 0, as the lines of its profile: line i reads
    delta(eps) = tpr_i - exp(eps) alpha_i and holds for eps up to ``epsilons[i]``; above the last,
    delta is ``mass_at_infinity``. The points (alpha_i, 1 - tpr_i) are the vertices; tpr may exceed
    one by what was charged for numerical error, and the curve is then zero there. The other half is
    the mirror image, as neighbours are a symmetric relation.

    Made by `tradeoff_curve`.
    """

    epsilons: Floats
    log_alphas: Floats
    tprs: Floats
    mass_at_infinity: float

    def __repr__(self) -> str:
        return (
            f"TradeoffCurve(advantage={self.advantage:.4g}, vertices={2 * self.tprs.size}, "
            f"mass_at_infinity={self.mass_at_infinity:.2g})"
        )

    @cached_property
    def vertices(self) -> tuple[Floats, Floats]:
        """All vertices (alphas, betas), from alpha = 0 to alpha = 1."""
        alphas, betas = self._steep
        both = np.unique(np.concatenate([alphas, np.clip(betas, 0.0, 1.0), [1.0]]))
        return both, np.asarray(self.beta(both))

    @cached_property
    def _steep(self) -> tuple[Floats, Floats]:
        """The steep vertices by increasing alpha, the one at alpha = 0 first."""
        alphas = np.concatenate([[0.0], np.exp(self.log_alphas[::-1])])
        betas = 1.0 - np.concatenate([[self.mass_at_infinity], self.tprs[::-1]])
        return alphas, betas

    @cached_property
    def advantage(self) -> float:
        """Largest TPR - FPR of any attack, delta(0): an upper bound."""
        return self.delta(0.0)

    @overload
    def beta(self, alpha: float) -> float: ...
    @overload
    def beta(self, alpha: ArrayLike) -> float | Floats: ...
    def beta(self, alpha: ArrayLike) -> float | Floats:
        """f(alpha): no attack with FPR alpha has a lower FNR than this."""
        rates = _rates("alpha", alpha)
        alphas, betas = self._steep
        steep = np.interp(rates, alphas, betas)
        # Beyond the steep half the curve has slope -1, then it is the mirror image.
        flat = betas[-1] - (rates - alphas[-1])
        mirrored = np.interp(rates, betas[::-1], alphas[::-1])
        value = np.where(rates <= alphas[-1], steep, np.where(rates >= betas[-1], mirrored, flat))
        # Where both halves reach, both are bounds.
        both = (rates <= alphas[-1]) & (rates >= betas[-1])
        value = np.where(both, np.maximum(steep, mirrored), value)
        # Vertices whose alpha underflows to zero are not those at zero.
        value = np.where(rates == 0.0, 1.0 - self.mass_at_infinity, value)
        return _like(alpha, np.maximum(value, 0.0))

    @overload
    def tpr(self, fpr: float) -> float: ...
    @overload
    def tpr(self, fpr: ArrayLike) -> float | Floats: ...
    def tpr(self, fpr: ArrayLike) -> float | Floats:
        """1 - f(fpr): no attack with that FPR has a higher TPR; accurate where it is tiny."""
        rates = _rates("fpr", fpr)
        alphas, betas = self._steep
        tprs = np.concatenate([[self.mass_at_infinity], self.tprs[::-1]])
        steep = (rates <= alphas[-1]) & (rates < betas[-1])
        value = np.where(steep, np.interp(rates, alphas, tprs), 1.0 - np.asarray(self.beta(rates)))
        value = np.where(rates == 0.0, self.mass_at_infinity, value)
        return _like(fpr, np.clip(value, rates, 1.0))

    @overload
    def delta(self, epsilon: float) -> float: ...
    @overload
    def delta(self, epsilon: ArrayLike) -> float | Floats: ...
    def delta(self, epsilon: ArrayLike) -> float | Floats:
        """Smallest delta for which the mechanism is (epsilon, delta)-DP: an upper bound."""
        values = np.asarray(epsilon, dtype=np.float64)
        if np.isnan(values).any():
            raise InvalidArgument("epsilon=nan is not a number; pass a real epsilon")
        positive = np.minimum(np.abs(values), 1e300)
        lines = Lines(self.epsilons, self.log_alphas, self.tprs, self.mass_at_infinity)
        delta = np.minimum(lines.delta(positive), 1.0)
        # Symmetry: delta(-eps) = 1 - exp(-eps) (1 - delta(eps)).
        delta = np.where(values < 0.0, 1.0 - np.exp(-positive) * (1.0 - delta), delta)
        return _like(epsilon, delta)

    @overload
    def epsilon(self, delta: float) -> float: ...
    @overload
    def epsilon(self, delta: ArrayLike) -> float | Floats: ...
    def epsilon(self, delta: ArrayLike) -> float | Floats:
        """Smallest epsilon >= 0 for which the mechanism is (epsilon, delta)-DP: an upper bound.

        Infinite for a delta below the mass at infinity.
        """
        wanted = _rates("delta", delta)
        # delta at the upper end of each line; it falls with epsilon.
        line = np.searchsorted(-self._deltas, -wanted)
        inside = np.minimum(line, self.tprs.size - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            reached = np.log(self.tprs[inside] - wanted) - self.log_alphas[inside]
        start = np.where(inside > 0, self.epsilons[inside - 1], 0.0)
        value = np.clip(np.nan_to_num(reached, nan=0.0), start, self.epsilons[inside])
        beyond = np.where(wanted >= self.mass_at_infinity, self.epsilons[-1], np.inf)
        value = np.where(line < self.tprs.size, value, beyond)
        return _like(delta, np.where(wanted >= self.advantage, 0.0, value))

    @cached_property
    def _deltas(self) -> Floats:
        with np.errstate(over="ignore"):
            deltas = self.tprs - np.exp(self.epsilons + self.log_alphas)
        # Falling in exact arithmetic; rounding must not break the search.
        return np.maximum.accumulate(deltas[::-1])[::-1]


def _rates(name: str, value: ArrayLike) -> Floats:
    rates = np.asarray(value, dtype=np.float64)
    bad = ~((rates >= 0.0) & (rates <= 1.0))
    if bad.any():
        first = float(np.atleast_1d(rates)[np.atleast_1d(bad)][0])
        raise InvalidArgument(f"{name}={first!r} is outside [0, 1]; pass a probability")
    return rates


def _like(given: ArrayLike, value: Floats) -> float | Floats:
    return float(value) if np.ndim(given) == 0 else value
