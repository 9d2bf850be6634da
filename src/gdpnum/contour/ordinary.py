"""A reading of one ordinary run, from one set of nodes: DP-SGD as most people run it.

Ordinary: sampled Gaussians, neighbours by adding or removing, and no jump so rare that it decides.
The bounds are those of the general way (`gdpnum.contour.reading`), by the same lemmas and charges;
but the ladder, the decay and the transform share nodes and weights, and all lines frequencies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gdpnum import charges
from gdpnum.contour.decay import LIFTED, TINIEST, Decay
from gdpnum.contour.grid import PULL, QUANTUM, QUARTER, bulk_end, chords
from gdpnum.contour.ladder import small_cumulants
from gdpnum.contour.line import CLOSE, FAR, Knots, Line, Picked, Reading, knots_of, stacked
from gdpnum.contour.pairs import Nodes, Steps, lifted
from gdpnum.contour.phases import phases, roundings
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.rungs import (
    LEAST,
    Approximate,
    Ladder,
    Rungs,
    first_knots,
    guessed,
    logs_of,
    period,
)
from gdpnum.contour.transform import KNOWN, Transform, one_release
from gdpnum.contour.turns import log_of_one_plus, turns, turns_less_one
from gdpnum.floats import FUNCTION, UNIT, Floats

# lam as multiples of one over the run's mu.
LAM = np.geomspace(0.15, 22.0, 20)

# Where the last frequency is looked for, as multiples of that of a Gaussian of the same variance.
_CANDIDATES = np.concatenate(
    [
        [0.85, 0.92, 1.0, 1.08, 1.2, 1.4, 1.7, 2.1, 2.6, 3.2, 4.0, 5.0, 6.5, 10.0],
        [20.0, 100.0, 1e4],
    ]
)

# How fast the transform is taken to die out beyond the last of them, as a power, and when that is
# enough: a log.
_POWERS, _NOTHING = (16.0, 32.0, 8.0, 64.0, 4.0, 128.0, 2.0, 256.0, 1.0), -90.0

# The log of one over what quadrature may take from all releases together, relatively.
_DIGITS = 36.0

# A last frequency beyond this over mu is not ordinary: the nodes are as close as it needs.
_WIDEST = 12.0

# Frequencies times nodes: beyond, the general way, which looks for fewer, is the quicker one.
WORK = 60_000

#: The log of what the sum in the middle, for 1 - delta, is wrong by at the least: rounding.
FINEST = -34.0

# Nodes of a segment: where it takes more, the general way has fewer.
_NODES = 1500

# More frequencies times nodes than this are taken by blocks.
_MANY = 12_000

# exp(l) is summed as it is up to here.
_LARGEST = 600.0

# From so many releases on each node's own rounding is worth charging.
_LONG = 1e5

# Of lines for removing, adding and the middle: the last for both, then the others.
_PICKED = Picked.of([[2, 2], [0, 1]])

_HALF = np.array([0.5])
_NONE, _EVERY, _ALL, _BOTH = np.zeros(2), np.ones((1, 1)), np.zeros((1, 1)), np.arange(2)
_LAST = np.array([[[0.0, 1.0]]])
_NORM = 1.0 / np.sqrt(2.0 * np.pi)
_SIGNS = np.array([[1.0], [-1.0]])
_HUNDREDTH = float(np.log(0.01))

#: The log of what delta may be wrong by at the last knot, beside the slack.
THERE = float(np.log(0.03))


class Grid(NamedTuple):
    """The nodes, by segment, how far apart they are, and what lies beyond them."""

    nodes: Nodes
    step: Floats
    missed: Floats
    """The charge for the quadrature."""
    exponents: Floats
    """-u^2 / 2."""
    left: Floats
    right: Floats
    """By how much the integrand's logarithm falls at the ends, whichever the tilt."""
    farthest: Floats
    """The largest |loss|, by segment."""
    wrong: Floats
    """The units that a loss may be wrong by, at most."""
    deepest: Floats
    """The largest u^2 / 2."""

    def cut(self, ends: Floats) -> Floats:
        """The charge for what lies beyond, with ``ends`` the integrand there over M."""
        step = self.step[:, None]
        right = self.right[:, :, None]
        return charges.cut_ends(ends / step[:, :, None], self.left, right, _ALL, step)


