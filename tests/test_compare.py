"""Comparison: the order is the one that attacks would find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdpnum import (
    DPSGD,
    GDP,
    ApproxDP,
    BudgetExceeded,
    Gaussian,
    InvalidArgument,
    InvalidType,
    KnownCurve,
    Laplace,
    PoissonSampled,
    PureDP,
    TradeoffCurve,
    advantage_from_mu,
    delta_divergence,
    fit_gdp,
    mu_from_epsilon_delta,
    statement,
    tradeoff_curve,
)
from gdpnum.comparison import compare
from tests.examples import examples

RUN = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000)


def test_eight_at_a_tiny_delta_is_more_private_than_six_at_a_larger_one():
    """The paper's example: Gaussian mechanisms with the epsilons that they would report."""
    eight = GDP(mu=mu_from_epsilon_delta(8.0, 1e-9))
    six = GDP(mu=mu_from_epsilon_delta(6.0, 1e-5))
    found = compare(eight, six)
    assert found.order == "more private"
    assert found.crossing is None
    assert found.mus == (eight.mu, six.mu)
    assert eight.mu < six.mu
    assert eight.curve().epsilon(1e-5) < 6.0
    assert six.curve().epsilon(1e-9) > 8.0
    assert "[0] against [1]: more private" in str(found)


@given(st.floats(0.1, 5.0), st.floats(0.1, 5.0))
@examples(30)
def test_gaussians_are_ordered_by_their_noise(one, two):
    found = compare(Gaussian(sigma=one), Gaussian(sigma=two))
    expected = "equal" if one == two else "more private" if one > two else "less private"
    # Curves whose TPRs agree to eleven digits count as equal.
    if one == two or abs(one - two) > 1e-9:
        assert found.order == expected
    apart = abs(advantage_from_mu(1.0 / one) - advantage_from_mu(1.0 / two)) / 2.0
    assert found.delta_divergence == pytest.approx(apart, abs=1e-9)


def test_the_order_turns_round_with_the_subjects():
    opposite = {"less private": "more private", "more private": "less private"}
    for one, two in [(GDP(mu=1.0), GDP(mu=2.0)), (RUN, GDP(mu=2.0)), (PureDP(epsilon=0.1), RUN)]:
        there, back = compare(one, two), compare(two, one)
        assert back.order == opposite[there.order]
        assert there.pairings[0].forward == back.pairings[0].backward
        assert there.delta_divergence == back.delta_divergence


def test_curves_that_cross_come_with_the_place_and_a_witness_for_each_side():
    found = compare(GDP(mu=0.5), PureDP(epsilon=1.0))
    assert found.order == "incomparable"
    crossing = found.crossing
    gaussian, pure = GDP(mu=0.5).curve(), PureDP(epsilon=1.0).curve()
    # Pure DP allows exp(eps) alpha at most, below the Gaussian curve where alpha is small.
    assert gaussian.tpr(crossing.alpha) == pytest.approx(pure.tpr(crossing.alpha), rel=1e-12)
    assert crossing.tpr == pytest.approx(2.718281828 * crossing.alpha, rel=1e-9)
    assert crossing.lower.alpha < crossing.alpha < crossing.higher.alpha
    assert crossing.lower.first_tpr > crossing.lower.second_tpr
    assert crossing.higher.first_tpr < crossing.higher.second_tpr
    assert "they cross at FPR" in str(found)


def test_a_mechanism_crosses_another_where_attacks_on_them_do():
    """Rare events of sampling against frequent ones of plain noise, looked at on a finer curve."""
    plain = Gaussian(sigma=2.0)
    crossing = compare(RUN, plain).crossing
    fine = tradeoff_curve(RUN, tolerance=1e-5)
    for factor, leads in ((0.9, True), (1.1, False)):
        alpha = crossing.alpha * factor
        assert (fine.tpr(alpha) > tradeoff_curve(plain).tpr(alpha)) is leads
    assert fine.tpr(crossing.lower.alpha) > crossing.lower.second_tpr
    assert fine.tpr(crossing.higher.alpha) < crossing.higher.second_tpr


