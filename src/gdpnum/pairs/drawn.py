"""Batches of a fixed size in which one person's records may be several times.

J, how often, has weights w_j; each time moves the sum by 2 at most (one record exchanged for
another). With p = Pr[J >= 1], e^eps' = 1 + p (e^eps - 1) and b = e^(eps' - eps), for eps' >= 0

    delta(eps') <= p (1 - b) H_eps(sum_j (w_j / p) N(2 j) against N(0))
                 + p b sum_j (w_j / p) delta_{2 j / sigma}(eps)

(Balle, Barthe, Gaboardi 2018, theorems 2 and 10; lemma B3 of docs/proofs_batches.md). The pair
sum_j w_j N(2 j) against N(0) itself is an attack that exists; as a bound it is false.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from gdpnum import charges
from gdpnum.errors import BudgetExceeded
from gdpnum.floats import Floats
from gdpnum.pairs.claims import LARGEST, claim_losses, claimed_pair
from gdpnum.pairs.mixture import DIGITS, MixturePair
from gdpnum.pairs.pair import Bracket, SampledPair

# More often in a batch than this there is hardly any privacy to speak of.
_LARGEST_MEAN = 1000.0

# What is left out of the weights, and where the profile ends.
_NEGLIGIBLE = 1e-22


def binomial_weights(draws: int, probability: float) -> Floats:
    """Pr[J = j] of how many of so many draws are of one person's records, from j = 0 on."""
    with localcontext(DIGITS):
        hit = Decimal(probability)
        odds = hit / (1 - hit)
        none = (1 - hit) ** draws
    return _weights(none, lambda j: odds * (draws - j) / (j + 1), draws, draws * probability)


def hypergeometric_weights(draws: int, size: int, marked: int) -> Floats:
    """Pr[J = j] of how many of the marked records are in a batch; there must be room for none."""
    with localcontext(DIGITS):
        none = math.prod((1 - Decimal(draws) / (size - i) for i in range(marked)), start=Decimal(1))

    def odds(j: int) -> Decimal:
        return Decimal((marked - j) * (draws - j)) / ((j + 1) * (size - marked - draws + j + 1))

    return _weights(none, odds, min(draws, marked), draws * marked / size)


def _weights(none: Decimal, odds: Callable[[int], Decimal], most: int, mean: float) -> Floats:
    """Weights from that of j = 0 and the ratios of each to the one before, each rounded once."""
    if mean > _LARGEST_MEAN:
        raise BudgetExceeded(
            f"a record is in a batch {mean:.3g} times on average, which leaves no privacy; "
            "describe smaller batches"
        )
    with localcontext(DIGITS):
        found = [none]
        for j in range(most):
            found.append(found[-1] * odds(j))
            if j > mean and found[-1] < _NEGLIGIBLE:
                break
        return np.array([float(weight) for weight in found])


def drawn_pairs(weights: Floats, sigma: float) -> Bracket:
    """The pairs, from above and from below, of a step with these weights."""
    some = float(weights[1:].sum())
    with np.errstate(under="ignore"):
        above = claimed_pair(*claims_of(weights, some, 2.0 / sigma))
    moved = _mixture(weights[1:] / some, 2.0 / sigma)
    return Bracket(above, SampledPair(moved, some) if some < 1.0 else moved)


def _mixture(shares: Floats, shift: float) -> MixturePair:
    """The sum of shares[j - 1] N(j shift, 1) against N(0, 1); what underflows is left out."""
    met = np.flatnonzero(shares)
    return MixturePair(tuple(shares[met].tolist()), tuple((shift * (met + 1.0)).tolist()))


def claims_of(weights: Floats, some: float, shift: float) -> tuple[Floats, Floats]:
    """Losses, and what is claimed of delta at each of them."""
    shifts = shift * np.arange(1, weights.size, dtype=np.float64)
    shares = weights[1:] / some
    losses = _losses(some, shares, shifts)
    # y = e^eps of the steps that have the record, and its logarithm
    log_y = np.where(
        losses < 30.0,
        np.log1p(np.expm1(np.minimum(losses, 30.0)) / some),
        losses - math.log(some) + np.log1p((some - 1.0) * np.exp(-np.maximum(losses, 30.0))),
    )
    x = _mixture(shares, shift).outcomes(log_y)
    hit = (shares * ndtr(shifts - x[:, None])).sum(axis=1)
    false = np.exp(log_y + log_ndtr(-x))
    half, tilt = 0.5 * shifts, log_y[:, None] / shifts
    hits = (shares * ndtr(half - tilt)).sum(axis=1)
    falses = (shares * np.exp(log_y[:, None] + log_ndtr(-half - tilt))).sum(axis=1)
    beta = some + (1.0 - some) * np.exp(-log_y)
    mixed = (1.0 - some) * -np.expm1(-log_y) * np.maximum(hit - false, 0.0)
    deltas = some * (mixed + beta * np.maximum(hits - falses, 0.0))
    charge = charges.claim(hit + hits, false + falses, log_y)
    # Draws beyond the last weight count as infinite losses.
    return losses, deltas + some * charge + 10.0 * _NEGLIGIBLE


def _losses(some: float, shares: Floats, shifts: Floats) -> Floats:
    """Where claims are made: up to where next to no losses are."""
    met = some * shares > _NEGLIGIBLE
    # How far out a draw of j times is met, and what is lost there.
    deviates = -ndtri(np.minimum(_NEGLIGIBLE / (some * shares[met]), 0.5))
    highest = float((shifts[met] * (0.5 * shifts[met] + deviates)).max(initial=1.0))
    return claim_losses(0.1 * some * min(float(shifts[0]), 1.0), min(highest, LARGEST))