class Tilted(NamedTuple):
    """Weights at the nodes, by segment and tilt."""

    tilts: Floats
    weights: Floats
    sums: Floats
    lost: Floats
    """What quadrature and cut ends may have taken from a sum, relative to it."""
    centre: Floats
    """The mean of one loss at a tilt, by segment."""
    known_lost: Floats
    """Lost of E_Q[e^l] = 1 and of E_Q[1] = 1."""

    def only(self, kept: list[int]) -> Tilted:
        """Some of the tilts, with weights that sum to one."""
        index = np.array(kept)
        weights, sums, lost = (
            one.take(index, axis=1) for one in (self.weights, self.sums, self.lost)
        )
        weights /= sums[:, :, None]
        return Tilted(self.tilts[index], weights, sums, lost, self.centre, self.known_lost)


class Wanted(NamedTuple):
    """Where a reading is wanted, by direction, and the log of how wrong delta may be there."""

    epsilons: Floats
    errors: Floats
    fine: float
    """The same at zero."""
    end: tuple[float, float]
    """A place from which on delta of removing is at most the slack, and that error there."""

    def references(self, close: Floats, far: Floats) -> list[Floats]:
        """Where images are bounded best in the middle, and in the tail up to the last knot."""
        middle, tail = self.epsilons[:, None] * close, self.epsilons[:, None] * far
        tail[0, -1] = max(tail[0, -1], self.end[0])
        return [middle, tail]


@dataclass(frozen=True, eq=False)
class Ordinary:
    """An ordinary run: its ladder, about where mu is decided, and four lines for there.

    Lines Re z = -1/2 for removing and adding, and the two in their tails. For removing delta is
    known in the tail to about a share of the ``slack``, for adding to a hundredth of delta of
    removing.
    """

    slack: Floats
    ladder: Ladder
    guess: Floats
    four: Line

    @cached_property
    def read(self) -> tuple[Ladder, Reading, Knots]:
        """The ladder, the lines as a reading, and that at the first knots."""
        both = np.concatenate([self.slack, self.slack])
        limits = meeting(self.four)
        knots = first_knots(self.ladder, both, self.guess, limits)
        return self.ladder, *joined(self.four, *knots, limits)

    @property
    def tail(self) -> Reading:
        """The reading in the tail, without a look at where its lines meet."""
        return _reading(self.four, _NONE)


def ordinary(steps: Steps, mu: float, slack: Floats, tolerance: float) -> Ordinary:
    """An ordinary run of about that mu, read to ``tolerance`` times the slack.

    Raises `OutOfReach` where it is not ordinary after all.
    """
    if min(c for c, _, _ in steps.segments) ** 2 == 0.0:
        raise OutOfReach("more noise than squares of floats hold")
    lam, widest = np.array([LAM, LAM]) * (1.0 / mu), _WIDEST / mu
    places = placed(steps, float(lam[0, -1]), float(lam[1, -1]), widest)
    ladder, tilted = one_ladder(steps, places, lam, 1.0)
    near = Approximate.of(ladder.rungs)
    guess = guessed(near, ladder.rungs, 1, slack)
    wanted = wanted_at(near, ladder, guess, float(np.log(slack[0])), tolerance)
    four = _four(steps, places, ladder, tilted, wanted, widest)
    return Ordinary(slack, ladder, guess, four)


def wanted_at(
    near: Approximate, ladder: Ladder, guess: Floats, log_slack: float, tolerance: float
) -> Wanted:
    """What is wanted around a guess, of delta of removing to ``tolerance`` times the slack."""
    # Adding matters only as far as it is the worse direction: beside delta of removing.
    beside = near.log_delta(ladder.rungs, 0, float(guess[1]))
    beside = min(beside, 0.0) if beside > log_slack + 10.0 else log_slack
    errors = np.array([log_slack + math.log(3.0 * tolerance), beside + _HUNDREDTH])
    deviation = min(float(ladder.deviation[0]), 1.0)
    fine = max(math.log(deviation * tolerance) + _HUNDREDTH, FINEST)
    # The last of the first knots: by Chernoff, as `fallen` has it for both directions.
    lam, values, *_, log_kappa = (one[0] for one in ladder.rungs)
    end = float(((values + log_kappa - log_slack) / lam).min())
    return Wanted(guess, errors, fine, (end, log_slack + THERE))


