"""Renyi divergences: never below the exact ones, above them by less than 1e-9."""

from itertools import permutations
from math import inf

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp

import gdpnum
from gdpnum import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidArgument,
    Laplace,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
)
from gdpnum.pairs.pair import Divergences
from gdpnum.renyi.divergences import renyi_divergences
from gdpnum.renyi.quadrature import Bumps, _bound, _Ends
from tests.examples import examples, mostly_slow
from tests.oracles import renyi as oracle

# Below one, around it, between whole numbers.
ORDERS = [0.5, 0.51, 0.9, 1 - 1e-12, 1.0, 1 + 1e-12, 1.001, 1.7, 2.0, 3.5, 20.25]
SAMPLED = [(9.4, 0.32768), (1.0, 1e-3), (0.3, 0.01), (100.0, 1e-7), (2.0, 0.999), (1.0, 1e-13)]
# Of these, the ones that every run tries against slow integrals.
QUICK = [1 + 1e-12, 3.5]

MIXED = (
    Gaussian(sigma=3.0)
    + Laplace(scale=2.0) * 3
    + PoissonSampled(Gaussian(sigma=0.7), rate=0.02) * 50
    + PoissonSampled(Laplace(scale=0.4), rate=0.3)
    + PoissonSampled(DiscreteGaussian(sigma=0.9), rate=0.1)
    + PoissonSampled(DiscreteLaplace(scale=0.5), rate=0.2)
    + PureDP(epsilon=1.5)
)


def directions(mechanism, *orders):
    """(forward, backward) at each order."""
    return list(zip(*renyi_divergences(mechanism, np.array(orders)), strict=True))


def assert_just_above(found, exact, order=1.0):
    """The guarantee; the order counts above 1e4 only."""
    assert found >= exact
    assert found <= exact * (1 + max(1e-9, 1e-13 * order))


# --- the oracle ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("sigma", "rate"), SAMPLED)
@pytest.mark.slow
@pytest.mark.parametrize("order", [2, 5])
def test_the_oracles_quadrature_obeys_the_binomial_theorem(sigma, rate, order):
    exact = oracle.sampled_gaussian_of_integer_order(sigma, rate, order)
    assert abs(oracle.sampled_gaussian(sigma, rate, order) / exact - 1) < 1e-15


@pytest.mark.parametrize("order", [0.5, 0.9, 1.0, 3.5])
def test_the_oracles_sums_and_quadratures_obey_closed_forms(order):
    sampled = oracle.sampled_laplace(0.7, 1.0, order, backward=True)
    assert abs(sampled / oracle.laplace(0.7, order) - 1) < 1e-15
    sampled = oracle.sampled_discrete_gaussian(0.8, 1.0, order, backward=False)
    assert abs(sampled / oracle.discrete_gaussian(0.8, order) - 1) < 1e-15
    assert abs(oracle.sampled_gaussian(3.0, 1.0, order) / (order / 18) - 1) < 1e-15


# --- Gaussian noise -----------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("neighbouring", "mu"), [("add_remove", 0.4), ("replace", 0.8)])
def test_a_gaussian_has_half_of_mu_squared_times_the_order(neighbouring, mu, order):
    [(forward, backward)] = directions(Gaussian(sigma=2.5, neighbouring=neighbouring), order)
    assert forward == backward
    assert_just_above(forward, order * mu**2 / 2)


@pytest.mark.parametrize(("sigma", "rate"), SAMPLED)
@pytest.mark.parametrize(
    "order", [pytest.param(t, marks=() if t in QUICK else pytest.mark.slow) for t in ORDERS]
)
def test_a_sampled_gaussian_has_its_integral(sigma, rate, order):
    [(forward, backward)] = directions(PoissonSampled(Gaussian(sigma=sigma), rate=rate), order)
    assert_just_above(forward, oracle.sampled_gaussian(sigma, rate, order))
    assert_just_above(backward, oracle.sampled_gaussian(sigma, rate, order, p_at=0, q_at=1))


@pytest.mark.parametrize(("sigma", "rate"), [*SAMPLED, (0.3, 1e-7), (0.06, 0.1), (0.01, 1e-9)])
@pytest.mark.parametrize("order", [2, 3, 64, 1000, 10_000])
def test_a_sampled_gaussian_obeys_the_binomial_theorem(sigma, rate, order):
    [(forward, _)] = directions(PoissonSampled(Gaussian(sigma=sigma), rate=rate), order)
    assert_just_above(forward, oracle.sampled_gaussian_of_integer_order(sigma, rate, order))


