"""From claims about a profile to a pair that has all of them, and no more: an `AtomicPair`."""

from __future__ import annotations

import math

import numpy as np

from gdpnum import charges
from gdpnum.bounds.claims import lower_hull
from gdpnum.floats import Floats
from gdpnum.pairs.atomic import AtomicPair, mirrored_atoms

#: Past e^600 there would be no numbers left; what is claimed there counts as infinite.
LARGEST = 600.0

# Claims lie so far apart, relative to the loss.
_SPACING = 0.01


def claimed_pair(epsilons: Floats, deltas: Floats) -> AtomicPair:
    """The symmetric pair of the claims delta(eps_i) <= delta_i, for rising eps_i >= 0.

    Its profile is the lower convex hull, in exp(eps), of the claims and their mirror images; as a
    profile is convex there, that is no less than the true one wherever the claims are true. Past
    the last claim the profile stays where it is: that much is at infinity.
    """
    # Counted from one: exp(eps) itself has no digits left of a small loss.
    x, y = np.expm1(epsilons), np.minimum(deltas, 1.0)
    # Where the hull meets its mirror image, alpha = beta; claims before that say less.
    middles = (1.0 - y) / (2.0 + x)
    start = int(np.argmax(middles))
    middle, x, y, epsilons = float(middles[start]), x[start:], y[start:], epsilons[start:]
    kept, alphas = _hull(x.tolist(), y.tolist(), middle)
    losses = epsilons[kept]
    # At each kept claim the false alarms fall by what its outcome has of Q.
    q = -np.diff(np.concatenate([[middle], alphas, [0.0]])) * (1.0 + charges.growth())
    p = q * np.exp(losses)
    if losses[0] == 0.0:
        rest, losses, p, q = 2.0 * q[0], losses[1:], p[1:], q[1:]
    else:
        rest = 0.0
    infinite = float(y[kept[-1]])
    return mirrored_atoms(losses, p, q, rest, infinite)


def _hull(x: list[float], y: list[float], steepest: float) -> tuple[list[int], Floats]:
    """Vertices of the lower convex hull of falling points, and the slopes between them, negated.

    No chord may be steeper than given.
    """
    kept, slopes = [0], [steepest]
    for i in range(1, len(x)):
        if y[i] >= y[kept[-1]]:
            continue
        slope = (y[kept[-1]] - y[i]) / (x[i] - x[kept[-1]])
        while slope >= slopes[-1] and len(kept) > 1:
            kept.pop()
            slopes.pop()
            slope = (y[kept[-1]] - y[i]) / (x[i] - x[kept[-1]])
        if slope < slopes[-1]:
            kept.append(i)
            slopes.append(slope)
    return kept, np.array(slopes[1:])


def claim_losses(least: float, highest: float) -> Floats:
    """Where to make claims: from zero to the highest loss, closer together where losses are small.

    They lie apart by a hundredth of the loss, or of the least one; chords between them move a loss
    by so little of itself.
    """
    count = math.ceil(math.log1p(highest / least) / math.log1p(_SPACING))
    found: Floats = least * np.expm1(math.log1p(_SPACING) * np.arange(count + 1))
    return found


def twice(pair: AtomicPair) -> AtomicPair:
    """A symmetric pair for two steps to a neighbour: TPR composed with itself (lemma B7).

    With T(alpha) the largest TPR of either direction, no test for datasets two steps apart has a
    TPR above T(T(alpha)).
    """
    alphas, tprs = _concave(*_vertices(pair))
    reached = np.interp(alphas, tprs, alphas)
    places = np.unique(np.concatenate([alphas, reached]))
    both = np.interp(np.interp(places, alphas, tprs), alphas, tprs)
    places, both = _concave(places, both)
    slopes = np.diff(both) / np.diff(places)
    highest = math.log(float(slopes.max()))
    losses = claim_losses(0.1 * float((both - places).max()), min(highest, LARGEST))
    # The best test at each loss is the last vertex before the curve is flatter than that.
    best = np.searchsorted(-slopes, -np.exp(losses))
    weights = places[best] * np.exp(losses)
    charge = 8.0 * charges.product_sum(pair.losses.size) * (both[best] + weights)
    return claimed_pair(losses, both[best] - weights + charge)


def _vertices(pair: AtomicPair) -> tuple[Floats, Floats]:
    """False and true positive rates of the thresholds in both directions, by rising alpha."""
    p, q = pair.p[::-1], pair.q[::-1]
    forward = np.cumsum(q), pair.mass_at_infinity + np.cumsum(p)
    backward = np.cumsum(p[::-1]), pair.mass_at_minus_infinity + np.cumsum(q[::-1])
    alphas = np.concatenate([[0.0], forward[0], backward[0], [1.0]])
    tprs = np.concatenate(
        [[max(pair.mass_at_infinity, pair.mass_at_minus_infinity)], forward[1], backward[1], [1.0]]
    )
    order = np.lexsort((tprs, alphas))
    return np.minimum(alphas[order], 1.0), np.minimum(tprs[order], 1.0)


def _concave(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The points on the upper convex hull, up to the first of the highest; each x once."""
    last = np.append(np.diff(x) > 0.0, True)
    x, y = x[last], np.maximum.accumulate(y)[last]
    end = int(np.argmax(y >= y[-1])) + 1
    x, negated = lower_hull(x[:end], -y[:end])
    return x, -negated