def _four(
    steps: Steps,
    places: Grid,
    ladder: Ladder,
    tilted: Tilted,
    wanted: Wanted,
    widest: float,
) -> Line:
    """Four lines: Re z = -1/2 for removing and adding, and the two in their tails."""
    rungs = ladder.rungs
    # The rungs next to the saddle points; images need one beyond.
    scales = (rungs.values - rungs.lam * wanted.epsilons[:, None])[:, :-1]
    best = scales.argmin(axis=1)
    tails = scales[_BOTH, best] - wanted.errors
    digits = np.array([[tails[0]], [tails[1]], [float(ladder.middle[0]) - wanted.fine]])
    (removing, adding), size = best.tolist(), rungs.lam.shape[1]
    three = tilted.only([removing, size + adding, 2 * size])
    decayed = _decay(steps, places, three, digits, float(ladder.deviation[0]))
    length = _period(rungs, rungs.lam[_BOTH, best], wanted)
    last = float(decayed.thetas[0, 0, 0])
    number = last * length / (2.0 * np.pi) + 1.0
    if not (number * places.nodes.u.size < WORK and last * (1.0 + 1e-6) <= widest):
        raise OutOfReach("more frequencies than an ordinary run has")
    closely = float(places.farthest.max()) * (1.0 + float(rungs.lam[0, -1])) > _LARGEST
    closely |= _releases(steps) > _LONG
    found = transformed(steps, places, three, frequencies(last, int(number)), closely=closely)
    return stacked(found, decayed, rungs, _PICKED, wanted.references(CLOSE, FAR))


def frequencies(last: float, number: int) -> Floats:
    """So many, up to the last."""
    # Few bits, so that they are exact; a hair wider, so that the last is not short.
    width = float(np.float32(last * ((1.0 + 2e-7) / number)))
    theta: Floats = np.arange(0.5, number, dtype=np.float64) * width
    return theta


def joined(four: Line, near: Floats, far: Floats, limits: Floats) -> tuple[Reading, Knots]:
    """Two lines in the middle and two in the tail as a reading, and that at first knots.

    ``near`` are those up to the limits, for the middle, and ``far`` those beyond. A direction
    without a line in the tail has that in the middle twice, and no limit.
    """
    values, errors = four.at(np.concatenate([near, far]))
    middle = four.lam < 0.0
    values[:, 0] += middle
    errors[:, 0] += UNIT * middle
    value, error = (np.concatenate([one[:2], one[2:]], axis=2) for one in (values, errors))
    knots = np.concatenate([near, far], axis=1)
    return _reading(four, limits), knots_of(knots, value, error)


def _reading(four: Line, limits: Floats) -> Reading:
    return Reading(four.halves(), limits[None, :])


def meeting(four: Line) -> Floats:
    """About where the lines in the tail begin to be better than those in the middle.

    There exp(K - lam eps) is the same: what is wrong with a sum is relative to that.
    """
    k, lam = four.cumulant[:, 0], four.lam[:, 0]
    return np.maximum((k[2:] - k[:2]) / (lam[2:] - lam[:2]), 0.0)


def _releases(steps: Steps) -> float:
    """How many releases there are in all."""
    return sum(count for _, _, count in steps.segments)


def _shrunk(c: float, q: float, height: float, negative: float) -> float:
    """A bound on the log of how much |A|^-negative grows at a height, relative to M (Lemma T4)."""
    angle = 0.5 * c * height
    crude = -math.log(math.cos(angle))
    if 4.0 * angle > math.pi:
        return negative * crude
    return negative * min(crude, -math.log1p(-2.0 * q * math.sin(angle) ** 2))


