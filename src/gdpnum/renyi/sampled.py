"""Renyi divergences of a mechanism on a random part of the data, from the mechanism's own.

What is known of the mechanism are its divergences only, so the pair that attains them is not; these
bounds hold for whichever it is (docs/proofs_batches.md, Lemmas B9 and B10).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln, logsumexp

from gdpnum.floats import Floats

#: Whole orders from 1 on at which divergences are to be given.
WHOLE_ORDERS = np.arange(1.0, 513.0)

# Orders at which the bound is stated: dense where most runs need them.
_STATED = np.concatenate([np.arange(2.0, 64.0), np.geomspace(64.0, 512.0, 13).round()])
# Relatively, more than what is lost of the logarithms, which are no larger than log(512!).
_ROUNDING = 2.0**-36
_BETWEEN = np.round(np.arange(2.1, 12.0, 0.1), 1)


def sampled_epsilons(inner: Floats, rate: float) -> Floats:
    """Of a Poisson sample, at the whole orders, for a record added or removed (Lemma B9).

    With D_l the mechanism's at order l, in the one direction, exactly for the worst mechanism,

        exp((t - 1) D_t) <= sum_l C(t, l) (1 - q)^(t - l) q^l exp((l - 1) D_l),

    and in the other the least of 1 + q^2 t (t - 1) / 2 (1 - q)^(-t - 1) (exp(D_2) - 1), of
    exp(q (t - 1) D_u) with u = 1 + q (t - 1) rounded up, and of no credit for sampling.
    """
    stay, join = math.log1p(-rate), math.log(rate)
    # The weights sum to one, so from each power one can be taken; no digit of a small sum is lost.
    powers = _log_expm1((WHOLE_ORDERS[1 : inner.size] - 1.0) * inner[1:])
    square = math.expm1(min(float(inner[1]), 700.0))
    found = np.zeros(inner.size)
    for place in range(1, inner.size):
        t = WHOLE_ORDERS[place]
        lower = WHOLE_ORDERS[1 : place + 1]
        logs = _log_choose(t, lower) + (t - lower) * stay + lower * join + powers[:place]
        forward = float(np.logaddexp(0.0, logsumexp(logs))) / (t - 1.0)
        near = 0.5 * rate**2 * t * (t - 1.0) * math.exp(min(-(t + 1.0) * stay, 700.0)) * square
        far = rate * float(inner[math.ceil(rate * (t - 1.0))])
        backward = min(math.log1p(near) / (t - 1.0), far)
        found[place] = min(max(forward, backward) * (1.0 + _ROUNDING), float(inner[place]))
    found[0] = min(found[1], inner[0])
    return found


def drawn_epsilons(inner: Floats, rate: float) -> Floats:
    """Of a batch of a fixed size, at the whole orders, for a record replaced (Lemma B10).

    exp((t - 1) D_t) <= 1 + C(t, 2) q^2 min(4 (exp(D_2) - 1), 2 exp(D_2))
    + 2 sum_(l > 2) C(t, l) q^l exp((l - 1) D_l).
    """
    second = min(float(inner[1]), 700.0)
    powers = math.log(2.0) + (WHOLE_ORDERS[1 : inner.size] - 1.0) * inner[1:]
    powers[0] = math.log(min(4.0 * math.expm1(second), 2.0 * math.exp(second)))
    found = np.zeros(inner.size)
    for place in range(1, inner.size):
        t = WHOLE_ORDERS[place]
        lower = WHOLE_ORDERS[1 : place + 1]
        logs = _log_choose(t, lower) + lower * math.log(rate) + powers[:place]
        value = float(np.logaddexp(0.0, logsumexp(logs))) / (t - 1.0)
        found[place] = min(value * (1.0 + _ROUNDING), float(inner[place]))
    found[0] = min(found[1], inner[0])
    return found


def between_whole_orders(epsilons: Floats) -> tuple[Floats, Floats]:
    """Orders and divergences to state, those between whole orders by convexity.

    (t - 1) D_t is convex in t, so a chord between two orders is above it.
    """
    orders = np.unique(np.concatenate([_STATED, _BETWEEN]))
    powers = np.interp(orders, WHOLE_ORDERS, (WHOLE_ORDERS - 1.0) * epsilons)
    return orders, powers / (orders - 1.0) * (1.0 + _ROUNDING)


def _log_choose(count: float, chosen: Floats) -> Floats:
    return np.asarray(gammaln(count + 1.0) - gammaln(chosen + 1.0) - gammaln(count - chosen + 1.0))


def _log_expm1(power: Floats) -> Floats:
    """log(exp(x) - 1) for x > 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(power + np.log(-np.expm1(-power)))
