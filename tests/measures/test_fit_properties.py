"""How mu moves with what was run."""

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdpnum import (
    DPSGD,
    Composed,
    Gaussian,
    Laplace,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    fit_gdp,
    tradeoff_curve,
)
from gdpnum.lattice.discretize import dominated, lattice, pessimistic
from gdpnum.releases import releases
from tests.examples import examples
from tests.oracles import naive

TOLERANCE = 1e-3
modest = examples(30)
sigmas = st.floats(0.6, 16.0)
rates = st.floats(1e-4, 0.5)
counts = st.integers(1, 2000)
growth = st.floats(1.0, 4.0)


def mu(sigma, rate, count, slack=1e-8):
    run = DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=count)
    return fit_gdp(run, slack=slack, tolerance=TOLERANCE).mu


def at_most(smaller, larger):
    """Up to the tolerance: the lattice changes with what was run."""
    return smaller <= larger * (1 + 2 * TOLERANCE) + 1e-9


# --- monotone -----------------------------------------------------------------------------------


@modest
@given(sigmas, rates, counts, st.integers(0, 500))
def test_more_steps_are_less_private(sigma, rate, count, more):
    assert at_most(mu(sigma, rate, count), mu(sigma, rate, count + more))


@modest
@given(sigmas, rates, counts, growth)
def test_sampling_more_is_less_private(sigma, rate, count, factor):
    assert at_most(mu(sigma, rate, count), mu(sigma, min(1.0, rate * factor), count))


@modest
@given(sigmas, rates, counts, growth)
def test_more_noise_is_more_private(sigma, rate, count, factor):
    assert at_most(mu(sigma * factor, rate, count), mu(sigma, rate, count))


@modest
@given(sigmas, rates, counts, st.floats(-12, -3), st.floats(-12, -3))
def test_more_slack_needs_less_mu(sigma, rate, count, one, other):
    small, large = sorted((10.0**one, 10.0**other))
    assert at_most(mu(sigma, rate, count, large), mu(sigma, rate, count, small))


@modest
@given(sigmas, rates, counts, st.sampled_from([1e-6, 1e-10]))
def test_a_bracket_is_in_order(sigma, rate, count, slack):
    run = DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=count)
    fit = fit_gdp(run, slack=slack)
    assert 0.0 <= fit.mu_lower <= fit.mu
    # Never more than without sampling, nor less than no slack lets it.
    assert fit.mu <= np.sqrt(count) / sigma * (1 + 1e-12)
    assert 0.0 <= fit.regret <= 0.5
    assert 0.0 <= fit.advantage <= 1.0


@modest
@given(sigmas, rates, counts, st.floats(0.0, 1.0))
def test_the_tpr_that_mu_allows_covers_the_curve(sigma, rate, count, fpr):
    run = DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=count)
    fit = fit_gdp(run)
    # The curve may sit above the fit's own by the tolerance in mu.
    lifted = type(fit)(**{**vars(fit), "mu": fit.mu * (1 + 2 * TOLERANCE) + 1e-9})
    assert tradeoff_curve(run).tpr(fpr) <= lifted.tpr(fpr) + 1e-12


# --- composition --------------------------------------------------------------------------------

EXTRAS = [
    Gaussian(sigma=0.1) * 0,
    DPSGD(noise_multiplier=0.5, sample_rate=0.0, steps=1000),
    PureDP(epsilon=0.0) * 3,
]


@pytest.mark.parametrize("extra", EXTRAS, ids=repr)
@pytest.mark.parametrize(
    "run",
    [
        DPSGD(noise_multiplier=1.0, sample_rate=0.02, steps=300),
        Laplace(scale=2.0) * 3,
        Gaussian(sigma=2.0),
    ],
    ids=repr,
)
def test_composing_with_nothing_changes_nothing(run, extra):
    alone, composed = fit_gdp(run), fit_gdp(run + extra)
    assert (composed.mu, composed.mu_lower) == (alone.mu, alone.mu_lower)
    assert (composed.regret, composed.advantage) == (alone.regret, alone.advantage)


PARTS = [
    DPSGD(noise_multiplier=1.2, sample_rate=0.05, steps=40),
    PoissonSampled(Laplace(scale=1.5), rate=0.3) * 5,
    PureDP(epsilon=0.4) * 2,
    Gaussian(sigma=9.0),
]


def test_the_order_of_releases_does_not_matter():
    found = [fit_gdp(Composed(order), slack=1e-8) for order in permutations(PARTS)]
    for name in ("mu", "mu_lower", "advantage", "regret"):
        values = [getattr(fit, name) for fit in found]
        assert max(values) - min(values) <= 1e-9 * max(values), name


@modest
@given(sigmas, rates, st.integers(1, 300), st.floats(0.3, 5.0))
def test_one_release_more_is_no_more_private(sigma, rate, count, scale):
    run = DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=count)
    assert at_most(fit_gdp(run).mu, fit_gdp(run + Laplace(scale=scale)).mu)


@modest
@given(sigmas, rates, st.integers(1, 300))
def test_phases_compose_no_worse_than_their_parts_by_pythagoras_without_slack(sigma, rate, count):
    run = DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=count)
    both = fit_gdp(run + Gaussian(sigma=2.0), slack=0.0).mu
    assert both == pytest.approx(np.hypot(fit_gdp(run, slack=0.0).mu, 0.5), rel=1e-12)


# --- post-processing ----------------------------------------------------------------------------


@modest
@given(st.floats(0.05, 3.0), st.integers(3, 8), st.integers(1, 4))
def test_merging_answers_never_raises_mu(epsilon, categories, count):
    """Reporting only whether the answer is the true one is a post-processing."""
    full = naive.randomized_response(epsilon, categories)
    masses = list(full.outcomes.values())
    kept = max(masses, key=lambda pq: pq[0])
    rest = tuple(sum(one[side] for one in masses) - kept[side] for side in (0, 1))
    coarse = float(naive.mu(naive.repeated(naive.pair([kept, rest]), count), 1e-8))
    mechanism = RandomizedResponse(epsilon=epsilon, categories=categories) * count
    assert fit_gdp(mechanism, slack=1e-8).mu >= coarse * (1 - 1e-14)


@modest
@given(sigmas, rates, st.floats(0.005, 0.5))
def test_merged_outcomes_have_a_smaller_profile_than_connected_dots(sigma, rate, step):
    """dominated <= pessimistic on one lattice: rounding a loss is a post-processing."""
    ((pair, _),) = releases(PoissonSampled(Gaussian(sigma=sigma), rate=rate)).above
    nodes = lattice(step, -3.0, 5.0)
    upper = pessimistic(pair, nodes, step)
    p, q = dominated(pair, nodes, step)
    for eps in (-0.5, 0.0, 0.1, 1.0):
        merged = np.maximum(p.masses - np.exp(eps) * q.masses, 0.0).sum()
        gains = upper.masses * np.maximum(-np.expm1(eps - upper.losses), 0.0)
        # Denormal masses have few digits left.
        assert merged <= (upper.mass_at_infinity + gains.sum()) * (1 + 1e-14) + 1e-300


# --- repeatable ---------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [2000, 50])
def test_the_same_question_has_the_same_answer_to_the_last_bit_also_from_threads(steps):
    runs = [
        DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=steps),
        DPSGD(noise_multiplier=0.614, sample_rate=4e-5, steps=50 * steps),
        PoissonSampled(Laplace(scale=1.0), rate=0.5) * 20,
    ]
    expected = [fit_gdp(run) for run in runs]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(fit_gdp, runs * 8))
    assert found == expected * 8