def _spaced(
    c: float, q: float, digits: float, negative: float, theta: float
) -> tuple[float, float]:
    """A step for the nodes of a segment, and its charge: about exp(-digits) (Lemma T4)."""
    best = math.sqrt(2.0 * digits)
    found = (0.0, 0.0, 0.0)
    for height in (
        min(best / math.sqrt(1.0 + 0.25 * negative * c * c), 0.92 * math.pi / c),
        min(best, QUARTER * math.pi / c),
    ):
        above = 0.5 * height * height + _shrunk(c, q, height, negative)
        step = 2.0 * math.pi * height / (digits + above + theta * c * height + 0.8)
        found = max(found, (step, height, above))
    step, height, above = found
    step = max(math.floor(step / QUANTUM), 1.0) * QUANTUM
    below = above + theta * c * height
    return step, float(charges.quadrature(above, below, 2.0 * math.pi * height / step))


def placed(steps: Steps, removing: float, adding: float, most: float) -> Grid:
    """Nodes for lam up to these and for frequencies up to ``most``."""
    steepest = 1.0 + removing
    # Where few releases make the transform die out, each takes a large part of its digits.
    digits = _DIGITS * (1.0 + 2.0 / _releases(steps))
    far = steepest * float(steps.c.max()) > PULL
    if far:
        ends = bulk_end(steps, np.full(steps.c.size, steepest), np.log(steps.counts) + digits)
    found, firsts, lasts = [], [], []
    for i, (c, q, count) in enumerate(steps.segments):
        need = math.log(count) + digits
        step, missed = _spaced(c, q, need, adding, most)
        tail = math.sqrt(2.0 * need)
        # To the left the tilt pulls only as far as the posterior of being sampled reaches.
        pull = adding * c * min(1.0, q * math.exp(-0.5 * c * c))
        firsts.append(math.floor(-(tail + min(pull, tail)) / step))
        lasts.append(math.ceil((float(ends[i]) if far else tail + steepest * c) / step))
        found.append((step, missed))
    number = max(last - first for first, last in zip(firsts, lasts, strict=True)) + 1
    if number > _NODES:
        raise OutOfReach("more nodes than an ordinary run has")
    steps_found, granted = np.array(found).T
    nodes = steps.at((np.array(firsts)[:, None] + np.arange(number)) * steps_found[:, None])
    left = -nodes.u[:, 0] - adding * steps.c * nodes.posteriors[0][:, 0]
    right = nodes.u[:, -1] - steepest * steps.c
    if far:
        # The largest tilt has most beyond its nodes.
        chord = chords(steps, np.full((steps.c.size, 1), steepest), nodes.u[:, -1:])
        right = 1.0 / charges.cut_ends(_LAST, _EVERY, *chord, steps_found[:, None])[:, 0]
    if not (left.min() > 0.0 and right.min() > 0.5 and nodes.loss.max() < _LARGEST):
        raise OutOfReach("an integrand too wide for the nodes of an ordinary run")
    exponents = -0.5 * nodes.u**2
    return Grid(
        nodes,
        steps_found,
        granted,
        exponents,
        left[:, None],
        right[:, None],
        np.abs(nodes.loss).max(axis=1),
        nodes.units.max(axis=1),
        -exponents.min(axis=1),
    )


def tilted_weights(places: Grid, tilts: Floats) -> tuple[Tilted, Floats, Floats]:
    """The weights at some tilts and at those where M is one, about the last one's mean.

    And the exponents that they are relative to, and the first two moments of the loss.
    """
    nodes, tilts = places.nodes, np.concatenate([tilts, KNOWN])
    weights = tilts[:, None] * nodes.loss[:, None, :]
    weights += places.exponents[:, None, :]
    top = weights.max(axis=2)
    weights -= top[:, :, None]
    np.exp(weights, out=weights)
    powers = np.empty((*nodes.loss.shape, 3))
    powers[:, :, 0], powers[:, :, 1] = 1.0, nodes.loss
    np.multiply(nodes.loss, nodes.loss, out=powers[:, :, 2])
    moments = weights @ powers
    sums = moments[:, :, 0]
    moments = moments / sums[:, :, None]
    ends = weights[:, :, :: nodes.u.shape[1] - 1]
    lost = places.missed[:, None] + places.cut(ends / sums[:, :, None])
    tilted = Tilted(tilts, weights, sums, lost, moments[:, -3, 1], lost[:, -2:])
    return tilted, top, moments[:, :, 1:]


