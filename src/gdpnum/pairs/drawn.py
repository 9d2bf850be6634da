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

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from gdpnum import charges
from gdpnum.errors import BudgetExceeded
from gdpnum.floats import Floats
from gdpnum.pairs.claims import LARGEST, claim_losses, claimed_pair
from gdpnum.pairs.pair import Bracket
from gdpnum.pairs.shifted import ShiftedPair, outcome_of_ratio

__all__ = ["binomial_weights", "claims_of", "drawn_pairs", "hypergeometric_weights"]

# What is left out of the weights, and where the profile ends.
_NEGLIGIBLE = 1e-22


def binomial_weights(draws: int, probability: float) -> Floats:
    """Pr[J = j] of how many of so many draws are of one person's records, from j = 0 on."""
    if draws * probability > 500.0:
        raise BudgetExceeded(
            f"a record is in a batch {draws * probability:.3g} times on average, which leaves no "
            "privacy; describe smaller batches"
        )
    odds = probability / (1.0 - probability)
    found = [math.exp(draws * math.log1p(-probability))]
    for j in range(draws):
        found.append(found[-1] * odds * (draws - j) / (j + 1))
        if j > draws * probability and found[-1] < _NEGLIGIBLE:
            break
    return np.array(found)


def hypergeometric_weights(draws: int, size: int, marked: int) -> Floats:
    """Pr[J = j] of how many of the marked records are in a batch; there must be room for none."""
    found = [math.exp(sum(math.log1p(-draws / (size - i)) for i in range(marked)))]
    for j in range(min(draws, marked)):
        ratio = (marked - j) * (draws - j) / ((j + 1) * (size - marked - draws + j + 1))
        found.append(found[-1] * ratio)
    return np.array(found)


def drawn_pairs(weights: Floats, sigma: float) -> Bracket:
    """The pairs, from above and from below, of a step with these weights."""
    some = float(weights[1:].sum())
    with np.errstate(under="ignore"):
        above = claimed_pair(*claims_of(weights, some, 2.0 / sigma))
    return Bracket(above, ShiftedPair(weights, some, 2.0 / sigma))


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
    x = outcome_of_ratio(log_y, np.log(shares), shifts)
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
