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


def test_what_was_given_comes_back_as_it_was():
    found = document("convert", "--epsilon", "4", "--delta", "1e-5")
    assert found["epsilon"][0] == {"delta": 1e-5, "epsilon": 4.0}
    assert document("convert", "--advantage", "0.3")["advantage"] == 0.3
    # Pure DP has its epsilon at every delta, whatever its mu would allow.
    assert {row["epsilon"] for row in document("convert", "--epsilon", "1")["epsilon"]} == {1.0}


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
        ("--rho 0.5", "rho-zCDP alone implies no finite mu; pass --assuming-gaussian if"),
        ("--mu 1 --assuming-gaussian", "--assuming-gaussian is for --rho"),
        ("--tpr 0.5", "--tpr has 0 of --fpr; pass one"),
        ("--epsilon 1 --delta 0.1 --delta 0.2", "--epsilon has 2 of --delta; pass one"),
        ("--tpr 1 --fpr 0.1", "no finite mu has tpr = 1, fpr = 0.1"),
        ("--mu -1", "mu=-1.0 is negative"),
        ("--mu nan", "mu=nan is not a finite float"),
        ("--mu 1 --delta 2", "delta=2.0 is outside [0, 1]"),
        ("--mu one", "Invalid value for '--mu'"),
    ],
)
def test_bad_input_is_one_line(options, said):
    assert refused("convert", *options.split()).startswith(said)
