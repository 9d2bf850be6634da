"""What right guesses in one run refute: worked numbers, published values, naive sums."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import gdpnum
from gdpnum import DPSGD, GDP, PureDP
from gdpnum.auditing import guesses as module
from gdpnum.auditing.claim import claimed
from gdpnum.auditing.gaussian import gaussian_epsilon
from gdpnum.auditing.guesses import (
    Guesses,
    epsilon_refuted,
    mu_refuted,
    p_value_of_epsilon,
    p_value_of_guesses,
    refuted_by_guesses,
)
from tests.auditing.naive import gaussian_inverse, hull, one_run_mu, one_run_p, one_run_sum


@pytest.mark.parametrize(
    ("m", "g", "c", "level", "mu"),
    [
        (1000, 100, 95, 0.05, 0.78681),
        (1000, 1000, 600, 0.05, 0.16385),
        (500, 50, 50, 0.01, 0.80852),
        (100, 100, 100, 0.05, 1.70316),
    ],
)
def test_worked_numbers(m, g, c, level, mu):
    found = mu_refuted(Guesses(m, g, c), level, 0.0)
    assert found == pytest.approx(mu, abs=1.1e-5)
    assert found <= one_run_mu(m, g, c, level)


def test_the_worked_claims():
    guesses = Guesses(1000, 100, 95)
    assert refuted_by_guesses(guesses, claimed(0.74), 0.05)
    assert refuted_by_guesses(guesses, claimed(GDP(mu=0.74, slack=1e-3)), 0.05)
    assert not refuted_by_guesses(guesses, claimed(GDP(mu=0.74, slack=5e-3)), 0.05)
    assert not refuted_by_guesses(guesses, claimed(0.84), 0.05)
    assert mu_refuted(guesses, 0.05, 1e-3) > 0.74 > mu_refuted(guesses, 0.05, 5e-3)
    assert one_run_sum(*guesses, 0.05, gaussian_inverse(0.84)) == pytest.approx(0.010281, abs=1e-6)


# --- published by others ------------------------------------------------------------------------

# JAX-Privacy 2.0, tests/auditing_test.py: 10,000 normal quantiles each, shifted, delta 1e-6.
SHIFTED = {0: (0.0, 0.0), 1: (1.13346, 2.164749), 2: (2.311945, 4.7218075), 4: (4.395568, 9.133752)}


@pytest.mark.parametrize("shift", SHIFTED)
def test_the_values_that_jax_privacy_publishes(shift):
    quantiles = ndtri((np.arange(10_000) + 0.5) / 10_000)
    vertices = hull(quantiles + shift, quantiles)
    # Its Bonferroni correction counts the vertices that it found on the same scores.
    level = 0.05 / len(vertices)
    tried = [Guesses(20_000, g, c) for g, c in vertices if g > 0 and 2 * c > g]
    pure = mu = 0.0
    for number in np.random.default_rng(0).permutation(len(tried)):
        # By chance, most vertices come after one that refutes more, and need only one look.
        one = tried[number]
        if p_value_of_epsilon(one, pure, 1e-6) <= level:
            pure = max(pure, epsilon_refuted(one, level, 1e-6))
        if module._refuted(one, np.array([level]), lambda r, mu=mu: ndtr(ndtri(r) - mu))[0]:
            mu = max(mu, mu_refuted(one, level, 0.0))
    by_mu = gaussian_epsilon(mu, 0.0, 1e-6, "gaussian")
    assert (pure, by_mu) == pytest.approx(SHIFTED[shift], rel=1e-5)


# PrivacyGuard, fdp_analysis_tutorial.ipynb: (m, g, c), delta, first noise tried, epsilon printed.
TUTORIAL = [
    ((100, 80, 70), 1e-6, 0.001, 3.2906),
    ((2000, 252, 249), 1e-5, 0.001, 5.3558),
    ((1000, 10, 10), 1e-5, 1.0, 1.2260),
    ((1000, 15, 15), 1e-5, 1.0, 1.8776),
    ((1000, 25, 25), 1e-5, 1.0, 2.7534),
    ((1000, 40, 40), 1e-5, 1.0, 3.6179),
    ((1000, 268, 255), 1e-5, 1.0, 4.1374),
    ((1000, 429, 404), 1e-5, 1.0, 4.1832),
    ((1000, 686, 621), 1e-5, 1.0, 3.6537),
]


@pytest.mark.parametrize(("counts", "delta", "first", "epsilon"), TUTORIAL)
def test_the_values_that_privacy_guard_publishes(counts, delta, first, epsilon):
    mu = mu_refuted(Guesses(*counts), 0.05, 0.0)
    # It tries noises a hundredth apart, takes the first refuted, and rounds up to a thousandth.
    noise = first + 0.01 * math.ceil((1.0 / mu - first) / 0.01)
    found = gaussian_epsilon(1.0 / noise, 0.0, delta, "gaussian")
    assert 0.0 <= epsilon + 5e-5 - found <= 1.1e-3
    # So it is never above what it could have said.
    assert gaussian_epsilon(mu, 0.0, delta, "gaussian") >= found


# PrivacyGuard, test_fdp_analysis_node.py: finv(r) = r / 2 is not refuted, 2 r is.
@pytest.mark.parametrize(("factor", "refuted"), [(0.5, False), (2.0, True)])
def test_the_recursion_that_privacy_guard_tests(factor, refuted):
    found = module._refuted(Guesses(1000, 200, 100), np.array([0.05]), lambda r: factor * r)
    assert bool(found[0]) is refuted


# --- against the sums written out ---------------------------------------------------------------


@given(
    m=st.integers(1, 400), share=st.floats(0.0, 1.0), right=st.floats(0.0, 1.0), mu=st.floats(0, 3)
)
def test_the_verdict_is_that_of_the_recursion_written_out(m, share, right, mu):
    g = max(1, round(share * m))
    c = round(right * g)
    naive = one_run_sum(m, g, c, 0.05, gaussian_inverse(mu)) - g / m
    if abs(naive) > 1e-6 * g / m:
        assert refuted_by_guesses(Guesses(m, g, c), claimed(mu), 0.05) == (naive > 0)


@pytest.mark.parametrize("guesses", [(300, 60, 50), (1000, 100, 95), (50, 50, 40)])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-3])
def test_epsilon_is_where_the_published_p_value_passes_the_level(guesses, delta):
    found = epsilon_refuted(Guesses(*guesses), 0.05, delta)
    if found > 0.0:
        assert one_run_p(*guesses, found, delta) <= 0.05
    assert one_run_p(*guesses, found + 1e-6, delta) > 0.05


def test_the_p_value_is_the_level_at_which_a_claim_begins_to_be_refuted():
    claim = claimed(DPSGD(noise_multiplier=1.0, sample_rate=0.02, steps=500))
    for guesses in (Guesses(1000, 200, 160), Guesses(1000, 200, 150), Guesses(300, 30, 27)):
        p = p_value_of_guesses(guesses, claim)
        assert 1e-12 < p < 1.0
        assert refuted_by_guesses(guesses, claim, p)
        assert not refuted_by_guesses(guesses, claim, 0.99 * p)


def test_more_right_guesses_refute_more():
    mus = [mu_refuted(Guesses(400, 80, c), 0.05, 0.0) for c in range(0, 81, 5)]
    assert all(low <= high for low, high in pairwise(mus))
    assert mus[0] == 0.0 < mus[-1]


def test_a_table_of_a_claim_is_below_it_and_close():
    for claim in (claimed(1.0), claimed(DPSGD(noise_multiplier=1, sample_rate=0.01, steps=1000))):
        inverse = module._inverse(claim)
        r = np.random.default_rng(0).random(4000) ** 4
        exact = claim.betas(1.0 - r)
        assert (inverse(r) <= exact * (1 + 1e-9) + 1e-18).all()
        seen = exact > 1e-7
        assert (inverse(r)[seen] >= exact[seen] * (1 - 1e-3)).all()


def test_leaving_updates_out_only_makes_refuting_harder(monkeypatch):
    guesses = Guesses(3000, 900, 700)
    full = mu_refuted(guesses, 0.05, 0.0)
    for updates in (500, 100, 20):
        monkeypatch.setattr(module, "_UPDATES", updates)
        assert mu_refuted(guesses, 0.05, 0.0) <= full


def test_a_million_right_guesses_take_no_time():
    mu = mu_refuted(Guesses(10_000_000, 2_000_000, 1_700_000), 0.05, 0.0)
    assert 0.3 < mu < 1.5
    assert epsilon_refuted(Guesses(10_000_000, 2_000_000, 1_700_000), 0.05, 1e-9) > 1.0


def test_all_right_guesses_of_few_prove_little():
    assert mu_refuted(Guesses(4, 4, 4), 0.05, 0.0) == 0.0
    assert p_value_of_guesses(Guesses(4, 4, 4), claimed(PureDP(epsilon=0.0))) >= 1.0 / 16.0


@pytest.mark.parametrize("mu", [0.01, 0.3, 1.0, 5.0, 30.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.05])
def test_the_epsilon_of_a_gaussian_is_from_below(mu, delta):
    found = gaussian_epsilon(mu, 0.0, delta, "gaussian")
    exact = gdpnum.epsilon_from_mu(mu, delta)
    assert found <= exact
    assert found >= exact * (1 - 1e-6) - 1e-9
