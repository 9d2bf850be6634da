"""The tails of each pair, cell by cell in floats, against mpmath."""

import numpy as np
import pytest
from mpmath import mp, mpf

from gdpnum import charges
from gdpnum.pairs.gaussian import GaussianPair, ReplacedGaussianPair
from gdpnum.pairs.laplace import LaplacePair
from gdpnum.pairs.pair import SampledPair
from tests.oracles.gaussian_dp import normal_cdf

DIGITS = 60
SMALLEST = 1e-20


def gaussian(mu):
    def tails(loss):
        z = loss / mpf(mu)
        return normal_cdf(mpf(mu) / 2 - z), normal_cdf(-mpf(mu) / 2 - z)

    return GaussianPair(mu), tails, np.linspace(-9, 9, 61) * mu


def laplace(epsilon):
    def tails(loss):
        a = mpf(epsilon)
        if loss >= a:
            return mpf(0), mpf(0)
        if loss < -a:
            return mpf(1), mpf(1)
        x = (loss / a + 1) / 2  # in units of the sensitivity
        return 1 - mp.exp(a * (x - 1)) / 2, mp.exp(-a * x) / 2

    return LaplacePair(epsilon), tails, np.linspace(-1.05, 0.999, 61) * epsilon


def sampled(inner, rate):
    pair, tails, losses = inner
    low = np.log1p(-rate)

    def mixed(loss):
        odds = mp.exp(loss) - (1 - mpf(rate))
        if odds <= 0:
            return mpf(1), mpf(1)
        p, q = tails(mp.log(odds / mpf(rate)))
        return (1 - mpf(rate)) * q + mpf(rate) * p, q

    # Losses of the sampled pair, by plain arithmetic: which ones does not matter.
    with np.errstate(over="ignore"):
        places = np.log1p(rate * np.expm1(losses))
    return SampledPair(pair, rate), mixed, places[places > low * (1 - 1e-6)]


def replaced(sigma, rate):
    s, q = mpf(sigma), mpf(rate)

    def tails(loss):
        a, b, growth = 1 - q, q * mp.exp(-1 / (2 * s**2)), mp.exp(loss)
        slope = a * (growth - 1)
        y = (slope + mp.sqrt(slope**2 + 4 * b**2 * growth)) / (2 * b)
        x = s**2 * mp.log(y)
        still = (1 - q) * normal_cdf(-x / s)
        return still + q * normal_cdf((1 - x) / s), still + q * normal_cdf((-1 - x) / s)

    x = np.linspace(-9, 9, 61) * sigma
    up, down = (np.exp(sign * x / sigma**2 - 0.5 / sigma**2) for sign in (1, -1))
    losses = np.log((1 - rate + rate * up) / (1 - rate + rate * down))
    return ReplacedGaussianPair(sigma, rate), tails, np.unique(losses)


PAIRS = {
    "gaussian-1": gaussian(1.0),
    "gaussian-0.01": gaussian(0.01),
    "gaussian-3": gaussian(3.0),
    "laplace-1": laplace(1.0),
    "laplace-0.05": laplace(0.05),
    "laplace-20": laplace(20.0),
    "sampled-1-0.01": sampled(gaussian(1.0), 0.01),
    "sampled-2-1e-6": sampled(gaussian(2.0), 1e-6),
    "sampled-0.1-0.33": sampled(gaussian(1 / 9.4), 0.32768),
    "sampled-0.001-0.5": sampled(gaussian(1e-3), 0.5),
    "sampled-1-0.999": sampled(gaussian(1.0), 0.999),
    "sampled-laplace-1-0.5": sampled(laplace(1.0), 0.5),
    "sampled-laplace-5-1e-3": sampled(laplace(5.0), 1e-3),
    "replaced-1-0.1": replaced(1.0, 0.1),
    "replaced-0.5-0.9": replaced(0.5, 0.9),
    "replaced-9.4-0.33": replaced(9.4, 0.32768),
    "replaced-0.7-1e-4": replaced(0.7, 1e-4),
}


def worst_error(name, *, reverse, displaced):
    """Largest relative error of P[L > w] and Q[L > w] where they weigh more than 1e-20.

    With `displaced`, less what a unit in the last place of w does to the tail: near log(1 - q) the
    outcome changes so fast with the loss that no float w says which one is meant.
    """
    pair, tails, losses = PAIRS[name]
    if reverse:
        losses = -losses[::-1]
        found = pair.reversed().cells(losses)
    else:
        found = pair.cells(losses)

    def exact(loss):
        return tuple(1 - tail for tail in tails(-loss)[::-1]) if reverse else tails(loss)

    worst = 0.0
    with mp.workdps(DIGITS):
        for i, loss in enumerate(map(mpf, map(float, losses))):
            unit = mpf(float(np.spacing(abs(float(loss)))))
            around = [exact(loss - unit), exact(loss), exact(loss + unit)]
            for side, cell in enumerate(found):
                above = mp.fsum(map(mpf, map(float, cell[i + 1 :])))
                high, true, low = (rates[side] for rates in around)
                error = abs(above - true) - (high - low if displaced else 0)
                if true > SMALLEST:
                    worst = max(worst, float(error / true))
    return worst


@pytest.mark.parametrize("name", PAIRS)
def test_upper_tails_err_by_less_than_what_is_granted(name):
    """charges.cell() is what `connect_the_dots` makes good for."""
    assert worst_error(name, reverse=False, displaced=False) < charges.cell()


@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reversed"])
@pytest.mark.parametrize("name", PAIRS)
def test_tails_err_by_less_than_what_is_granted_and_the_last_digit_of_the_loss(name, reverse):
    assert worst_error(name, reverse=reverse, displaced=True) < charges.cell()
