"""Which error rates counts leave possible: never too few, and not many too many."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from gdpnum import GDP, ApproxDP, PureDP
from gdpnum.auditing.binomial import few, many, product_below, upper_rate
from gdpnum.auditing.claim import claimed
from gdpnum.auditing.region import Counts, p_value, region
from tests.auditing.naive import masses
from tests.examples import examples

METHODS = ("joint", "clopper_pearson")


def tail(count, trials, rate):
    """P[Bin <= count] in fifty digits."""
    with mpmath.workdps(50):
        p = mpmath.mpf(float(rate))
        return mpmath.fsum(
            mpmath.binomial(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(count + 1)
        )


@pytest.mark.parametrize("level", [0.4, 0.05, 1e-3, 1e-9])
@pytest.mark.parametrize(("count", "trials"), [(0, 1), (0, 500), (3, 10), (9, 10), (250, 500)])
def test_clopper_pearson_is_rounded_to_the_safe_side_and_tight(count, trials, level):
    rate = float(upper_rate(count, trials, level))
    assert tail(count, trials, rate) <= level
    assert tail(count, trials, rate * (1.0 - 1e-8)) > level


def test_a_full_count_leaves_every_rate():
    assert float(upper_rate(7, 7, 1e-3)) == 1.0
    assert float(few(7, 7, 0.3)) == 1.0


@pytest.mark.parametrize("trials", [1, 8, 60])
@pytest.mark.parametrize("rate", [0.0, 1e-6, 0.2, 0.999, 1.0])
def test_tails_of_a_count_are_its_masses_summed(trials, rate):
    mass = masses(trials, rate)
    counts = np.arange(trials + 1)
    assert np.allclose(few(counts, trials, rate), np.cumsum(mass), rtol=1e-9, atol=1e-14)
    assert np.allclose(many(counts, trials, rate), np.cumsum(mass[::-1])[::-1], rtol=1e-9)
    assert float(many(trials + 1, trials, rate)) == 0.0


@pytest.mark.parametrize("level", [0.5, 0.05, 1e-4, 1e-12])
def test_fishers_product_has_the_level(level):
    t = product_below(level)
    assert t * (1.0 - math.log(t)) <= level
    assert t * (1.0 - math.log(t)) >= level * (1.0 - 1e-10)


# --- worked numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "level", "mu"),
    [
        (Counts(10, 1000, 300, 1000), 0.05, 2.5313),
        (Counts(0, 1000, 900, 1000), 0.05, 1.2889),
        (Counts(50, 500, 100, 500), 0.01, 1.7576),
    ],
)
def test_worked_numbers(counts, level, mu):
    assert round(region(counts, level, "clopper_pearson").mu(0.0), 4) == mu
    assert region(counts, level, "joint").mu(0.0) > mu


def test_the_rectangle_is_that_of_the_formula():
    found = region(Counts(10, 1000, 300, 1000), 0.05, "clopper_pearson")
    x, y = float(upper_rate(10, 1000, 0.025)), float(upper_rate(300, 1000, 0.025))
    assert found.mu(0.0) == pytest.approx(-ndtri(x) - ndtri(y), abs=1e-12)
    assert found.mu(1e-3) == pytest.approx(
        max(-ndtri(x) - ndtri(y + 1e-3), -ndtri(x + 1e-3) - ndtri(y)), abs=1e-12
    )
    assert found.epsilon(1e-5) == pytest.approx(math.log((1 - 1e-5 - y) / x), abs=1e-9)
    assert found.advantage() == pytest.approx(1 - x - y, abs=1e-12)
    assert found.tpr(x) == pytest.approx(1 - y, abs=1e-9)


# --- honest: the truth is excluded with a probability of at most the level ----------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("level", [0.3, 0.05])
@pytest.mark.parametrize(("x", "y"), [(0.01, 0.5), (0.1, 0.1), (0.3, 0.31), (0.0, 0.9), (0.9, 0.9)])
def test_the_truth_is_excluded_no_more_often_than_the_level_says(method, level, x, y):
    # Every pair of counts, with its probability; no sampling.
    n_out, n_in = 10, 8
    excluded = 0.0
    first, second = masses(n_out, x), masses(n_in, y)
    for fp, fn in np.ndindex(n_out + 1, n_in + 1):
        left = region(Counts(fp, n_out, fn, n_in), level, method)
        inside = ((x <= left.fprs) & (y <= left.fnrs)).any()
        excluded += first[fp] * second[fn] * (not inside)
    assert excluded <= level * (1.0 + 1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mu", [0.0, 0.5, 2.0])
def test_a_p_value_is_at_most_any_level_no_more_often_than_that(method, mu):
    n_out, n_in, claim = 9, 11, claimed(mu)
    x = 0.2
    y = claim.curve.beta(x)
    first, second = masses(n_out, x), masses(n_in, y)
    pairs = np.array(
        [
            (p_value(Counts(fp, n_out, fn, n_in), claim, method), first[fp] * second[fn])
            for fp, fn in np.ndindex(n_out + 1, n_in + 1)
        ]
    )
    pairs = pairs[np.argsort(pairs[:, 0])]
    assert (np.cumsum(pairs[:, 1]) <= pairs[:, 0] * (1 + 1e-9) + 1e-12).all()


@given(
    fp=st.integers(0, 40),
    fn=st.integers(0, 30),
    mu=st.floats(0.0, 4.0),
    level=st.sampled_from([0.2, 0.05, 1e-3]),
    method=st.sampled_from(METHODS),
)
@examples(60)
def test_the_p_value_the_bound_and_the_refutation_agree(fp, fn, mu, level, method):
    counts, claim = Counts(fp, 40, fn, 30), claimed(mu)
    left, p = region(counts, level, method), p_value(counts, claim, method)
    assert left.refutes(claim) == (mu < left.mu(0.0)) or abs(mu - left.mu(0.0)) < 1e-9
    if p <= 0.95 * level:
        assert left.refutes(claim)
    if left.refutes(claim):
        assert p <= 1.05 * level


@pytest.mark.parametrize("method", METHODS)
def test_fewer_errors_prove_more(method):
    bounds = [region(Counts(k, 100, 30, 80), 0.05, method).mu(0.0) for k in range(0, 100, 7)]
    assert all(first >= second for first, second in pairwise(bounds))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.1])
def test_epsilon_is_where_the_claim_of_it_ceases_to_be_refuted(method, delta):
    left = region(Counts(8, 400, 120, 300), 0.05, method)
    epsilon = left.epsilon(delta)
    assert epsilon > 0.5
    assert left.refutes(claimed(ApproxDP(epsilon=epsilon - 1e-6, delta=delta)))
    assert not left.refutes(claimed(ApproxDP(epsilon=epsilon + 1e-6, delta=delta)))


def test_the_errors_may_change_places():
    # Few misses and many false accusations speak against epsilon as the mirror image does.
    counts, mirrored = Counts(120, 300, 8, 400), Counts(8, 400, 120, 300)
    for method in METHODS:
        one, other = region(counts, 0.05, method), region(mirrored, 0.05, method)
        assert one.epsilon(1e-5) == pytest.approx(other.epsilon(1e-5), rel=2e-3)
        assert one.mu(1e-4) == pytest.approx(other.mu(1e-4), rel=2e-3)


# --- tight --------------------------------------------------------------------------------------


def test_the_staircase_loses_next_to_nothing():
    # The exact region: p1(x) p2(y) <= t, along a Gaussian claim, by a fine grid.
    counts, level = Counts(60, 400, 150, 400), 0.05
    mu = region(counts, level, "joint").mu(0.0)
    t = product_below(level)
    x = np.linspace(1e-4, 0.6, 20_001)

    def left(mu):
        y = ndtr(-ndtri(x) - mu)
        return (few(60, 400, x) * few(150, 400, y) > t).any()

    assert not left(mu - 1e-9)
    assert left(mu + 0.005)


def test_both_errors_together_prove_more_than_each_at_half_the_level():
    for counts in (Counts(150, 500, 160, 500), Counts(10, 1000, 300, 1000), Counts(0, 90, 9, 90)):
        joint, each = (region(counts, 0.05, method).mu(0.0) for method in METHODS)
        assert joint > each


def test_what_shows_nothing_proves_nothing():
    for method in METHODS:
        for counts in (Counts(5, 10, 5, 10), Counts(10, 10, 0, 10), Counts(9, 10, 9, 10)):
            left = region(counts, 0.05, method)
            assert left.mu(0.0) == 0.0 or counts.false_positives + counts.false_negatives < 10
            assert left.epsilon(0.0) >= 0.0
            assert left.tpr(0.1) >= 0.1
            assert not left.refutes(claimed(PureDP(epsilon=0.0))) or left.mu(0.0) > 0.0


def test_a_claim_is_read_off_whatever_has_a_curve():
    gdp = GDP(mu=1.0)
    for one in (1.0, 1, gdp, gdp.curve()):
        assert claimed(one).curve == gdp.curve()
    assert claimed(GDP(mu=1.0, slack=1e-6)).slack == 1e-6
