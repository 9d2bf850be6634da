import datetime
import math
import re

import numpy as np
import pytest

import gdpnum
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.statements import statement

SMALL = gdpnum.Gaussian(sigma=2.0)


@pytest.mark.parametrize("name", ["headline", "not_a_good_summary", "rare_events", "laplace"])
def test_numbers_are_those_of_the_fit_and_the_curve(stated, name):
    found = stated(name)
    fit, curve = gdpnum.fit_gdp(found.run), gdpnum.tradeoff_curve(found.run)
    for field in ("mu", "mu_lower", "slack", "regret", "tail_ratio", "advantage", "tolerance"):
        assert getattr(found, field) == getattr(fit, field)
    for row in found.tpr:
        # Kept as a point of the curve's chords: two bounds on one number.
        assert row.tpr == pytest.approx(curve.tpr(row.fpr), rel=2e-5)
        assert row.tpr <= row.tpr_gdp + 1e-9  # both are bounds
        assert row.tpr_gdp == fit.tpr(row.fpr)
    for row in found.epsilon:
        # Asked one by one or together, an epsilon is sought to a relative 1e-11.
        alone = min(curve.epsilon(row.delta), found.pure_epsilon)
        assert row.epsilon == pytest.approx(alone, rel=2e-11)


def test_the_headline_is_that_of_the_paper(stated):
    found = stated("headline")
    assert f"{found.mu:.2f} {found.regret:.3f}" == "1.57 0.001"
    (tpr,) = [row.tpr for row in found.tpr if row.fpr == 0.1]
    assert f"{tpr:.2f}" == "0.61"


def test_the_table_has_the_fpr_at_which_errors_are_equal(stated):
    found = stated("headline")
    row = found.tpr[-1]
    assert row.fpr == 0.5 * (1.0 - found.advantage)
    assert row.tpr == pytest.approx(1.0 - row.fpr, abs=1e-9)


def test_the_size_of_the_dataset_adds_two_deltas(stated):
    """1 / N, and N^-1.1 = exp(-1.1 log N) for N = 50,000."""
    deltas = [row.delta for row in stated("headline").epsilon]
    power = math.exp(-1.1 * math.log(50_000))
    assert deltas == pytest.approx([2e-5, 1e-5, power, 1e-6, 1e-9], rel=1e-12, abs=0.0)
    text = stated("headline").to_markdown()
    assert re.search(r"\| 2e-5 \| [\d.]+ \(delta 1 / size\) \|", text)
    assert re.search(r"\| 6\.779e-6 \| [\d.]+ \(delta size\^-1\.1\) \|", text)


def test_a_dataset_beyond_the_floats_has_no_such_delta():
    found = statement(gdpnum.Laplace(scale=1.0), dataset_size=10**300)
    assert min(row.delta for row in found.epsilon) == 1e-300


def test_between_points_of_the_curve_the_next_one_is_a_bound(stated):
    for name in ("headline", "not_a_good_summary", "laplace"):
        found = stated(name)
        fprs, tprs = np.array(found.curve_points.fpr), np.array(found.curve_points.tpr)
        assert (fprs[0], fprs[-1]) == (0.0, 1.0)
        between = 0.5 * (fprs[1:] + fprs[:-1])
        curve = gdpnum.tradeoff_curve(found.run)
        assert (np.asarray(curve.tpr(between)) <= tprs[1:]).all()
        by_mu = np.array(found.curve_points.tpr_gdp)
        near = np.isclose(curve.tpr(fprs), tprs, rtol=1e-5, atol=1e-15)
        assert (near | (by_mu == tprs)).all()


def test_the_curve_kept_never_flatters_and_is_close(stated):
    for name in ("headline", "not_a_good_summary"):
        found = stated(name)
        kept, curve = found.curve(), PiecewiseCurve(gdpnum.tradeoff_curve(found.run).steep)
        alphas = np.concatenate([np.geomspace(1e-12, 0.1, 200), np.linspace(0.1, 1.0, 200)])
        by_mu = gdpnum.GDP(mu=found.mu, slack=found.slack).curve()
        either = np.minimum(np.asarray(curve.tpr(alphas)), np.asarray(by_mu.tpr(alphas)))
        excess = np.asarray(kept.tpr(alphas)) - either
        assert excess.min() >= -1e-12
        assert excess.max() < 2e-3


def test_a_fallback_is_there_exactly_where_mu_is_not_a_good_summary(stated):
    found = stated("not_a_good_summary").fallback
    curve = gdpnum.tradeoff_curve(stated("not_a_good_summary").run)
    for row in found.profile:
        # Sums of many points at once are rounded in another order.
        assert row.delta == pytest.approx(curve.delta(row.epsilon), rel=1e-12)
    exact = gdpnum.TruncatedCDP.fit(stated("not_a_good_summary").run, cap=found.truncated_cdp.cap)
    assert found.truncated_cdp == exact
    # Of all caps this one does well: within a few units of the true epsilon.
    implied = found.truncated_cdp.curve().epsilon(1e-5)
    assert curve.epsilon(1e-5) <= implied <= 1.3 * curve.epsilon(1e-5)


