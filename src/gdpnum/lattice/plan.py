"""Plan: which lattice a list of releases is put on. Tolerance in, steps out.

A lattice of step h adds a variance of h^2 / 6 a release, so relative to the variance s^2 of one
loss it raises mu by (h / s)^2 / 12. The plan spends the tolerance on that; like every plan here
it decides tightness and cost, never soundness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gdpnum.accuracy import Accuracy
from gdpnum.errors import BudgetExceeded
from gdpnum.floats import Floats
from gdpnum.lattice.cumulants import Atoms, Cumulants
from gdpnum.lattice.split import SplitPair
from gdpnum.pairs.pair import Quadrature, Release

# Share of the tolerance that the lattice may use; the rest covers what the plan cannot foresee.
_SHARE = 0.95

# Share of that for the coarser lattice of the sum, if there are releases enough to have one. Where
# the transform is long, what comes after it matters less.
_COARSE_SHARE, _COARSE_SHARE_IF_LONG = 0.15, 0.04

# Points for a single release at least: some milliseconds, and mu to about 1e-6.
_SINGLE = 2**12

# So many releases are few.
_FEW = 64

# A coarser lattice than of so many points to one saves nothing any more.
_LARGEST_STRIDE = 256

# Coarser cells are not foreseen by how far they spread a loss: where in them it is matters.
_FINE = 0.05

# exp of a single loss must not overflow.
_LARGEST_LOSS = 700.0

# Squares of smaller losses are no floats.
_SMALLEST_LOSS = 1e-100

# Transforms longer than this are worth the two stages of a split, those longer than the second
# even where steps are few.
_LONG, _VERY_LONG = 2**15, 2**17

# Of so few steps with rare jumps it is these that decide, and attacks on a lattice of so many
# points, far coarser than the bulk, find them.
_RARE, _ROUGH = 512, 2**12


@dataclass(frozen=True, eq=False)
class Cut:
    """A release cut into bulk and jump, with the most jumps that the lower bound reckons with."""

    split: SplitPair
    most: int


@dataclass(frozen=True, eq=False)
class Plan:
    """Lattice step and one-release ranges, and of how many steps that of the sum is.

    For a split, where that sum is the bulk's, also the cuts and the coarse step. ``foreseen`` is
    about what the lattice will hold, where that is known without it.
    """

    step: float
    anchors: tuple[float, ...]
    ranges: tuple[tuple[float, float], ...]
    stride: int = 1
    cuts: tuple[Cut, ...] | None = None
    coarse_step: float = 0.0
    foreseen: Cumulants | None = None
    rough: Plan | None = None
    """The plan for attacks, if that is another."""

    @property
    def length(self) -> float:
        """About how many points the lattice of one release has; of a split, the coarse one."""
        reach = max(high - low for low, high in self.ranges)
        return reach / (self.step if self.cuts is None else self.coarse_step)


def plan(releases: Sequence[Release], accuracy: Accuracy) -> Plan:
    """The plan for one direction of the releases."""
    points = [release.pair.points() for release in releases]
    counts = [release.times for release in releases]
    total = sum(counts)
    whole = Cumulants(
        [Atoms(one.losses, one.p, times) for one, times in zip(points, counts, strict=True)]
    )
    ranges = _ranges(releases, points, accuracy, whole)
    typical = whole.typical_deviation**2
    step = float(np.sqrt(12.0 * _SHARE * accuracy.tolerance * typical / total))
    # A loss that hardly varies needs no lattice finer than its own digits; one that is always zero
    # fits any.
    largest = max(max(map(abs, limits)) for limits in ranges)
    if 0.0 < largest < _SMALLEST_LOSS:
        raise BudgetExceeded(
            f"a release loses {largest:.3g} of privacy at most, less than floats can add up; "
            "pass less noise: with so much of it nothing is left to account for"
        )
    step = max(step, 1e-9 * largest) if largest > 0.0 else 1.0
    reach = max(high - low for low, high in ranges)
    if total == 1 and reach > 0.0:
        # The profile of a single release is exact at every node, however far apart: of unbounded
        # losses as many as cost next to nothing.
        finer = reach / _SINGLE if releases[0].pair.highest == np.inf else np.inf
        step = max(min(step, finer), reach / _LONG)
    anchors = tuple(0.0 for _ in releases)
    if accuracy.grid_step is not None:
        return Plan(accuracy.grid_step, anchors, ranges)
    if total < _FEW and np.isfinite([release.pair.highest for release in releases]).all():
        # Bounded losses have atoms; so few of them do not yet add up to something smooth.
        step = 0.25 * step
    aligned = _aligned(releases, step)
    if aligned is not None:
        return aligned
    if reach / step > _LONG:
        few = accuracy.hasty and total < _RARE and reach / step > _VERY_LONG
        cuts = _cuts(releases, points, ranges, accuracy, forgo=few)
        if cuts is not None:
            jumps = sum(
                cut.split.jump_rate * count for cut, count in zip(cuts, counts, strict=True)
            )
            budget = 12.0 * accuracy.tolerance * typical
            fine, coarse = np.sqrt(0.4 * budget / total), np.sqrt(0.3 * budget / (1.0 + jumps))
            # Few steps of rare jumps: the bulk is not what the lattice is for.
            coarse = max(coarse, 0.5 * reach / _LONG) if few else coarse
            rough = Plan(reach / _ROUGH, anchors, ranges) if few else None
            # A lattice half way between the two, where the sum of the bulk is read.
            stride = min(max(int(coarse / fine / 4.0), 1), _LARGEST_STRIDE)
            return Plan(float(fine), anchors, ranges, stride, cuts, float(coarse), rough=rough)
    if total < _FEW:
        return Plan(step, anchors, ranges)
    # One lattice raises a profile by up to 3/2 of its mean, half way between two points; over many
    # releases that evens out.
    share = _COARSE_SHARE_IF_LONG if reach / step > _LONG else _COARSE_SHARE
    step *= float(np.sqrt(1.0 - share))
    coarse = np.sqrt(12.0 * _SHARE * share * accuracy.tolerance * typical / 1.5)
    stride = min(max(int(coarse / step), 1), _LARGEST_STRIDE)
    if step > _FINE:
        return Plan(step, anchors, ranges, stride)
    atoms = [
        _within(one, count, *limits)
        for one, count, limits in zip(points, counts, ranges, strict=True)
    ]
    foreseen = Cumulants([*atoms, _added(step, total)])
    return Plan(step, anchors, ranges, stride, foreseen=foreseen)


def _added(step: float, count: int) -> Atoms:
    """At most what connect-the-dots adds to each loss: half a step either way, P and Q kept.

    No way of putting a loss on the two ends of its cell spreads it more than that.
    """
    up = 0.5 + 0.5 * float(np.tanh(0.25 * step))
    return Atoms(step * np.array([-0.5, 0.5]), np.array([1.0 - up, up]), count)


def _ranges(
    releases: Sequence[Release], points: Sequence[Quadrature], accuracy: Accuracy, whole: Cumulants
) -> tuple[tuple[float, float], ...]:
    """The losses that get lattice points of their own, for each kind of release.

    What is cut off above goes to infinity, so it must be tiny. What is cut off below only joins
    the lowest point: it may weigh as much as moves the curve by a hundredth of the tolerance,
    relative to the smaller error of the balanced test.
    """
    share = 0.01 * min(accuracy.tolerance, 0.1) * float(np.exp(whole.log_balanced_error()))
    lower = max(share, accuracy.mass)
    found = []
    for (pair, times), (losses, p, _) in zip(releases, points, strict=True):
        low = max(_quantile(losses, p, lower / times), pair.lowest)
        high = min(-_quantile(-losses[::-1], p[::-1], accuracy.mass / times), pair.highest)
        if high > _LARGEST_LOSS:
            raise BudgetExceeded(
                f"a single release may lose {high:.3g} of privacy, more than the "
                f"{_LARGEST_LOSS:g} that doubles can tell from no privacy at all; "
                "pass a larger slack: with so little noise there is next to none"
            )
        found.append((low, high))
    return tuple(found)


def _quantile(losses: Floats, weights: Floats, mass: float) -> float:
    """A loss below which at most that mass lies."""
    # Sums of weights do not fall: behind those within the mass is the first beyond it.
    within = int(weights.cumsum().searchsorted(mass, side="right"))
    return float(losses[max(within - 1, 0)]) if within < losses.size else float(losses[0])


def _within(points: Quadrature, count: int, low: float, high: float) -> Atoms:
    """The points that the ranges keep, those below them gathered at the lowest."""
    losses, p = points.losses, points.p
    first = min(int(np.searchsorted(losses, low)), losses.size - 1)
    stop = max(int(np.searchsorted(losses, high, side="right")), first + 1)
    weights = p[first:stop].copy()
    weights[0] += p[:first].sum()
    return Atoms(losses[first:stop], weights, count)


def _aligned(releases: Sequence[Release], step: float) -> Plan | None:
    """A plan whose lattice meets the ends of bounded losses, where they have atoms.

    If all losses lie on a lattice, it is that one, and nothing is lost.
    """
    ends = tuple((release.pair.lowest, release.pair.highest) for release in releases)
    span = max(high - low for low, high in ends)
    exact = _common_step([release.pair.spacing for release in releases])
    if exact is None or span / exact > max(span / step, _LONG):
        length = _common_step([high - low for low, high in ends])
        if length is None or span / step > _LONG:
            return None
        exact = length / float(np.ceil(length / step))
    return Plan(exact, tuple(low for low, _ in ends), ends)


def _common_step(lengths: Sequence[float | None]) -> float | None:
    """The smallest of the lengths, if it is positive and all the others are multiples of it."""
    known = [one for one in lengths if one is not None and 0.0 < one < np.inf]
    if len(known) < len(lengths):
        return None
    multiples = np.array(known) / min(known)
    return min(known) if np.abs(multiples - np.round(multiples)).max() < 1e-12 else None


def _cuts(
    releases: Sequence[Release],
    points: Sequence[Quadrature],
    ranges: Sequence[tuple[float, float]],
    accuracy: Accuracy,
    *,
    forgo: bool,
) -> tuple[Cut, ...] | None:
    """Where to cut each release, or None if it would not pay: few steps, or no large jumps.

    With ``forgo``, also where steps are few: not for a lower bound.
    """
    cuts = []
    for release, (losses, p, _), (_, high) in zip(releases, points, ranges, strict=True):
        rate, most = _jump_rate(release.times, accuracy)
        if most < 1 and forgo:
            rate, most = 0.2 * accuracy.tolerance, 0
        elif most < 1:
            return None
        tail = np.cumsum(p[::-1])[::-1]
        place = np.flatnonzero(tail <= rate)
        if place.size == 0 or not 0.0 < losses[place[0]] < 0.25 * high:
            return None
        cuts.append(Cut(SplitPair(release.pair, float(losses[place[0]])), most))
    return tuple(cuts)


def _jump_rate(times: int, accuracy: Accuracy) -> tuple[float, int]:
    """How often a step may jump, and the most jumps that may then occur; (0, 0) if none may.

    The lower bound forgoes that many bulk draws, so they must be a small part of all; more jumps
    must have less than the accuracyed mass (Chernoff bound of a Poisson variable).
    """
    most = int(0.5 * accuracy.tolerance * times)
    if most < 1:
        return 0.0, 0
    means = np.geomspace(1e-9, 1.0, 200) * min(0.2 * accuracy.tolerance * times, most)
    log_excess = (most + 1) * (1.0 + np.log(means / (most + 1))) - means
    fits = np.flatnonzero(log_excess < np.log(accuracy.mass))
    return (float(means[fits[-1]]) / times, most) if fits.size else (0.0, 0)
