"""A curve for several records at once: the TPR composed with itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from gdpnum import (
    DPSGD,
    GDP,
    ApproxDP,
    InvalidArgument,
    InvalidType,
    PureDP,
    TradeoffCurve,
    fit_gdp,
    tradeoff_curve,
)
from gdpnum.curve.group import group_slack
from gdpnum.curve.piecewise import PiecewiseCurve
from tests.examples import examples

FPRS = np.concatenate([np.geomspace(1e-12, 0.5, 60), np.linspace(0.5, 1.0, 30)])


@pytest.mark.parametrize(
    ("mu", "records", "slack"), [(0.5, 2, 2.396e-9), (1.0, 3, 6.48e-6), (2.0, 5, 0.949)]
)
def test_the_slack_of_a_group(mu, records, slack):
    assert group_slack(mu, 1e-10, records) == pytest.approx(slack, rel=1e-3)


def test_the_group_of_a_gaussian_is_a_gaussian():
    assert GDP(mu=0.5).curve().group(4) == GDP(mu=2.0).curve()
    found = GDP(mu=0.5, slack=1e-10).curve().group(2)
    assert found.mu == 1.0
    assert found.slack == group_slack(0.5, 1e-10, 2)


@examples(40)
@given(st.floats(0.05, 2.0), st.floats(1e-12, 1e-3), st.integers(1, 4))
def test_mu_and_slack_of_a_group_bound_the_composed_tpr(mu, slack, records):
    reached = FPRS
    for _ in range(records):
        reached = np.minimum(1.0, ndtr(ndtri(reached) + mu) + slack)
    allowed = ndtr(ndtri(FPRS) + records * mu) + group_slack(mu, slack, records)
    assert np.all(reached <= allowed * (1.0 + 1e-11))


@examples(40)
@given(
    st.lists(st.tuples(st.floats(0.01, 3.0), st.floats(0.0, 0.1)), min_size=1, max_size=4),
    st.integers(2, 4),
)
def test_the_group_of_a_polygon_is_its_tpr_composed(claims, records):
    """From a few (epsilon, delta): exact, but for rounding, and never below."""
    epsilons = sorted({round(epsilon, 3) for epsilon, _ in claims})
    deltas = sorted((delta for _, delta in claims), reverse=True)[: len(epsilons)]
    curve = TradeoffCurve.from_profile(epsilons, deltas)
    reached = FPRS
    for _ in range(records):
        reached = curve.tpr(reached)
    if reached[0] >= 0.999:
        return
    found = curve.group(records).tpr(FPRS)
    assert np.all(found >= reached * (1.0 - 1e-13))
    assert np.all(found <= reached * (1.0 + 1e-9) + 1e-12)


def test_the_group_of_pure_dp_has_its_epsilon_times_as_large():
    group = PureDP(epsilon=0.5).curve().group(3)
    assert group.epsilon(0.0) == pytest.approx(1.5, rel=1e-12)
    # Inside it is better than pure DP with that epsilon alone says.
    assert group.delta(1.0) < PureDP(epsilon=1.5).curve().delta(1.0)


def test_the_group_of_a_computed_curve_dominates_its_composition():
    curve = tradeoff_curve(DPSGD(noise_multiplier=2.0, sample_rate=0.01, steps=2000))
    group = curve.group(3)
    reached = curve.tpr(curve.tpr(curve.tpr(FPRS)))
    assert np.all(group.tpr(FPRS) >= reached * (1.0 - 1e-13))
    # Of a curve that is computed where it is asked, a group is that of its chords.
    chords = PiecewiseCurve(curve.steep)
    reached = chords.tpr(chords.tpr(chords.tpr(FPRS)))
    assert np.all(group.tpr(FPRS) <= reached * (1.0 + 1e-6) + 1e-15)
    assert group.is_symmetric
    assert fit_gdp(group, slack=1e-6).mu < 3.0 * fit_gdp(curve, slack=1e-10).mu * 1.5


def test_one_record_is_the_curve():
    curve = PureDP(epsilon=0.5).curve()
    assert curve.group(1) == curve


def test_what_says_nothing_any_more_is_refused():
    with pytest.raises(InvalidArgument, match="bounded by nothing"):
        GDP(mu=5.0, slack=1e-3).curve().group(10)
    with pytest.raises(InvalidArgument, match="bounded by nothing"):
        ApproxDP(epsilon=3.0, delta=0.3).curve().group(20)


@pytest.mark.parametrize(
    ("records", "error"), [(0, InvalidArgument), (-2, InvalidArgument), (1.5, InvalidType)]
)
def test_groups_that_cannot_be_are_refused(records, error):
    with pytest.raises(error, match="records"):
        PureDP(epsilon=0.5).curve().group(records)
