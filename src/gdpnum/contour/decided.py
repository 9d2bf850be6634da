"""What a reading decides: mu from above and from below, and its regret.

mu holds if G = delta_mu + slack - delta is nowhere below zero. Between two knots G is nearly the
cubic that has its values and slopes at both (Lemma T14), so a few knots tell.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import erfcx, expit, ndtr, ndtri, ndtri_exp

from gdpnum import charges
from gdpnum.contour.chords import chernoff, chords
from gdpnum.contour.line import Knots, Reading, Rows
from gdpnum.contour.rungs import Rungs
from gdpnum.floats import UNIT, Floats

# How often cells are cut, into how many parts at a time, and into how many in all.
_ROUNDS, _PARTS, _MOST = 6, 24.0, 1500

# A mu is tried that is above what is shown by so many tolerances, and by so many times what the
# reading's own error hides, up to so many tolerances.
_ABOVE, _BLURRED, _MOST_BLURRED = 3.0, 2.3, 300.0

# An error of alpha, or of delta beside the slack, that a test does not bear.
_BLUR = 1e-3

# Knots closer than this share of the next gap are one.
_APART = 1e-6

# A density below this is no normal number soon.
_LEAST_DENSITY = 1e-300

# exp(-eps) and what it multiplies stay normal numbers up to here.
_LARGEST = 600.0

_NORM, _ROOT, _THIRD = math.sqrt(0.5 / math.pi), math.sqrt(0.5), 1.0 / 3.0

# Rows and cells.
_Where: TypeAlias = tuple[npt.NDArray[np.intp], ...]


def lowered(lifted: Floats, epsilons: Floats) -> Floats:
    """Phi^-1(exp(-eps) lifted), also where that underflows."""
    if not epsilons.size or float(epsilons[:, -1].max()) < _LARGEST:
        return ndtri(lifted * np.exp(-epsilons))
    return ndtri_exp(np.log(lifted) - epsilons)


def shown(knots: Knots, slack: Floats, *, certain: bool = True) -> Floats:
    """The mu that the tests "loss above a knot" need, -inf where they show nothing.

    If certain, with alpha from above and tpr from below: tests that exist.
    """
    delta, lifted = knots.delta, knots.lifted_alpha
    alpha, tpr = lifted, delta + lifted
    if certain:
        alpha = (lifted + knots.lifted_alpha_error) * (1.0 + 64.0 * UNIT)
        tpr = (delta - knots.delta_error) + (lifted - knots.lifted_alpha_error)
        tpr = tpr * (1.0 - 8.0 * UNIT)
    above = tpr - slack[:, None] * (1.0 + 4.0 * UNIT)
    low, high = ndtri(np.maximum(above, 0.0)), lowered(np.maximum(alpha, 0.0), knots.epsilons)
    mus: Floats = (low - high) - charges.one_quantile(1.0 + np.abs(low) + np.abs(high))
    mus[~np.isfinite(mus)] = -np.inf
    return mus


class Cells(NamedTuple):
    """Between two knots each, by row and cell: how long, and what is not known of delta there."""

    knots: Knots
    gaps: Floats
    powers: Floats
    """The lengths' fourth powers, over 384."""
    unsure: Floats
    """What is not known however short a cell is."""
    bent: Floats
    """What the fourth derivative may do (Lemma T14): no more than twice the length."""

    @classmethod
    def of(cls, lines: Reading, knots: Knots) -> Cells:
        """The cells between knots as lines have them."""
        gaps = knots.epsilons[:, 1:] - knots.epsilons[:, :-1]
        wrong, omitted = knots.delta_error, knots.omitted
        unsure = np.maximum(wrong[:, :-1], wrong[:, 1:]) + (omitted[:, :-1] + omitted[:, 1:])
        powers = gaps * gaps
        powers *= powers * (1.0 / 384.0)
        bent = powers * np.maximum(knots.bends[:, :-1], knots.bends[:, 1:])
        np.copyto(bent, np.inf, where=lines.across(knots.epsilons))
        bent = np.fmin(bent, 2.0 * gaps)
        slopes = _slopes(gaps, knots.lifted_alpha_error)
        if (slopes > unsure + bent).any():
            # Much of that is left out of the sum, whose own slope is known better.
            slopes = np.fmin(slopes, _slopes(gaps, lines.slope_errors(knots.epsilons)))
        unsure += slopes
        return cls(knots, gaps, powers, unsure, bent)


