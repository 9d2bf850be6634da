"""A person with several records under Poisson sampling: mixtures of Gaussian shifts.

Of k records each joins a step with probability q by itself, and every one that joins moves the
query by one: sum_j Bin(k, q)(j) N(j s, 1) against N(0, 1), s = 1 / sigma. The pair dominates
whatever the records are, in both directions (Kahane's inequality; docs/proofs_person.md).

Centres are rounded up and weights towards larger shifts; both only add to what is revealed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from gdpnum import charges
from gdpnum.directed import quotient_above
from gdpnum.errors import BudgetExceeded
from gdpnum.floats import Floats
from gdpnum.pairs.gaussian import REACH, SPACING, GaussianPair, SampledGaussianPair, bell
from gdpnum.pairs.pair import MonotonePair, Pair, Quadrature, SampledPair

#: In which weights are computed: thirty digits and more, whatever their exponent.
DIGITS = Context(prec=40, Emin=-(10**12), Emax=10**12)

# Weights that sum to less than this are moved to the largest shift (or, at the lower end, to the
# next one kept): a mass of that size is as good as infinite loss, far below any slack.
_NEGLIGIBLE = Decimal("1e-25")

# Below this the probability of no record at all is moved to one record: 1 - rate must keep digits.
_LEAST_ABSENT = Decimal("1e-15")

# Places at which the loss is tabled, to start its inversion from.
_TABLE = 4096

# Newton's method on a convex function, from a table: three or four steps do.
_MOST_ITERATIONS = 100


@dataclass(frozen=True)
class MixturePair(MonotonePair):
    """sum_j v_j N(c_j, 1) against N(0, 1) with 0 < c_1 < c_2 < ...

    The loss log sum_j v_j exp(c_j z - c_j^2 / 2) is an increasing, convex function of the outcome
    z. It is inverted by Newton's method, to the error that `inversion_error` grants; cells are then
    those of outcomes, the same under P and under Q, and their masses sums of normal tails.
    """

    weights: tuple[float, ...]
    centres: tuple[float, ...]

    def losses(self, z: Floats) -> Floats:
        """The loss at outcomes z."""
        return self.losses_and_slopes(z)[0]

    def losses_and_slopes(self, z: Floats) -> tuple[Floats, Floats]:
        """The losses at outcomes z and their derivatives there."""
        largest = np.full(z.shape, -np.inf)
        for log_weight, centre in self._terms:
            np.maximum(largest, log_weight + centre * (z - 0.5 * centre), out=largest)
        total, moved = np.zeros(z.shape), np.zeros(z.shape)
        with np.errstate(under="ignore"):
            for log_weight, centre in self._terms:
                share = np.exp(log_weight + centre * (z - 0.5 * centre) - largest)
                total += share
                moved += centre * share
        return largest + np.log(total), moved / total

    @cached_property
    def _terms(self) -> list[tuple[float, float]]:
        logs = (math.log(weight) for weight in self.weights)
        return list(zip(logs, self.centres, strict=True))

    def inversion_error(self, losses: Floats) -> Floats:
        """How far the loss at a computed outcome may be from the one asked for."""
        largest = max(abs(log_weight) for log_weight, _ in self._terms)
        return charges.inversion(losses, len(self._terms), largest, max(self.centres))

    def outcomes(self, losses: Floats) -> Floats:
        """The outcomes z with these losses; infinite where they are."""
        finite = np.isfinite(losses)
        wanted = losses[finite]
        z = np.where(losses > 0.0, np.inf, -np.inf)
        if wanted.size:
            z[finite] = self._inverted(wanted)
        return z

    def _inverted(self, wanted: Floats) -> Floats:
        # At least as far as the root: the loss is at least that of each component alone.
        z: Floats = np.min(
            [(wanted - log_v) / centre + 0.5 * centre for log_v, centre in self._terms], axis=0
        )
        if z.size > _TABLE:
            # A table of outcomes brings all of them near at once.
            table = np.linspace(float(z.min()) - 1.0, float(z.max()), _TABLE)
            z = np.minimum(z, np.interp(wanted, self.losses(table), table))
        granted = self.inversion_error(wanted)
        for _ in range(_MOST_ITERATIONS):
            found, slopes = self.losses_and_slopes(z)
            excess = found - wanted
            if (np.abs(excess) <= granted).all():
                return z
            z = z - excess / slopes
        raise BudgetExceeded(
            f"the loss of {self!r} could not be inverted to its last digits; describe more noise"
        )

    def tails(self, loss: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        z = self.outcomes(loss)
        below, above = np.zeros(z.shape), np.zeros(z.shape)
        with np.errstate(under="ignore"):
            for weight, centre in zip(self.weights, self.centres, strict=True):
                below += weight * ndtr(z - centre)
                above += weight * ndtr(centre - z)
            return below, above, ndtr(z), ndtr(-z)

    def points(self) -> Quadrature:
        kept = [
            (weight, centre)
            for weight, centre in zip(self.weights, self.centres, strict=True)
            if weight > 1e-20
        ]
        last = kept[-1][1]
        count = math.ceil((2.0 * REACH + last) / SPACING)
        z = -REACH + (2.0 * REACH + last) / count * np.arange(count + 1.0)
        with np.errstate(under="ignore"):
            p = np.sum([weight * bell(z - centre) for weight, centre in kept], axis=0)
            return Quadrature(self.losses(z), p, bell(z))


def _binomial(records: int, rate: float) -> list[Decimal]:
    """Bin(k, q)(j) for j = 0 to k."""
    with localcontext(DIGITS):
        joins = Decimal(rate)  # exactly
        stays = 1 - joins
        odds = joins / stays
        weights = [stays**records]
        for j in range(records):
            weights.append(weights[-1] * odds * (records - j) / (j + 1))
        return weights


@dataclass(frozen=True)
class WholeShiftsPair(SampledPair):
    """The sum of ``shares[j]`` N(j, sigma^2), j = 0, 1, ..., against N(0, sigma^2).

    ``inner`` and ``rate`` dominate it, with centres and the rate rounded up.
    """

    sigma: float
    shares: tuple[float, ...]


@dataclass(frozen=True)
class PersonPair(SampledPair):
    """The pair of a person with so many records, each in a step with probability ``record_rate``.

    ``inner`` and ``rate`` dominate it, with centres rounded up and few weights; without either
    it is the sum of the ``shares`` times N(j, sigma^2), j = 0..records, against N(0, sigma^2).
    """

    sigma: float
    records: int
    record_rate: float

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """Bin(records, record_rate)(j), each rounded once."""
        return tuple(float(weight) for weight in _binomial(self.records, self.record_rate))


def person_pair(sigma: float, rate: float, records: int) -> Pair:
    """The pair of one step, for 0 < rate < 1; with one record it is the record's own."""
    if records == 1:
        return SampledGaussianPair(sigma, rate)
    moved = _shifts(records, rate)
    absent = moved.pop(0, Decimal(0))
    joins = 1 - absent
    centres = tuple(quotient_above(float(j), sigma) for j in moved)
    shares = tuple(float(weight / joins) for weight in moved.values())
    inner = GaussianPair(centres[0]) if len(centres) == 1 else MixturePair(shares, centres)
    if absent == 0:
        return inner
    return PersonPair(inner, _rate_above(joins), sigma, records, rate)


def _shifts(records: int, rate: float) -> dict[int, Decimal]:
    """How many records join, with probabilities; what is negligible counts as more of them."""
    weights = dict(enumerate(_binomial(records, rate)))
    with localcontext(DIGITS):
        most, rest = records, Decimal(0)
        while rest + weights[most] < _NEGLIGIBLE:
            rest += weights.pop(most)
            most -= 1
        fewest, lost = 0, Decimal(0)
        while lost + weights[fewest] < (_NEGLIGIBLE if fewest else _LEAST_ABSENT):
            lost += weights.pop(fewest)
            fewest += 1
        weights[fewest] += lost
        weights[records] = weights.get(records, Decimal(0)) + rest
        return {j: weight for j, weight in weights.items() if weight > 0}


def _rate_above(joins: Decimal) -> float:
    """The probability of at least one record, rounded up."""
    rate = float(joins)
    return rate if Decimal(rate) >= joins else math.nextafter(rate, math.inf)