def test_a_bounded_loss_has_a_pure_epsilon(stated):
    found = stated("laplace")
    assert found.pure_epsilon == 1.0
    assert found.fallback.profile[-1] == (1.0, 0.0)
    assert math.isinf(stated("headline").pure_epsilon)


def test_the_same_input_gives_the_same_statement():
    assert statement(SMALL) == statement(SMALL)
    assert statement(SMALL).to_json() == statement(SMALL).to_json()
    assert statement(SMALL).date is None


@pytest.mark.parametrize(
    "subject",
    [
        gdpnum.GDP(mu=0.5),
        gdpnum.GDP(mu=0.5).curve(),
        gdpnum.KnownCurve(gdpnum.GDP(mu=0.5).curve()),
        SMALL,
        statement(SMALL),
        gdpnum.fit_gdp(SMALL, slack=0.0),
    ],
    ids=repr,
)
def test_curves_and_representations_are_stated_like_mechanisms(subject):
    found = statement(subject)
    assert found.mu == 0.5
    assert found.regret == pytest.approx(0.5 * found.slack, rel=1e-3)  # of the slack alone
    assert found.tpr[:-1] == statement(SMALL).tpr[:-1]


def test_an_asymmetric_curve_is_stated_for_both_directions():
    curve = gdpnum.TradeoffCurve.from_vertices([0.0, 0.1, 1.0], [0.9, 0.25, 0.0])
    found = statement(curve, fprs=[0.1, 0.25])
    assert found.tpr[0].tpr >= curve.tpr(0.1)
    assert found.tpr[-1].tpr >= curve.inverse().tpr(found.tpr[-1].fpr)


@pytest.mark.parametrize(
    "given", [datetime.date(2026, 3, 1), datetime.datetime(2026, 3, 1, 12), "2026-03-01"]
)
def test_a_date_is_kept_as_text(given):
    assert statement(SMALL, date=given).date == "2026-03-01"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"deltas": [2.0]}, r"deltas\[0\]=2.0 is outside"),
        ({"deltas": 1e-5}, "deltas=1e-05 is of type float, not a list"),
        ({"fprs": [0.1, "x"]}, r"fprs\[1\]='x' is of type str"),
        ({"dataset_size": 0}, "dataset_size=0 is below 1"),
        ({"dataset_size": 10**401}, "dataset_size=1000.* is not a finite float"),
        ({"name": 3}, "name=3 is of type int, not a text"),
        ({"date": "yesterday"}, "date='yesterday' is not a date"),
        ({"slack": 1.0}, "slack=1.0 is outside"),
        ({"tolerance": 0.0}, "tolerance=0.0 is not positive"),
    ],
)
def test_bad_input_is_refused(options, words):
    with pytest.raises(gdpnum.GdpnumError, match=words):
        statement(SMALL, **options)


def test_what_is_no_mechanism_is_refused():
    with pytest.raises(gdpnum.InvalidType, match="mechanism=3 has no trade-off curve"):
        statement(3)


def test_without_slack_mu_is_that_of_no_amplification():
    run = gdpnum.DPSGD(noise_multiplier=10.0, sample_rate=0.1, steps=25)
    found = statement(run, slack=0.0)
    assert found.mu == pytest.approx(0.5, rel=1e-12)
    assert "sampling then earns nothing" in " ".join(str(found).split())
    assert "sampling" not in str(statement(SMALL, slack=0.0))


def test_fprs_of_zero_and_one_are_answered():
    for run in (SMALL, gdpnum.ApproxDP(epsilon=1.0, delta=1e-5)):
        found = statement(run, fprs=[0.0, 1.0], deltas=[0.0, 1.0])
        assert all(0.0 <= value <= 1.0 for row in found.tpr for value in row)
        assert [row.delta for row in found.epsilon] == [1.0, 0.0]
        assert not any(math.isnan(row.epsilon) for row in found.epsilon)


def test_an_advantage_of_one_has_no_fpr_at_which_errors_are_equal():
    found = statement(gdpnum.Gaussian(sigma=0.01))
    assert found.tpr[0].fpr == 1e-10
    assert "equal errors" not in str(found) + found.to_markdown() + found.to_html()
    assert "equal errors" not in str(statement(gdpnum.Gaussian(sigma=0.01), fprs=[0.0]))


def test_a_table_may_be_empty():
    run = gdpnum.DPSGD(noise_multiplier=0.3, sample_rate=0.5, steps=30)
    found = statement(run, fprs=[], deltas=[])
    assert found.tpr == found.epsilon == ()
    assert all((str(found), found.to_markdown(), found.to_latex(), found.to_html()))
    assert type(found).from_json(found.to_json()) == found


def test_the_reason_is_the_fact_and_no_advice(stated):
    reason = stated("no_finite_mu").reason
    assert reason == "privacy loss is unbounded with probability 1e-05, above slack=1e-10"
