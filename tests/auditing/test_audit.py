"""`audit` and `audit_one_run` as they are called: what they show, keep, refuse and say."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

import gdpnum
from gdpnum import DPSGD, GDP, AuditResult, Gaussian, InvalidArgument, InvalidType, PureDP
from gdpnum.auditing.cuts import RATES
from gdpnum.auditing.roc import DRAWN_FPRS, Roc
from tests.examples import examples


def quantiles(number, mu=0.0):
    return ndtri((np.arange(number) + 0.5) / number) + mu


@pytest.fixture(scope="module")
def shown():
    return gdpnum.audit(quantiles(2000, 1.0), quantiles(1500), claim=GDP(mu=0.5, slack=1e-10))


@pytest.fixture(scope="module")
def guessed():
    rng = np.random.default_rng(3)
    included = rng.random(4000) < 0.5
    return gdpnum.audit_one_run(rng.normal(size=4000) + included, included, claim=0.5)


# --- power --------------------------------------------------------------------------------------


def test_ten_thousand_canaries_show_nine_tenths_of_a_mu_of_one():
    found = gdpnum.audit(quantiles(5000, 1.0), quantiles(5000))
    assert 0.9 < found.mu_lower < 1.0
    # And so they do in most draws.
    rng = np.random.default_rng(4)
    bounds = [
        gdpnum.audit(rng.normal(1.0, size=5000), rng.normal(size=5000)).mu_lower for _ in range(9)
    ]
    assert np.median(bounds) > 0.9


@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
def test_more_runs_come_closer_to_the_truth(mu):
    bounds = [gdpnum.audit(quantiles(n, mu), quantiles(n)).mu_lower for n in (100, 1000, 100_000)]
    assert bounds[0] < bounds[1] < bounds[2] < mu
    assert bounds[2] > mu - 0.05


def test_a_mechanism_that_does_not_do_what_it_claims_is_refuted_by_its_curve():
    # Epsilon of 1 claimed, twice that spent; no mu is in play.
    rng = np.random.default_rng(5)
    answers = {bit: rng.random(3000) < 1 / (1 + math.exp(2.0 * (1 - 2 * bit))) for bit in (0, 1)}
    found = gdpnum.audit(1.0 * answers[1], 1.0 * answers[0], claim=PureDP(epsilon=1.0))
    assert found.refuted
    assert 1.0 < found.epsilon(0.0) < 2.0
    assert not gdpnum.audit(1.0 * answers[1], 1.0 * answers[0], claim=PureDP(epsilon=2.0)).refuted


# --- numbers ------------------------------------------------------------------------------------


def test_what_is_read_off_agrees(shown):
    assert shown.refuted
    assert shown.p_value <= 0.05
    assert shown.mu_lower > 0.5
    assert (shown.slack, shown.claim_mu) == (1e-10, 0.5)
    assert shown.advantage_lower < shown.advantage
    assert shown.auc_lower < shown.auc == pytest.approx(float(gdpnum.GDP(mu=1.0).advantage), abs=1)
    for fpr in (0.0, 0.001, 0.1, 0.5, 1.0):
        assert fpr <= shown.tpr(fpr) <= gdpnum.GDP(mu=1.0).tpr(fpr) + 1e-12
    assert shown.epsilon(1e-5) < gdpnum.epsilon_from_mu(1.0, 1e-5)
    assert shown.epsilon(1e-5) < shown.epsilon(1e-5, assuming="gaussian")
    assert shown.epsilon(1e-5, assuming="gaussian") <= gdpnum.epsilon_from_mu(shown.mu_lower, 1e-5)
    assert shown.epsilon(1.0) == 0.0


def test_the_area_and_the_advantage_are_those_of_all_pairs():
    rng = np.random.default_rng(6)
    included, out = rng.integers(0, 6, 40), rng.integers(0, 5, 30)
    wins = (included[:, None] > out).mean() + 0.5 * (included[:, None] == out).mean()
    rates = [(included >= t).mean() - (out >= t).mean() for t in range(7)]
    found = gdpnum.audit(included, out)
    assert found.auc == pytest.approx(wins, abs=1e-15)
    assert found.advantage == pytest.approx(max(0.0, *rates), abs=1e-15)


def test_the_area_of_chunks_is_that_of_the_whole(monkeypatch):
    roc = Roc.of(quantiles(500, 0.7), quantiles(300))
    whole = roc.auc_and_advantage()
    monkeypatch.setattr("gdpnum.auditing.roc._CHUNK", 7)
    assert roc.auc_and_advantage() == whole


@pytest.mark.parametrize("step", [1e-9, 0.5])
def test_the_band_holds_the_truth_as_often_as_it_says(step):
    # Ties of half a standard deviation, or none; the truth of the rounded scores, by a large draw.
    rng, audits, inside = np.random.default_rng(7), 200, 0
    large = Roc.of(
        np.floor(rng.normal(1.0, size=400_000) / step), np.floor(rng.normal(size=400_000) / step)
    )
    truth = np.array([[row.lower, row.upper] for row in large.band(1e-6)])
    for _ in range(audits):
        rows = Roc.of(
            np.floor(rng.normal(1.0, size=150) / step), np.floor(rng.normal(size=100) / step)
        ).band(0.1)
        found = np.array([[row.lower, row.upper] for row in rows])
        inside = inside + ((found[:, 0] <= truth[:, 1]) & (found[:, 1] >= truth[:, 0]))
    assert (inside >= audits * 0.9 - 4.8 * math.sqrt(audits * 0.09)).all()


def test_the_band_is_about_the_scores_and_in_order(shown):
    assert [row.fpr for row in shown.roc] == list(DRAWN_FPRS)
    assert list(DRAWN_FPRS) == sorted(set(DRAWN_FPRS))
    for row in shown.roc:
        assert 0.0 <= row.lower <= row.tpr <= row.upper <= 1.0


def test_a_fixed_threshold_counts_who_reaches_it():
    found = gdpnum.audit([0.0, 1.0, 2.0], [0.0, 1.0], threshold=1.0)
    (cut,) = found.cuts
    assert tuple(cut.counts) == (1, 2, 1, 3)
    assert found.rule == "fixed"


def test_ranks_are_fixed_by_the_numbers_alone():
    rng = np.random.default_rng(8)
    for n_in, n_out in ((1, 1), (7, 90), (1000, 20_000)):
        first, second = (
            gdpnum.audit(rng.normal(size=n_in), rng.standard_cauchy(n_out)) for _ in range(2)
        )
        ranks = [
            [
                one.counts.false_positives if one.strict else one.counts.false_negatives
                for one in cuts
            ]
            for cuts in (first.cuts, second.cuts)
        ]
        assert ranks[0] == ranks[1]
        assert len(first.cuts) <= 2 * len(RATES)


# --- what comes in ------------------------------------------------------------------------------


@given(
    included=st.lists(st.floats(-5, 5, width=16), min_size=1, max_size=30),
    out=st.lists(st.floats(-5, 5, width=16), min_size=1, max_size=30),
    threshold=st.sampled_from(["bonferroni", 0.0]),
)
@examples(40)
def test_only_the_order_of_scores_matters(included, out, threshold):
    one = gdpnum.audit(included, out, threshold=threshold, claim=1.0)
    stretched = [[math.sinh(score) for score in scores[::-1]] for scores in (included, out)]
    other = gdpnum.audit(*stretched, threshold=threshold, claim=1.0)
    assert one.mu_lower == other.mu_lower
    assert (one.p_value, one.auc, one.advantage) == (other.p_value, other.auc, other.advantage)
    assert one.refuted == (one.p_value <= 1 - 0.95)


def test_constants_show_nothing():
    found = gdpnum.audit(np.full(500, 0.3), np.full(400, 0.3), claim=0.0)
    assert (found.mu_lower, found.refuted, found.auc, found.advantage) == (0.0, False, 0.5, 0.0)
    assert found.epsilon(0.0) == 0.0
    included = np.arange(500) < 250
    assert gdpnum.audit_one_run(np.full(500, 0.3), included).guesses.correct == 0


def test_perfect_scores_show_what_so_many_can():
    found = gdpnum.audit(np.ones(1000), np.zeros(1000), claim=3.0)
    assert found.refuted
    assert 4.0 < found.mu_lower < 6.0
    assert found.auc == found.advantage == 1.0
    infinite = gdpnum.audit(np.full(1000, math.inf), np.full(1000, -math.inf), claim=3.0)
    assert infinite.mu_lower == found.mu_lower
    assert AuditResult.from_json(infinite.to_json()) == infinite


def test_integers_lists_and_single_precision_do():
    rng = np.random.default_rng(9)
    scores = rng.integers(0, 50, 200), rng.integers(0, 40, 300)
    bounds = {
        gdpnum.audit(*pair).mu_lower
        for pair in (scores, [s.tolist() for s in scores], [s.astype(np.float32) for s in scores])
    }
    assert len(bounds) == 1


def test_the_same_scores_show_the_same(shown):
    rng = np.random.default_rng(10)
    scores = rng.normal(1.0, size=300), rng.normal(size=300)
    for threshold in ("bonferroni", "split"):
        assert gdpnum.audit(*scores, threshold=threshold) == gdpnum.audit(
            *scores, threshold=threshold
        )


def test_a_caller_may_have_errors_raised():
    with np.errstate(all="raise"):
        gdpnum.audit(
            [1.0, 2.0, 3.0],
            [0.0, 1.0],
            claim=DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=10),
        ).to_json()
        gdpnum.audit([1.0] * 50, [0.0] * 50, threshold="split", claim=2.0)
        str(gdpnum.audit_one_run(np.arange(40.0), np.arange(40) % 2, claim=0.3))


@pytest.mark.slow
def test_ten_million_scores_within_memory(three_gigabytes):
    rng = np.random.default_rng(11)
    included = rng.standard_normal(5_000_000, dtype=np.float32) + np.float32(1.0)
    found = gdpnum.audit(included, rng.standard_normal(5_000_000, dtype=np.float32), claim=0.99)
    assert 0.99 < found.mu_lower < 1.0
    assert found.refuted


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: gdpnum.audit([], [1.0]), InvalidArgument, "scores_in is empty"),
        (lambda: gdpnum.audit([1.0], []), InvalidArgument, "scores_out is empty"),
        (lambda: gdpnum.audit([1.0, math.nan], [1.0]), InvalidArgument, r"scores_in\[1\] is NaN"),
        (lambda: gdpnum.audit([[1.0]], [1.0]), InvalidArgument, "scores_in=.* has 2 dimensions"),
        (lambda: gdpnum.audit(["a"], [1.0]), InvalidType, "not numbers"),
        (lambda: gdpnum.audit([True], [1.0]), InvalidType, "not numbers"),
        (lambda: gdpnum.audit([1.0], [1.0], confidence=1.0), InvalidArgument, "confidence=1.0"),
        (lambda: gdpnum.audit([1.0], [1.0], confidence=0.05), InvalidArgument, "such as 0.95"),
        (lambda: gdpnum.audit([1.0], [1.0], threshold="best"), InvalidType, "fixed in advance"),
        (lambda: gdpnum.audit([1.0], [1.0], threshold=math.nan), InvalidArgument, "threshold=nan"),
        (lambda: gdpnum.audit([1.0], [1.0], threshold="split"), InvalidArgument, "cannot be split"),
        (lambda: gdpnum.audit([1.0], [1.0], method="exact"), InvalidArgument, "method='exact'"),
        (lambda: gdpnum.audit([1.0], [1.0], claim=-1.0), InvalidArgument, "claim=-1.0 is negative"),
        (
            lambda: gdpnum.audit([1.0], [1.0], claim="mu"),
            InvalidType,
            "claim='mu' has no trade-off",
        ),
        (lambda: gdpnum.audit([1.0], [1.0], slack=1.0), InvalidArgument, "slack=1.0"),
        (lambda: gdpnum.audit([1.0], [1.0]).epsilon(2.0), InvalidArgument, "delta=2.0"),
        (
            lambda: gdpnum.audit([1.0], [1.0]).epsilon(0.1, assuming="normal"),
            InvalidArgument,
            "assuming='normal'",
        ),
        (lambda: gdpnum.audit([1.0], [1.0]).tpr(-0.1), InvalidArgument, "fpr=-0.1"),
        (lambda: gdpnum.audit_one_run([], []), InvalidArgument, "scores is empty"),
        (lambda: gdpnum.audit_one_run([1.0], [True]), InvalidArgument, "True for every canary"),
        (lambda: gdpnum.audit_one_run([1.0, 2.0], [0, 0]), InvalidArgument, "False for every"),
        (lambda: gdpnum.audit_one_run([1.0, 2.0], [0, 2]), InvalidType, "zeros and ones"),
        (lambda: gdpnum.audit_one_run([1.0, 2.0], [1]), InvalidArgument, "the shape"),
        (lambda: gdpnum.audit_one_run([1.0, math.nan], [1, 0]), InvalidArgument, "is NaN"),
        (
            lambda: gdpnum.audit_one_run([1.0, 2.0], [1, 0], guesses=3),
            InvalidArgument,
            "asks for 3 of 2",
        ),
        (lambda: gdpnum.audit_one_run([1.0, 2.0], [1, 0], guesses=0), InvalidArgument, "0 of 2"),
        (lambda: gdpnum.audit_one_run([1.0, 2.0], [1, 0], guesses=[1]), InvalidType, "not an int"),
        (
            lambda: gdpnum.audit_one_run([1.0, 2.0], [1, 0], guesses=(1, 1, 1)),
            InvalidType,
            "is no pair",
        ),
        (
            lambda: gdpnum.audit_one_run([1.0, 2.0], [1, 0], guesses="best"),
            InvalidArgument,
            "guesses='best'",
        ),
        (
            lambda: gdpnum.audit_one_run([1.0, 2.0], [1, 0], guesses="split"),
            InvalidArgument,
            "too few to split",
        ),
    ],
)
def test_bad_input_is_refused_with_advice(call, error, said):
    with pytest.raises(error, match=said):
        call()


# --- one run ------------------------------------------------------------------------------------


def test_guesses_are_the_ends():
    scores, included = np.arange(10.0), np.array([0, 1, 0, 0, 0, 1, 0, 1, 0, 1], dtype=bool)
    found = gdpnum.audit_one_run(scores, included, guesses=(3, 2))
    assert found.guesses == (10, 5, 3)
    assert gdpnum.audit_one_run(scores, included, guesses=3).guesses == (10, 3, 2)
    assert gdpnum.audit_one_run(scores, included).guesses == (10, 2, 2)


def test_ties_are_broken_against_the_attack():
    scores = np.array([1.0, 1.0, 1.0, 0.0, 0.0])
    included = np.array([True, True, False, True, False])
    assert gdpnum.audit_one_run(scores, included, guesses=2).guesses.correct == 1
    assert gdpnum.audit_one_run(scores, included, guesses=(0, 1)).guesses.correct == 0
    # Whatever order they come in.
    order = [2, 4, 0, 1, 3]
    again = gdpnum.audit_one_run(scores[order], included[order], guesses=2)
    assert again.guesses.correct == 1


def test_the_runs_own_curve_can_be_the_claim(guessed):
    rng = np.random.default_rng(12)
    included = rng.random(3000) < 0.5
    scores = rng.normal(size=3000) + 3.0 * included
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.05, steps=100)
    assert gdpnum.audit_one_run(scores, included, claim=run).refuted
    assert not gdpnum.audit_one_run(scores, included, claim=Gaussian(sigma=0.2)).refuted
    assert guessed.refuted == (guessed.p_value <= 1 - 0.95)


# --- told ---------------------------------------------------------------------------------------


def test_it_never_confirms(shown, guessed):
    missed = gdpnum.audit([1.0, 2.0], [0.0, 1.0], claim=5.0)
    assert missed.verdict == "not refuted at level 0.05"
    assert shown.verdict == "refuted at level 0.05"
    assert gdpnum.audit([1.0], [0.0]).verdict is None
    for found in (shown, guessed, missed):
        for text in (str(found), repr(found), found._repr_html_(), *found.sentences()):
            assert "confirm" not in text
            assert "proved private" not in text


def test_numbers_are_told_to_their_safe_side(shown):
    rows = {name: value for name, value, _ in shown.rows()}
    assert float(rows["mu"]) <= shown.mu_lower
    assert float(rows["mu claimed"]) >= 0.5
    assert float(rows["TPR at FPR 0.01"]) <= shown.tpr(0.01)
    assert float(rows["epsilon at 1e-05"]) <= shown.epsilon(1e-5)
    assert "at most 0.50000 by accounting, at least" in " ".join(shown.sentences())


def test_how_the_threshold_came_about_is_said(guessed):
    scores = quantiles(50, 1.0), quantiles(60)
    said = {
        threshold: str(gdpnum.audit(*scores, threshold=threshold))
        for threshold in ("bonferroni", "split", 0.5)
    }
    assert "shared by 6 thresholds" in " ".join(said["bonferroni"].split())
    assert "chosen on one half of the runs" in " ".join(said["split"].split())
    assert "fixed in advance" in " ".join(said[0.5].split())
    assert "fixed before any score" in " ".join(str(guessed).split())


def test_it_is_the_same_after_json(shown, guessed):
    for found in (shown, guessed, gdpnum.audit([1.0], [2.0])):
        document = json.loads(found.to_json(), parse_constant=pytest.fail)
        assert AuditResult.from_dict(document) == found
        assert AuditResult.from_json(found.to_json()).to_json() == found.to_json()
        assert document["schema"] == "gdpnum-audit-1"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mu_lower": 9.0}, "more than the counts prove"),
        ({"schema": "other"}, "is not 'gdpnum-audit-1'"),
        ({"cuts": []}, "no audit"),
        ({"cuts": [{"threshold": 0.0}]}, "no audit"),
    ],
)
def test_a_document_that_was_changed_is_refused(shown, change, said):
    with pytest.raises(InvalidArgument, match=said):
        AuditResult.from_dict({**shown.to_dict(), **change})


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", "null"])
def test_what_is_no_audit_is_refused(text):
    with pytest.raises(InvalidArgument):
        AuditResult.from_json(text)


def test_html_is_escaped():
    curve = gdpnum.TradeoffCurve.from_profile([1.0], [1e-5])
    found = gdpnum.audit([1.0], [0.0], claim=gdpnum.statement(curve))
    assert "<Statement" in str(found)
    assert "&lt;Statement" in found._repr_html_()
