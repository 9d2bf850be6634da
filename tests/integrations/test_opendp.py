"""Privacy profiles of OpenDP, in and out."""

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
    Gaussian,
    InvalidArgument,
    InvalidType,
    Laplace,
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
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=scale)).map(1.0)


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
    with pytest.raises(InvalidType, match="profile"):
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
