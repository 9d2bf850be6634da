import math

import pytest

import gdpnum as library
from tests.cli.invoking import document, printed, refused


def test_mu_says_the_rest():
    found = document(
        "convert", "--mu", "1", "--delta", "1e-5", "--delta", "0.1", "--fpr", "0.01",
        "--epsilon", "4",
    )  # fmt: skip
    assert found == {
        "from": {"mu": 1.0},
        "mu": 1.0,
        "slack": 0.0,
        "holds_for": "every mu-GDP mechanism",
        "advantage": library.advantage_from_mu(1.0),
        "rho": library.rho_from_mu(1.0),
        "epsilon": [
            {"delta": delta, "epsilon": library.epsilon_from_mu(1.0, delta)}
            for delta in (1e-5, 0.1)
        ],
        "delta": [{"epsilon": 4.0, "delta": library.delta_from_mu(1.0, 4.0)}],
        "tpr": [{"fpr": 0.01, "tpr": library.tpr_from_mu(1.0, 0.01)}],
    }


@pytest.mark.parametrize(
    ("options", "mu", "holds_for"),
    [
        ("--epsilon 4 --delta 1e-5", library.mu_from_epsilon_delta(4.0, 1e-5), "the Gaussian"),
        ("--epsilon 1", library.mu_from_epsilon(1.0), "every epsilon-DP mechanism"),
        ("--epsilon 1 --delta 0", library.mu_from_epsilon(1.0), "every epsilon-DP mechanism"),
        ("--advantage 0.3", library.mu_from_advantage(0.3), "the Gaussian"),
        ("--tpr 0.5 --fpr 0.1", library.mu_from_tpr(0.5, 0.1), "the Gaussian"),
        ("--rho 0.5 --assuming-gaussian", 1.0, "the Gaussian"),
    ],
)
def test_a_mu_says_of_what_it_is_the_mu(options, mu, holds_for):
    found = document("convert", *options.split())
    assert found["mu"] == mu
    assert found["holds_for"].startswith(holds_for)
    assert f"holds for {holds_for}" in printed("convert", *options.split())


def test_a_mu_with_its_slack_promises_no_more_than_the_run():
    """The mu that a statement prints, at deltas where its slack counts."""
    run = library.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
    said, curve = library.statement(run), library.tradeoff_curve(run)
    options = ["--mu", repr(said.mu), "--slack", repr(said.slack), "--epsilon", "8"]
    found = document("convert", *options, "--delta", "1e-9", "--delta", "1e-6", "--fpr", "1e-10")
    for row in found["epsilon"]:
        assert row["epsilon"] >= curve.epsilon(row["delta"])
    assert found["delta"][0]["delta"] >= curve.delta(8.0)
    assert found["tpr"][0]["tpr"] >= curve.tpr(1e-10)
    # Without it the same mu would.
    assert library.epsilon_from_mu(said.mu, 1e-9) < curve.epsilon(1e-9)
    assert "pass its --slack" in printed("convert", "--mu", repr(said.mu))
    assert "pass its --slack" not in printed("convert", *options)


def test_what_was_given_comes_back_as_it_was():
    found = document("convert", "--epsilon", "4", "--delta", "1e-5")
    assert found["epsilon"][0] == {"delta": 1e-5, "epsilon": 4.0}
    assert document("convert", "--advantage", "0.3")["advantage"] == 0.3


def test_the_table_is_rounded_to_the_safe_side():
    text = printed("convert", "--mu", "1", "--delta", "1e-5", "--fpr", "0.01")
    assert "advantage  0.3830" in text  # 0.38292...
    assert "1e-5   4.378" in text  # 4.37717...
    assert "0.01  0.09237" in text  # 0.092362...


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "nothing to convert is given; pass one of --mu"),
        ("--mu 1 --rho 2", "--mu and --rho are given; pass one of"),
        ("--mu 1 --assuming-gaussian", "--assuming-gaussian is for --rho"),
        ("--tpr 0.5", "no --fpr is given for --tpr; pass one"),
        ("--epsilon 1 --delta 0.1 --delta 0.2", "2 of --delta are given for --epsilon; pass one"),
        ("--tpr 1 --fpr 0.1", "no finite mu has tpr = 1, fpr = 0.1"),
        ("--tpr 0.1 --fpr 0.5", "--tpr=0.1 is below --fpr=0.5: guessing at random does better"),
        ("--mu -1", "--mu=-1.0 is negative"),
        ("--mu nan", "--mu=nan is not a finite float"),
        ("--mu 1 --delta 2", "--delta=2.0 is outside [0, 1]"),
        ("--mu one", "--mu=one is no number"),
        ("--rho 1 --slack 1e-10", "--slack=1e-10 is for --mu; leave it out"),
        ("--mu 1 --slack 2", "--slack=2.0 is outside [0, 1)"),
    ],
)
def test_bad_input_is_one_line(options, said):
    assert refused("convert", *options.split()).startswith(said)


def test_a_pure_epsilon_says_the_rest_without_the_detour_by_mu():
    """TPR <= e^eps FPR, advantage tanh(eps / 2), and the rho of randomised response, at most
    eps^2 / 2; by way of mu all three would be looser."""
    found = document("convert", "--epsilon", "1", "--fpr", "0.01")
    assert found["tpr"][0]["tpr"] == pytest.approx(0.01 * math.e, rel=1e-12)
    assert found["advantage"] == pytest.approx(math.tanh(0.5), rel=1e-12)
    assert found["rho"] == library.ZCDP.fit(library.RandomizedResponse(epsilon=1.0)).rho < 0.5
    assert found["tpr"][0]["tpr"] < library.tpr_from_mu(found["mu"], 0.01)
    assert found["rho"] < library.rho_from_mu(found["mu"])
    assert 1.0 - 1e-4 < found["epsilon"][0]["epsilon"] <= 1.0


@pytest.mark.parametrize(
    ("options", "source"),
    [(["--rho", "0.5"], "ZCDP:rho=0.5"), (["--epsilon", "2"], "PureDP:epsilon=2")],
)
def test_what_is_converted_agrees_with_what_is_run(options, source):
    places = ["--fpr", "0.01", "--fpr", "0.1"]
    converted, run = document("convert", *options, *places), document("run", source, *places)
    for one, other in zip(converted["epsilon"], run["epsilon"], strict=True):
        assert one == pytest.approx(other, rel=1e-12)
    tprs = {row["fpr"]: row["tpr"] for row in run["tpr"]}
    for row in converted["tpr"]:
        assert row["tpr"] == pytest.approx(tprs[row["fpr"]], rel=1e-12)
    assert converted["advantage"] == pytest.approx(run["advantage"], rel=1e-12)


def test_a_rho_has_the_mu_of_its_statement_with_its_slack():
    found, stated = document("convert", "--rho", "0.5"), document("run", "ZCDP:rho=0.5")
    assert (found["mu"], found["slack"], found["rho"]) == (stated["mu"], 1e-10, 0.5)
    assert "of Gaussian DP, with slack 1e-10" in printed("convert", "--rho", "0.5")
    assert "slack" not in printed("convert", "--epsilon", "0.5")
