"""Tests against a mechanism, from its outcomes: exact sums, no lattice of losses.

A mechanism for which the outcomes have masses p under one dataset and q under the other is attacked
by rejecting outcomes with a large p / q. Of several releases together, all outcomes are multiplied
out where they are few. Otherwise each outcome gets a whole number, near its loss over a step, and
the test rejects where the numbers sum to enough: a test like any other, and its error rates are
plain sums of products, whatever the step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MOST_OUTCOMES = 20_000
MOST_NUMBERS = 6_000


class Outcomes(NamedTuple):
    """Masses of the outcomes of one release under two neighbouring datasets.

    ``merged`` if they are cells of finer ones, so that better tests exist.
    """

    p: np.ndarray
    q: np.ndarray
    merged: bool = False


class Tests(NamedTuple):
    """Error rates of tests that exist; ``complete`` if the curve has no other vertices."""

    fpr: np.ndarray
    tpr: np.ndarray
    complete: bool = False

    def joined(self, other: Tests) -> Tests:
        """Both together; complete if both are, being the two directions of one mechanism."""
        return Tests(
            np.append(self.fpr, other.fpr),
            np.append(self.tpr, other.tpr),
            self.complete and other.complete,
        )

    def best(self) -> Tests:
        """Only those that no mixture of others beats, by increasing FPR."""
        fpr, tpr = np.append(self.fpr, [0.0, 1.0]), np.append(self.tpr, [0.0, 1.0])
        order = np.lexsort((-tpr, fpr))
        kept: list[tuple[float, float]] = []
        for x, y in zip(fpr[order].tolist(), tpr[order].tolist(), strict=True):
            while len(kept) > 1 and (kept[-1][1] - kept[-2][1]) * (x - kept[-2][0]) <= (
                y - kept[-2][1]
            ) * (kept[-1][0] - kept[-2][0]):
                kept.pop()
            if not kept or y > kept[-1][1]:
                kept.append((x, y))
        fpr, tpr = np.array(kept).T
        return Tests(fpr, tpr, self.complete)

    def slopes(self) -> np.ndarray:
        """The epsilons at which one of the best tests gives way to the next."""
        best = self.best()
        with np.errstate(divide="ignore"):
            return np.log(np.diff(best.tpr)) - np.log(np.diff(best.fpr))

    def delta(self, epsilons: np.ndarray) -> np.ndarray:
        """What the tests show of the profile: the largest TPR - exp(eps) FPR."""
        with np.errstate(over="ignore", invalid="ignore"):
            shown = self.tpr - np.where(self.fpr > 0, np.exp(epsilons)[:, None] * self.fpr, 0.0)
        return np.maximum(shown.max(axis=1), 0.0)


def best_tests(releases: list[tuple[Outcomes, int]]) -> Tests:
    """Tests against releases together, for both orders of the two datasets."""
    size = sum(times * np.log(one.p.size) for one, times in releases)
    complete = not any(one.merged for one, _ in releases)
    if size <= np.log(MOST_OUTCOMES):
        p = q = np.ones(1)
        for one, times in releases:
            for _ in range(times):
                p, q = np.outer(p, one.p).ravel(), np.outer(q, one.q).ravel()
        return _thresholds(p, q, complete).joined(_thresholds(q, p, complete))
    exchanged = [(Outcomes(one.q, one.p), times) for one, times in releases]
    return _summed(releases).joined(_summed(exchanged))


def _thresholds(p: np.ndarray, q: np.ndarray, complete: bool) -> Tests:
    """Tests that reject all outcomes from some p / q on."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(q > 0, p / q, np.inf)
    order = np.argsort(-ratios, kind="stable")
    ratios = ratios[order]
    # Outcomes of one ratio belong together; rounding must not tell them apart.
    with np.errstate(invalid="ignore"):
        last = np.append(ratios[1:] < ratios[:-1] * (1 - 1e-12), True)
    return Tests(np.cumsum(q[order])[last], np.minimum(np.cumsum(p[order])[last], 1.0), complete)


def _summed(releases: list[tuple[Outcomes, int]]) -> Tests:
    """Tests that reject where whole numbers near the losses sum to enough."""
    losses = []
    for one, _ in releases:
        with np.errstate(divide="ignore"):
            losses.append(np.clip(np.log(one.p) - np.log(one.q), -60.0, 60.0))
    width = sum(np.ptp(loss) * times for loss, (_, times) in zip(losses, releases, strict=True))
    step = max(float(width) / MOST_NUMBERS, 1e-9)
    p = q = np.ones(1)
    for loss, (one, times) in zip(losses, releases, strict=True):
        numbers = np.rint((loss - loss.min()) / step).astype(int)
        under_p = _power(np.bincount(numbers, one.p), times)
        under_q = _power(np.bincount(numbers, one.q), times)
        p, q = np.convolve(p, under_p), np.convolve(q, under_q)
    # Products of many small masses underflow; so small an FPR is told no more.
    return Tests(np.cumsum(q[::-1]) + 1e-290, np.minimum(np.cumsum(p[::-1]), 1.0))


def _power(masses: np.ndarray, times: int) -> np.ndarray:
    found = np.ones(1)
    while times:
        if times & 1:
            found = np.convolve(found, masses)
        times >>= 1
        if times:
            masses = np.convolve(masses, masses)
    return found
