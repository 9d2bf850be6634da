"""One release alone: delta and alpha beside closed forms, and fits beside exact ones."""

import numpy as np
import pytest
from mpmath import mp, mpf

from gdpnum import DPSGD, Gaussian, PoissonSampled, fit_gdp, statement, tradeoff_curve, verify
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.single import Direct, single_fit
from gdpnum.releases import releases
from tests.oracles import closed_form

SETTINGS = [(1.0, 0.01), (0.4, 0.3), (5.0, 0.8), (0.7, 1e-5), (495.0, 0.006), (180.0, 1e-7)]
every_setting = pytest.mark.parametrize("setting", SETTINGS)


def pair(sigma, rate):
    return releases(PoissonSampled(Gaussian(sigma=sigma), rate=rate)).above[0].pair


@every_setting
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_delta_and_alpha_are_as_wrong_as_they_say(setting, direction):
    step = closed_form.gaussian(*setting)
    one = pair(*setting)
    losses = np.array(one.points().losses[70::12])
    if direction == "add":
        one, losses = one.reversed(), -losses[::-1]
    epsilons = np.unique(np.append(0.0, losses[losses > 0.0]))
    found = Direct(one).at(epsilons[None, :])
    with mp.workdps(50):
        for i, epsilon in enumerate(epsilons.tolist()):
            exact = closed_form.profile(step, mpf(epsilon), direction)
            assert abs(mpf(found.delta[0, i]) - exact) <= mpf(found.delta_error[0, i])
            sizes = setting[1] * (1.0 + 2.0 * np.exp(epsilon))
            assert found.delta_error[0, i] <= 1e-12 * sizes


@every_setting
@pytest.mark.parametrize("slack", [1e-6, 1e-12])
def test_the_mu_of_one_release_is_known_to_many_digits(setting, slack):
    """To 1e-9, or to what rounding of quantiles leaves of a mu next to nothing."""
    fit = fit_gdp(PoissonSampled(Gaussian(sigma=setting[0]), rate=setting[1]), slack=slack)
    exact = closed_form.mu(closed_form.gaussian(*setting), slack)
    assert mpf(fit.mu_lower) <= exact <= mpf(fit.mu)
    assert fit.mu - fit.mu_lower <= 2e-9 * fit.mu + 2e-13


@pytest.mark.parametrize("setting", SETTINGS[:4])
def test_the_regret_of_one_release_is_close(setting):
    fit = fit_gdp(PoissonSampled(Gaussian(sigma=setting[0]), rate=setting[1]))
    exact = float(closed_form.regret(closed_form.gaussian(*setting), fit.mu))
    assert exact * (1.0 - 1e-13) <= fit.regret <= exact * (1.0 + 1e-6) + 0.51 * fit.slack


@every_setting
def test_the_curve_of_one_release_is_above_its_profile_and_close(setting):
    """Chords: delta to 1e-4 relatively, which moves mu by less than 1e-6 where delta is small."""
    step = closed_form.gaussian(*setting)
    run = PoissonSampled(Gaussian(sigma=setting[0]), rate=setting[1])
    curve = tradeoff_curve(run)
    with mp.workdps(50):
        for delta in np.geomspace(curve.advantage, 1e-12, 30)[1:-1].tolist():
            epsilon = curve.epsilon(delta)
            exact = max(closed_form.profile(step, mpf(epsilon), one) for one in ("remove", "add"))
            assert exact <= mpf(delta) * (1 + mpf(2) ** -40)
            assert float(exact) >= delta * (1.0 - 1e-4) - 1e-14
    assert verify(statement(run).to_json()).holds


@pytest.mark.parametrize(
    "run",
    [
        DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=1, neighbouring="replace"),
        DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=1, neighbouring="zero_out"),
        DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=1, records_per_person=3),
    ],
    ids=["replace", "zero_out", "person"],
)
def test_other_pairs_agree_with_a_fine_lattice(run):
    fit, lattice = fit_gdp(run), fit_gdp(run, grid_step=1e-4)
    assert lattice.mu_lower <= fit.mu <= lattice.mu * (1.0 + 1e-8)
    assert fit.mu_lower <= lattice.mu
    assert fit.mu - fit.mu_lower <= 2e-9 * fit.mu
    assert fit.regret == pytest.approx(lattice.regret, rel=1e-6)


def test_a_delta_below_the_slack_needs_no_mu():
    fit = fit_gdp(PoissonSampled(Gaussian(sigma=1000.0), rate=1e-7), slack=1e-6)
    assert (fit.mu, fit.mu_lower) == (0.0, 0.0)
    assert fit.regret <= 0.5e-6


def test_what_its_knots_do_not_tell_goes_on_the_lattice():
    """A mu of twenty, of which 1 - delta is below all digits of delta."""
    with pytest.raises(OutOfReach):
        single_fit(pair(0.05, 0.9), 1e-10)
    fit = fit_gdp(PoissonSampled(Gaussian(sigma=0.05), rate=0.9))
    assert fit.mu_lower <= fit.mu <= fit.mu_lower * 1.001
