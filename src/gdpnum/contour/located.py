"""About where mu is decided, for runs in which jumps have their say: nothing here is certified."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp, ndtr, ndtri

from gdpnum.contour.decided import shown
from gdpnum.contour.draft import tail_rung
from gdpnum.contour.grid import grid, lifted_spacing
from gdpnum.contour.ladder import small_cumulants
from gdpnum.contour.line import (
    Knots,
    Line,
    by_blocks,
    coefficients,
    in_blocks,
    knots_of,
    zero_terms,
)
from gdpnum.contour.pairs import Nodes, Steps, lifted
from gdpnum.contour.phases import phases
from gdpnum.contour.plan import kept
from gdpnum.contour.rungs import Approximate, Ladder, period
from gdpnum.contour.turns import Complexes, log_of_one_plus, turns
from gdpnum.floats import Floats

# Frequencies, and more where they are not enough.
_NUMBERS = (120, 1000)

# What delta may be wrong by, beside the slack (far from saddle points less, as it is a difference),
# and the largest share of the transform that may be left out.
_WRONG, _LEFT = (1e-2, 1e-4), 1e-4

# Periods are longer than they have to be by this.
_ROOM = 1.1

# By about so much (a log) is delta below Chernoff's bound.
_BELOW = 3.0

# From such a delta on an error of some percent is too much beside 1 - TPR; and what is left out of
# the transform is too much for a sum that is less than so many times that share of its terms.
_LARGE, _TINY = 0.3, 10.0

# Nodes of a segment, at most: where more would be needed, sums are what they are.
_NODES = 2000.0

# exp(l) is summed as it is up to here.
_LARGEST = 600.0

# Below this share of the slack delta decides nothing.
_FALLEN = 0.3

# How often a better place is looked for, and how close a guess must be to be kept.
_TURNS, _OFF = 4, 2.2

# How far two guesses may be apart (a log) that agree.
_AGREE = 0.7

# Jumps so rare that saddle points do not tell where mu is decided: below this reach of the ladder.
# And from this on they always do.
_RARE, _FEW = 0.14, 0.3

# What is less than this share of a deviation is next to zero.
_AT_ZERO = 0.1

# How large a loss is that decides alone, in deviations of the others; these add about one.
_ALONE = 7.5

# By how much the place is before a guess with more cumulants, and how far that may be from the one
# without, in deviations.
_BEFORE, _SHIFT = 0.03, 0.4

# So many times that the quantiles' line may say where both have their share; of several segments
# it is less.
_TOGETHER, _LESS = 1.3, 0.95

# A guess beyond this part of the ladder is at its end, and how many slacks delta is about there.
_END, _FEW_SLACKS = 0.7, 3.0

# Places next to a guess, as shares of it, and the largest error of delta that tells there.
_NEAR, _BLUR = np.linspace(0.72, 1.12, 21), 0.01

# Places around a guess, as shares of it, and then between two of them.
_AROUND, _BETWEEN = np.geomspace(0.3, 3.0, 21), np.linspace(0.0, 1.0, 7)


def settled(
    near: Approximate, steps: Steps, ladder: Ladder, guess: Floats, slack: Floats
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """A guess of where mu is decided for removing (`guessed`), also where jumps do.

    And by run whether it is close, to about a twentieth of a deviation, as a rule.
    """
    runs = steps.runs
    guess, sure = guess.copy(), np.ones(runs, np.bool_)
    jumpy = np.flatnonzero(ladder.steep < 1.0)
    if jumpy.size:
        largest = np.maximum(near.largest(ladder.rungs, slice(runs), slack), 1e-12)
        # Two guesses that agree are right, unless jumps are rare.
        apart = np.abs(np.log(largest[jumpy] / guess[jumpy])) > _AGREE
        apart &= ladder.steep[jumpy] < _FEW
        lost = apart | (ladder.steep[jumpy] < _RARE)
        unclear, clear = jumpy[lost], jumpy[~lost]
        if clear.size:
            guess[clear], sure[clear] = _closer(near, ladder, guess[clear], slack[clear], clear)
        if unclear.size:
            sure[unclear] = False
            rest = ladder.deviation[unclear]
            jump = _one_jump(steps, ladder, slack)[unclear] + rest
            alone = jump > _ALONE * rest
            beside = (guess[unclear] > jump) & (guess[unclear] < _TOGETHER * jump)
            less = _LESS if steps.c.size > runs else 1.0
            about = np.where(beside, less * guess[unclear], jump)
            # Rarer jumps decide where the bulk ends; a ladder that ends before the jumps of much
            # noise may end before that place, too.
            last, bulk = ladder.rungs.slopes[unclear, -1], _in_bulk(rest, slack[unclear])
            beyond = largest[unclear] > _END * last
            nearest, farthest = (f(largest[unclear], bulk) for f in (np.minimum, np.maximum))
            place = np.where(beyond, farthest, nearest)
            guess[unclear] = np.where(alone, about, place)
            # Next to zero it is the knots there that tell; of many runs all are located at once.
            told = (guess[unclear] < _AT_ZERO * rest) | (alone & (runs == 1))
            unclear = unclear[~told]
        if unclear.size:
            place = located(steps, ladder, guess, slack, unclear)
            known = place > 0.0
            guess[unclear[known]] = place[known]
    return guess, sure


def nearer(line: Line, guess: Floats, slack: Floats) -> Floats:
    """A guess of where mu is decided for removing, by run, as the tests around it have it.

    By the line that is for there; the place is the top of the parabola through the highest three.
    """
    places = guess[:, None] * _NEAR
    knots = knots_of(places, *line.at(places))
    needed = shown(knots, slack, certain=False)
    needed[knots.delta_error > _BLUR * knots.delta] = -np.inf
    rows, best = np.arange(guess.size), needed.argmax(axis=1)
    inner = np.clip(best, 1, _NEAR.size - 2)
    before, top, after = (needed[rows, inner + i] for i in (-1, 0, 1))
    bend = 2.0 * top - before - after
    share = np.where(bend > 0.0, 0.5 * (after - before) / bend, 0.0)
    # Beyond the three nothing is told; nor is it where one of them tells nothing.
    share = np.clip(np.where(np.isfinite(share), share, best - inner), -1.0, 1.0)
    found = guess * (_NEAR[inner] + share * (_NEAR[1] - _NEAR[0]))
    return np.where(needed[rows, best] > -np.inf, found, guess)


def _in_bulk(deviation: Floats, slack: Floats) -> Floats:
    """About where delta of a Gaussian loss of a small deviation is a few slacks."""
    log = -np.log((_FEW_SLACKS * math.sqrt(2.0 * math.pi)) * slack / deviation)
    z = np.full(deviation.size, 1.0)
    for _ in range(4):
        z = np.sqrt(np.maximum(2.0 * (log - 2.0 * np.log(np.maximum(z, 1.0))), 0.1))
    return deviation * (z + 0.5 * deviation)


def _closer(
    near: Approximate, ladder: Ladder, guess: Floats, slack: Floats, rows: npt.NDArray[np.intp]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The same guess with more cumulants, where that is about the same; and whether it is."""
    rungs, rest = ladder.rungs.rows(rows), ladder.deviation[rows]
    own = Approximate(*(one[rows] for one in near)).closer(rungs)
    found = own.decided(rungs, slice(None), slack) - _BEFORE * rest
    alike = np.abs(found - guess) < _SHIFT * rest
    return np.where(alike, found, guess), alike


