"""Which losses of a composition are wanted, and how long and how tilted the transform must be.

Planning only: a poor plan costs time or tightness, never soundness, because `compose` bounds what
it loses from the lattice masses themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

import numpy as np

from gdpnum.accuracy import Accuracy
from gdpnum.floats import Floats
from gdpnum.lattice.cumulants import Cumulants, Edge

# How much more accurate extended precision is; not at all on some platforms.
_EXTENDED_GAIN = float(np.finfo(np.float64).eps / np.finfo(np.longdouble).eps)

#: Below this, false negatives are few enough to need bounds of their own.
FEW_MISSED = 0.01

# Losses at which a plan is checked, as parts of its range.
_PARTS = np.union1d(np.linspace(0.0, 1.0, 17), np.geomspace(1e-3, 1.0, 24))

# So many tilts in place of the best for rounding are tried out.
_TRIED = 16

# A transform in extended precision takes about so many times as long.
_SLOWER = 6.0


@dataclass(frozen=True)
class Window:
    """The losses [low, high] wanted of a composition, and how to transform for them.

    A transform of circular length ``span`` (in loss) at each of the ``tilts`` lets nothing worth
    counting wrap into [low, high]. The remaining tilts make the Chernoff bounds: on the mass above
    ``high`` and below ``low``, and, as steps from a tilt, on what wraps. ``extended`` asks for a
    transform in extended precision, where no tilt keeps the rounding of doubles small enough.
    """

    low: float
    high: float
    tilts: tuple[float, ...]
    span: float
    above: float
    below: float
    step_up: float
    step_down: float
    extended: bool

    def shifted(self, tilt: float) -> Window:
        """The window for masses that carry a further factor exp(-tilt * loss)."""
        return replace(
            self,
            tilts=tuple(one + tilt for one in self.tilts),
            above=self.above + tilt,
            below=self.below + tilt,
        )

    def extended_up(self) -> Window:
        """The window that reaches half as far again: next to nothing is left above it."""
        more = 0.5 * (self.high - self.low)
        return replace(self, high=self.high + more, span=self.span + more)


def steep_window(cumulants: Cumulants, accuracy: Accuracy) -> Window:
    """The window of the losses >= 0, up to a tail of the accuracyed mass.

    Thresholds at losses below zero belong to the mirrored half of the curve. Where few losses are
    below zero, though, the window begins at a tail of that mass on their side: false negatives
    are counted from there.
    """
    balanced = cumulants.balanced
    bottom = Edge(0.0, min(float(cumulants.tilts[balanced]), -1e-3))
    if cumulants.values[balanced] < np.log(FEW_MISSED):
        bottom = cumulants.edge(cumulants.zero, float(np.log(accuracy.mass)), -1.0)
    region = _Region(cumulants, accuracy, bottom)
    # An error is compared with the mass on the smaller side.
    region.compare(np.minimum(region.log_tail(1.0), region.log_tail(-1.0)))
    return region.window(float(np.log(3e-4 * accuracy.tolerance)))


def whole_window(cumulants: Cumulants, accuracy: Accuracy) -> Window:
    """The window of all losses but tails of the accuracyed mass, and nothing more than that wraps.

    Its masses are accurate relative to themselves above the mean, and to one below it.
    """
    log_mass = float(np.log(accuracy.mass))
    region = _Region(cumulants, accuracy, cumulants.edge(cumulants.zero, log_mass, -1.0))
    region.compare(region.log_tail(1.0))
    return region.window(log_mass)


class _Tilting(NamedTuple):
    """Numbers of tilts, how far the masses so tilted reach, and a span that they need."""

    numbers: list[int]
    up: Edge
    down: Edge
    span: float


def _span(tilting: _Tilting) -> float:
    return tilting.span


class _Region:
    """The losses from an edge up to where little is left, on the way to a window."""

    def __init__(self, cumulants: Cumulants, accuracy: Accuracy, bottom: Edge) -> None:
        self._cumulants, self._bottom = cumulants, bottom
        self._log_floor = float(np.log(accuracy.floor))
        self._top = cumulants.edge(cumulants.zero, float(np.log(accuracy.mass)), 1.0)
        self._low = max(bottom.loss, cumulants.smallest)
        least = self._low + 1e-9 * cumulants.deviation
        self._high = max(min(self._top.loss, cumulants.largest), least)
        self._losses = self._low + (self._high - self._low) * _PARTS
        # Rounding grows like sqrt(T) u, as `spectrum` explains, with room for its constants.
        steps = sum(one.times for one in cumulants.atoms)
        allowed = np.log(1e12 * accuracy.tolerance / (1.0 + np.sqrt(steps)))
        self._allowed = np.full(self._losses.size, allowed)
        self._extended = False

    def log_tail(self, sign: float) -> Floats:
        """Log of about the mass above (sign 1) or below (-1) each of the losses checked."""
        return self._cumulants.log_tail(self._losses, sign)

    def compare(self, log_level: Floats) -> None:
        """Set the masses with which errors at the losses checked are to be compared."""
        cumulants = self._cumulants
        # A small mu is the small difference of two probabilities, and needs them that much better.
        # The larger of the two is positive.
        scale = np.minimum(np.maximum(self._losses, cumulants.typical_deviation), 1.0)
        levels = log_level.clip(self._log_floor, 0.0) + np.log(scale)
        # Nothing is gained below -1/2, half way from P to Q, nor by a mean beyond all losses. The
        # first and the last are not considered, as a plan looks either way from its tilts.
        last = min(int(np.searchsorted(cumulants.slopes, self._high)) + 2, cumulants.tilts.size - 1)
        self._first = min(max(int(np.searchsorted(cumulants.tilts, -0.5)), 1), last - 1)
        tilts, values = (one[self._first : last] for one in (cumulants.tilts, cumulants.values))
        # log of what a rounding error relative to the tilted masses amounts to, over the level
        self._excess = values[:, None] - tilts[:, None] * self._losses - levels
        best = self._excess.min(axis=0)
        if best.max() > self._allowed[0] and _EXTENDED_GAIN > 1.0:
            self._extended = True
            self._allowed += float(np.log(_EXTENDED_GAIN))
        # Where even that is not enough, come as near as the tilts can.
        self._allowed = np.maximum(self._allowed, best + 0.5)

    def _chosen(self) -> list[int]:
        """Numbers of the tilts that together keep rounding within bounds, from low losses up."""
        chosen: list[int] = []
        start = 0
        while start < self._losses.size and len(chosen) < 6:
            good = self._excess[:, start:] <= self._allowed[start:]
            runs = np.where(good.all(axis=1), good.shape[1], good.argmin(axis=1))
            most = int(runs.max())
            longest = (runs == most).nonzero()[0]
            covered = self._excess[longest, start : start + most]
            # The least excess at the worst place or, where that hardly differs, in the mean.
            worst = covered.max(axis=1)
            score = np.maximum(worst, worst.min() + 0.5)
            best = int((score + 1e-3 * covered.mean(axis=1)).argmin())
            chosen.append(self._first + int(longest[best]))
            start += most
        return chosen

    def _tiltings(self, every: list[list[int]], log_wrap: float) -> list[_Tilting]:
        """The plans with these numbers of tilts."""
        cumulants, first = self._cumulants, self._first
        rows = [reduce(np.minimum, (self._excess[i - first] for i in one)) for one in every]
        allowed = log_wrap - np.maximum(np.array(rows).max(axis=1), 0.0)
        ups = cumulants.edges(np.array([max(one) for one in every]), allowed, 1.0)
        downs = cumulants.edges(np.array([min(one) for one in every]), allowed, -1.0)
        whole, found = cumulants.largest - cumulants.smallest, []
        for numbers, up, down in zip(every, ups, downs, strict=True):
            highest, lowest = min(up.loss, cumulants.largest), max(down.loss, cumulants.smallest)
            reach = max(highest - self._low, self._high - lowest)
            found.append(_Tilting(numbers, up, down, min(reach, whole)))
        return found

    def _single_tiltings(self, allowed: Floats, log_wrap: float) -> list[_Tilting]:
        """Plans with one tilt each, of some of the tilts that keep rounding within bounds."""
        fit = self._first + np.flatnonzero((self._excess <= allowed).all(axis=1))
        few = fit[:: max(1, fit.size // _TRIED)]
        return self._tiltings([[number] for number in few.tolist()], log_wrap) if few.size else []

    def _best_tilting(self, log_wrap: float) -> _Tilting:
        """The plan with the fewest tilts or, of one tilt, with the shortest transform."""
        best = self._tiltings([self._chosen()], log_wrap)[0]
        reach = self._high - self._low
        if len(best.numbers) > 1 or best.span <= 2.0 * reach:
            return best
        # Rare large jumps: a smaller tilt, if rounding allows it, meets fewer of them.
        best = min([best, *self._single_tiltings(self._allowed, log_wrap)], key=_span)
        if self._extended or _EXTENDED_GAIN <= 1.0 or best.span <= _SLOWER * reach:
            return best
        allowed = self._allowed + float(np.log(_EXTENDED_GAIN))
        shortest = min(self._single_tiltings(allowed, log_wrap), key=_span)
        if _SLOWER * shortest.span > best.span:
            return best
        self._extended = True
        return shortest

    def window(self, log_wrap: float) -> Window:
        """The window of the region, if that part of the mass, relative to it, may wrap."""
        best = self._best_tilting(log_wrap)
        tilts = [float(self._cumulants.tilts[number]) for number in best.numbers]
        return Window(
            low=self._low,
            high=self._high,
            tilts=tuple(tilts),
            span=best.span + 1e-3 * self._cumulants.typical_deviation,
            above=self._top.tilt,
            below=self._bottom.tilt,
            step_up=best.up.tilt - max(tilts),
            step_down=min(tilts) - best.down.tilt,
            extended=self._extended,
        )
