"""Every rounding that the person, correlated noise, tuning and budgets are charged with.

One function a lemma, each rounding to the side that reveals more. To be merged into ``charges``.
The lemmas are proven in docs/proofs_person.md under the same names.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "centre_up",
    "group_alphas_down",
    "group_slack_up",
    "group_tprs_up",
    "inversion_error",
    "rate_up",
]

Floats = NDArray[np.float64]

_UNIT = 2.0**-53


def centre_up(records: int, sigma: float) -> float:
    """Lemma (centres): j / sigma, rounded up; a mixture of larger shifts reveals no less."""
    exact = Fraction(records) / Fraction(sigma)
    centre = float(exact)
    return centre if Fraction(centre) >= exact else math.nextafter(centre, math.inf)


def rate_up(joins: Decimal) -> float:
    """Lemma (weights): the probability of at least one record, rounded up.

    What it is raised by is moved from the shift 0 to the others.
    """
    rate = float(joins)
    return rate if Decimal(rate) >= joins else math.nextafter(rate, math.inf)


def inversion_error(losses: Floats, terms: Sequence[tuple[float, float]]) -> Floats:
    """Lemma (inversion): how far the loss at a computed outcome may be from the one asked for.

    A cell whose edge is off by e, the same outcome under P and under Q, lowers the profile there by
    at most min(e, e^2 h) exp(w) Q[L > w], h the hazard rate of the loss: covered by the share of
    mass that the lattice moves up for the error of tails.
    """
    largest = max(abs(log_weight) for log_weight, _ in terms)
    size = np.abs(losses) + largest + max(centre for _, centre in terms) ** 2
    return 8.0 * _UNIT * (1.0 + size) * len(terms) ** 0.5


def group_tprs_up(tprs: Floats) -> Floats:
    """Lemma (group): TPRs interpolated between vertices, raised by their rounding.

    An interpolation of non-negative numbers errs by at most four units, relative.
    """
    return np.minimum(tprs * (1.0 + 8.0 * _UNIT), 1.0)


def group_alphas_down(alphas: Floats) -> Floats:
    """Lemma (group): alphas at which a TPR is reached, lowered by their rounding."""
    return alphas * (1.0 - 8.0 * _UNIT)


def group_slack_up(slack: float, mu: float) -> float:
    """Lemma (group slack): one step of s + Phi(Phi^-1(s') + mu), raised by its rounding.

    An error of x units in a quantile z, of at most 40, is one of x |z| units in Phi(z).
    """
    return slack * (1.0 + 4.0 * (64.0 + (40.0 + mu) ** 2) * _UNIT)
