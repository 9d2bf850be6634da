"""PLDConverter and from_pld on distributions that dp-accounting makes."""

import math
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdpnum import DPSGD, Gaussian, KnownCurve, Laplace, fit_gdp, tradeoff_curve
from gdpnum.converter import PLDConverter
from gdpnum.integrations.dp_accounting import from_pld
from gdpnum.integrations.pld import ordered_curve
from tests.catalogue import REFERENCE
from tests.examples import examples

plds = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
common = pytest.importorskip("dp_accounting.pld.common")

CASES = {
    "gaussian": lambda: plds.from_gaussian_mechanism(1.0, value_discretization_interval=1e-3),
    "gaussian, buckets": lambda: plds.from_gaussian_mechanism(
        1.0, value_discretization_interval=1e-2, use_connect_dots=False
    ),
    "sampled gaussian": lambda: plds.from_gaussian_mechanism(
        0.7, sampling_prob=0.05, value_discretization_interval=1e-3
    ),
    "sampled gaussian, 300 times": lambda: plds.from_gaussian_mechanism(
        0.7, sampling_prob=0.05, value_discretization_interval=1e-3
    ).self_compose(300),
    "sampled laplace, twice": lambda: plds.from_laplace_mechanism(
        1.0, sampling_prob=0.5, value_discretization_interval=1e-3
    ).self_compose(2),
    "laplace and gaussian": lambda: plds.from_laplace_mechanism(
        2.0, value_discretization_interval=1e-3
    ).compose(plds.from_gaussian_mechanism(3.0, value_discretization_interval=1e-3)),
    "discrete laplace": lambda: plds.from_discrete_laplace_mechanism(0.3, sensitivity=4),
    "discrete gaussian, sampled": lambda: plds.from_discrete_gaussian_mechanism(
        3, sampling_prob=0.2, value_discretization_interval=1e-3
    ),
    "randomized response": lambda: plds.from_randomized_response(0.4, 5).self_compose(20),
    "randomized response, special": lambda: plds.from_randomized_response(
        0.4, 5, neighboring_relation=plds.NeighborRel.REPLACE_SPECIAL
    ),
    "epsilon and delta": lambda: plds.from_privacy_parameters(
        common.DifferentialPrivacyParameters(0.50003, 1e-6)
    ).self_compose(3),
    "mixture of gaussians": lambda: plds.from_mixture_gaussian_mechanism(
        2.0, [0.0, 1.0, 2.0], [0.9, 0.09, 0.01], value_discretization_interval=1e-2
    ),
    "truncated batches": lambda: plds.from_truncated_subsampled_gaussian_mechanism(
        1000, 0.05, 60, 1.0, value_discretization_interval=1e-3
    ),
    "identity": plds.identity,
}


def own_delta(pld, epsilon):
    return min(1.0, float(pld.get_delta_for_epsilon(float(epsilon))))


