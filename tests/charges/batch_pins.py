"""Pins of the charges of batches: see `pins`."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from mpmath import mp, mpf
from scipy.special import bdtrc

from gdpnum import charges
from gdpnum.pairs import drawn, lognormal, sum_law


@mp.workdps(40)
def ratio_cell():
    for s, ends in (
        (1.0, 0.1 * np.arange(1, 40)),
        (2.5, 8.0 * (8000.0 + np.arange(40))),
        (0.02, 1.0 + 0.001 * np.arange(-80, 80, 4)),
    ):
        found = lognormal.cells(ends[:-1], ends[1:], s)
        errors = []
        for i, (low, high) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
            first, last = (mp.log(mpf(one)) / mpf(s) + mpf(s) / 2 for one in (low, high))
            mass = mp.ncdf(last) - mp.ncdf(first)
            moment = mp.ncdf(last - s) - mp.ncdf(first - s)
            up = (moment - mpf(low) * mass) / (mpf(high) - mpf(low))
            true = (mass, moment, mass - up, up)
            errors += [abs(mpf(float(a[i])) / b - 1) for a, b in zip(found, true, strict=True)]
        reach = max(abs(math.log(end)) / s + 0.5 * s for end in ends) + s
        assert 0 < max(errors) <= charges.ratio_cell(0.5 * reach**2)


def product_sum():
    generator = np.random.default_rng(7)
    one, other = generator.random(60), generator.random(50)
    exact = [Fraction(0)] * 109
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            exact[i + j] += Fraction(a) * Fraction(b)
    found = np.convolve(one, other)
    errors = [abs(Fraction(a) / b - 1) for a, b in zip(found, exact, strict=True)]
    assert 0 < max(errors) <= charges.product_sum(50)


def power():
    masses = np.random.default_rng(8).random(9)
    masses /= masses.sum()
    for count in (7, 12):
        law, _ = sum_law.power(
            sum_law.SumLaw(0, 1.0, masses * (1 + 1e-9)), count, fineness=0.0, missing=0.0
        )
        exact = [Fraction(1)]
        for _ in range(count):
            grown = [Fraction(0)] * (len(exact) + masses.size - 1)
            for i, one in enumerate(exact):
                for j, other in enumerate(masses):
                    grown[i + j] += one * Fraction(other)
            exact = grown
        errors = [abs(Fraction(a) / b - 1) for a, b in zip(law.masses, exact, strict=True)]
        # Each addend is off by 1e-9, and so is each of its powers, as often.
        assert 0 < max(errors) <= charges.power(count, 1e-9 + 2.0**-52, law.error)


def many_jumps():
    for expected, most in ((0.1, 3), (1.0, 8), (3.0, 20)):
        exact = bdtrc(most, 10_000, expected / 10_000)
        assert 0.0 < exact <= charges.many_jumps(expected, most) * (1.0 + 1e-9)


@mp.workdps(40)
def claim():
    weights, sigma = np.array([0.9, 0.08, 0.015, 0.005]), 1.3
    losses, deltas = drawn.claims_of(weights, float(weights[1:].sum()), 2.0 / sigma)
    for i in range(40, losses.size, 31):
        # All have a share of what is left out of the weights, which makes up for nothing here.
        assert mpf(float(deltas[i] - 1e-21)) >= exact_claim(weights, 2.0 / sigma, losses[i])


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
def binomial_tail():
    for most, size, rate in ((120, 10_000, 0.01), (600, 50_000, 0.01), (90, 1000, 0.05)):
        term = mp.binomial(size, most + 1) * mpf(rate) ** (most + 1)
        term *= (1 - mpf(rate)) ** (size - most - 1)
        exact, odds = mpf(0), mpf(rate) / (1 - mpf(rate))
        for k in range(most + 1, min(size, most + 2000) + 1):
            exact += term
            term *= odds * (size - k) / (k + 1)
        error = abs(mpf(float(bdtrc(most, size, rate))) / exact - 1)
        assert 0 < error <= charges.binomial_tail(size)


BATCH_PINS: dict[str, Callable[[], None]] = {
    one.__name__: one for one in (ratio_cell, product_sum, power, many_jumps, claim, binomial_tail)
}