def _one_jump(steps: Steps, ladder: Ladder, slack: Floats) -> Floats:
    """About the loss at which mu is decided if that is by one large loss alone, by run."""
    # In the upper half, as far as all segments have it.
    upper = slice(int((ladder.nodes.u < 0.0).sum(axis=1).min()), None)
    u, counts = ladder.nodes.u[:, upper], steps.counts[:, None]
    alpha = ndtr(-u)
    tpr = alpha.copy()
    for j, share in enumerate(steps.weights.T, start=1):
        tpr += share[:, None] * (ndtr((j * steps.c)[:, None] - u) - alpha)
    tpr = -np.expm1(counts * np.log1p(-tpr)) - slack[steps.owner, None]
    # And as far as any of them shows more than the slack.
    some = slice(max(1, int((tpr > 0.0).any(axis=0).sum())))
    alpha = -np.expm1(counts * np.log1p(-alpha[:, some]))
    mus = ndtri(np.maximum(tpr[:, some], 0.0)) - ndtri(alpha)
    mus = np.where(mus < np.inf, mus, -np.inf)
    rows, best = np.arange(u.shape[0]), np.argmax(mus, axis=1)
    # Of the segments of a run the one that needs most.
    order = np.lexsort((mus[rows, best], steps.owner))
    found = np.zeros(steps.runs)
    found[steps.owner[order]] = ladder.nodes.loss[:, upper][rows, best][order]
    return found