def _slopes(gaps: Floats, wrong: Floats) -> Floats:
    """What errors of the slopes at both ends do to a cubic."""
    return 0.25 * gaps * np.maximum(wrong[:, :-1], wrong[:, 1:])


def _summary(mu: Floats, epsilons: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """delta_mu = Phi(a) - L: a = mu / 2 - s, s = eps / mu, exp(-a^2 / 2), Phi(a) and L."""
    s, half = epsilons / mu, 0.5 * mu
    a = half - s
    bell = np.exp(-0.5 * (a * a))
    return a, s, bell, ndtr(a), (0.5 * bell) * erfcx((half + s) * _ROOT)


class _Beside(NamedTuple):
    """G = delta_mu + slack - delta of a mu, by row and cell (Lemma T14)."""

    mu: Floats
    least: Floats
    """G from below, but for what shorter cells would tell."""
    bent: Floats
    """That."""
    unsure: Floats
    slowest: Floats
    fastest: Floats
    """How fast G rises with mu."""
    change: tuple[Floats, Floats]
    """By row, for how much these change with mu: the largest |a|, and the largest eps / mu."""
    shown: Floats
    """By row, a mu that is certainly too small, and what it lacks for the reading's own error."""
    below: Floats
    """delta_mu + slack at the knots, from below."""
    turning: npt.NDArray[np.bool_]
    """Whether G has a low in a cell."""

    @classmethod
    def of(cls, cells: Cells, mu: Floats, slack: Floats) -> _Beside:
        """That of a mu by row."""
        knots, gaps = cells.knots, cells.gaps
        mu, slack = mu[:, None], slack[:, None]
        each, half = 1.0 / mu, 0.5 * mu
        a, s, bell, likely, lifted = _summary(mu, knots.epsilons)
        above = likely - (lifted - slack)
        g, slope = above - knots.delta, knots.lifted_alpha - lifted
        start, end, rising, falling = g[:, :-1], g[:, 1:], gaps * slope[:, :-1], gaps * slope[:, 1:]
        # The control points of the cubic.
        least = np.minimum(
            start + np.minimum(rising, 0.0) * _THIRD, end - np.maximum(falling, 0.0) * _THIRD
        )
        # Beyond the |a| of a floor far below the slack no density and no moment of it is larger.
        floor = 1e-3 * slack
        deep = np.sqrt(-2.0 * np.log(floor))
        farthest = np.minimum(np.maximum(half, -a[:, -1:]), deep)
        longest = np.minimum(s[:, -1:], half + deep)
        others = likely + (knots.delta + slack)
        wrong, slopes = charges.gaussian_delta(farthest, knots.epsilons, lifted, others)
        unsure = cells.unsure + (wrong[:, :-1] + wrong[:, 1:]) + _slopes(gaps, slopes)
        bell *= _NORM
        before, after = bell[:, :-1], bell[:, 1:]
        top = np.maximum(np.maximum(before, after), floor)
        np.copyto(top, _NORM, where=a[:, :-1] * a[:, 1:] <= 0.0)
        bend = each * each * (each * (farthest * farthest + 1.0) + farthest)
        bend += np.maximum(each, np.minimum(2.1 * each, 1.3))
        bent = cells.bent + cells.powers * (top * bend)
        shown = [(0.0, 0.0)] * mu.size
        turning = (rising < 0.0) & (falling > 0.0)
        for row, cell in zip(*(one.tolist() for one in np.nonzero(turning)), strict=True):
            t, value, bound = _lowest(
                *(float(one[row, cell]) for one in (start, end, rising, falling))
            )
            least[row, cell] = max(bound, float(least[row, cell]))
            if not cells.bent[row, cell] < 2.0 * gaps[row, cell]:
                # Of a cell between two lines no more is known than that G is not far below.
                continue
            error = float(unsure[row, cell])
            place = float(knots.epsilons[row, cell] + t * gaps[row, cell])
            limits = float(mu[row, 0]), float(farthest[row, 0]), float(longest[row, 0])
            found = _too_small(value + error + float(bent[row, cell]), error, place, *limits)
            shown[row] = max(shown[row], found)
        return cls(
            mu,
            least - unsure,
            bent,
            unsure,
            np.maximum(np.minimum(before, after) - floor, 0.0),
            top,
            (farthest, longest),
            np.array(shown).T,
            above - wrong,
            turning,
        )

    def gained(self, mu: Floats, moved: Floats) -> Floats:
        """What G is more by in each cell, at least, for another mu by row, so far moved."""
        more = mu[:, None] - self.mu
        slower = np.maximum(more, 0.0) * np.exp(-moved)
        faster = np.minimum(more, 0.0) * np.exp(moved)
        found: Floats = slower * self.slowest + faster * self.fastest
        return found

    def moved(self, mu: Floats) -> Floats:
        """By how much logs of densities differ for another mu, at most, by row."""
        mu, (farthest, longest) = mu[:, None], self.change
        # By how much a moves.
        moved = np.abs(mu - self.mu) * (0.5 + longest / np.minimum(mu, self.mu))
        moved *= farthest + moved
        return moved

    def spare(self, room: Floats, moved: Floats) -> Floats:
        """By how much less than a mu so far moved will do for all cells of such a room, by row."""
        least = (room / self.fastest).min(axis=1) * np.exp(-moved[:, 0])
        # So little that densities change by half a percent.
        found: Floats = 0.99 * np.minimum(least, 0.004 / self.sensitivity())
        return found

    def sensitivity(self) -> Floats:
        """How fast logs of densities change with mu, for changes of a up to one, by row."""
        farthest, longest = (one[:, 0] for one in self.change)
        found: Floats = (0.5 + longest / self.mu[:, 0]) * (farthest + 1.0)
        return found

    def flatly(
        self, cells: Cells, where: _Where, start: Floats, end: Floats
    ) -> tuple[Floats, Floats]:
        """G from below in some of the cells, without the fourth derivative (Lemma T15).

        And the same at their ends, as much as shorter cells would tell. ``start`` and ``end`` bound
        delta there. delta falls, and its second derivative is at least -exp(eps) alpha.
        """
        rows, cell = where
        knots, gaps = cells.knots, cells.gaps[where]
        left, right = self.below[where], self.below[rows, cell + 1]
        lifted = np.fmin(knots.lifted_alpha[where] + knots.lifted_alpha_error[where], 1.0)
        steep = np.fmin(np.exp(gaps) * lifted, np.fmin(start + lifted, 1.0))
        curved = 0.125 * gaps * gaps * (self.fastest[where] / self.mu[rows, 0] + steep)
        ends = np.fmin(left - start, right - end)
        return np.fmax(ends - curved, right - start), ends


def _too_small(
    value: float, error: float, epsilon: float, mu: float, farthest: float, longest: float
) -> tuple[float, float]:
    """A mu that is too small, as G of this one is at most the value at an epsilon.

    And what it lacks for the error in that.
    """
    a = 0.5 * mu - epsilon / mu
    rise = _NORM * math.exp(-0.5 * a * a)
    # So far out that the density is none, as a slack next to none allows, nothing is shown.
    if abs(a) > farthest or rise < _LEAST_DENSITY:
        return 0.0, 0.0
    lacking = -value / rise
    # Densities change with mu.
    moved = abs(lacking) * (0.5 + longest / mu)
    moved *= farthest + moved
    if lacking > 0.0:
        return mu + lacking * math.exp(-moved), error / rise
    return (mu + lacking * math.exp(2.0 * moved), error / rise) if moved < 0.1 else (0.0, 0.0)


def _lowest(start: float, end: float, rising: float, falling: float) -> tuple[float, float, float]:
    """Where a cubic that falls first and rises at the end is lowest, its value, and a bound."""
    up = end - start
    square, cube = 3.0 * up - 2.0 * rising - falling, rising + falling - 2.0 * up
    root = square + math.sqrt(max(square * square - 3.0 * rising * cube, 0.0))
    t = min(-rising / root, 1.0) if root > 0.0 else 0.5
    value = start + t * (rising + t * (square + t * cube))
    if square < 0.0 or square + 3.0 * cube < 0.0:
        return t, value, -math.inf
    # A convex one is above its tangent.
    return t, value, value - abs(rising + t * (2.0 * square + 3.0 * t * cube))


def smallest(
    lines: Reading,
    found: Knots,
    rungs: Rungs,
    runs: int,
    slack: Floats,
    tolerance: float,
    known: tuple[Floats, Floats] | None = None,
    *,
    most: float = math.inf,
) -> tuple[Floats, Floats]:
    """The mu of each run from above and from below, from the first knots on.

    Cells in which G may be below zero are cut, as long as that takes no more than ``most``
    frequencies times knots a row. ``known`` are a mu to try, and one that is certainly too small.
    """
    base, mu_lower = _begun(found, runs, slack) if known is None else known
    if base[0] == np.inf:
        return base, mu_lower
    tried, needed = np.zeros(runs) if known is None else base.copy(), np.zeros(runs)
    first, index = found, np.arange(found.epsilons.shape[0])
    owner = index % runs
    for turn in range(_ROUNDS):
        cells = Cells.of(lines, found)
        beside = _Beside.of(cells, base[owner], slack)
        _raise(mu_lower, owner, beside.shown[0])
        lower = mu_lower[owner]
        above = tolerance * lower
        above = _ABOVE * above + np.minimum(_BLURRED * beside.shown[1], _MOST_BLURRED * above)
        _raise(tried, owner, lower + above)
        own = tried[owner]
        moved = beside.moved(own)
        gained = beside.gained(own, moved)
        room = (beside.least - beside.bent) + gained
        over = ~(room >= 0.0)
        ends = _flattened(room, over, beside, cells, gained, rungs) if over.any() else None
        over &= ~(room >= 0.0)
        _raise(needed, owner, own - beside.spare(np.where(over, np.inf, room), moved))
        if ends is None or not over.any():
            break
        parts, hidden = _further(beside, over, gained, ends, tolerance)
        number = parts.sum(axis=1)
        most -= lines.frequencies * min(float(number.max()), _MOST)
        last = turn == _ROUNDS - 1 or most < 0.0
        hidden |= over & ((number > _MOST) | last)[:, None]
        # Not at once, as a chord that reaches over what is hidden begins closer to it later.
        if hidden.any() and (turn > 0 or last):
            whole = Knots(*(one[index] for one in first))
            raised = _raised(beside, found, hidden, slack, rungs, whole)
            _raise(needed, owner, raised)
            # Where no mu is found there is nothing more to look for.
            lost = needed[owner] == np.inf
            _raise(tried, owner, np.where(lost, 0.0, raised))
            over &= ~(hidden | lost[:, None])
        kept = np.flatnonzero(over.any(axis=1))
        if not kept.size:
            break
        if kept.size < owner.size:
            some = slice(kept[0], kept[0] + 1) if kept.size == 1 else kept
            index, owner, slack = index[kept], owner[kept], slack[kept]
            lines, rungs = lines.rows(some), rungs.rows(some)
        found = lines.at(divided(found.epsilons[kept], parts[kept], over[kept]))
        about, lower = _highest(found, slack)
        _raise(mu_lower, owner, lower)
        base = mu_lower.copy()
        _raise(base, owner, about)
    return np.maximum(needed, mu_lower), mu_lower


def _flattened(
    room: Floats,
    over: npt.NDArray[np.bool_],
    beside: _Beside,
    cells: Cells,
    gained: Floats,
    rungs: Rungs,
) -> Floats:
    """Raises the room in cells that may be too low to what is there without a cubic.

    Returns G at the ends of some of them, as much as shorter cells would tell; elsewhere -inf.
    """
    where, ends = np.nonzero(over), np.full(room.shape, -np.inf)
    flat, near = beside.flatly(cells, where, *_upper(cells.knots, rungs, where))
    room[where] = np.fmax(room[where], flat + gained[where])
    # In a low shorter cells may well tell more, unless the reading's own error made it.
    low = (beside.turning & (beside.bent > beside.unsure))[where]
    ends[where] = np.where(low, -np.inf, near)
    return ends


def _begun(found: Knots, runs: int, slack: Floats) -> tuple[Floats, Floats]:
    """About the mu of each run, and one that is certainly too small, as removing shows them.

    Infinite and zero where no run is known at all.
    """
    # Mostly beyond the knots that are for regret.
    half = found.epsilons.shape[1] // 2
    about, lower = _highest(Knots(*(one[:runs, half:] for one in found)), slack[:runs])
    if not (lower > 0.0).all():
        if not (found.delta_error[:, :-1] < np.inf).any():
            return np.full(runs, np.inf), np.zeros(runs)
        about, lower = _highest(Knots(*(one[:runs] for one in found)), slack[:runs])
    return about, lower


def _raise(levels: Floats, owner: npt.NDArray[np.intp], values: Floats) -> None:
    """Raises levels by run to values by row."""
    if levels.size == 1:
        levels[0] = max(float(levels[0]), float(values.max()))
    else:
        np.maximum.at(levels, owner, values)


def _highest(knots: Knots, slack: Floats) -> tuple[Floats, Floats]:
    """About the largest mu that tests need, by row, and one that they certainly do.

    The first is the top of the parabola through the highest three.
    """
    about, lower = _highest_of(knots, shown(knots, slack))
    if not (lower > 0.0).all():
        # What is not certain may tell where to begin.
        return _highest_of(knots, shown(knots, slack, certain=False))[0], np.zeros(slack.size)
    unsure = np.count_nonzero(knots.lifted_alpha_error > _BLUR * knots.lifted_alpha)
    if 2 * unsure > knots.delta.size:
        # Where delta is known all the same, alpha as it was summed tells where to begin.
        told = shown(knots, slack, certain=False)
        told[knots.delta_error > _BLUR * np.minimum(knots.delta, slack[:, None])] = -np.inf
        about = np.maximum(about, _highest_of(knots, told)[0])
    return about, lower


def _highest_of(knots: Knots, mus: Floats) -> tuple[Floats, Floats]:
    """The same from what the tests at the knots need."""
    found = []
    for row, best in enumerate(mus.argmax(axis=1).tolist()):
        three = slice(max(best - 1, 0), best + 2)
        places, tops = knots.epsilons[row, three].tolist(), mus[row, three].tolist()
        found.append((_top(places, tops), max(*tops, 0.0)))
    about, lower = np.array(found).T
    return about, lower


def _top(places: list[float], values: list[float]) -> float:
    """The largest value of the parabola through three points, if it is among them."""
    most = max(*values, 1e-300)
    if len(places) < 3 or not values[0] > -math.inf < values[2]:
        return most
    before, after = places[1] - places[0], places[2] - places[1]
    # Next to each other, as on both sides of where lines meet, rounding would be their slope.
    if not (before > _APART * after and after > _APART * before):
        return most
    first, second = (values[1] - values[0]) / before, (values[2] - values[1]) / after
    bend, slope = (first - second) * (before + after), first * after + second * before
    return max(most, values[1] + 0.25 * slope * slope / bend) if bend > 0.0 else most


def _further(
    beside: _Beside,
    over: npt.NDArray[np.bool_],
    gained: Floats,
    ends: Floats,
    tolerance: float,
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Into how many parts to cut cells that are over, and those of which shorter ones tell no more.

    What is bent falls like the fourth power of the length; the reading's own error does not.
    """
    room = beside.least + gained
    most = np.maximum(room, tolerance * beside.mu * beside.slowest)
    number = np.ceil(np.sqrt(np.sqrt(2.0 * beside.bent / most)))
    number = np.where(number < _PARTS, np.maximum(number, 2.0), _PARTS)
    # Where G is certainly below zero, and has no low, it takes a larger mu alone.
    lost = (room + beside.unsure + beside.bent < 0.0) & ~beside.turning
    hidden = over & (beside.bent < 0.5 * beside.unsure) & (room > -3.0 * beside.unsure)
    return np.where(over & ~lost, number, 1.0), hidden & ~(ends + gained > 0.0)


def _upper(knots: Knots, rungs: Rungs, where: _Where) -> list[Floats]:
    """Bounds on delta at the left and at the right ends of some cells."""
    upper = np.minimum.accumulate(knots.delta + knots.delta_error, axis=1)
    rows, cell = where
    own = rungs.rows(rows)
    both = [(rows, cell), (rows, cell + 1)]
    return [np.fmin(upper[i], chernoff(knots.epsilons[i][:, None], own)[:, 0]) for i in both]


def _raised(
    beside: _Beside,
    knots: Knots,
    hidden: npt.NDArray[np.bool_],
    slack: Floats,
    rungs: Rungs,
    others: Knots,
) -> Floats:
    """By row, a mu with which G is not below zero in the hidden cells; infinite if none is found.

    That which makes up for what is not known; or which a chord needs, over what is hidden, between
    any two knots, also ``others`` around them.
    """
    more = (beside.bent - beside.least) / beside.slowest
    # Up to twice as much: densities change by no more than half.
    moved = 2.0 * more * beside.sensitivity()[:, None]
    raised = beside.mu + np.where(moved < 0.69, more * np.exp(moved), np.inf)
    every = Knots(*(np.concatenate(both, axis=1) for both in zip(knots, others, strict=True)))
    upper = np.fmin(every.delta + every.delta_error, chernoff(every.epsilons, rungs))
    for row in np.flatnonzero(hidden.any(axis=1)):
        own = np.flatnonzero(hidden[row])
        ends = knots.epsilons[row, own], knots.epsilons[row, own + 1]
        needed = chords(every.epsilons[row], upper[row], float(slack[row]), *ends)
        raised[row, own] = np.fmin(raised[row, own], needed)
    found: Floats = np.where(hidden, raised, 0.0).max(axis=1)
    return found


def divided(knots: Floats, parts: Floats, kept: npt.NDArray[np.bool_]) -> Floats:
    """Knots with each cell cut into so many parts, from the first to the last that is kept.

    By row; where rows need different numbers their cells are cut a little finer.
    """
    columns = np.flatnonzero(kept.any(axis=0))
    first, last = int(columns[0]), int(columns[-1]) + 1
    inside, parts = knots[:, first : last + 1], parts[:, first:last]
    counted = np.zeros(inside.shape)
    np.cumsum(parts, axis=1, out=counted[:, 1:])
    ends = counted[:, -1:]
    number = int(min(ends.max(), _MOST))
    places = np.arange(number + 1) * (1.0 / number)
    places[-1] = 1.0
    return np.stack(
        [
            np.interp(places * end[0], one, at)
            for end, one, at in zip(ends, counted, inside, strict=True)
        ]
    )


def profile_of_mu(mu: Floats, epsilons: Floats) -> Floats:
    """delta_mu(eps) = Phi(a) - exp(-a^2 / 2) erfcx(b / sqrt 2) / 2, rounded up.

    a, b = mu / 2 -+ eps / mu.
    """
    mu = mu[:, None]
    _, _, _, likely, lifted = _summary(mu, epsilons)
    return likely - (lifted - charges.profile_of_mu(mu))


class Readable(Protocol):
    """What has knots at epsilons by row, such as a reading."""

    def rows(self, kept: Rows, /) -> Readable:
        """Some of the rows."""

    def at(self, epsilons: Floats, /) -> Knots:
        """The knots at increasing epsilons."""


def regrets(
    lines: Readable, found: Knots, mu: Floats, slack: Floats, tolerance: float
) -> tuple[Floats, Floats]:
    """Bounds on Delta(f, max(0, f_mu - slack)), and delta(0) from above, by run.

    ``found`` is what the lines of removing, which come first, have at the first knots.
    On each half of a cell the line of the test at its knot is held fixed below delta; the summary's
    profile, at most min(1, delta_mu + slack), is convex in exp(eps), so that the ratio of what it
    is above the line to 1 + exp(eps) is largest at an end.
    """
    knots = found.epsilons
    advantage = np.minimum(found.delta[:, 0] + found.delta_error[:, 0], 1.0)
    regret, reached = np.zeros((2, mu.size))
    owner = np.arange(mu.size)
    for turn in range(_ROUNDS):
        number = knots.shape[1]
        lower = found.delta - found.delta_error
        lifted = found.lifted_alpha + found.lifted_alpha_error
        tpr = lower + (found.lifted_alpha - found.lifted_alpha_error)
        gaps = 0.5 * (knots[:, 1:] - knots[:, :-1])
        places = np.concatenate([knots, knots[:, :-1] + gaps], axis=1)
        grown = np.exp(gaps)
        line = np.minimum(tpr[:, :-1] - lifted[:, :-1] * grown, tpr[:, 1:] - lifted[:, 1:] / grown)
        below = np.concatenate([np.minimum(tpr - lifted, lower), line], axis=1)
        # No test says less than delta >= -1 does; NaN neither.
        below = np.fmax(below, -1.0)
        below -= (16.0 * UNIT) * (1.0 + np.abs(below))
        weights = expit(-places)
        # Nor less than delta >= 0 does, and what the summary has over 1 + exp(eps) falls.
        most = _cut_off(profile_of_mu(mu, places) + slack[:, None], knots, tpr, lifted) * weights
        ratios = most - below * weights
        at_knots, at_middles = np.minimum(ratios, most)[:, :number], ratios[:, number:]
        cells = np.maximum(ratios[:, : number - 1], ratios[:, 1:number])
        cells = np.minimum(np.maximum(cells, at_middles), most[:, : number - 1])
        reached = np.maximum(reached, at_knots.max(axis=1))
        if turn == 0:
            # Beyond the last knot no other test is known.
            regret = most[:, number - 1].copy()
            if (regret > reached).any():
                regret = np.maximum(at_knots[:, -1], _beyond(found, tpr, lifted, mu, slack))
        # Closer than what is known of delta there is nothing to gain.
        blurred = np.minimum(found.delta_error[:, :-1], found.delta_error[:, 1:])
        target = (reached * (1.0 + 10.0 * tolerance) + 1e-15)[:, None] + blurred
        high = cells > target
        if turn == _ROUNDS - 1 or not high.any():
            break
        _raise(regret, owner, np.where(high, 0.0, cells).max(axis=1))
        ends = np.maximum(at_knots[:, :-1], at_knots[:, 1:])
        room = np.maximum(target - ends, tolerance * target)
        parts = np.minimum(np.ceil(np.sqrt(1.2 * (cells - ends) / room)), _PARTS)
        parts, kept = np.where(high, np.maximum(parts, 2.0), 1.0), np.flatnonzero(high.any(axis=1))
        some = slice(kept.size) if kept.size == owner.size else kept
        owner, mu, slack, reached = owner[some], mu[some], slack[some], reached[some]
        lines, knots = lines.rows(some), divided(knots[some], parts[some], high[some])
        found = lines.at(knots)
    _raise(regret, owner, cells.max(axis=1))
    return np.maximum(regret, 0.0) * (1.0 + 16.0 * UNIT), advantage


def _cut_off(profile: Floats, knots: Floats, tpr: Floats, lifted: Floats) -> Floats:
    """The summary's profile up to one, by row, unless that would put a peak within a cell.

    Where it is one, what it has above the line of a test over 1 + exp(eps) falls if alpha + tpr <=
    1, and may rise up to where it leaves one otherwise.
    """
    if not float(profile.max()) > 1.0:
        return profile
    near: npt.NDArray[np.bool_] = profile[:, : knots.shape[1]] > 1.0
    near[:, 1:] |= near[:, :-1]
    rises = near & (tpr + lifted * np.exp(-knots) > 1.0)
    return np.where(rises.any(axis=1, keepdims=True), profile, np.minimum(profile, 1.0))


def _beyond(found: Knots, tpr: Floats, lifted: Floats, mu: Floats, slack: Floats) -> Floats:
    """(delta_mu + slack) / (1 + exp(eps)) where the line of the last test has come down to zero."""
    ratio = tpr[:, -1:] / lifted[:, -1:] * (1.0 - 32.0 * UNIT)
    # Not beyond that place, for all that rounding does.
    down = (found.epsilons[:, -1:] + np.log(np.fmax(ratio, 1.0))) * (1.0 - 4.0 * UNIT)
    found_there: Floats = (profile_of_mu(mu, down) + slack[:, None]) * expit(-down)
    return found_there[:, 0]
