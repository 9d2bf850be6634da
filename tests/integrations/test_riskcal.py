"""Every row of the table in docs/moving.md beside riskcal itself: by number and by array."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from gdpnum import (
    DPSGD,
    GDP,
    RDP,
    ZCDP,
    ApproxDP,
    CTDAccountant,
    Laplace,
    advantage_from_mu,
    calibrate,
    calibrate_dpsgd,
    fit_gdp,
    from_pld,
    risk,
)

riskcal = pytest.importorskip("riskcal")
analysis = pytest.importorskip("riskcal.analysis")
calibration = pytest.importorskip("riskcal.calibration")
plds = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")

ALPHAS = np.array([0.01, 0.05, 0.3, 0.9])
PRIORS = np.array([0.05, 0.5, 0.8, 0.95])
RATE, STEPS = 0.01, 200


def by_number_and_array(ours, at):
    """What ours says at an array, after a look that each number is answered alike."""
    found = ours(at)
    assert [ours(float(one)) for one in at] == found.tolist()
    return found


@pytest.mark.parametrize("mu", [0.3, 1.0, 2.0])
def test_a_mu(mu):
    betas = by_number_and_array(lambda alpha: risk.fnr(GDP(mu=mu), fpr=alpha), ALPHAS)
    assert betas == pytest.approx(analysis.get_beta_from_gdp(mu, ALPHAS), rel=1e-12)
    errors = by_number_and_array(lambda prior: risk.bayes_error(GDP(mu=mu), prior=prior), PRIORS)
    assert errors == pytest.approx(analysis.get_bayes_risk_from_gdp(mu, PRIORS), rel=1e-11)


def test_an_array_of_mus():
    mus = np.array([0.3, 1.0, 2.0])
    found = by_number_and_array(advantage_from_mu, mus)
    assert found == pytest.approx(analysis.get_advantage_from_gdp(mus), rel=1e-12)


def test_one_epsilon_and_delta():
    claim = ApproxDP(epsilon=1.0, delta=1e-3)
    betas = by_number_and_array(lambda alpha: risk.fnr(claim, fpr=alpha), ALPHAS)
    assert betas == pytest.approx(analysis.get_beta_from_adp(1.0, 1e-3, ALPHAS), rel=1e-12)
    assert claim.advantage == pytest.approx(analysis.get_advantage_from_adp(1.0, 1e-3), rel=1e-12)


def test_what_a_test_proves_of_epsilon():
    delta, alpha, beta = 1e-3, 1e-3, 0.8
    proven = max(math.log((1 - delta - beta) / alpha), math.log((1 - delta - alpha) / beta), 0.0)
    assert proven == pytest.approx(analysis.get_epsilon_from_err_rates(delta, alpha, beta))
    # A claim of less is refuted by that test, one of more is not.
    assert ApproxDP(epsilon=proven - 1e-6, delta=delta).curve().beta(alpha) > beta
    assert ApproxDP(epsilon=proven + 1e-6, delta=delta).curve().beta(alpha) < beta


@pytest.mark.parametrize(("order", "epsilon"), [(1.5, 0.2), (2.0, 1.0), (16.0, 3.0)])
def test_one_renyi_divergence(order, epsilon):
    claim = RDP(orders=[order], epsilons=[epsilon])
    betas = by_number_and_array(claim.curve().beta, ALPHAS)
    theirs = analysis.get_beta_from_rdp(epsilon=epsilon, alpha=ALPHAS, order=order)
    assert betas == pytest.approx(theirs, abs=1e-6)
    assert np.all(betas <= theirs + 1e-7)  # theirs is the exact one, to 1e-7


@pytest.mark.parametrize("rho", [0.05, 0.5])
def test_a_rho(rho):
    betas = by_number_and_array(ZCDP(rho=rho).curve().beta, ALPHAS)
    # Each takes other orders to stand for all.
    assert betas == pytest.approx(analysis.get_beta_from_zcdp(rho, ALPHAS), abs=2e-5)
    theirs = analysis.get_advantage_from_zcdp(rho)
    assert ZCDP(rho=rho).advantage == pytest.approx(theirs, abs=1e-7)
    assert ZCDP(rho=rho).advantage >= theirs - 1e-8


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_approximate_mu_of_a_rho_is_no_guarantee():
    """At rho = 0.5 its advantage is below what riskcal itself grants an attack; ours is not."""
    approximate, attack = (
        analysis.get_mu_from_zcdp_approx(0.5),
        analysis.get_advantage_from_zcdp(0.5),
    )
    assert advantage_from_mu(approximate) < attack - 0.01
    assert attack - 1e-8 <= advantage_from_mu(fit_gdp(ZCDP(rho=0.5)).mu) <= attack + 0.001


def laplace_beta(alpha):
    """The trade-off curve of Laplace noise of scale 1, by its three pieces."""
    pieces = 1.0 - np.e * alpha, np.exp(-1.0) / (4.0 * alpha), np.exp(-1.0) * (1.0 - alpha)
    return np.select([alpha < 0.5 / np.e, alpha < 0.5], pieces[:2], pieces[2])


@pytest.mark.parametrize(
    ("pld", "exact"),
    [
        (lambda: plds.from_gaussian_mechanism(1.0), lambda alpha: ndtr(-ndtri(alpha) - 1.0)),
        (lambda: plds.from_laplace_mechanism(1.0), laplace_beta),
    ],
    ids=["gaussian", "laplace"],
)
def test_a_privacy_loss_distribution(pld, exact):
    pld = pld()
    ours = from_pld(pld)
    betas = by_number_and_array(ours.beta, ALPHAS)
    assert betas == pytest.approx(analysis.get_beta_from_pld(pld, ALPHAS), abs=1e-4)
    assert np.all(betas <= exact(ALPHAS) + 1e-9)
    assert ours.advantage == pytest.approx(analysis.get_advantage_from_pld(pld), abs=1e-6)
    errors = by_number_and_array(lambda prior: risk.bayes_error(ours, prior=prior), PRIORS)
    assert errors == pytest.approx(analysis.get_bayes_risk_from_pld(pld, PRIORS), abs=1e-5)


def test_the_accountants_agree():
    ours, theirs = CTDAccountant(), riskcal.accountants.CTDAccountant()
    for _ in range(STEPS):
        ours.step(noise_multiplier=1.0, sample_rate=RATE)
        theirs.step(noise_multiplier=1.0, sample_rate=RATE)
    betas = by_number_and_array(lambda alpha: ours.get_beta(alpha=alpha), ALPHAS)
    assert betas == pytest.approx(theirs.get_beta(alpha=ALPHAS), abs=1e-4)
    assert ours.get_advantage() == pytest.approx(theirs.get_advantage(), abs=1e-4)
    assert ours.get_epsilon(delta=1e-5) == pytest.approx(theirs.get_epsilon(delta=1e-5), rel=2e-3)


def test_a_run_by_its_parameters():
    run = DPSGD(noise_multiplier=1.0, sample_rate=RATE, steps=STEPS)
    theirs = calibration.get_beta_for_dpsgd(1.0, RATE, STEPS, ALPHAS)
    assert risk.fnr(run, fpr=ALPHAS) == pytest.approx(theirs, abs=1e-4)
    theirs = calibration.get_advantage_for_dpsgd(1.0, RATE, STEPS)
    assert risk.advantage(run) == pytest.approx(theirs, abs=1e-4)


def test_calibration_to_a_risk():
    dpsgd = calibration.dpsgd
    ours = calibrate_dpsgd(sample_rate=RATE, steps=STEPS, advantage=0.1)
    theirs = dpsgd.find_noise_multiplier_for_advantage(
        advantage=0.1, sample_rate=RATE, num_steps=STEPS, grid_step=1e-3
    )
    assert ours.noise_multiplier == pytest.approx(theirs, rel=0.02)
    assert risk.advantage(ours.mechanism) <= 0.1
    ours = calibrate_dpsgd(sample_rate=RATE, steps=STEPS, fpr=0.01, tpr=0.05)
    theirs = dpsgd.find_noise_multiplier_for_err_rates(
        alpha=0.01, beta=0.95, sample_rate=RATE, num_steps=STEPS, grid_step=1e-2
    )
    assert ours.noise_multiplier == pytest.approx(theirs, rel=0.02)
    assert risk.tpr(ours.mechanism, fpr=0.01) <= 0.05


def test_calibration_by_an_accountant():
    ours = calibrate_dpsgd(sample_rate=RATE, steps=STEPS, epsilon=1.0, delta=1e-5)
    theirs = calibration.blackbox.find_noise_multiplier_for_epsilon_delta(
        CTDAccountant, sample_rate=RATE, num_steps=STEPS, epsilon=1.0, delta=1e-5
    )
    assert ours.noise_multiplier == pytest.approx(theirs, rel=0.02)


def test_calibration_of_any_mechanism():
    def evaluate(scale):
        pld = plds.from_laplace_mechanism(scale)
        return calibration.PrivacyMetrics(advantage=analysis.get_advantage_from_pld(pld))

    theirs = calibration.calibrate_parameter(
        evaluator=evaluate,
        target=calibration.CalibrationTarget(kind="advantage", advantage=0.1),
        config=calibration.CalibrationConfig(param_min=0.1, param_max=30.0, increasing=False),
        parameter_name="scale",
    )
    ours = calibrate(lambda scale: Laplace(scale=scale), between=(0.1, 30.0), advantage=0.1)
    assert ours.value == pytest.approx(theirs.parameter_value, rel=0.02)
    # 1 - exp(-1 / (2 b)) is the advantage of Laplace noise.
    assert ours.value == pytest.approx(-0.5 / math.log(0.9), rel=1e-3)


def test_the_table_has_every_function():
    page = (Path(__file__).parents[2] / "docs" / "moving.md").read_text(encoding="utf-8")
    table = page[page.index("## From riskcal") :]
    named = set(re.findall(r"`(?:[a-z]+\.)*(\w+)", table))
    functions = {
        name.removesuffix("_dpsgd").removesuffix("_blackbox")
        for module in (analysis, calibration)
        for name in module.__all__
        if name.startswith(("get_", "find_", "calibrate"))
    }
    older = {name for name in functions if re.fullmatch(r"get_\w+_for_(?!dpsgd)\w+", name)}
    assert functions - older - named - {"get_advantage_for", "get_beta_for"} == set()