def located(
    steps: Steps, ladder: Ladder, guess: Floats, slack: Floats, runs: npt.NDArray[np.intp]
) -> Floats:
    """The epsilons at which tests of some runs need the largest mu, to some percent.

    NaN where it stays unclear.

    The transform is summed on a line for the guess, then on one for the place so found, until the
    two agree. Where jumps are rare lines far from the saddle points take fewer frequencies, unless
    the transform hardly dies out.
    """
    found, rare = np.full(runs.size, np.nan), ladder.steep[runs] < _RARE
    for far in (True, False):
        some = np.flatnonzero(np.isnan(found) & (rare | (not far)))
        if some.size:
            found[some] = _located(steps, ladder, guess, slack, runs[some], far=far)
    return found


def _located(
    steps: Steps,
    ladder: Ladder,
    guess: Floats,
    slack: Floats,
    runs: npt.NDArray[np.intp],
    *,
    far: bool,
) -> Floats:
    found = np.full(runs.size, np.nan)
    left, places, line = np.arange(runs.size), guess[runs], None
    for _ in range(_TURNS):
        own = slack[runs[left]]
        line = _line(steps, ladder, runs[left], places, own, line, far=far)
        following = _highest(partial(_at, line, places, own), places[:, None] * _AROUND, own)
        following = np.where(np.isnan(line.centre), np.nan, following)
        known = (following > 0.0) & (following < np.inf)
        close = known & (np.abs(following - places) <= _OFF * following)
        found[left[close]] = following[close]
        going = known & ~close
        left, places, line = left[going], following[going], line.rows(going)
        if not left.size:
            break
    return found


class _Line(NamedTuple):
    """Arrays by run: the terms of delta and of alpha by frequency, too."""

    lam: Floats
    length: Floats
    cumulant: Floats
    centre: Floats
    left: Floats
    """The share that is left out of the transform."""
    frequencies: Floats
    terms: Complexes

    def rows(self, kept: npt.NDArray[np.bool_]) -> _Line:
        """Some of the runs."""
        lam, length, cumulant, centre, left, frequencies = (one[kept] for one in self[:-1])
        return _Line(lam, length, cumulant, centre, left, frequencies, self.terms[kept])


def _highest(known: Callable[[Floats], Knots], places: Floats, slack: Floats) -> Floats:
    """The place, by run, that needs most: among these, then between its neighbours."""
    rows = np.arange(places.shape[0])
    best = np.argmax(shown(known(places), slack, certain=False), axis=1)
    low = places[rows, np.maximum(best - 1, 0), None]
    high = places[rows, np.minimum(best + 1, places.shape[1] - 1), None]
    places = low + (high - low) * _BETWEEN
    best = np.argmax(shown(known(places), slack, certain=False), axis=1)
    found: Floats = places[rows, best]
    return found


