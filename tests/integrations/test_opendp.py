"""Privacy profiles of OpenDP, in and out."""

import inspect
import math
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import gdpnum
from gdpnum import (
    DPSGD,
    GDP,
    ZCDP,
    ApproxDP,
    Gaussian,
    InvalidArgument,
    InvalidType,
    Laplace,
    PureDP,
    UnsupportedMechanism,
    fit_gdp,
    tradeoff_curve,
)
from gdpnum.integrations.opendp import from_opendp, to_opendp

dp = pytest.importorskip("opendp.prelude")

EPSILONS = np.linspace(0.0, 8.0, 161)


@pytest.fixture(autouse=True, scope="module")
def _features():
    dp.enable_features("contrib", "honest-but-curious")


def measured(scale):
    """The profile of a Gaussian measurement at distance one."""
    return dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space(), scale=scale)).map(1.0)


def test_a_profile_comes_in_from_above():
    profile = measured(2.0)
    curve = from_opendp(profile)
    for epsilon in EPSILONS[1:]:
        # Where the bound is not convex, the curve is below it, and grants no less for that.
        assert curve.delta(epsilon) <= profile.delta(epsilon) * 1.01
        assert curve.delta(epsilon) >= GDP(mu=0.5).curve().delta(epsilon)
    for delta in (1e-3, 1e-6, 1e-9):
        assert curve.epsilon(delta) == pytest.approx(profile.epsilon(delta), rel=1e-3)


def test_its_mu_is_that_of_the_generic_bound():
    mu = fit_gdp(from_opendp(measured(2.0))).mu
    assert mu > 0.5
    assert mu == pytest.approx(0.74, abs=0.01)


def space():
    # Up to 0.12 NaN was always left out.
    nan = {"nan": False} if "nan" in inspect.signature(dp.atom_domain).parameters else {}
    return dp.atom_domain(T=float, **nan), dp.absolute_distance(T=float)


def test_a_gaussian_measurement_is_read_by_its_rho_without_a_detour():
    """Scale 2 at distance d has rho = d^2 / 8, and mu = d / 2; by a profile it is worse."""
    gaussian = dp.m.make_gaussian(*space(), scale=2.0)
    promise = from_opendp(gaussian, d_in=1.0)
    assert promise == ZCDP(rho=0.125)
    direct, detour = fit_gdp(promise).mu, fit_gdp(from_opendp(measured(2.0))).mu
    assert 0.5 < direct < 0.64
    assert detour > 0.73
    assert from_opendp(gaussian, d_in=2.0).rho == pytest.approx(0.5)


def test_every_output_measure_is_read():
    laplace = dp.m.make_laplace(*space(), scale=2.0)
    gaussian = dp.m.make_gaussian(*space(), scale=2.0)
    assert from_opendp(laplace, d_in=1.0) == PureDP(epsilon=0.5)
    assert from_opendp(dp.c.make_approximate(laplace), d_in=1.0) == PureDP(epsilon=0.5)
    assert from_opendp(dp.c.make_approximate(gaussian), d_in=1.0) == ZCDP(rho=0.125)
    profile = dp.c.make_zCDP_to_approxDP(gaussian)
    promise = from_opendp(profile, d_in=1.0)
    assert promise.curve().epsilon(1e-6) == pytest.approx(profile.map(1.0).epsilon(1e-6), rel=1e-3)
    fixed = from_opendp(dp.c.make_fix_delta(profile, 1e-6), d_in=1.0)
    assert fixed == ApproxDP(epsilon=profile.map(1.0).epsilon(1e-6), delta=1e-6)


def test_renyi_divergences_are_read_at_many_orders():
    measurement = dp.m.make_user_measurement(
        *space(), dp.renyi_divergence(), lambda x: x, lambda d: lambda order: order * d**2 / 8
    )
    promise = from_opendp(measurement, d_in=1.0)
    assert all(
        epsilon == order / 8
        for order, epsilon in zip(promise.orders, promise.epsilons, strict=True)
    )
    # All orders of rho = 1/8: hardly looser than it.
    assert fit_gdp(promise).mu == pytest.approx(fit_gdp(ZCDP(rho=0.125)).mu, rel=2e-3)


@pytest.mark.parametrize("delta", [1e-6, 0.01])
def test_an_approximate_promise_may_fail_altogether(delta):
    """f(alpha) = (1 - delta) f_rho(alpha / (1 - delta)): told all with probability delta."""
    measure = dp.approximate(dp.zero_concentrated_divergence())
    curve = tradeoff_curve(from_opendp((0.125, delta), measure=measure))
    inner = ZCDP(rho=0.125).curve()
    for alpha in (1e-6, 1e-3, 0.1, 0.5):
        exact = (1.0 - delta) * inner.beta(alpha / (1.0 - delta))
        assert exact - 1e-4 <= curve.beta(alpha) <= exact