@pytest.mark.parametrize(
    ("digits", "order"),
    mostly_slow(
        [(7, 1000), (13, 1000), (7, 10_000), (13, 10_000), (30, 10_000), (7, 100_000)],
        quick=[(7, 1000), (30, 10_000)],
    ),
)
def test_the_guarantee_holds_where_rare_events_just_begin_to_count(digits, order):
    """Where rate^t exp(t^2 / (2 sigma^2)) is about one: both factors are beyond measure."""
    rate, sigma = 10.0**-digits, np.sqrt(order / (2 * digits * np.log(10)))
    [(forward, _)] = directions(PoissonSampled(Gaussian(sigma=sigma), rate=rate), order)
    exact = oracle.sampled_gaussian_of_integer_order(sigma, rate, order)
    assert_just_above(forward, exact, order)


@pytest.mark.parametrize(
    ("sigma", "rate", "order"),
    mostly_slow([(0.4, 0.01, 150.5), (2.0, 0.6, 999.25)], quick=[(2.0, 0.6, 999.25)]),
)
def test_a_sampled_gaussian_has_its_integral_at_a_large_order(sigma, rate, order):
    [(forward, backward)] = directions(PoissonSampled(Gaussian(sigma=sigma), rate=rate), order)
    assert_just_above(forward, oracle.sampled_gaussian(sigma, rate, order))
    assert_just_above(backward, oracle.sampled_gaussian(sigma, rate, order, p_at=0, q_at=1))


@pytest.mark.parametrize(("sigma", "rate"), SAMPLED)
@pytest.mark.parametrize(
    "order", [pytest.param(t, marks=() if t in QUICK else pytest.mark.slow) for t in ORDERS]
)
def test_a_sampled_gaussian_with_a_record_replaced_has_its_integral(sigma, rate, order):
    noise = Gaussian(sigma=sigma, neighbouring="replace")
    [(forward, backward)] = directions(PoissonSampled(noise, rate=rate), order)
    assert forward == backward
    assert_just_above(forward, oracle.sampled_gaussian(sigma, rate, order, p_at=1, q_at=-1))


def random_runs(test):
    orders = st.one_of(
        st.floats(0.5, 1.0), st.floats(1.0, 4.0), st.floats(0.6, 2.4).map(lambda x: 10.0**x)
    )
    test = given(
        sigma=st.floats(-0.5, 2.0).map(lambda x: 10.0**x),
        rate=st.floats(-13.0, 0.0).map(lambda x: 10.0**x).filter(lambda rate: rate < 1.0),
        order=orders,
    )(test)
    # Where two humps are as high as each other, and where they merge.
    test = example(sigma=2.0, rate=0.017, order=16.0)(test)
    return example(sigma=10.0, rate=0.017, order=420.0)(test)


def check_against_the_integral(sigma, rate, order):
    [(forward, backward)] = directions(PoissonSampled(Gaussian(sigma=sigma), rate=rate), order)
    assert_just_above(forward, oracle.sampled_gaussian(sigma, rate, order))
    assert_just_above(backward, oracle.sampled_gaussian(sigma, rate, order, p_at=0, q_at=1))
    noise = Gaussian(sigma=sigma, neighbouring="replace")
    [(forward, _)] = directions(PoissonSampled(noise, rate=rate), order)
    assert_just_above(forward, oracle.sampled_gaussian(sigma, rate, order, p_at=1, q_at=-1))


test_any_sampled_gaussian_has_its_integral = examples(100, few=2)(
    random_runs(check_against_the_integral)
)


@pytest.mark.slow
@pytest.mark.parametrize("order", [0.5, *QUICK])
def test_tiny_noise_has_its_integral(order):
    """1/sigma = 10 is near where formulas take over."""
    check_against_the_integral(sigma=0.1, rate=1e-3, order=order)


@pytest.mark.parametrize("rate", [1e-7, 0.3])
def test_nothing_changes_where_formulas_for_tiny_noise_take_over(rate):
    """At 1/sigma = 24. A divergence of order t moves by at most 2 d(sigma)/sigma."""
    for relation in ("add_remove", "replace"):
        noise = [Gaussian(sigma=s / 24, neighbouring=relation) for s in (1 - 1e-12, 1 + 1e-12)]
        one, other = (
            np.array(directions(PoissonSampled(each, rate=rate), *ORDERS)) for each in noise
        )
        assert one == pytest.approx(other, rel=1e-11)