def one_ladder(steps: Steps, places: Grid, lam: Floats, steep: float) -> tuple[Ladder, Tilted]:
    """The ladder, and the weights at its tilts, in the middle and where M is one."""
    nodes, count = places.nodes, steps.counts
    tilted, top, moments = tilted_weights(places, np.concatenate([1.0 + lam[0], -lam[1], _HALF]))
    tilts, means = tilted.tilts, moments[:, :, 0]
    # The exponents' rounding is that of S l, mostly.
    units = (64.0 + nodes.u.shape[1]) + 8.0 * np.abs(top)
    units += np.abs(tilts) * (8.0 * places.wrong)[:, None]
    logs = np.log(tilted.sums * (places.step * _NORM)[:, None])
    logs += top + 1.5 * tilted.lost + UNIT * units
    variance = float(steps.variance[0])
    values = count @ logs + (0.5 * variance) * (tilts * (tilts - 1.0))
    slopes = count @ means + variance * (tilts - 0.5)
    curvatures = count @ (moments[:, :, 1] - means * means) + variance
    both = lam.shape
    rungs = Rungs(
        lam,
        values[:-3].reshape(both),
        slopes[:-3].reshape(both) * _SIGNS,
        np.maximum(curvatures[:-3], 0.0).reshape(both),
        -(lam * np.log1p(1.0 / lam) + np.log1p(lam)),
    )
    middle, deviation = values[-3:-2], np.sqrt(curvatures[-3:-2])
    if middle[0] < LEAST:
        raise OutOfReach("next to no privacy")
    ladder = Ladder(
        rungs, middle, deviation, nodes, places.step, places.exponents, np.array([steep])
    )
    return ladder, tilted


def _period(rungs: Rungs, lam: Floats, wanted: Wanted) -> float:
    """The least period for which images add no more than allowed, on all lines (Lemma T2).

    On the lines in the tail at their epsilons and half way to zero, in the middle at zero; and
    that of removing up to the last knot, too.
    """
    epsilons, errors, fine, (end, there) = wanted
    places = np.array([epsilons, 0.5 * epsilons, _NONE, epsilons])
    allowed = np.array([errors, 0.5 * (errors + fine), fine + _NONE, errors])
    places[3, 0], allowed[3, 0] = end, there
    own = np.array([lam, lam, _NONE - 0.5, lam])
    others = rungs.rows(slice(None, None, -1))
    return 1.01 * float(period(rungs, others, own, places, allowed).max())


def _decay(steps: Steps, places: Grid, tilted: Tilted, digits: Floats, deviation: float) -> Decay:
    """R_a of all lines from the last frequency on that any of them needs (Lemma T3)."""
    guess = float(np.sqrt(2.0 * max(float(digits.max()), 5.0))) / deviation
    thetas = guess * _CANDIDATES
    # The best height is about the same on all lines.
    total = decays(steps, places, tilted, thetas[None, :], tilted.weights[:, -1:])
    enough: npt.NDArray[np.bool_] = np.logical_and.reduce(total <= -digits, axis=0)
    first = int(enough.argmax())
    if not enough[first]:
        raise OutOfReach("a transform that does not die out soon")
    # What holds on the line with a tilt below zero holds on the others.
    last, falling = np.full((3, 2), beyond(steps, -float(tilted.tilts[1]), float(thetas[-1]))).T
    kept = thetas[None, None, first:].repeat(3, axis=1)
    return Decay(kept, total[None, :, first:], last[None, :], falling[None, :])