def _line(
    steps: Steps,
    ladder: Ladder,
    runs: npt.NDArray[np.intp],
    guess: Floats,
    slack: Floats,
    before: _Line | None,
    *,
    far: bool,
) -> _Line:
    """The sums' terms on lines ``far`` from the saddle points or next to them, or those before.

    The centre is NaN where a line takes too many frequencies.
    """
    rungs, others = ladder.rungs.rows(runs), ladder.rungs.other(steps.runs).rows(runs)
    share = np.log(_WRONG[int(far)])
    rows, wrong = np.arange(runs.size), np.log(slack) + share
    if far:
        rung = tail_rung(rungs, guess, wrong, *np.zeros((2, runs.size)))
    else:
        rung = np.argmin((rungs.values - rungs.lam * guess[:, None])[:, :-1], axis=1)
    lam, cumulant = rungs.lam[rows, rung], rungs.values[rows, rung]
    # At the first of the places, where they are beside a larger delta, too.
    first = guess * _AROUND[0]
    there = (rungs.values + rungs.log_kappa - rungs.lam * first[:, None]).min(axis=1)
    allowed = np.stack([wrong, np.maximum(there - _BELOW + share, wrong)])
    length = period(rungs, others, lam, np.stack([guess, first]), allowed).max(axis=0)
    if before is not None and ((before.lam == lam) & (length <= before.length)).all():
        return before
    # A little more, so that it serves the place found as well.
    length = length * _ROOM
    width = 2.0 * np.pi / length
    digits = np.maximum(cumulant - lam * guess - wrong, -np.log(_LEFT))
    # At first so many frequencies as Gaussians would take, and some.
    last = np.sqrt(2.0 * digits) / ladder.deviation[runs]
    if not (last <= _NUMBERS[-1] * width).any():
        none = np.full(runs.size, np.nan)
        terms = zero_terms(runs.size, 1)
        return _Line(lam, length, cumulant, none, none, 0.5 * width[:, None], terms)
    likely = int(min(1.5 * float(np.nanmax(last / width)) + 8.0, _NUMBERS[0]))
    part, known = steps.part(runs), ladder.part(steps, runs)
    # Next to the saddle points the ladder's own nodes will do.
    step, height, nodes = known.step, np.zeros(part.c.size), known.nodes
    tilts = (1.0 + lam)[:, None]
    if far:
        step, height, nodes = _placed(part, known, tilts, digits, width * likely)
        logs = _logs(nodes, step, tilts[part.owner])
        cumulant = part.total(part.counts * logs) + 0.5 * part.variance * lam * (1.0 + lam)
    shares, away, arg, means = _shares(part, nodes, height, tilts[part.owner])
    sizes, turned = _powers(part, (shares, away, arg), width, digits, likely)
    ended = (sizes > -np.inf).any(axis=1)
    theta = width[:, None] * (np.arange(sizes.shape[1]) + 0.5)
    values = np.exp(sizes) * turns(turned)
    terms, _ = coefficients(values, theta, lam[:, None], (width / np.pi)[:, None])
    centre = part.total(part.counts * means) + part.variance * (lam + 0.5)
    centre = np.where(ended & (length > 0.0) & (length < np.inf), centre, np.nan)
    return _Line(lam, length, cumulant, centre, np.exp(-digits), theta, terms)


def _powers(
    steps: Steps,
    known: tuple[Floats | Complexes, Floats, Floats],
    width: Floats,
    digits: Floats,
    likely: int,
) -> tuple[Floats, Floats]:
    """Log of the modulus of the transform, and its argument, by run and frequency.

    Up to where it has died out (-inf from there on; at once where that takes too many).
    """
    shares, away, arg = known
    pending, parts = np.arange(steps.runs), []
    for number in dict.fromkeys([likely, *_NUMBERS]):
        few = steps.part(pending)
        some = slice(None) if few is steps else np.isin(steps.owner, pending)
        theta = width[pending, None] * np.arange(0.5, number)
        a, b = phases(shares[some], away[some], arg[some], theta[few.owner])
        logs, angle, _ = log_of_one_plus(a[:, 0], b[:, 0])
        counts = few.counts[:, None]
        size = few.total(counts * logs) - 0.5 * few.variance[:, None] * theta**2
        small = size <= -digits[pending, None]
        last = np.argmax(small[:, :-1] & small[:, 1:], axis=1)
        size[np.arange(number) >= last[:, None]] = -np.inf
        parts.append((pending, size, few.total(counts * angle), int(last.max())))
        pending = pending[last == 0]
        if not pending.size:
            break
    most = max(1, *(last for _, _, _, last in parts))
    sizes, turned = np.full((steps.runs, most), -np.inf), np.zeros((steps.runs, most))
    for chosen, size, angle, last in parts:
        sizes[chosen, :last], turned[chosen, :last] = size[:, :last], angle[:, :last]
    return sizes, turned


