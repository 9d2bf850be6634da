"""Skellam noise and sampled randomised response."""

import math

import mpmath
import numpy as np
import pytest

from gdpnum import (
    Gaussian,
    InvalidArgument,
    PoissonSampled,
    RandomizedResponse,
    Skellam,
    UnsupportedMechanism,
    fit_gdp,
    tradeoff_curve,
)
from gdpnum.kind import kind_of
from gdpnum.pairs.skellam import skellam_pair
from gdpnum.renyi.divergences import renyi_divergences


def bessel_masses(sigma, last):
    """exp(-v) I_k(v), by mpmath."""
    variance = mpmath.mpf(sigma) ** 2
    return [mpmath.exp(-variance) * mpmath.besseli(k, variance) for k in range(last + 2)]


@pytest.mark.parametrize("sigma", [0.3, 1.0, 7.5])
def test_masses_and_losses_are_those_of_bessel_functions(sigma):
    found = skellam_pair(sigma)
    last = found.losses.size // 2
    with mpmath.workdps(40):
        chances = bessel_masses(sigma, last)
        for k in (1 - last, -3, 0, 1, 2, 5, last // 2, last):
            place = k + last - 1
            loss = mpmath.log(chances[abs(k - 1)] / chances[abs(k)])
            assert found.losses[place] == pytest.approx(float(loss), rel=4e-16)
            assert found.p[place] == pytest.approx(float(chances[abs(k - 1)]), rel=4e-16)
            assert found.q[place] == pytest.approx(float(chances[abs(k)]), rel=4e-16)
        variance = mpmath.mpf(sigma) ** 2
        # Outcome k has P mass at k - 1, so what P has above the last is that from it on.
        beyond = mpmath.exp(-variance) * mpmath.fsum(
            mpmath.besseli(k, variance) for k in range(last, last + 40)
        )
    assert 0.0 < float(beyond) <= found.mass_at_infinity <= 1e-25
    assert np.all(np.diff(found.losses) > 0.0)


@pytest.mark.parametrize("sigma", [0.5, 2.0])
def test_the_profile_of_one_release_is_the_sum_over_integers(sigma):
    curve = tradeoff_curve(Skellam(sigma=sigma))
    with mpmath.workdps(30):
        chances = bessel_masses(sigma, 60)
        for epsilon in (0.0, 0.2, 0.5):
            exact = mpmath.fsum(
                max(0, chances[abs(k - 1)] - mpmath.exp(epsilon) * chances[abs(k)])
                for k in range(-58, 60)
            )
            assert curve.delta(epsilon) >= float(exact) * (1.0 - 1e-13)
            assert curve.delta(epsilon) <= float(exact) * (1.0 + 1e-3) + 1e-12


def test_much_noise_is_nearly_gaussian():
    run, gaussian = Skellam(sigma=60.0) * 100, Gaussian(sigma=60.0) * 100
    assert fit_gdp(run).mu == pytest.approx(fit_gdp(gaussian).mu, rel=3e-3)


def test_renyi_divergences_are_sums_over_integers():
    orders = np.array([0.5, 1.5, 4.0, 30.0])
    found = renyi_divergences(Skellam(sigma=2.0), orders)
    with mpmath.workdps(30):
        chances = bessel_masses(2.0, 150)
        for place, order in enumerate(orders.tolist()):
            total = mpmath.fsum(
                chances[abs(k - 1)] ** order * chances[abs(k)] ** (1 - order)
                for k in range(-148, 150)
            )
            exact = float(mpmath.log(total) / (order - 1))
            assert exact <= found.forward[place] <= exact * (1.0 + 1e-8)


def test_skellam_noise_may_be_sampled():
    run = PoissonSampled(Skellam(sigma=2.0), rate=0.1)
    curve = tradeoff_curve(run)
    with mpmath.workdps(30):
        chances = bessel_masses(2.0, 60)
        exact = mpmath.fsum(
            max(
                0,
                mpmath.mpf("0.9") * chances[abs(k)]
                + mpmath.mpf("0.1") * chances[abs(k - 1)]
                - mpmath.exp(mpmath.mpf("0.02")) * chances[abs(k)],
            )
            for k in range(-58, 60)
        )
    assert curve.delta(0.02) >= float(exact) * (1.0 - 1e-12)
    assert curve.delta(0.02) == pytest.approx(float(exact), rel=0.02)
    assert renyi_divergences(run, np.array([4.0])).worst[0] > 0.0


def test_skellam_without_slack_or_of_huge_noise_is_refused():
    with pytest.raises(UnsupportedMechanism, match="slack=0"):
        fit_gdp(Skellam(sigma=2.0), slack=0.0)
    with pytest.raises(InvalidArgument, match="above 20000"):
        fit_gdp(Skellam(sigma=1e5))
    with pytest.raises(InvalidArgument, match="sigma"):
        Skellam(sigma=0.0)


# --- sampled randomised response ----------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "categories", "rate"), [(1.0, 2, 0.3), (2.0, 5, 0.05)])
def test_who_answers_seldom_reveals_as_much_less(epsilon, categories, rate):
    plain = RandomizedResponse(epsilon=epsilon, categories=categories)
    sampled = tradeoff_curve(PoissonSampled(plain, rate=rate))
    whole = tradeoff_curve(plain)
    for at in (0.0, 0.4, 0.9):
        assert sampled.delta(at) == pytest.approx(rate * whole.delta(at), rel=1e-3)
        assert sampled.delta(at) >= rate * whole.delta(at) * (1.0 - 1e-13)


def test_the_mu_of_a_seldom_answer_is_that_of_its_vertices():
    from scipy.special import ndtri

    run = PoissonSampled(RandomizedResponse(epsilon=1.0), rate=0.3)
    low, high = 0.3 / (math.e + 1.0), 0.3 * math.e / (math.e + 1.0)
    exact = float(ndtri(high) - ndtri(low))
    fit = fit_gdp(run, slack=0.0)
    assert exact * (1.0 - 1e-13) <= fit.mu <= exact * (1.0 + 1e-12)
    assert fit_gdp(run).mu <= fit_gdp(run, slack=0.0).mu


def test_an_answer_is_one_record():
    with pytest.raises(UnsupportedMechanism, match="one answer"):
        PoissonSampled(RandomizedResponse(epsilon=1.0), rate=0.3, records_per_person=2)
    silent = PoissonSampled(RandomizedResponse(epsilon=0.0), rate=0.3)
    assert kind_of(silent).pair(silent) is None
    orders = np.array([2.0])
    run = PoissonSampled(RandomizedResponse(epsilon=1.0), rate=0.3)
    low = 1.0 / (math.e + 1.0)
    total = 0.7 + 0.3 * ((1 - low) ** 2 / low + low**2 / (1 - low))
    assert renyi_divergences(run, orders).worst[0] == pytest.approx(math.log(total), rel=1e-9)