def decays(steps: Steps, places: Grid, tilted: Tilted, thetas: Floats, weights: Floats) -> Floats:
    """The log of R_a by line and theta (Lemma T3), at heights that are best for the weights.

    Thetas are by line, or the same for all.
    """
    nodes, c = places.nodes, steps.c[:, None, None]
    # The best height is about theta times the slope of the tilted loss's argument.
    sampled = weights @ nodes.posteriors[0][:, :, None]
    # No higher than where exp(a^2 / 2) times what is lost is still small.
    highest = np.sqrt(LIFTED * np.maximum(-np.log(tilted.lost), 1.0))
    most = np.minimum((0.35 * np.pi) / c, highest[:, :, None])
    heights = np.minimum(c * sampled * thetas, most)
    log_a, arg = lifted(nodes.posteriors, (c * heights).reshape(c.size, -1))
    shape = (*heights.shape, -1)
    exponent = tilted.tilts[:, None, None] * log_a.reshape(shape)
    exponent -= thetas[:, :, None] * arg.reshape(shape)
    values = (np.exp(exponent, out=exponent) @ tilted.weights[..., None])[..., 0]
    # Up to a quarter turn in all any b will do, and |A| is at least 1 - q there; beyond it b <= a.
    turn, wide = np.pi / c, 2.0 * np.pi / places.step[:, None, None]
    b = np.maximum(QUARTER * turn - heights, np.minimum(heights, 0.98 * turn - heights))
    b = np.minimum(b, wide)
    both = b + heights
    crude = np.log(np.cos((0.5 * c) * both))
    least = np.where(both <= 0.5 * turn, np.log1p(-steps.weights)[:, :, None], -np.inf)
    growth = 0.5 * b * b + np.minimum(tilted.tilts, 0.0)[:, None] * np.maximum(crude, least)
    values += charges.shifted_quadrature(growth, b * wide)
    values += (2.0 * tilted.lost)[:, :, None] + TINIEST
    logs = np.log(values)
    half = places.deepest
    spread = steps.c * np.sqrt(2.0 * half) + 0.5 * steps.c * steps.c
    largest = places.farthest * float(np.abs(tilted.tilts).max()) + half
    rounding = charges.decay_rounding(largest, spread, nodes.u.shape[1])[:, None, None]
    logs += 0.5 * heights * heights + rounding
    total: Floats = (steps.counts @ logs.reshape(c.size, -1)).reshape(logs.shape[1:])
    total -= 0.5 * float(steps.variance[0]) * thetas * thetas
    # A bound at one theta holds at all larger ones.
    return np.minimum.accumulate(np.minimum(total, 0.0), axis=1)


def beyond(steps: Steps, negative: float, theta: float) -> tuple[float, float]:
    """The log of a bound at theta that falls like a power beyond it, and that power (Lemma T3).

    ``negative`` is what the tilt is below zero. Any power will do; the first that makes it next to
    nothing is taken.
    """
    found = (math.inf, 1.0)
    for falling in _POWERS:
        found = min(found, (_falling(steps, negative, theta, falling), falling))
        if found[0] < _NOTHING:
            break
    return found


def _falling(steps: Steps, negative: float, theta: float, whole: float) -> float:
    """That for one power: of all releases alike or, where it is less, of one segment's alone."""
    all_alike = whole / _releases(steps)
    alike, least = 0.0, math.inf
    for c, q, count in steps.segments:
        alike += count * _falling_once(c, q, negative, theta, all_alike)
        if steps.c.size > 1:
            least = min(least, count * _falling_once(c, q, negative, theta, whole / count))
    return min(alike, least) - 0.5 * float(steps.variance[0]) * theta * theta


def _falling_once(c: float, q: float, negative: float, theta: float, power: float) -> float:
    """The log of the bound on R_a of one release."""
    most = max(power, 1.0)
    height = min(math.sqrt(power), 0.5 * math.pi / c)
    odds = math.log1p(-q) - math.log(q)
    shifted = most * (odds + c * c * negative) + 0.5 * c * c * most * (most + 1.0)
    growth = max(shifted, 0.0) + math.log1p(math.exp(-abs(shifted)))
    growth = (growth + (most - 1.0) * math.log(2.0)) * (power / most)
    growth += 0.5 * height * height - negative * math.log(math.cos(0.5 * c * height))
    scale = 1.0 / (theta * math.sin(c * height))
    return float(charges.slow_decay(power, scale, growth))