def _placed(
    steps: Steps, ladder: Ladder, tilts: Floats, digits: Floats, last: Floats
) -> tuple[Floats, Floats, Nodes]:
    """Nodes for frequencies up to the last, how far apart and at what height."""
    need = np.log(steps.counts) + digits[steps.owner]
    step, _, _, height = lifted_spacing(steps, need, tilts, last)
    low, high = kept(steps, ladder, tilts, need)
    step = np.maximum(step, (high - low) / _NODES)
    return step, height, steps.at(grid(step, low, high))


def _logs(nodes: Nodes, step: Floats, s: Floats) -> Floats:
    """Log M, by segment."""
    bare = nodes.log_q - 0.5 * nodes.u**2
    if float(nodes.loss.max(initial=0.0)) < _LARGEST:
        found = small_cumulants(nodes, bare, step, s, 0.0 * s, np.zeros((s.size, 2)))[0]
        return found[:, 0]
    logs: Floats = logsumexp(s * nodes.loss + bare, axis=1) + np.log(step / np.sqrt(2.0 * np.pi))
    return logs


def _shares(
    steps: Steps, nodes: Nodes, height: Floats, s: Floats
) -> tuple[Floats | Complexes, Floats, Floats, Floats]:
    """Weights on lines Im u = height, losses about their means, their arguments and those means.

    As in `gdpnum.contour.transform`.
    """
    exponent = s * nodes.loss + nodes.log_q - 0.5 * nodes.u**2
    weights = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    means = np.einsum("nj,nj->n", weights, nodes.loss)
    away = nodes.loss - means[:, None]
    if not height.any():
        return weights[:, None, :], away, np.zeros_like(away), means
    log_a, arg = lifted(nodes.posteriors, (steps.c * height)[:, None])
    log_a, arg = log_a[:, 0], arg[:, 0]
    up = height[:, None]
    shares = weights * np.exp(0.5 * up * up + s * log_a) * turns(s * arg - up * nodes.u)
    return shares[:, None, :], away + log_a, arg, means


def _at(line: _Line, guess: Floats, slack: Floats, places: Floats) -> Knots:
    """Delta and exp(eps) alpha there, where they are known well enough.

    Not where delta is large, next to nothing beside the terms of its sum, or far below the slack.
    """
    sums = by_blocks(line.frequencies, in_blocks(line.terms), places - line.centre[:, None])
    scale = np.exp(line.cumulant[:, None] - line.lam[:, None] * places)
    sums *= scale[:, None, :]
    # Images below are 1 - exp(eps), but for next to nothing.
    once, twice = (np.exp(-(line.lam + i) * line.length)[:, None] for i in (0.0, 1.0))
    lifted = np.exp(places) * (twice / (1.0 + twice))
    sums[:, 0] += once / (1.0 + once) - lifted
    sums[:, 1] += lifted
    least = _TINY * line.left * np.abs(line.terms[:, 0]).sum(axis=1)
    clear = sums[:, 0] > least[:, None] * scale
    # Delta falls: beyond where it is small it is so, whatever images say.
    some = (places >= guess[:, None]) & (sums[:, 0] < _FALLEN * slack[:, None])
    clear &= ~np.logical_or.accumulate(some, axis=1)
    none = np.zeros_like(places)
    delta = np.where(clear & (sums[:, 0] < _LARGE), sums[:, 0], np.nan)
    return Knots(places, delta, none, sums[:, 1], none, none, none)