@pytest.mark.parametrize(
    ("more", "less"),
    [
        (DPSGD(noise_multiplier=1.01, sample_rate=0.01, steps=1000), RUN),
        (DPSGD(noise_multiplier=1.0, sample_rate=0.0099, steps=1000), RUN),
        (DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=990), RUN),
        (RUN, RUN + Laplace(scale=20.0)),
        (PoissonSampled(Laplace(scale=1.0), rate=0.5) * 3, Laplace(scale=1.0) * 3),
        (Laplace(scale=1.0), PureDP(epsilon=1.0)),
        (RUN, GDP(mu=fit_gdp(RUN).mu, slack=1e-10)),
        (RUN, fit_gdp(RUN)),
        (PureDP(epsilon=1.0), ApproxDP(epsilon=1.0, delta=1e-6)),
    ],
)
def test_what_is_more_private_by_construction_is_found_to_be(more, less):
    """More noise, less sampling, fewer releases; and a mechanism against its own summary."""
    assert compare(more, less).order == "more private"
    assert compare(less, more).order == "less private"


def test_mechanisms_within_the_tolerance_are_too_close_to_call():
    near = DPSGD(noise_multiplier=1.00001, sample_rate=0.01, steps=1000)
    assert compare(RUN, near).order == "too close to call"
    assert compare(RUN, near, tolerance=1e-6).order == "less private"
    assert compare(RUN, RUN).order == "too close to call"


def test_a_statement_stands_for_its_run():
    """The points it keeps would make it the less private one."""
    noisier = DPSGD(noise_multiplier=1.001, sample_rate=0.01, steps=1000)
    assert compare(statement(noisier), RUN).order == "more private"
    assert compare(RUN, statement(noisier)).order == "less private"
    assert compare(statement(RUN), RUN).order == "too close to call"


@pytest.mark.parametrize("given", [lambda curve: curve, KnownCurve])
def test_a_curve_that_may_be_computed_leads_a_mechanism_by_more_than_its_tolerance(given):
    """A computed curve lies below the exact one, so that it looks less private."""
    near = DPSGD(noise_multiplier=0.9999, sample_rate=0.01, steps=1000)
    computed = given(tradeoff_curve(RUN))
    assert compare(computed, near).order == "too close to call"
    assert compare(near, computed).order == "too close to call"
    assert compare(computed, RUN).order == "too close to call"
    far = DPSGD(noise_multiplier=0.98, sample_rate=0.01, steps=1000)
    assert compare(computed, far).order == "more private"


def test_fits_of_nearly_the_same_are_too_close_to_call():
    near = DPSGD(noise_multiplier=1.0 - 1e-8, sample_rate=0.01, steps=1000)
    assert compare(fit_gdp(RUN), fit_gdp(near)).order == "too close to call"
    far = DPSGD(noise_multiplier=0.98, sample_rate=0.01, steps=1000)
    assert compare(fit_gdp(RUN), fit_gdp(far)).order == "more private"


def test_large_mus_are_ordered_although_their_errors_underflow():
    assert compare(GDP(mu=38.0), GDP(mu=76.0)).order == "more private"
    assert compare(GDP(mu=160.0), GDP(mu=80.0)).order == "less private"
    assert compare(GDP(mu=160.0), GDP(mu=80.0, slack=1e-3)).order == "incomparable"


def test_the_order_of_mechanisms_says_at_which_rates_it_holds():
    computed, known = compare(RUN, GDP(mu=2.0)), compare(GDP(mu=1.0), GDP(mu=2.0))
    assert computed.pairings[0].smallest_fpr == 1e-12
    assert "more private at FPRs of 1e-12 or more, Delta" in str(computed)
    assert known.pairings[0].smallest_fpr == 0.0
    assert "more private, Delta" in str(known)


