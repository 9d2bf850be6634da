"""Each charge covers what it is for, and is needed: none of these would hold without it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import bdtrc

from gdpnum import charges
from gdpnum.pairs.drawn import drawn_pairs
from gdpnum.pairs.lognormal import cells
from gdpnum.pairs.sum_law import SumLaw, power


@mp.workdps(40)
def exact_cell(low, high, s):
    """Mass and moment of a cell, and the part due to its upper end."""
    first, last = (mp.log(mpf(float(one))) / mpf(s) + mpf(s) / 2 for one in (low, high))
    mass, moment = mp.ncdf(last) - mp.ncdf(first), mp.ncdf(last - s) - mp.ncdf(first - s)
    return mass, moment, (moment - mpf(float(low)) * mass) / (mpf(float(high)) - mpf(float(low)))


@pytest.mark.parametrize(("s", "step"), [(1.0, 0.1), (2.5, 0.5), (0.02, 0.001), (2.5, 8.0)])
@mp.workdps(40)
def test_cells_of_a_ratio_err_by_no_more_than_ratio_cell(s, step):
    ends = step * (np.arange(1, 40) if step != 8.0 else 8000.0 + np.arange(40))
    if s < 0.5:
        ends = 1.0 + step * np.arange(-80, 80, 4)
    found = cells(ends[:-1], ends[1:], s)
    errors = []
    for i in range(ends.size - 1):
        mass, moment, up = exact_cell(ends[i], ends[i + 1], s)
        for value, exact in ((found.mass[i], mass), (found.moment[i], moment), (found.up[i], up)):
            errors.append(abs(mpf(float(value)) / exact - 1))
        errors.append(abs(mpf(float(found.down[i])) / (mass - up) - 1))
    reach = max(abs(math.log(end)) / s + 0.5 * s for end in ends) + s
    assert 0 < max(errors) <= charges.ratio_cell(0.5 * reach**2)


def exact_power(masses, count):
    total = [Fraction(1)]
    for _ in range(count):
        grown = [Fraction(0)] * (len(total) + len(masses) - 1)
        for i, one in enumerate(total):
            for j, other in enumerate(masses):
                grown[i + j] += one * other
        total = grown
    return total


def test_sums_of_products_err_by_no_more_than_product_sum():
    rng = np.random.default_rng(7)
    one, other = rng.random(60), rng.random(50)
    exact = [Fraction(0)] * 109
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            exact[i + j] += Fraction(a) * Fraction(b)
    found = np.convolve(one, other)
    errors = [abs(Fraction(a) / b - 1) for a, b in zip(found, exact, strict=True)]
    assert 0 < max(errors) <= charges.product_sum(50)


@pytest.mark.parametrize("count", [7, 12])
def test_powers_err_by_no_more_than_power(count):
    rng = np.random.default_rng(8)
    masses = rng.random(9)
    masses /= masses.sum()
    law, _ = power(SumLaw(0, 1.0, masses), count, fineness=0.0, missing=0.0)
    exact = exact_power([Fraction(one) for one in masses], count)
    errors = [abs(Fraction(a) / b - 1) for a, b in zip(law.masses, exact, strict=True)]
    assert 0 < max(errors) <= charges.power(count, 0.0, law.error)
    # With an error in each of the addends, its powers.
    other, _ = power(SumLaw(0, 1.0, masses * (1 + 1e-9)), count, fineness=0.0, missing=0.0)
    errors = [abs(Fraction(a) / b - 1) for a, b in zip(other.masses, exact, strict=True)]
    assert charges.power(count, 0.0, law.error) < max(errors)
    assert max(errors) <= charges.power(count, 1e-9 + 2.0**-52, law.error)


@pytest.mark.parametrize(("expected", "most"), [(0.1, 3), (1.0, 8), (3.0, 20)])
def test_more_jumps_than_most_are_as_rare_as_charged(expected, most):
    trials = 10_000
    exact = bdtrc(most, trials, expected / trials)
    assert 0.0 < exact <= charges.many_jumps(expected, most) * (1.0 + 1e-9)
    assert charges.many_jumps(0.0, most) == 0.0


@mp.workdps(40)
def exact_claim(weights, shift, epsilon):
    """The bound of a step in which a record may be several times, from its formula."""
    some = mp.fsum(mpf(float(one)) for one in weights[1:])
    y = 1 + (mp.exp(mpf(float(epsilon))) - 1) / some
    log_y = mp.log(y)
    shares = [mpf(float(one)) / some for one in weights[1:]]
    shifts = [mpf(shift) * j for j in range(1, len(weights))]

    def log_ratio(x):
        total = mp.fsum(v * mp.exp(a * x - a**2 / 2) for v, a in zip(shares, shifts, strict=True))
        return mp.log(total) - log_y

    x = mp.findroot(log_ratio, (log_y / shift, log_y / shift + 1), solver="secant")
    mixed = mp.fsum(v * mp.ncdf(a - x) for v, a in zip(shares, shifts, strict=True))
    mixed -= y * mp.ncdf(-x)
    single = mp.fsum(
        v * (mp.ncdf(a / 2 - log_y / a) - y * mp.ncdf(-a / 2 - log_y / a))
        for v, a in zip(shares, shifts, strict=True)
    )
    beta = mp.exp(mpf(float(epsilon))) / y
    return some * ((1 - beta) * mixed + beta * single)


@mp.workdps(40)
def test_claims_lack_no_more_than_their_charge(monkeypatch):
    weights, sigma = np.array([0.9, 0.08, 0.015, 0.005]), 1.3
    claims = {}

    def spy(losses, deltas):
        claims["made"] = (losses, deltas)

    monkeypatch.setattr("gdpnum.pairs.drawn.claimed_pair", spy)
    drawn_pairs(weights, sigma)
    losses, deltas = claims["made"]
    monkeypatch.setattr("gdpnum.charges.claim", lambda *_: 0.0)
    drawn_pairs(weights, sigma)
    bare = claims["made"][1]
    some = list(range(40, losses.size, 61))
    exact = [exact_claim(weights, 2.0 / sigma, losses[i]) for i in some]
    assert all(mpf(float(deltas[i])) >= one for i, one in zip(some, exact, strict=True))
    # Without the charge some would be too small (all have a share of what is left out).
    assert any(mpf(float(bare[i] - 1e-21)) < one for i, one in zip(some, exact, strict=True))


@pytest.mark.parametrize(
    ("most", "size", "rate"), [(120, 10_000, 0.01), (600, 50_000, 0.01), (90, 1000, 0.05)]
)
@mp.workdps(40)
def test_binomial_tails_err_by_no_more_than_binomial_tail(most, size, rate):
    term = mp.binomial(size, most + 1) * mpf(rate) ** (most + 1)
    term *= (1 - mpf(rate)) ** (size - most - 1)
    exact, odds = mpf(0), mpf(rate) / (1 - mpf(rate))
    for k in range(most + 1, min(size, most + 2000) + 1):
        exact += term
        term *= odds * (size - k) / (k + 1)
    error = abs(mpf(float(bdtrc(most, size, rate))) / exact - 1)
    assert 0 < error <= charges.binomial_tail(size)


def test_charges_stay_small():
    assert charges.ratio_cell(100.0) < 1e-13
    assert charges.power(10**6, charges.ratio_cell(100.0), 0.0) < 1e-6
    assert math.isclose(charges.many_jumps(2.0, 0), 2.0)