def test_a_loss_by_its_measure():
    assert from_opendp(0.5, measure=dp.max_divergence()) == PureDP(epsilon=0.5)
    assert from_opendp(0.125, measure="ZeroConcentratedDivergence") == ZCDP(rho=0.125)
    pair = (0.5, 1e-7)
    fixed = ApproxDP(epsilon=0.5, delta=1e-7)
    assert from_opendp(pair, measure=dp.fixed_smoothed_max_divergence()) == fixed
    assert from_opendp(pair, measure="Approximate<MaxDivergence>") == fixed
    # As a Context is asked for its budget.
    measure, loss = dp.loss_of(rho=0.5)
    assert from_opendp(loss, measure=measure) == ZCDP(rho=0.5)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: from_opendp(dp.m.make_laplace(*space(), scale=1.0)), InvalidArgument, "d_in"),
        (lambda: from_opendp(measured(2.0), d_in=1.0), InvalidType, "no measurement"),
        (lambda: from_opendp(0.5, d_in=1.0, measure="MaxDivergence"), InvalidArgument, "pass one"),
        (lambda: from_opendp(0.5, measure="Hellinger"), UnsupportedMechanism, "Hellinger"),
        (
            lambda: from_opendp(0.5, measure="Approximate<MaxDivergence>"),
            InvalidType,
            r"pass \(loss, delta\)",
        ),
        (lambda: from_opendp(0.5, measure="RenyiDivergence"), InvalidType, "function of the order"),
        (lambda: from_opendp(-0.5, measure="MaxDivergence"), InvalidArgument, "epsilon=-0.5"),
    ],
)
def test_what_is_no_promise_is_refused(ask, error, message):
    with pytest.raises(error, match=message):
        ask()


def test_an_exact_profile_keeps_its_mu():
    profile = dp.new_privacy_profile(lambda epsilon: GDP(mu=0.5).curve().delta(epsilon))
    mu = fit_gdp(from_opendp(profile)).mu
    assert 0.5 - 3e-10 <= mu <= 0.5001


def test_a_step_is_one_claim():
    profile = dp.new_privacy_profile(lambda epsilon: 1.0 if epsilon < 0.5 else 1e-8)
    curve = from_opendp(profile)
    assert curve.epsilon(1e-8) == pytest.approx(0.5, abs=1e-3)
    assert curve.epsilon(1e-8) >= 0.5
    assert curve.epsilon(1e-9) == math.inf


@pytest.mark.parametrize(
    "run",
    [
        Gaussian(sigma=2.0),
        DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=100),
        Laplace(scale=1.0) * 2,
    ],
    ids=str,
)
def test_a_profile_goes_out(run):
    profile, curve = to_opendp(run), tradeoff_curve(run)
    for epsilon in (0.0, 0.1, 1.0, 2.0, 5.0):
        assert profile.delta(epsilon) == curve.delta(epsilon)
    assert profile.delta(math.inf) == curve.mass_at_infinity
    assert profile.epsilon(1e-5) == pytest.approx(curve.epsilon(1e-5), abs=1e-9)


def test_curves_and_representations_go_out_too():
    assert to_opendp(GDP(mu=1.0)).delta(1.0) == GDP(mu=1.0).curve().delta(1.0)
    lopsided = gdpnum.TradeoffCurve.from_vertices([0.0, 0.5, 1.0], [1.0, 0.4, 0.0])
    assert to_opendp(lopsided).delta(0.2) == lopsided.symmetrised().delta(0.2)
    assert lopsided.symmetrised().delta(0.2) > lopsided.delta(0.2)


def test_what_went_out_comes_back():
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=100)
    mu = fit_gdp(run).mu
    assert mu * 0.998 <= fit_gdp(from_opendp(to_opendp(run))).mu <= mu * 1.01


def test_a_negative_epsilon_is_refused():
    with pytest.raises(Exception, match="epsilon"):
        to_opendp(Gaussian(sigma=2.0)).delta(-1.0)


@pytest.mark.parametrize("wrong", [None, 0.5, (0.5, 1e-6), SimpleNamespace(delta=0.1)])
def test_what_is_no_profile_is_refused(wrong):
    with pytest.raises(InvalidType, match="PrivacyProfile"):
        from_opendp(wrong)


def test_what_has_no_curve_is_refused():
    with pytest.raises(InvalidType, match="subject"):
        to_opendp(1.0)


def test_the_package_is_imported_when_it_is_needed_and_missed_by_name():
    code = """
import sys
sys.modules["opendp"] = None
import gdpnum
from gdpnum.integrations.opendp import to_opendp
try:
    to_opendp(gdpnum.Gaussian(sigma=1.0))
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install opendp" in done.stdout


@pytest.mark.parametrize("bad", [float("nan"), -0.5, 1.5, float("inf")])
def test_a_profile_that_returns_no_delta_is_no_privacy_but_an_error(bad):
    class Profile:
        def delta(self, epsilon):
            return bad if epsilon > 1.0 else 0.1

    with pytest.raises(InvalidArgument, match="a delta lies in"):
        from_opendp(Profile())