def transformed(
    steps: Steps, places: Grid, tilted: Tilted, theta: Floats, *, closely: bool = False
) -> Transform:
    """The transform on some lines, as `gdpnum.contour.transform` has it (Lemmas T8, T9).

    ``closely`` charges each node's own rounding.
    """
    nodes, count, number = places.nodes, steps.counts, places.nodes.u.shape[1]
    weights, s, centre = tilted.weights, tilted.tilts, tilted.centre
    away = nodes.loss - centre[:, None]
    by_segment = theta[None, :].repeat(steps.c.size, axis=0)
    if number * theta.size > _MANY:
        a, b = phases(weights, away, away, by_segment)
        terms: float | Floats = roundings(number, theta.size)
    else:
        a, b = (weights @ one for one in turns_less_one(away[:, :, None] * (0.5 * theta)))
        terms = float(number)
    if closely:
        each = s[None, :].repeat(steps.c.size, axis=0)
        known = nodes, places.exponents, each, weights, away
        eta = one_release(*known, by_segment, tilted.lost, terms)
        lost = tilted.lost, tilted.known_lost
        one, inexact = small_cumulants(nodes, places.exponents, places.step, each, *lost)
    else:
        # At every node no more than this; to take each node's own would gain nothing that shows.
        farthest, wrong, deepest = (
            one[:, None] for one in (places.farthest, places.wrong, places.deepest)
        )
        size = np.abs(s)
        units = charges.weight_units(size * farthest + deepest, (size + 1.0) * wrong)
        spread = (weights @ np.abs(away)[:, :, None])[:, :, 0]
        drift = 2.0 * units * spread + wrong
        turned = (2.0 * terms + (6.0 * FUNCTION + 24.0)) * spread[:, :, None]
        eta = charges.phase_units(theta, turned + drift[:, :, None])
        eta += (2.1 * tilted.lost)[:, :, None]
        one, inexact = _cumulants(places, tilted, farthest, wrong, deepest)
    logs, angle, modulus = log_of_one_plus(a, b)
    parts = np.array([logs, angle, np.log1p(eta / modulus), np.abs(angle)])
    parts *= count[:, None, None]
    log_modulus, phase, relative, turned = parts.sum(axis=1)
    raised = log_modulus + relative
    variance = float(steps.variance[0])
    if variance > 0.0:
        fall = 0.5 * variance * theta * theta
        log_modulus, raised = log_modulus - fall, raised - fall
        # The Gaussians' mean at S is (S - 1/2) times their variance.
        phase = phase + (variance * (s - 0.5))[:, None] * theta
    segments = steps.c.size
    rounding = UNIT * (
        (segments + 4.0) * (np.minimum(-log_modulus, 800.0) + turned + np.abs(phase))
        + (4.0 * FUNCTION + 8.0)
    )
    cumulant = count @ one
    gaussian = (0.5 * variance) * (s * (s - 1.0))
    return Transform(
        s[None, :],
        (cumulant + gaussian)[None, :],
        (count @ inexact + (segments + 8.0) * UNIT * (np.abs(gaussian) + np.abs(cumulant)))[
            None, :
        ],
        theta[None, :],
        np.array([count @ centre]),
        np.array([(segments + 4.0) * UNIT * (count @ np.abs(centre))]),
        (np.exp(log_modulus) * turns(phase))[None],
        charges.transform_power(raised + rounding, relative + rounding)[None],
    )


def _cumulants(
    places: Grid, tilted: Tilted, farthest: Floats, wrong: Floats, deepest: Floats
) -> tuple[Floats, Floats]:
    """`small_cumulants` with no node's own rounding (Lemma T10).

    Its losses are at most ``farthest`` and ``wrong`` by so many units, exponents are ``deepest``.
    """
    nodes, s, lines = places.nodes, tilted.tilts, tilted.tilts.size
    size, others = np.abs(s), np.abs(1.0 - s)
    density = np.exp(places.exponents) * (places.step * _NORM)[:, None]
    odds = np.expm1(nodes.loss)[:, None, :]
    powers = np.expm1(s[:, None] * nodes.loss[:, None, :])
    terms = powers - s[:, None] * odds
    every = np.concatenate([terms, powers, odds], axis=1)
    excess = (terms @ density[:, :, None])[:, :, 0]
    sizes = (np.abs(every, out=every) @ density[:, :, None])[:, :, 0]
    sums, powers, odds = sizes[:, :lines], sizes[:, lines:-1], sizes[:, -1:]
    # The density sums to one, but for what is lost.
    rounded = (2.0 * FUNCTION + 4.0) * (powers + size * odds) + size * farthest * (powers + 1.01)
    rounded += size * wrong * (sums + others * odds)
    rounded += (2.0 * deepest + wrong + (FUNCTION + 8.0)) * sums
    rounding = charges.cumulant_rounding(rounded, sums, nodes.u.shape[1])
    return logs_of(excess, rounding, s, tilted.lost, tilted.known_lost)
