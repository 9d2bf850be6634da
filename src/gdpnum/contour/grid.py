"""The nodes of the quadrature: how far apart, how far out, and what that costs."""

from __future__ import annotations

import numpy as np

from gdpnum import charges
from gdpnum.contour.pairs import Nodes, Steps
from gdpnum.contour.reach import OutOfReach
from gdpnum.floats import Floats

# Nodes are multiples of this, so that they and their squares are exact.
QUANTUM = 1.0 / 256.0

# Nodes of a segment.
_MOST = 1e7

#: A quarter turn, in half turns: a hair less, so that sums of parts are no more.
QUARTER = 0.5 - 1e-12

#: How far a tilt may pull (S c k) before it is asked whether there is anything so far out.
PULL = 40.0

# Where it is asked, as shares of how far the tilt pulls on a logarithmic scale.
_PLACES = np.linspace(0.0, 1.0, 100)

# Where chords that bound the loss beyond the last node begin, of how far it is from there to where
# the largest tilt pulls: close at either end.
_NEAR = np.geomspace(1e-4, 0.5, 28)
_CHORDS = np.concatenate([[0.0], _NEAR, 1.0 - _NEAR[-2::-1], [1.0]])


def spacing(steps: Steps, digits: Floats, tilts: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """A step by segment, and its charge: about exp(-digits), for tilts S and |Im s| <= theta.

    At height b the integrand is larger by at most exp(b^2 / 2) for the normal density, a power of
    the cosine for |A|^S or |C|^(1 - S) with a negative exponent, and, below, exp(theta arg).
    """
    if not steps.c.size:
        return np.ones(0), np.zeros(0)
    best = np.sqrt(2.0 * digits)
    negative = np.maximum(-tilts.min(axis=1), 0.0)[steps.owner]
    mirrored = steps.replaced * np.maximum(tilts.max(axis=1) - 1.0, 0.0)[steps.owner]
    pull = theta[steps.owner] * steps.slope
    heights = [np.minimum(best, 0.92 * steps.strip)]
    if negative.any() or mirrored.any():
        curved = 1.0 + 0.25 * (negative + mirrored) * steps.shifts * steps.c**2
        heights.append(np.minimum(best, QUARTER * np.pi / (steps.c * steps.shifts)))
        heights.append(np.minimum(best / np.sqrt(curved), heights[0]))
    b = np.stack(heights, axis=1)
    above = 0.5 * b * b
    if len(heights) > 1:
        above = above + shrunk(steps, b, negative[:, None], mirrored[:, None])
    below = above + pull[:, None] * b
    # A touch more, for the two sides and for the -1.
    steps_found = 2.0 * np.pi * b / (digits[:, None] + below + 0.8)
    chosen = (np.arange(b.shape[0]), np.argmax(steps_found, axis=1))
    step = np.maximum(np.floor(steps_found[chosen] / QUANTUM), 1.0) * QUANTUM
    return step, charges.quadrature(above[chosen], below[chosen], 2.0 * np.pi * b[chosen] / step)


# No line is lifted higher: its weights are larger by exp(a^2 / 2), and rounding with them. Between
# the two, an eighth of a turn of the loss.
_HIGH, _HIGHEST = 0.7, 1.25

# How much further apart nodes must be on a lifted line, whose functions cost twice as much.
_WORTH = 2.2


def lifted_spacing(
    steps: Steps, digits: Floats, tilts: Floats, theta: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """A step by segment, charges for M(lam) and for |Im s| <= theta, and how high the line lies.

    Below a line at height a > 0 is the real one, where |exp(i theta l)| = 1: no frequency makes
    the nodes closer (Lemma T4).
    """
    step, missed = spacing(steps, digits, tilts, theta)
    none = np.zeros(steps.c.size)
    pull = theta[steps.owner] * steps.slope
    if not (pull > 8.0).any() or steps.replaced.any():
        return step, missed, missed, none
    # With a negative power up to a quarter turn only, where |A| stays above w_0.
    quarter = QUARTER * np.pi / (steps.c * steps.shifts)
    most = np.minimum(0.98 * quarter, np.clip(0.5 * quarter, _HIGH, _HIGHEST))
    digits = digits + 0.8
    if not (2.0 * np.pi * most > (_WORTH * digits) * step).any():
        return step, missed, missed, none
    negative = np.maximum(-tilts.min(axis=1), 0.0)[steps.owner]
    top = np.where(negative > 0.0, quarter, 0.92 * steps.strip)
    # No higher than where the normal density alone has grown by as much as is allowed.
    top = np.minimum(top, np.sqrt(2.0 * digits))
    for _ in range(2):
        growth = (
            0.5 * top * top + shrunk(steps, top[:, None], negative[:, None], none[:, None])[:, 0]
        )
        height = top * digits / (2.0 * digits + growth)
        # A lower line leaves more room than it needs above it.
        height = np.minimum(height, most)
        top = np.minimum(top, height * (2.0 + growth / digits))
    height = np.floor(height / QUANTUM) * QUANTUM
    lifted = np.floor(2.0 * np.pi * height / (digits * QUANTUM)) * QUANTUM
    chosen = (lifted > _WORTH * step) & (height > 0.0)
    if not chosen.any():
        return step, missed, missed, none
    step = np.where(chosen, lifted, step)
    growth = 0.5 * top * top + shrunk(steps, top[:, None], negative[:, None], none[:, None])[:, 0]
    full = 2.0 * np.pi / step
    across = charges.quadrature(growth, none - np.inf, full * (top - height))
    across = across + charges.quadrature(none - np.inf, none, full * height)
    flat = charges.quadrature(growth, growth, full * top)
    return (
        step,
        np.where(chosen, flat, missed),
        np.where(chosen, across, missed),
        np.where(chosen, height, 0.0),
    )


def shrunk(steps: Steps, heights: Floats, negative: Floats, mirrored: Floats) -> Floats:
    """A bound on log of how much |A|^-negative |C|^-mirrored grows at heights, relative to M.

    Up to a quarter turn it is at most -log(1 - (1 - w_0)(1 - cos(k c b))) as well (Lemma T4).
    """
    crude = steps.log_shrink(heights)
    angle = heights * (steps.c * steps.shifts)[:, None]
    quarter = (angle <= 0.5 * np.pi) & (steps.replaced == 0.0)[:, None]
    lost = steps.rate[:, None] * (2.0 * np.sin(0.5 * np.minimum(angle, 0.5 * np.pi)) ** 2)
    # Next to one the other bound is the better one.
    rare = -np.log1p(-np.minimum(lost, 1.0 - 1e-9))
    below = np.where(quarter, np.minimum(crude, rare), crude)
    return np.where(negative > 0.0, negative * below, 0.0) + np.where(
        mirrored > 0.0, mirrored * crude, 0.0
    )


def grid(step: Floats, low: Floats, high: Floats) -> Floats:
    """Points from low to high or beyond, as many for each segment, all multiples of the steps.

    Raises `OutOfReach` for more than fit, or where floats do not tell how many: squares of much
    noise are not among them.
    """
    first = np.floor(low / step)
    number = float(np.max(np.ceil(high / step) - first, initial=0.0)) + 1.0
    if not number <= _MOST:
        raise OutOfReach(f"the contour would take {number:.3g} nodes of a segment; use the lattice")
    found: Floats = (first[:, None] + np.arange(number)) * step[:, None]
    return found


def bulk_end(steps: Steps, tilts: Floats, need: Floats) -> Floats:
    """About where N A^S has died out by ``need`` (a log), by segment, for a tilt S of each.

    Much noise has its jumps at u = S c, far out. Unless the tilt is so large that they matter,
    nodes end with the bulk, and chords bound what lies beyond (Lemma T5).
    """
    tail = np.sqrt(2.0 * need)
    pull = tilts * steps.shifts * steps.c
    if not (pull > PULL).any():
        return tail + pull
    u = np.exp(np.log(tail + pull)[:, None] * _PLACES)
    logs = tilts[:, None] * steps.at(u).loss - 0.5 * u * u
    alive = logs > (np.maximum(logs.max(axis=1), 0.0) - need - 1.0)[:, None]
    last = u.shape[1] - 1 - np.argmax(alive[:, ::-1], axis=1)
    end = u[np.arange(u.shape[0]), np.minimum(last + 1, u.shape[1] - 1)]
    return np.where(pull > PULL, np.maximum(end, tail), tail + pull)


def cut(steps: Steps, nodes: Nodes, step: Floats, ends: Floats, tilts: Floats) -> Floats:
    """The charge for what lies beyond the nodes, by segment and tilt.

    ``ends`` are the first and the last node's shares of the sum, by segment, tilt and end.
    """
    c = steps.c[:, None]
    s = tilts[steps.owner]
    # Below the first node the posterior of being sampled is at most what it is there.
    mean = nodes.posteriors[0][:, :1]
    for j, posterior in enumerate(nodes.posteriors[1:], start=2):
        mean = mean + j * posterior[:, :1]
    left = -nodes.u[:, :1] - np.maximum(-s, 0.0) * (mean * c)
    last = nodes.u[:, -1:]
    if nodes.mirrored:
        reach = (steps.replaced * steps.shifts * steps.c)[:, None]
        left = left - reach * np.maximum(1.0 - s, 0.0)
        last = last - reach * np.maximum(s - 1.0, 0.0)
    rights, logs = _right(steps, nodes, s, last)
    return charges.cut_ends(ends / step[:, None, None], left, rights, logs, step[:, None])


def lifted_cut(
    steps: Steps, nodes: Nodes, step: Floats, height: Floats, s: Floats, ends: Floats
) -> Floats:
    """The same on lines Im u = height, of pairs with C = 1 (Lemma T5).

    For S >= 0 the integrand is at most exp(a^2 / 2) times that on the real line. For S < 0 it is
    at most exp(a^2 / 2) w_0^S N, and M(lam) at least one.
    """
    rights, logs = _right(steps, nodes, s, nodes.u[:, -1:])
    over = ends / step[:, None, None]
    plain = np.exp(-0.5 * nodes.u[:, [0, -1]] ** 2) * (1.0 / np.sqrt(2.0 * np.pi))
    over = np.where((s < 0.0)[:, :, None], plain[:, None, :], over)
    first = np.broadcast_to(-nodes.u[:, :1], s.shape)
    found = charges.cut_ends(over, first, rights, logs, step[:, None])
    floor = -np.log(steps.absent)[:, None] * np.maximum(-s, 0.0)
    bound: Floats = found * np.exp(0.5 * height**2)[:, None] * np.exp(floor)
    return bound


def _right(steps: Steps, nodes: Nodes, s: Floats, last: Floats) -> tuple[Floats, Floats]:
    """Where the normal densities are that the integrand falls like beyond the last node.

    And the logs of their shares of it there: by segment, tilt and density.
    """
    up = steps.c[:, None] * np.maximum(s, 0.0)
    if not nodes.mirrored and float((up * steps.shifts[:, None] - last).max(initial=0.0)) > 0.0:
        return chords(steps, np.maximum(s, 0.0), last)
    # A power below one is not convex: there all of A is taken to rise with its steepest part.
    flat, most = s < 1.0, up * steps.shifts[:, None]
    pulls = [last - np.where(flat, most, j * up) for j in range(1 + len(nodes.posteriors))]
    shares = [one[:, -1:] for one in nodes.posteriors]
    every = np.stack([1.0 - sum(shares[1:], shares[0]), *shares], axis=2)
    return np.stack(pulls, axis=2), np.log(np.maximum(every, 1e-300))


def chords(steps: Steps, s: Floats, last: Floats) -> tuple[Floats, Floats]:
    """The same where tilts pull beyond the last node: the loss is convex, and below its chords.

    From the last node to where the largest tilt pulls, and a line as steep as any beyond; shares
    are the integrand where a chord begins, relative to the last node's.
    """
    steepest = (steps.shifts * steps.c)[:, None]
    furthest = np.maximum(steepest * s.max(axis=1, keepdims=True) + 1.5, 2.0 * last)
    u = last + (furthest - last) * _CHORDS
    loss = steps.at(u).loss
    lengths = np.diff(u)
    slopes = np.concatenate([np.diff(loss) / lengths, steepest], axis=1)
    # A little steeper and higher, for their own rounding.
    rights = u[:, None, :] - s[:, :, None] * (slopes * (1.0 + 1e-9))[:, None, :]
    # What falls along a chord is no more than its length times what it begins with.
    short = np.maximum(rights[:, :, :-1], (1.0 / lengths)[:, None, :])
    rights[:, :, :-1] = np.where(rights[:, :, :-1] > 0.5, short, rights[:, :, :-1])
    gained = s[:, :, None] * (loss - loss[:, :1])[:, None, :]
    fallen = (0.5 * (u - u[:, :1]) * (u + u[:, :1]))[:, None, :]
    return rights, gained * (1.0 + 1e-9) - fallen * (1.0 - 1e-9)
