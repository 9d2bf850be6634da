"""The far corners of what can be asked: an answer or a clear error, never a crash, hang or NaN.

Warnings are errors in this test suite, so none may be given either.
"""

import math
from itertools import product

import pytest

from gdpnum import (
    DPSGD,
    BudgetExceeded,
    Gaussian,
    GdpnumError,
    Laplace,
    PoissonSampled,
    PureDP,
    fit_gdp,
)
from gdpnum import tradeoff_curve as curve_of

SIGMAS = (0.3, 1.0, 30.0, 1000.0)
RATES = (1e-7, 1e-4, 0.03, 0.5, 1 - 1e-7, 1.0)
STEPS = (1, 1000, 10**7)
# These take more than a few seconds.
LONG = {
    *((0.3, 1e-7, 1000), (1.0, 1e-7, 1000), (30.0, 1e-7, 10**7), (1000.0, 1e-7, 10**7)),
    *((0.3, 1e-7, 10**7), (1.0, 1e-4, 1000), (1000.0, 1e-4, 1000)),
}

corners = pytest.mark.parametrize(
    "corner",
    [
        pytest.param(corner, marks=pytest.mark.slow) if corner in LONG else corner
        for corner in product(SIGMAS, RATES, STEPS)
    ],
    ids=lambda corner: "{}-{}-{}".format(*corner),
)


def run(sigma, rate, steps):
    return DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps)


def answer(ask, *arguments, **options):
    """The answer, or None after an error that says what to do."""
    try:
        return ask(*arguments, **options)
    except GdpnumError as error:
        message = str(error)
    assert "pass" in message
    assert "nan" not in message
    return None


def check(fit, most=math.inf):
    assert 0.0 <= fit.mu_lower <= fit.mu <= most * (1 + 1e-12)
    assert 0.0 <= fit.regret <= 0.5
    assert 0.0 <= fit.advantage <= 1.0
    assert math.isfinite(fit.mu)
    assert math.isfinite(fit.tail_ratio)


@pytest.mark.usefixtures("three_gigabytes")
@corners
def test_a_corner_of_dp_sgd_has_a_fit_or_a_clear_error(corner):
    sigma, _, steps = corner
    fit = answer(fit_gdp, run(*corner))
    if fit is not None:
        # Without sampling mu would be sqrt(steps)/sigma.
        check(fit, most=math.sqrt(steps) / sigma)


@pytest.mark.usefixtures("three_gigabytes")
@corners
def test_a_corner_of_dp_sgd_has_a_curve_or_a_clear_error(corner):
    curve = answer(curve_of, run(*corner))
    if curve is not None:
        for fpr in (0.0, 1e-10, 0.1, 0.5, 1.0):
            assert fpr <= curve.tpr(fpr) <= 1.0
            assert 0.0 <= curve.beta(fpr) <= 1.0 - fpr
        assert 0.0 <= curve.advantage <= 1.0
        assert curve.epsilon(1e-5) >= 0.0


@pytest.mark.parametrize("slack", [1e-300, 1e-16, 1e-3, 0.5, 1 - 1e-9])
@pytest.mark.parametrize("corner", [(1.0, 0.01, 100), (0.5, 0.5, 10), (10.0, 0.1, 1)], ids=str)
def test_any_slack_has_a_fit_or_a_clear_error(corner, slack):
    fit = answer(fit_gdp, run(*corner), slack=slack)
    if fit is not None:
        check(fit)


@pytest.mark.parametrize("tolerance", [1e-6, 0.1, 1.0, 100.0])
@pytest.mark.parametrize("corner", [(1.0, 0.01, 100), (0.5, 0.5, 10), (10.0, 0.1, 1)], ids=str)
def test_any_tolerance_has_a_fit_or_a_clear_error(corner, tolerance):
    fit = answer(fit_gdp, run(*corner), tolerance=tolerance)
    if fit is not None:
        check(fit)


@pytest.mark.parametrize("grid_step", [1e-5, 1.0, 50.0, 1e6])
def test_any_grid_step_has_a_fit_or_a_clear_error(grid_step):
    fit = answer(fit_gdp, run(1.0, 0.01, 100), grid_step=grid_step)
    if fit is not None:
        check(fit)


@pytest.mark.parametrize(
    "mechanism",
    [
        Laplace(scale=1e-3),
        Laplace(scale=1e-3) * 100,
        Laplace(scale=1e6) * 10**6,
        PureDP(epsilon=500.0) * 3,
        PureDP(epsilon=1e-9) * 10**6,
        pytest.param(PoissonSampled(Laplace(scale=0.01), rate=1e-6) * 1000, marks=pytest.mark.slow),
        Gaussian(sigma=1e-3) + Laplace(scale=1.0),
        Gaussian(sigma=1e8) * 10**9,
        PoissonSampled(Gaussian(sigma=0.3), rate=0.5) * 1000,
    ],
    ids=repr,
)
@pytest.mark.usefixtures("three_gigabytes")
def test_extreme_noise_of_any_kind_has_a_fit_or_a_clear_error(mechanism):
    fit = answer(fit_gdp, mechanism)
    if fit is not None:
        check(fit)


@pytest.mark.parametrize(
    "setting",
    [
        (0.614, 4e-5, 100_000),
        (0.6, 1e-5, 100_000),
        (1.0, 1e-5, 1_000_000),
        pytest.param((0.5, 1e-6, 1_000_000), marks=pytest.mark.slow),
    ],
    ids=str,
)
@pytest.mark.usefixtures("three_gigabytes")
def test_a_large_pre_training_run_is_accounted_for(setting):
    fit = fit_gdp(run(*setting))
    check(fit)
    assert fit.mu - fit.mu_lower <= 0.005 * fit.mu


@pytest.mark.parametrize("sigma", [1e-4, 1e-8, 1e-300])
@pytest.mark.parametrize("ask", [fit_gdp, curve_of])
def test_next_to_no_noise_is_refused_before_memory_is_gone(ask, sigma):
    with pytest.raises(BudgetExceeded, match="so little noise"):
        ask(DPSGD(noise_multiplier=sigma, sample_rate=0.01, steps=1))