def places(curve):
    """Epsilons on the lattice, between and beyond."""
    knots = curve.knots[:: max(1, curve.knots.size // 40)]
    reach = 1.1 * float(curve.knots[-1]) + 0.1
    between = np.random.default_rng(4).uniform(0.0, reach, 60)
    return np.concatenate([[0.0, 1e-9], knots, between])


@pytest.mark.parametrize("make", CASES.values(), ids=CASES.keys())
def test_the_curve_has_the_profile_of_the_distribution(make):
    pld = make()
    curve = from_pld(pld)
    for epsilon in places(curve):
        exact = own_delta(pld, epsilon)
        assert exact <= curve.delta(epsilon) <= exact + 3e-13


@pytest.mark.parametrize("make", CASES.values(), ids=CASES.keys())
def test_epsilons_agree_as_well(make):
    pld = make()
    curve = from_pld(pld)
    for delta in (0.1, 1e-3, 1e-5):
        theirs = pld.get_epsilon_for_delta(delta)
        if math.isinf(theirs):
            assert math.isinf(curve.epsilon(delta))
        else:
            assert curve.epsilon(delta) == pytest.approx(theirs, abs=1e-7)


@pytest.mark.parametrize("make", CASES.values(), ids=CASES.keys())
def test_negative_epsilons_are_no_worse_than_the_distribution_says(make):
    # Ours follow from the positive ones; its own lower masses are discretised by themselves.
    pld = make()
    curve = from_pld(pld)
    for epsilon in places(curve)[::4]:
        assert curve.delta(-epsilon) <= own_delta(pld, -epsilon) + 1e-5


@pytest.mark.parametrize("make", CASES.values(), ids=CASES.keys())
def test_the_arrays_are_vertices_of_trade_off_curves(make):
    converter = PLDConverter(make())
    for alphas, betas in (
        (converter.alphas, converter.betas),
        (converter.alphas_symm, converter.betas_symm),
    ):
        assert alphas[0] == 0.0
        assert alphas[-1] == 1.0
        assert betas[-1] == 0.0
        assert (np.diff(alphas) >= 0.0).all()
        assert (np.diff(betas) <= 1e-15).all()
        assert (betas <= 1.0 - alphas + 1e-15).all()


@pytest.mark.parametrize("run", REFERENCE, ids=lambda run: run.name)
def test_reference_runs_are_honest_and_as_tight_as_the_lattice(run):
    step = 1e-3 if run.segments[0].rate > 0.002 else 1e-4
    steps = [
        plds.from_gaussian_mechanism(
            one.sigma, sampling_prob=one.rate, value_discretization_interval=step
        ).self_compose(one.steps)
        for one in run.segments
    ]
    mu, regret = PLDConverter(
        reduce(lambda one, other: one.compose(other), steps)
    ).get_mu_and_regret()
    assert mu >= run.mu().lower
    assert mu <= run.mu().upper * 1.015
    assert regret == pytest.approx(run.regret.value, abs=1e-3)


@pytest.mark.parametrize("sigma", [0.2, 1.0, 5.0])
def test_the_gaussian_mechanism_has_the_mu_of_its_formula(sigma):
    mu, regret = PLDConverter(plds.from_gaussian_mechanism(sigma)).get_mu_and_regret()
    # The slack allows for a mu that is smaller by this much, where f has slope -1.
    assert 1.0 / sigma - 3e-10 <= mu <= 1.0 / sigma + 1e-4
    assert regret < 1e-4


def test_mu_is_that_of_the_mechanism():
    pld = plds.from_laplace_mechanism(1.0, sampling_prob=0.5).self_compose(2)
    native = fit_gdp(tradeoff_curve(Laplace(scale=1.0)))
    assert PLDConverter(plds.from_laplace_mechanism(1.0)).get_mu() == pytest.approx(
        native.mu, rel=1e-3
    )
    assert PLDConverter(pld).get_mu() < 1.5 * native.mu


def test_a_mass_at_infinity_above_the_slack_has_no_mu():
    parameters = common.DifferentialPrivacyParameters(1.0, 1e-9)
    converter = PLDConverter(plds.from_privacy_parameters(parameters))
    assert converter.get_mu() == math.inf
    assert converter.get_mu(err=1e-8) == pytest.approx(1.2320353853449009, rel=1e-3)


def test_the_identity_reveals_nothing():
    assert PLDConverter(plds.identity()).get_mu_and_regret() == pytest.approx((0.0, 0.0), abs=1e-10)


def test_exchanging_add_and_remove_changes_nothing():
    pld = CASES["sampled laplace, twice"]()
    exchanged = plds.PrivacyLossDistribution(pld._pmf_add, pld._pmf_remove)
    one, other = PLDConverter(pld), PLDConverter(exchanged)
    assert one.get_mu_and_regret() == pytest.approx(other.get_mu_and_regret(), rel=1e-12)
    assert one.get_beta() == pytest.approx(other.get_beta(), rel=1e-12)
    # Neither direction is the worse one throughout: adding is, at this epsilon.
    remove_only = plds.PrivacyLossDistribution(pld._pmf_remove)
    assert from_pld(pld).delta(0.25) > 1.1 * from_pld(remove_only).delta(0.25)


@given(
    st.lists(st.floats(1e-4, 1.0), min_size=2, max_size=6),
    st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6),
    st.booleans(),
)
@examples(50)
def test_random_distributions_agree(p, q, symmetric):
    q = np.array(q[: len(p)]) + 1e-9
    p, q = np.array(p) / sum(p), q / q.sum()
    with np.errstate(divide="ignore"):
        upper, lower = dict(enumerate(np.log(p))), dict(enumerate(np.log(q)))
    pld = plds.from_two_probability_mass_functions(
        lower, upper, value_discretization_interval=0.01, symmetric=symmetric
    )
    curve = from_pld(pld)
    for epsilon in places(curve)[::3]:
        exact = own_delta(pld, epsilon)
        assert exact * (1.0 - 1e-15) <= curve.delta(epsilon) <= exact + 2e-13


def test_an_optimistic_estimate_is_refused():
    with pytest.raises(ValueError, match="optimistic"):
        from_pld(plds.from_gaussian_mechanism(1.0, pessimistic_estimate=False))


def test_a_curve_composes_like_the_mechanism_it_is_of():
    step = plds.from_gaussian_mechanism(1.0, sampling_prob=0.01, value_discretization_interval=1e-3)
    native = fit_gdp(DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000))
    composed = fit_gdp(KnownCurve(ordered_curve(step)) * 1000)
    assert native.mu_lower <= composed.mu <= 1.001 * native.mu
    # The symmetric curve does not know which direction it is composed in.
    both = fit_gdp(KnownCurve(from_pld(step)) * 1000)
    assert composed.mu <= both.mu <= 1.2 * native.mu


def test_a_million_losses_make_a_curve():
    pld = plds.from_gaussian_mechanism(
        1.0, sampling_prob=0.5, value_discretization_interval=2e-5
    ).self_compose(2)
    assert pld._pmf_remove.size > 10**6
    curve = from_pld(pld)
    assert fit_gdp(curve).mu >= fit_gdp(Gaussian(sigma=10.0)).mu
