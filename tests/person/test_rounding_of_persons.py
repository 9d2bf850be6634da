"""What is rounded exactly, to the safe side: shifts, rates, ledgers and their roots."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from gdpnum.budget.ledger import shortened
from gdpnum.directed import root_above, root_below
from gdpnum.pairs.mixture import _rate_above, person_pair


def test_shifts_are_rounded_up():
    lowered = 0
    for records, sigma in [(2, 0.7), (3, 1.1), (7, 49.0), (5, 0.1)]:
        centres = person_pair(sigma, 0.5, records).inner.centres
        for number, centre in enumerate(centres, start=1):
            exact = Fraction(number) / Fraction(sigma)
            assert exact <= Fraction(centre) <= exact * (1 + Fraction(1, 2**52))
            lowered += Fraction(number / sigma) < exact
    assert lowered > 0  # the plain quotient would be below


def test_rates_are_rounded_up():
    for joins in (Decimal("0.1"), Decimal("0.3333333333333333333333"), Decimal("1e-9")):
        found = _rate_above(joins)
        assert joins <= Decimal(found) <= joins * (1 + Decimal(2) ** -52)
    assert Decimal(float(Decimal("0.3333333333333333333333"))) < Decimal("0.3333333333333333333333")


def test_ledgers_round_up_once_they_are_long():
    total = sum((1 / Fraction(odd) for odd in range(3, 4000, 2)), Fraction(0))
    rounded = shortened(total)
    assert total < rounded <= total + Fraction(1, 2**1024)
    assert shortened(Fraction(1, 3)) == Fraction(1, 3)


@pytest.mark.parametrize(
    "square", [Fraction(2), Fraction(1, 3), Fraction(1, 10**80), Fraction(10**50, 7)]
)
def test_roots_are_next_to_each_other_around_the_exact_one(square):
    low, high = root_below(square), root_above(square)
    assert Fraction(low) ** 2 < square < Fraction(high) ** 2
    assert math.nextafter(low, math.inf) == high


def test_exact_roots_are_exact():
    assert root_below(Fraction(9, 4)) == root_above(Fraction(9, 4)) == 1.5
    assert root_below(Fraction(0)) == root_above(Fraction(0)) == 0.0
