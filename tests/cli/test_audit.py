import json

import numpy as np
import pytest

import gdpnum as library
from tests.cli.invoking import document, printed, refused

RNG = np.random.default_rng(0)
INCLUDED = RNG.random(600) < 0.5
SCORES = RNG.normal(size=600) + 1.5 * INCLUDED


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    rows = (f"{float(score)!r},{int(flag)}" for score, flag in zip(SCORES, INCLUDED, strict=True))
    path.write_text("\n".join(["score,included", *rows]))
    return str(path)


def test_it_is_what_the_library_finds(scores):
    found = document("audit", scores, "--claim", "0.5")
    ours = library.audit(SCORES[INCLUDED], SCORES[~INCLUDED], claim=0.5)
    assert found["mu_lower"] == ours.mu_lower
    assert (found["refuted"], found["verdict"]) == (True, "refuted at level 0.05")
    assert found["epsilon"][0] == {"delta": 1e-5, "epsilon": ours.epsilon(1e-5)}
    assert str(ours) in printed("audit", scores, "--claim", "0.5")


def test_a_claim_is_a_statement_or_a_run(scores, tmp_path):
    path = tmp_path / "statement.json"
    path.write_text(printed("run", "Gaussian:sigma=4", "--json"))
    found = document("audit", scores, "--claim", str(path))
    assert found["refuted"]
    assert found["claim_mu"] == 0.25
    assert found["slack"] == 1e-10
    assert not document("audit", scores, "--claim", "GDP:mu=3")["refuted"]


def test_options_are_those_of_the_library(scores):
    words = ("--confidence", "0.99", "--threshold", "0.75", "--method", "clopper_pearson")
    found = document("audit", scores, *words, "--slack", "1e-3", "--delta", "0.01")
    ours = library.audit(
        SCORES[INCLUDED],
        SCORES[~INCLUDED],
        confidence=0.99,
        threshold=0.75,
        method="clopper_pearson",
        slack=1e-3,
    )
    assert found["mu_lower"] == ours.mu_lower
    assert found["epsilon"] == [{"delta": 0.01, "epsilon": ours.epsilon(0.01)}]
    assert document("audit", scores, "--threshold", "split")["rule"] == "split"
    assert "At delta 0.01, epsilon is at least" in printed("audit", scores, "--delta", "0.01")


def test_one_run(scores):
    for guesses, wanted in (("30", 30), ("30,20", (30, 20)), ("split", "split")):
        found = document("audit", scores, "--one-run", "--guesses", guesses, "--claim", "0.1")
        ours = library.audit_one_run(SCORES, INCLUDED, guesses=wanted, claim=0.1)
        assert found["mu_lower"] == ours.mu_lower
        assert found["correct"] == ours.guesses.correct
    assert "in or out by a fair coin" in printed("audit", scores, "--one-run")


def test_columns_may_change_places_and_need_no_names(scores, tmp_path):
    path = tmp_path / "other.csv"
    rows = (
        f"{'in' if flag else 'OUT'}, {float(score)!r}"
        for score, flag in zip(SCORES, INCLUDED, strict=True)
    )
    path.write_text("\n".join(["Included,x,Score", *(row.replace(",", ",,", 1) for row in rows)]))
    assert document("audit", str(path)) == document("audit", scores)
    text = "\n".join(
        f"{float(score)!r},{bool(flag)}" for score, flag in zip(SCORES, INCLUDED, strict=True)
    )
    assert json.loads(printed("audit", "-", "--json", stdin=text)) == document("audit", scores)


def test_it_is_drawn(scores, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "roc.png"
    printed("audit", scores, "--claim", "1", "--plot", str(path))
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("", [], "scores_in is empty"),
        ("1,1\n2,1", [], "scores_out is empty"),
        ("1,1\nnan,0", [], "scores_out[0] is NaN"),
        ("1,1\n2", [], "line 2: '2' is no score and 1 or 0"),
        ("1,1\n2,maybe", [], "line 2: '2,maybe' is no score"),
        ("score,label\n1,1", [], "has no column 'included', but score, label"),
        ("a,b\n1,1", [], "line 1: 'a,b' is no score and 1 or 0"),
        ("1,1\n0,0", ["--claim", "-1"], "claim=-1.0 is negative"),
        ("1,1\n0,0", ["--claim", "no.json"], "no.json cannot be read"),
        ("1,1\n0,0", ["--threshold", "best"], "fixed in advance"),
        ("1,1\n0,0", ["--guesses", "1"], "add --one-run"),
        ("1,1\n0,0", ["--one-run", "--threshold", "1"], "--threshold is for scores of many runs"),
        ("1,1\n0,0", ["--one-run", "--guesses", "few"], "--guesses few is not a number"),
        ("1,1\n0,0", ["--confidence", "2"], "confidence=2.0"),
        ("1,1\n0,0", ["--plot", "roc.txt"], "does not end in"),
    ],
)
def test_bad_input_is_one_line(tmp_path, content, options, said):
    path = tmp_path / "scores.csv"
    path.write_text(content)
    assert said in refused("audit", str(path), *options)


def test_standard_input_can_be_read_once():
    assert "given twice" in refused("audit", "-", "--claim", "-", stdin="")