def test_printed_rates_are_rounded_up():
    found = compare(RUN, Gaussian(sigma=2.0))
    crossing = found.crossing
    printed = str(found).split("(TPR ")[1]
    lower, higher = printed.split(" and ")
    for text, one in ((lower, crossing.lower), (higher, crossing.higher)):
        first, _, second, *_ = text.split()
        assert one.first_tpr <= float(first) <= 1.01 * one.first_tpr
        assert one.second_tpr <= float(second) <= 1.01 * one.second_tpr


def test_where_mu_has_no_narrow_bracket_the_curve_has_one_from_above():
    rare = PoissonSampled(Gaussian(sigma=0.3), rate=1e-9) * 2
    with pytest.raises(BudgetExceeded):
        fit_gdp(rare, tolerance=1e-4)
    found = compare(rare, GDP(mu=0.5))
    assert found.order == "more private"
    assert 1e-5 < found.mus[0] < 1e-4


def test_curves_that_are_known_are_equal_when_they_are():
    assert compare(GDP(mu=1.0), Gaussian(sigma=1.0)).order == "equal"
    assert compare(GDP(mu=5.0), Gaussian(sigma=0.8) * 16).order == "equal"
    curve = PureDP(epsilon=1.0).curve()
    assert compare(curve, TradeoffCurve.from_profile([1.0], [0.0])).order == "equal"


def test_the_distance_is_the_delta_divergence_of_the_curves():
    one, two = GDP(mu=1.0), PureDP(epsilon=1.0)
    found = compare(one, two).pairings[0]
    assert found.forward == delta_divergence(one, two)
    assert found.backward == delta_divergence(two, one)
    assert found.delta_divergence == delta_divergence(one, two, symmetric=True)


def test_a_curve_that_is_not_symmetric_is_compared_on_both_halves():
    """Below each other on one half only, seen with the roles of the errors exchanged."""
    steep = TradeoffCurve.from_vertices([0.0, 0.1, 1.0], [1.0, 0.6, 0.0])
    other = TradeoffCurve.from_vertices([0.0, 0.1, 0.5, 1.0], [1.0, 0.6, 0.1, 0.0])
    assert compare(steep, other).order == "more private"
    # Against its own inverse: better at small alpha, worse at small beta.
    crossing = compare(steep, steep.inverse()).crossing
    assert steep.tpr(crossing.alpha) == pytest.approx(steep.inverse().tpr(crossing.alpha))


def test_several_subjects_are_compared_in_pairs():
    found = compare(GDP(mu=1.0), GDP(mu=2.0), GDP(mu=1.0), slack=0.0)
    assert len(found.pairings) == 3
    assert found.between(0, 1).order == found.order == "more private"
    assert found.between(0, 2).order == "equal"
    assert found.between(1, 2).order == "less private"
    assert found.mus == (1.0, 2.0, 1.0)
    assert found.advantages[0] == pytest.approx(advantage_from_mu(1.0))
    for one, two in [(1, 0), (0, 3), (1, 1), (-2, -1)]:
        with pytest.raises(InvalidArgument, match=r"no pair|below 0"):
            found.between(one, two)


def test_a_long_description_is_shortened_in_the_table():
    long = Gaussian(sigma=1.0)
    for scale in range(2, 12):
        long = long + Laplace(scale=float(scale))
    rows = str(compare(long, TradeoffCurve.from_profile([1.0], [0.0]))).splitlines()
    assert all(len(row) < 110 for row in rows[:3])
    assert "PiecewiseCurve" in rows[2]


def test_bad_input_is_refused():
    with pytest.raises(InvalidType, match="two or more"):
        compare(RUN)
    with pytest.raises(InvalidType, match=r"subjects\[1\]"):
        compare(RUN, 1.0)
    with pytest.raises(InvalidArgument, match="slack"):
        compare(RUN, RUN, slack=-1.0)
    with pytest.raises(InvalidArgument, match="tolerance"):
        compare(RUN, RUN, tolerance=0.0)
    with pytest.raises(InvalidArgument, match="add_remove and replace"):
        compare(Gaussian(sigma=1.0), Gaussian(sigma=1.0, neighbouring="replace"))