@given(
    shift=st.floats(0.01, 20.0),
    rate=st.floats(1e-6, 1.0 - 1e-6),
    order=st.floats(1.0, 1e3),
    low=st.floats(-50.0, 50.0),
    width=st.floats(0.1, 100.0),
)
def test_no_term_left_out_exceeds_the_bound_on_its_cell(shift, rate, order, low, width):
    """Powers of a mixture are convex parts and, of negative powers, concave ones."""
    low, high = np.array([low]), np.array([low + width])
    inside = np.linspace(low[0], high[0], 400)
    for p, q in permutations([Bumps(shift, rate), Bumps(0.0, rate), Bumps(-shift, rate)], 2):
        p_ends, q_ends = _Ends(p, low, high), _Ends(q, low, high)
        for power in (0.0, order):
            [bound] = _bound(low, high, p_ends, q_ends, np.array([power]))
            terms = power * p.log_weight(inside) + (1 - power) * q.log_weight(inside)
            assert terms.max() <= bound + 1e-12 * (1e3 + np.abs(terms).max())


# --- discrete Gaussian noise --------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [0.05, 0.4, 1.0, 2.49, 2.51, 40.0])
@pytest.mark.parametrize("order", ORDERS)
def test_a_discrete_gaussian_has_its_closed_form(sigma, order):
    [(forward, backward)] = directions(DiscreteGaussian(sigma=sigma), order)
    assert forward == backward
    assert_just_above(forward, oracle.discrete_gaussian(sigma, order))


@pytest.mark.parametrize("order", QUICK)
@pytest.mark.parametrize("moved", [2, 5])
def test_a_discrete_gaussian_moved_further_has_its_sum(moved, order):
    noise = DiscreteGaussian(sigma=1.7, sensitivity=moved)
    ((forward, _),) = directions(noise, order)
    assert_just_above(forward, oracle.discrete_gaussian(1.7, order, moved))
    for found, backward in zip(
        directions(PoissonSampled(noise, rate=0.2), order)[0], (False, True), strict=True
    ):
        exact = oracle.sampled_discrete_gaussian(1.7, 0.2, order, backward, moved)
        assert_just_above(found, exact)


def test_a_discrete_gaussian_far_too_wide_for_a_table_is_a_gaussian():
    wide, smooth = DiscreteGaussian(sigma=1e7), Gaussian(sigma=1e7)
    assert directions(wide, *ORDERS) == [
        pytest.approx(values, rel=1e-12) for values in directions(smooth, *ORDERS)
    ]


@pytest.mark.parametrize("sigma", [0.1, 0.7, 2.49, 2.51])
@pytest.mark.parametrize("rate", [1e-9, 0.01, 0.9])
@pytest.mark.parametrize("order", [0.5, 1.0, 1 + 1e-12, 2.5, 90.0])
def test_a_sampled_discrete_gaussian_has_its_sum(sigma, rate, order):
    mechanism = PoissonSampled(DiscreteGaussian(sigma=sigma), rate=rate)
    [(forward, backward)] = directions(mechanism, order)
    assert_just_above(forward, oracle.sampled_discrete_gaussian(sigma, rate, order, False))
    assert_just_above(backward, oracle.sampled_discrete_gaussian(sigma, rate, order, True))


def test_a_discrete_gaussian_is_not_continuous_for_the_reverse_of_a_large_order():
    mechanism = PoissonSampled(DiscreteGaussian(sigma=3.0), rate=0.9)
    [(_, backward)] = directions(mechanism, 3000.0)
    assert_just_above(backward, oracle.sampled_discrete_gaussian(3.0, 0.9, 3000.0, True))


# --- Laplace noise ------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-3, 0.1, 0.99, 1.0, 1.01, 30.0, 1e6])
@pytest.mark.parametrize("order", [*ORDERS, 0.5 + 1e-14, 1e4])
def test_laplace_has_its_closed_form(scale, order):
    [(forward, backward)] = directions(Laplace(scale=scale), order)
    assert forward == backward
    assert_just_above(forward, oracle.laplace(scale, order))


@pytest.mark.parametrize("scale", [0.08, 1.0, 50.0])
@pytest.mark.parametrize("rate", [1e-13, 0.5, 1 - 1e-9])
@pytest.mark.parametrize("order", [0.5, 1.0, 1 + 1e-12, 2.5, 5000.0])
def test_sampled_laplace_has_its_integral(scale, rate, order):
    # Together with another order, as the panels are shared.
    [(forward, backward), _] = directions(PoissonSampled(Laplace(scale=scale), rate=rate), order, 7)
    assert_just_above(forward, oracle.sampled_laplace(scale, rate, order, False))
    assert_just_above(backward, oracle.sampled_laplace(scale, rate, order, True))


