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
    "budget_root_down",
    "budget_root_up",
    "budget_total_up",
    "centre_up",
    "gram_up",
    "group_alphas_down",
    "group_profile_up",
    "group_slack_up",
    "group_tprs_up",
    "inversion_error",
    "mu_up",
    "rate_up",
    "root_down",
    "root_up",
    "selection_chance_up",
    "selection_density_down",
    "selection_density_up",
    "selection_profile_up",
    "selection_shift_down",
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
    return np.asarray(8.0 * _UNIT * (1.0 + size) * math.sqrt(len(terms)))


def group_tprs_up(tprs: Floats) -> Floats:
    """Lemma (group): TPRs interpolated between vertices, raised by their rounding.

    An interpolation of non-negative numbers errs by at most four units, relative.
    """
    return np.minimum(tprs * (1.0 + 8.0 * _UNIT), 1.0)


def group_alphas_down(alphas: Floats) -> Floats:
    """Lemma (group): alphas at which a TPR is reached, lowered by their rounding."""
    return alphas * (1.0 - 8.0 * _UNIT)


def group_profile_up(tpr: float, lost: float) -> float:
    """Lemma (group): tpr - exp(eps) alpha, raised by the rounding of both."""
    return (tpr - lost) + 2.0**-46 * (tpr + lost)


def group_slack_up(slack: float, mu: float) -> float:
    """Lemma (group slack): one step of s + Phi(Phi^-1(s') + mu), raised by its rounding.

    An error of x units in a quantile z, of at most 40, is one of x |z| units in Phi(z).
    """
    return slack * (1.0 + 4.0 * (64.0 + (40.0 + mu) ** 2) * _UNIT)


def gram_up(entries: Floats, norms: Floats, terms: int) -> Floats:
    """Lemma (Gram): sums of products of two columns, raised in size by their rounding.

    A sum of n products in any order errs by n u times the sum of their sizes, at most the product
    of the columns' norms.
    """
    return np.asarray(np.copysign(np.abs(entries) + (terms + 8.0) * _UNIT * norms, entries))


def mu_up(sensitivity: float, sigma: float) -> float:
    """Lemma (mu of a sensitivity): sens / sigma, rounded up."""
    return math.nextafter(sensitivity / sigma, math.inf)


def root_up(square: float, terms: int) -> float:
    """Lemma (root): the root of a sum of so many non-negative terms, raised by its rounding."""
    return math.sqrt(square) * (1.0 + (terms + 8.0) * _UNIT)


def root_down(square: float, terms: int) -> float:
    """Lemma (root): the same, lowered."""
    return math.sqrt(max(square, 0.0)) * max(0.0, 1.0 - (2.0 * terms + 16.0) * _UNIT)


def selection_chance_up(chance: float, terms: int) -> float:
    """Lemma (number of runs): a difference of two sums of so many chances, raised by their errors.

    Each chance is a running product of ratios, four roundings a factor.
    """
    return chance + 2.0**-48 * (16.0 + terms)


def selection_density_up(values: Floats, steepness: float) -> Floats:
    """Lemma (selection): phi'(u), raised by its rounding.

    ``steepness`` bounds the derivative of log phi'; an argument is known to a few units of one.
    """
    return values * (1.0 + 2.0**-48 * (8.0 + steepness))


def selection_density_down(values: Floats, steepness: float) -> Floats:
    """Lemma (selection): the same, lowered."""
    return values * max(0.0, 1.0 - 2.0**-48 * (8.0 + steepness))


def selection_shift_down(epsilons: Floats) -> Floats:
    """Lemma (selection): eps + log r_k, lowered by its rounding, as profiles fall."""
    return epsilons - 2.0**-46 * (1.0 + np.abs(epsilons))


def selection_profile_up(deltas: Floats, terms: int) -> Floats:
    """Lemma (selection): a sum of so many profile values, raised by its rounding and by theirs."""
    return deltas * (1.0 + 2.0**-36 + (terms + 8.0) * _UNIT)


# Exact sums of costs get longer with every new denominator; beyond this they are rounded up.
_LONGEST = 4096


def budget_total_up(total: Fraction) -> Fraction:
    """Lemma (ledger): an exact sum, rounded up to a multiple of 2^-1024 once it has grown long."""
    if total.denominator.bit_length() <= _LONGEST:
        return total
    return Fraction(-((-total.numerator << 1024) // total.denominator), 1 << 1024)


def budget_root_up(square: Fraction) -> float:
    """Lemma (ledger): the least float at or above the root."""
    root = _near_root(square)
    while Fraction(root) ** 2 < square:
        root = math.nextafter(root, math.inf)
    return root


def budget_root_down(square: Fraction) -> float:
    """Lemma (ledger): the largest float at or below the root."""
    root = _near_root(square)
    while Fraction(root) ** 2 > square:
        root = math.nextafter(root, 0.0)
    return root


def _near_root(square: Fraction) -> float:
    """A float within a few units of the root, whatever the size of the square."""
    if square <= 0:
        return 0.0
    # Scaled by an even power of two so that the integer root has 64 bits or more.
    shift = max(0, 160 - square.numerator.bit_length() + square.denominator.bit_length())
    shift += shift % 2
    root = math.isqrt((square.numerator << shift) // square.denominator)
    return math.ldexp(float(root), -shift // 2)
