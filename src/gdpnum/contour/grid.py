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
        heights.append(np.minimum(best, 0.5 * np.pi / (steps.c * steps.shifts)))
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
    quarter = 0.5 * np.pi / (steps.c * steps.shifts)
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

    Up to a quarter turn |A| is at least w_0 as well, and M(lam) at least one (Lemma T4).
    """
    crude = steps.log_shrink(heights)
    floor = -np.log(steps.absent)[:, None]
    quarter = heights * (steps.c * steps.shifts)[:, None] <= 0.5 * np.pi
    below = np.where(quarter & (steps.replaced == 0.0)[:, None], np.minimum(crude, floor), crude)
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
    rights, shares = _right(steps, nodes, s, last)
    return charges.cut_ends(ends / step[:, None, None], left, rights, shares, step[:, None])


def lifted_cut(
    steps: Steps, nodes: Nodes, step: Floats, height: Floats, s: Floats, ends: Floats
) -> Floats:
    """The same on lines Im u = height, of pairs with C = 1 (Lemma T5).

    For S >= 0 the integrand is at most exp(a^2 / 2) times that on the real line. For S < 0 it is
    at most exp(a^2 / 2) w_0^S N, and M(lam) at least one.
    """
    rights, shares = _right(steps, nodes, s, nodes.u[:, -1:])
    over = ends / step[:, None, None]
    plain = np.exp(-0.5 * nodes.u[:, [0, -1]] ** 2) * (1.0 / np.sqrt(2.0 * np.pi))
    over = np.where((s < 0.0)[:, :, None], plain[:, None, :], over)
    first = np.broadcast_to(-nodes.u[:, :1], s.shape)
    found = charges.cut_ends(over, first, rights, shares, step[:, None])
    floor = -np.log(steps.absent)[:, None] * np.maximum(-s, 0.0)
    bound: Floats = found * np.exp(0.5 * height**2)[:, None] * np.exp(floor)
    return bound


def _right(
    steps: Steps, nodes: Nodes, s: Floats, last: Floats
) -> tuple[list[Floats], list[Floats]]:
    """Where the normal densities are that the integrand falls like beyond the last node."""
    up = steps.c[:, None] * np.maximum(s, 0.0)
    # A power below one is not convex: there all of A is taken to rise with its steepest part.
    flat, most = s < 1.0, up * steps.shifts[:, None]
    pulls = [last - np.where(flat, most, j * up) for j in range(1 + len(nodes.posteriors))]
    shares = [one[:, -1:] for one in nodes.posteriors]
    return pulls, [1.0 - sum(shares[1:], shares[0]), *shares]
