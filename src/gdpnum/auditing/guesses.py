"""Guesses in one run: which claims so many correct ones refute.

m canaries are in or out by fair coins of their own; g are guessed, c of them rightly.

For f-DP (Mahloujifar, Melis and Chaudhuri 2024, https://arxiv.org/abs/2410.22235): start at
r = a c / m, h = a (g - c) / m; for i = c - 1 ... 0 take h' = max(h, finv(r)) and
r' = min(1, r + i / (g - i) (h' - h)), with finv(r) = inf {y: 1 - f(y) >= r} = f(1 - r) for
symmetric f. The claim f is refuted at level a if r + h > g / m. Leaving updates out only makes
refuting harder [1]_, so of very many only some are made.

For (epsilon, delta) (Steinke, Nasr and Jagielski 2023, https://arxiv.org/abs/2305.08846): with
W ~ Bin(g, 1 / (1 + exp(-epsilon))), P[correct >= c] is at most
P[W >= c] + 2 m delta max_i P[c > W >= c - i] / i.

.. [1] With k = i / (g - i), falling: if r - s >= k (h - l) for full (r, h) and thinned (s, l) with
   h >= l, then after an update of both r' - s' >= k (h' - l'), as k (h' - h) + k (h - l)
   telescopes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from gdpnum.auditing.binomial import last_held, many
from gdpnum.auditing.claim import Claim
from gdpnum.auditing.scores import Bools
from gdpnum.floats import Floats

# Updates that are made at most, and values that are tried at a time.
_UPDATES = 20_000
_TRIED = 48

_LARGEST_MU = 60.0
_SMALLEST_P = 1e-12

# Relative rounding errors of an update are far smaller than this.
_ERROR = 1e-11


class Guesses(NamedTuple):
    """How many canaries there were, how many were guessed, and how many of these rightly."""

    canaries: int
    guessed: int
    correct: int


def mu_refuted(guesses: Guesses, level: float, slack: float) -> float:
    """The mu below which every claim of (mu, slack)-GDP is refuted at a level."""

    def refuted(mus: Floats) -> Bools:
        def inverse(r: Floats) -> Floats:
            return np.where(r > slack, ndtr(ndtri(np.maximum(r - slack, 0.0)) - mus), 0.0)

        return _refuted(guesses, np.full(mus.shape, level), inverse)

    ends = np.append(0.0, np.geomspace(1e-4, _LARGEST_MU, _TRIED))
    low, high = _leading(refuted, ends)
    for _ in range(3):
        if high <= low:
            break
        low, high = _leading(refuted, np.linspace(low, high, _TRIED))
    return low


def p_value_of_guesses(guesses: Guesses, claim: Claim) -> float:
    """The smallest level from which on the claim is refuted; 1e-12 stands for anything smaller."""
    inverse = _inverse(claim)

    def passed(logs: Floats) -> Bools:
        return _refuted(guesses, np.exp(-logs), inverse)

    low, high = _leading(passed, np.linspace(0.0, -math.log(_SMALLEST_P), _TRIED))
    for _ in range(2):
        if high <= low:
            break
        low, high = _leading(passed, np.linspace(low, high, _TRIED))
    return math.exp(-low)


def refuted_by_guesses(guesses: Guesses, claim: Claim, level: float) -> bool:
    """Whether the claim is refuted at the level."""
    return bool(_refuted(guesses, np.array([level]), _inverse(claim))[0])


def epsilon_refuted(guesses: Guesses, level: float, delta: float) -> float:
    """The epsilon below which every claim of (epsilon, delta)-DP is refuted at a level."""
    return last_held(lambda one: p_value_of_epsilon(guesses, one, delta) <= level, 500.0)


def p_value_of_epsilon(guesses: Guesses, epsilon: float, delta: float) -> float:
    """The p-value of a claim of (epsilon, delta)-DP, from above; it may exceed one."""
    m, g, c = guesses
    rate = 1.0 / (1.0 + math.exp(-epsilon))
    tail = float(many(c, g, rate))
    if delta == 0.0 or c == 0:
        return tail
    return tail + 2.0 * m * delta * _largest_share(guesses, rate, tail)


def _largest_share(guesses: Guesses, rate: float, tail: float) -> float:
    """The largest of P[c > W >= c - i] / i over i = 1 ... c, from above.

    On a cell of i the share is at most that of its end over its start; cells are halved until that
    is as good as sharp.
    """
    _, g, c = guesses
    ends = np.unique(np.append(np.geomspace(1, c, 64).astype(np.int64), c))
    while True:
        within = np.maximum(many(c - ends, g, rate) - tail * (1.0 - 1e-9), 0.0)
        starts = np.append(0, ends[:-1]) + 1
        above, attained = within / starts, float((within / ends).max())
        wide = (above > (1.0 + 1e-7) * attained) & (ends > starts)
        if not wide.any():
            return float(above.max())
        ends = np.unique(np.append(ends, (starts[wide] + ends[wide]) // 2))


def _refuted(guesses: Guesses, levels: Floats, inverse: Callable[[Floats], Floats]) -> Bools:
    m, g, c = guesses
    r, h = levels * (c / m), levels * ((g - c) / m)
    needed = g / m * (1.0 + _ERROR)
    with np.errstate(all="ignore"):
        for i in _updates(c):
            raised = np.maximum(h, inverse(r) * (1.0 - _ERROR))
            # What has passed only rises, and what stands still stays.
            if ((raised == h) | (r + h > needed)).all():
                break
            r, h = np.minimum(1.0, r + i / (g - i) * (raised - h)), raised
    return np.asarray(r + h > needed)


def _updates(correct: int) -> list[int]:
    if correct <= _UPDATES:
        return list(range(correct - 1, -1, -1))
    kept = np.linspace(correct - 1, 0, _UPDATES).astype(np.int64)
    return [int(i) for i in kept]


def _leading(holds: Callable[[Floats], Bools], values: Floats) -> tuple[float, float]:
    """The last value before the first at which a test fails, and that one if there is any."""
    failed = np.flatnonzero(~holds(values))
    if failed.size == 0:
        return float(values[-1]), float(values[-1])
    first = int(failed[0])
    return float(values[max(first - 1, 0)]), float(values[first])


def _inverse(claim: Claim) -> Callable[[Floats], Floats]:
    """f(1 - r) from below, from a table: a convex function lies above its prolonged chords."""
    small = np.geomspace(1e-9, 0.5, 1500)
    alphas = np.unique(np.concatenate([[0.0], small, 1.0 - small, [1.0]]))[::-1]
    # Exact, as alphas are; and less than their rounding may hide.
    r, y = 1.0 - alphas, claim.betas(alphas) * (1.0 - 1e-6)
    slopes = np.diff(y) / np.diff(r)

    def inverse(at: Floats) -> Floats:
        cell = np.clip(np.searchsorted(r, at, side="right") - 1, 0, slopes.size - 1)
        before, after = np.maximum(cell - 1, 0), np.minimum(cell + 1, slopes.size - 1)
        rise = np.where(cell > 0, y[cell] + slopes[before] * (at - r[cell]), 0.0)
        fall = np.where(
            cell + 1 < slopes.size, y[cell + 1] - slopes[after] * (r[cell + 1] - at), 0.0
        )
        # y[cell] holds in any case, as f(1 - r) rises with r.
        return np.maximum(np.maximum(rise, fall), y[cell])

    return inverse
