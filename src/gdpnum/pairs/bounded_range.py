"""Selection by the exponential mechanism: pairs that dominate all mechanisms of bounded range.

A mechanism has range epsilon if, for each two neighbours, its losses lie in some interval
[t - epsilon, t]. Of all such pairs with a given t the worst has just these two losses, the upper
one with P mass a(t) = (exp(epsilon) - exp(t)) / (exp(epsilon) - 1) (Dong, Durfee and Rogers 2020).

One release. The supremum over t of its profile is (1 - exp((x - epsilon) / 2))^2 /
(1 - exp(-epsilon)), reached at t = (x + epsilon) / 2: the profile of logistic noise shifted by
epsilon, `LogisticPair`.

Several releases. Who attacks may choose the neighbours, hence t, of a release by what the ones
before it gave away. The best profile after j releases is therefore exactly

    V_j(x) = sup over t of a(t) V_{j-1}(x - t) + (1 - a(t)) V_{j-1}(x - t + epsilon),

V_0(x) = max(0, 1 - exp(x)). That is less than the product of j logistic pairs, in which t is chosen
with hindsight: for many releases a quarter less variance. `block_pair` computes it from above.

Proofs: docs/proofs_selection.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gdpnum.floats import Floats
from gdpnum.pairs.atomic import AtomicPair, mirrored_atoms
from gdpnum.pairs.pair import BoundedPair, Quadrature

#: Releases computed as one. More would cost time, and gain less than half a per cent of mu.
LARGEST_BLOCK = 128

# Nodes to a release: a block of 64 then has a variance at most 0.3 % above the best.
_NODES = 16

# No further apart than this: on the scale of 1 profiles bend, however large epsilon is.
_WIDEST = 0.05

# Nodes of a block, at most: its time grows with nodes times nodes to a release.
_MOST_NODES = 2048

# Below it the masses of a block drown in rounding, and there is hardly anything to gain.
_SMALLEST_EPSILON = 1e-7

# In place of what underflows.
_TINY = 1e-290


@dataclass(frozen=True)
class LogisticPair(BoundedPair):
    """Logistic noise of scale 1 around epsilon against the same around 0.

    P[L > w] = (1 - s) / (1 - exp(-epsilon)) with s = exp((w - epsilon) / 2), for losses w in
    [-epsilon, epsilon]; its curve is f(alpha) = (1 - alpha) / (1 + (exp(epsilon) - 1) alpha).
    """

    def tails(self, loss: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        p_below, p_above = self._tails(loss)
        q_above, q_below = self._tails(-loss)
        return p_below, p_above, q_below, q_above

    def _tails(self, loss: Floats) -> tuple[Floats, Floats]:
        """P[L <= w] and P[L > w]; those of Q are the same at -w, swapped."""
        inside = np.clip(loss, -self.epsilon, self.epsilon)
        whole = -math.expm1(-self.epsilon)
        above = -np.expm1(0.5 * (inside - self.epsilon)) / whole
        # exp((w - eps) / 2) - exp(-eps), without cancelling where w is next to -eps.
        below = np.exp(0.5 * (inside - self.epsilon)) / whole
        below *= -np.expm1(-0.5 * (inside + self.epsilon))
        return below, above

    def points(self) -> Quadrature:
        edges = np.linspace(-self.epsilon, self.epsilon, 257)
        below, _ = self._tails(edges)
        p = np.diff(below)
        return Quadrature(0.5 * (edges[:-1] + edges[1:]), p, p[::-1])


def swap_epsilon(epsilon: float, noise: str) -> float:
    """The log-odds of the right answer when two candidates, epsilon / 2 apart, change places.

    Which of two noisy scores is larger is then a randomised response with this epsilon: an attack
    that exists on every selection. The odds are those of a difference of two noises.
    """
    half = 0.5 * epsilon
    if noise == "gumbel":
        return half
    # P[difference > half]: exp(-half) / 2 of exponential noise, exp(-half) (2 + half) / 4 of
    # Laplace noise.
    log_miss = -half - math.log(2.0) + (math.log1p(0.5 * half) if noise == "laplace" else 0.0)
    return max(0.0, math.log(-math.expm1(log_miss)) - log_miss)


def blocks(epsilon: float, times: int) -> list[tuple[int, int]]:
    """How many releases to compute as one, and how often: (releases, repetitions)."""
    size = min(LARGEST_BLOCK, _MOST_NODES // _nodes(epsilon))
    if size < 2 or times < 2 or epsilon < _SMALLEST_EPSILON:
        return [(1, times)]
    # As few as will do, and equal but for the last.
    count = -(-times // size)
    each, larger = divmod(times, count)
    found = [(each + 1, larger), (each, count - larger)]
    return [(block, often) for block, often in found if often > 0]


def _nodes(epsilon: float) -> int:
    return max(_NODES, math.ceil(epsilon / _WIDEST))


def block_pair(epsilon: float, times: int) -> LogisticPair | AtomicPair:
    """A pair that dominates so many releases of range epsilon, chosen adaptively."""
    if times == 1:
        return LogisticPair(epsilon)
    nodes = _nodes(epsilon)
    with np.errstate(all="ignore"):
        return _pair_of(_profile(epsilon, times, nodes), epsilon / nodes)


def _profile(epsilon: float, times: int, nodes: int) -> Floats:
    """Upper bounds on V_times at the losses 0, h, 2h, ... with h = epsilon / nodes.

    Between nodes V is joined linearly in exp(x), where it is convex: an upper bound again. In a
    cell of t the function to maximise is then c - p s - r / s, with s = exp(-t) up to a factor and
    p, r >= 0, so its maximum has a formula.
    """
    step = epsilon / nodes
    ratio = math.exp(-step)
    # What rounding may lose of a maximum: a few units of what it is the maximum of.
    grown = 1.0 + 2.0**-40 * max(1.0, 1e-3 / epsilon)
    values = np.zeros(1)
    for number in range(1, times + 1):
        around = _extended(values, step, nodes)
        best = np.zeros(number * nodes + 1)
        for cell in range(nodes):
            np.maximum(best, _cell(around, best.size, cell, nodes, epsilon, ratio), out=best)
        best *= grown
        # No loss exceeds number * epsilon; before it, underflow must not look like that.
        values = np.maximum(best, _TINY)
        values[-1] = 0.0
    return values


def _extended(values: Floats, step: float, nodes: int) -> Floats:
    """The profile from one release's range below 0 to two ranges above its last node.

    It is symmetric, as its mechanisms may be looked at from either neighbour: delta(-x) =
    1 - exp(-x) + exp(-x) delta(x).
    """
    below = step * np.arange(nodes, 0, -1)
    mirrored = np.zeros(nodes)
    known = min(nodes, values.size - 1)
    mirrored[nodes - known :] = values[known:0:-1]
    mirrored = -np.expm1(-below) + np.exp(-below) * mirrored
    return np.concatenate([mirrored, values, np.zeros(2 * nodes)])


def _cell(around: Floats, size: int, cell: int, nodes: int, epsilon: float, ratio: float) -> Floats:
    """The largest value at each node for t between cell * h and (cell + 1) * h."""
    start = nodes - cell
    near, far = around[start : start + size], around[start - 1 : start - 1 + size]
    start += nodes
    near_low, far_low = around[start : start + size], around[start - 1 : start - 1 + size]
    fall, fall_low = far - near, far_low - near_low
    step = epsilon / nodes
    slope = fall - math.exp(-epsilon) * fall_low
    pull = math.exp(cell * step - epsilon) * (
        (far - far_low) * -math.expm1(-step) + ratio * (fall - fall_low)
    )
    where = np.sqrt(np.maximum(pull, 0.0) / slope)
    where = np.clip(np.where(slope > 0.0, where, 1.0), ratio, 1.0)
    share = (where - ratio) / -math.expm1(-step)
    t = cell * step - np.log(where)
    upper = np.expm1(t - epsilon) / math.expm1(-epsilon)
    lower = np.exp(t - epsilon) * np.expm1(-t) / math.expm1(-epsilon)
    value: Floats = upper * (share * near + (1.0 - share) * far) + lower * (
        share * near_low + (1.0 - share) * far_low
    )
    return value


def _pair_of(values: Floats, step: float) -> AtomicPair:
    """The symmetric pair whose profile is linear in exp(x) between these nodes."""
    losses = step * np.arange(values.size, dtype=np.float64)
    # Q[L > w] between two nodes: the slope of the profile in exp(w).
    tails = -np.diff(values) / (np.exp(losses[:-1]) * math.expm1(step))
    # Rounding may make a slope rise; a mass of zero there makes every tail larger, none smaller.
    q = np.maximum(-np.diff(np.append(tails, 0.0)), 0.0)
    p = np.exp(losses[1:]) * q
    middle = max(0.0, 1.0 - float(p.sum()) - float(q.sum()))
    return mirrored_atoms(losses[1:], p, q, middle)