# --- finitely many outcomes ---------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 5.0, 800.0])
@pytest.mark.parametrize("order", [*ORDERS, 1e4])
def test_randomised_response_has_its_sum(epsilon, order):
    for categories in (2, 7):
        mechanism = RandomizedResponse(epsilon=epsilon, categories=categories)
        [(forward, backward)] = directions(mechanism, order)
        assert forward == backward
        assert_just_above(forward, oracle.randomized_response(epsilon, categories, order))


@pytest.mark.parametrize("epsilon", [0.3, 5.0, 800.0])
@pytest.mark.parametrize("order", ORDERS)
def test_pure_dp_is_randomised_response(epsilon, order):
    [(forward, _)] = directions(PureDP(epsilon=epsilon), order)
    assert_just_above(forward, oracle.randomized_response(epsilon, 2, order))


@pytest.mark.parametrize("scale", [1e-3, 0.5, 20.0])
@pytest.mark.parametrize("rate", [1e-14, 0.01, 1 - 1e-9])
@pytest.mark.parametrize("order", [*ORDERS, 1e4])
def test_sampled_discrete_laplace_has_its_sum(scale, rate, order):
    mechanism = PoissonSampled(DiscreteLaplace(scale=scale), rate=rate)
    [(forward, backward)] = directions(mechanism, order)
    eps = 1 / scale
    assert_just_above(forward, oracle.randomized_response(eps, 2, order, rate))
    assert_just_above(backward, oracle.randomized_response(eps, 2, order, rate, backward=True))


@pytest.mark.parametrize(
    "noise",
    [
        Gaussian(sigma=1e-9),
        Laplace(scale=1e-9),
        DiscreteLaplace(scale=1e-9),
        DiscreteGaussian(sigma=1e-9),
    ],
)
@pytest.mark.parametrize("rate", [1e-9, 0.3, 1 - 2**-20])
@pytest.mark.parametrize("order", [0.5, 0.75, 0.99])
def test_without_noise_only_being_left_out_hides_a_record(noise, rate, order):
    """P and Q share (1 - rate) of P and all of Q: (1 - rate)^t is the sum of p^t q^(1 - t)."""
    [(forward, backward)] = directions(PoissonSampled(noise, rate=rate), order)
    left_out = -mp.log1p(-mp.mpf(rate))
    assert_just_above(forward, order / (1 - mp.mpf(order)) * left_out)
    assert_just_above(backward, left_out)


@pytest.mark.parametrize("order", [0.5, 0.75, 1 - 1e-12])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 1e-6), (1.0, 1e-6), (3.0, 0.7)])
def test_a_leak_counts_little_below_order_one(epsilon, delta, order):
    [(forward, backward)] = directions(ApproxDP(epsilon=epsilon, delta=delta), order)
    assert forward == backward
    assert_just_above(forward, oracle.approx_dp(epsilon, delta, order))


@pytest.mark.parametrize("order", [1.0, 1 + 1e-12, 2.0, 1e4])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 1e-300), (1.0, 1e-6), (3.0, 1.0)])
def test_a_leak_is_infinite_from_order_one_on(epsilon, delta, order):
    assert directions(ApproxDP(epsilon=epsilon, delta=delta), order) == [(inf, inf)]
    assert directions(Laplace(scale=1.0) + ApproxDP(epsilon=epsilon, delta=delta), order) == [
        (inf, inf)
    ]


def test_revealing_everything_is_infinite_at_every_order():
    assert directions(ApproxDP(epsilon=1.0, delta=1.0), *ORDERS) == [(inf, inf)] * len(ORDERS)


# --- what holds of all of them ------------------------------------------------------------------


def test_divergences_add_up():
    orders = np.array([*ORDERS, 100.0])
    parts = [renyi_divergences(leaf, orders) for leaf, _ in MIXED.parts]
    counts = [count for _, count in MIXED.parts]
    together = renyi_divergences(MIXED, orders)
    for side in range(2):
        summed = sum(count * part[side] for count, part in zip(counts, parts, strict=True))
        assert together[side] == pytest.approx(summed, rel=1e-14)


@pytest.mark.parametrize("leaf", [leaf for leaf, _ in MIXED.parts], ids=repr)
def test_divergences_do_not_fall_with_the_order(leaf):
    orders = np.concatenate([np.linspace(0.5, 1.5, 201), np.geomspace(1.5, 1e4, 200)])
    for found in renyi_divergences(leaf, orders):
        assert (np.diff(found) >= -1e-12 * found[1:]).all()


