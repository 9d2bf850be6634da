"""A Gaussian moved by a random number of equal shifts, against one that is not moved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from gdpnum.floats import Floats
from gdpnum.pairs.pair import MonotonePair, Quadrature

__all__ = ["ShiftedPair", "outcome_of_ratio"]

# As in `gaussian`: reach of the quadrature in standard deviations, and its spacing.
_REACH, _SPACING = 10.0, 1 / 6

# Newton's method on a convex function, from the right: it needs fewer than this.
_ITERATIONS = 60


def outcome_of_ratio(log_ratio: Floats, log_weights: Floats, shifts: Floats) -> Floats:
    """The outcome x at which log sum_j exp(log_weights_j + a_j x - a_j^2 / 2) has this value.

    The sum is convex and rising in x. Each of its terms alone reaches the value no earlier, so
    the earliest of those is a start from the right, from which Newton's method never overshoots.
    """
    constants = log_weights - 0.5 * shifts**2
    x: Floats = ((log_ratio[:, None] - constants) / shifts).min(axis=1)
    known = np.isfinite(x)
    target, y = log_ratio[known], x[known]
    for _ in range(_ITERATIONS):
        terms = constants + shifts * y[:, None]
        largest = terms.max(axis=1)
        parts = np.exp(terms - largest[:, None])
        total = parts.sum(axis=1)
        slope = (parts * shifts).sum(axis=1) / total
        moved = (largest + np.log(total) - target) / slope
        y = y - moved
        if y.size == 0 or float(np.abs(moved).max()) <= 1e-13 * (1.0 + float(np.abs(y).max())):
            break
    x[known] = y
    return x


@dataclass(frozen=True, eq=False)
class ShiftedPair(MonotonePair):
    """sum_j w_j N(j shift, 1) against N(0, 1), for j = 0, 1, ...; the loss rises with the outcome.

    ``some`` is the probability of any shift, 1 - w_0, by itself: w_0 may be next to one.
    """

    weights: Floats
    some: float
    shift: float

    @cached_property
    def _shifts(self) -> Floats:
        return self.shift * np.arange(1, self.weights.size, dtype=np.float64)

    @cached_property
    def _log_none(self) -> float:
        return float(np.log1p(-self.some)) if self.some < 1.0 else -np.inf

    @property
    def lowest(self) -> float:
        return self._log_none

    def _outcome(self, loss: Floats) -> Floats:
        """The outcome that has this loss, minus infinity below all of them."""
        none = self._log_none
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            far = loss + np.log1p(-np.exp(none - np.maximum(loss, none)))
            near = np.log(np.maximum(np.expm1(np.minimum(loss, 1.0)) + self.some, 0.0))
            edge = none + np.log(np.expm1(np.clip(loss - none, 0.0, 1.0)))
        if self.some < 1.0:
            far = np.where(loss < 1.0, near, far)
            far = np.where(loss < 0.5 * none, edge, far)
        log_weights = np.log(self.weights[1:])
        return outcome_of_ratio(np.where(loss > none, far, -np.inf), log_weights, self._shifts)

    def tails(self, loss: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        with np.errstate(under="ignore"):
            x = self._outcome(loss)
            moved = x[:, None] - np.append(0.0, self._shifts)
            below = (self.weights * ndtr(moved)).sum(axis=1)
            above = (self.weights * ndtr(-moved)).sum(axis=1)
            return below, above, ndtr(x), ndtr(-x)

    def points(self) -> Quadrature:
        last = float(self._shifts[-1]) if self._shifts.size else 0.0
        z = np.linspace(-_REACH, _REACH + last, int(np.ceil((2.0 * _REACH + last) / _SPACING)))
        bells = np.exp(-0.5 * (z[:, None] - np.append(0.0, self._shifts)) ** 2)
        scale = float(z[1] - z[0]) / np.sqrt(2.0 * np.pi)
        p, q = scale * (bells * self.weights).sum(axis=1), scale * bells[:, 0]
        logs = np.log(self.weights[1:]) - 0.5 * self._shifts**2 + self._shifts * z[:, None]
        moved = np.logaddexp.reduce(logs, axis=1)
        return Quadrature(np.logaddexp(self._log_none, moved), p, q)
