"""Roc: what an attack's scores show as they are, and how far from the truth that may be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gdpnum.auditing.binomial import few, many, upper_rate
from gdpnum.auditing.scores import Bools, Ints
from gdpnum.floats import Floats

#: FPRs at which an audit keeps the ROC curve.
DRAWN_FPRS = tuple(
    float(f"{fpr:.4g}")
    for fpr in [*np.geomspace(1e-4, 0.05, 27, endpoint=False), *np.linspace(0.05, 0.95, 37), 0.99]
)

# Scores that are looked up at a time, so that memory stays within bounds.
_CHUNK = 1 << 19


class Band(NamedTuple):
    """The TPR at an FPR: as the scores have it, and between which values it lies."""

    fpr: float
    tpr: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Roc:
    """Sorted scores of the canaries that were included, and of those that were not."""

    included: Floats
    out: Floats

    @staticmethod
    def of(included: Floats, out: Floats) -> Roc:
        """Of scores in any order."""
        return Roc(np.sort(included), np.sort(out))

    def errors_above(self, threshold: float) -> tuple[int, int]:
        """FP and FN of accusing whoever scores more than the threshold."""
        fp = self.out.size - np.searchsorted(self.out, threshold, side="right")
        return int(fp), int(np.searchsorted(self.included, threshold, side="right"))

    def errors_from(self, thresholds: ArrayLike) -> tuple[Ints, Ints]:
        """FPs and FNs of accusing whoever scores at least each threshold."""
        fps = self.out.size - np.searchsorted(self.out, thresholds, side="left")
        return np.asarray(fps), np.asarray(np.searchsorted(self.included, thresholds, side="left"))

    def auc_and_advantage(self) -> tuple[float, float]:
        """The area under the curve, ties counting half, and the largest TPR - FPR."""
        wins, n_in, n_out = 0, self.included.size, self.out.size
        largest = 0.0
        for start in range(0, n_in, _CHUNK):
            scores = self.included[start : start + _CHUNK]
            lower = np.searchsorted(self.out, scores, side="left")
            wins += int(lower.sum()) + int(np.searchsorted(self.out, scores, side="right").sum())
            missed = np.searchsorted(self.included, scores, side="left")
            largest = max(largest, float((lower / n_out - missed / n_in).max()))
        return wins / (2 * n_in * n_out), largest

    def auc_lower(self, auc: float, level: float) -> float:
        """A lower bound on the area, at a level: Hoeffding's, for two samples."""
        fewer = min(self.included.size, self.out.size)
        return max(0.0, auc - math.sqrt(-math.log(level) / (2.0 * fewer)))

    def band(self, level: float) -> tuple[Band, ...]:
        """The TPR at each of `DRAWN_FPRS`, each row by itself at the level.

        Ranks of the canaries left out serve as thresholds: one whose FPR is surely at most the
        FPR, one whose FPR is surely at least that; then Clopper-Pearson. Four events a row.
        """
        fprs, n_out, n_in = np.array(DRAWN_FPRS), self.out.size, self.included.size
        falling, quarter = self.out[::-1], 0.25 * level
        # Accusing whoever scores more than the rank: at most so many accused falsely.
        rank = _last(lambda k: few(k, n_out, fprs) <= quarter, n_out, fprs.size)
        threshold = falling[np.maximum(rank, 0)]
        missed = np.searchsorted(self.included, threshold, side="right")
        lower = np.where(rank >= 0, 1.0 - upper_rate(missed, n_in, quarter), 0.0)
        # Accusing whoever scores as much as the rank: at least so many accused falsely.
        rank = _last(lambda k: many(k + 1, n_out, fprs) > quarter, n_out, fprs.size) + 1
        threshold = falling[np.minimum(rank, n_out - 1)]
        found = n_in - np.searchsorted(self.included, threshold, side="left")
        upper = np.where(rank < n_out, upper_rate(found, n_in, quarter), 1.0)
        # As the scores have it: the most that so many false accusations find.
        threshold = falling[np.floor(fprs * n_out).astype(np.int64)]
        tprs = 1.0 - np.searchsorted(self.included, threshold, side="right") / n_in
        rows = zip(DRAWN_FPRS, tprs.tolist(), lower.tolist(), upper.tolist(), strict=True)
        return tuple(Band(*row) for row in rows)


def _last(holds: Callable[[Ints], Bools], size: int, columns: int) -> Ints:
    """The last of 0 ... size - 1 at which a test holds, column by column; -1 where at none."""
    low, high = np.full(columns, -1, dtype=np.int64), np.full(columns, size, dtype=np.int64)
    while (high - low > 1).any():
        middle = (low + high) // 2
        held = holds(middle) & (middle >= 0)
        low, high = np.where(held, middle, low), np.where(held, high, middle)
    return low