@pytest.mark.parametrize("leaf", [leaf for leaf, _ in MIXED.parts], ids=repr)
def test_at_order_one_half_both_directions_are_one(leaf):
    """(1 - t) D_t(P || Q) = t D_(1 - t)(Q || P)."""
    [(forward, backward)] = directions(leaf, 0.5)
    assert forward == pytest.approx(backward, rel=1e-12)


def test_the_worst_of_both_directions_is_taken_order_by_order():
    found = Divergences(np.array([1.0, 3.0, inf]), np.array([2.0, 2.0, 2.0]))
    assert list(found.worst) == [2.0, 3.0, inf]


def test_orders_do_not_disturb_each_other():
    orders = np.geomspace(0.5, 1e4, 300)
    run = PoissonSampled(Gaussian(sigma=0.8), rate=0.05)
    together = renyi_divergences(run, orders)
    for index in (0, 150, 299):
        alone = renyi_divergences(run, orders[index : index + 1])
        assert alone.forward[0] == pytest.approx(together.forward[index], rel=1e-13)
        assert alone.backward[0] == pytest.approx(together.backward[index], rel=1e-13)


def test_the_same_question_has_the_same_answer():
    orders = np.linspace(0.5, 64.0, 100)
    one, other = renyi_divergences(MIXED, orders), renyi_divergences(MIXED, orders)
    assert (one.forward == other.forward).all()
    assert (one.backward == other.backward).all()


def test_no_orders_have_no_divergences():
    found = renyi_divergences(MIXED, np.array([]))
    assert found.forward.size == found.backward.size == 0


# --- what is known from elsewhere ---------------------------------------------------------------


def largest_ratio(mechanism, cap):
    orders = np.concatenate([[1.0 + 1e-9], np.linspace(1.0, cap, 400)[1:]])
    return float((renyi_divergences(mechanism, orders).worst / orders).max())


def test_the_run_of_the_paper_has_its_known_divergences():
    run = gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=16384 / 50000, steps=2000)
    [(forward, _)] = directions(run, 1.1)
    assert forward / 1.1 == pytest.approx(1.219, abs=5e-4)
    assert largest_ratio(run, 8.0) == pytest.approx(1.240, abs=5e-4)
    assert largest_ratio(run, 64.0) == pytest.approx(1.454, abs=5e-4)


def test_a_rarely_sampled_run_has_its_known_rho():
    run = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.001, steps=1000)
    assert largest_ratio(run, 8.0) == pytest.approx(8.73e-4, abs=5e-7)


def test_rho_of_laplace_is_its_kl_divergence():
    """eps + exp(-eps) - 1 at eps = 1: D_t / t is largest at t = 1."""
    assert largest_ratio(Laplace(scale=1.0), 64.0) == pytest.approx(np.exp(-1.0), rel=1e-8)


# --- nothing, and too much ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "mechanism",
    [
        Gaussian(sigma=1.0) * 0,
        PoissonSampled(Gaussian(sigma=1.0), rate=0.0) * 9,
        PureDP(epsilon=0.0),
        ApproxDP(epsilon=0.0, delta=0.0),
        RandomizedResponse(epsilon=0.0),
    ],
    ids=repr,
)
def test_what_reveals_nothing_has_none(mechanism):
    assert directions(mechanism, *ORDERS) == [(0.0, 0.0)] * len(ORDERS)


TINY, HUGE = 5e-324, 1.7e308
EXTREME = [
    noise
    for value in (TINY, 1e-200, 1e-9, 1e9, 1e200, HUGE)
    for noise in (Gaussian(sigma=value), Laplace(scale=value), DiscreteLaplace(scale=value))
]


@pytest.mark.parametrize("noise", [*EXTREME, DiscreteGaussian(sigma=1e-9)], ids=repr)
@pytest.mark.parametrize("rate", [TINY, 1e-13, 0.5, 1 - 2**-53, 1.0])
def test_extremes_have_a_divergence_above_zero(noise, rate):
    orders = np.array([0.5, 1 - 2**-53, 1.0, 1 + 2**-52, 2.0, 1e6])
    for found in renyi_divergences(PoissonSampled(noise, rate=rate), orders):
        assert (found > 0.0).all()
        assert (found[1:] >= found[:-1] * (1 - 1e-9)).all()


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ([2.0, 0.49, 0.1], r"orders\[1\]=0.49 is outside \[0.5, 1e\+06\]"),
        ([np.nan], r"orders\[0\]=nan is outside"),
        ([1.0, 2.0, inf], r"orders\[2\]=inf is outside"),
    ],
)
def test_an_order_out_of_range_is_named(orders, message):
    with pytest.raises(InvalidArgument, match=message):
        renyi_divergences(Gaussian(sigma=1.0), np.array(orders))
