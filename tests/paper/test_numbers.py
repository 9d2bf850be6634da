"""Every number that the design names, to the digits printed there."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

# All of the paper is computed for them.
pytestmark = pytest.mark.slow

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "dpsgd.json").read_text())


def rounds_to(text, printed):
    return Decimal(text).quantize(Decimal(printed)) == Decimal(printed)


def all_agree(record, source="paper"):
    """Whether each number of a row rounds to what it is held against."""
    names = [name.removesuffix(f" ({source})") for name in record if name.endswith(f" ({source})")]
    return bool(names) and all(rounds_to(record[one], record[f"{one} ({source})"]) for one in names)


# --- Tables 3 and 4 -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "printed"),
    {
        "0.1": ".03 .03 .02",
        "0.5": ".14 .12 .09",
        "1": ".27 .24 .18",
        "2": ".50 .45 .35",
        "4": ".92 .84 .67",
        "6": "1.31 1.20 .97",
        "8": "1.67 1.53 1.26",
        "10": "2.00 1.85 1.54",
    }.items(),
)
def test_table_3_is_the_paper_s(reproduced, epsilon, printed):
    row = reproduced.table("table-3")[epsilon]
    found = [row[f"mu, delta {delta}"] for delta in ("1e-5", "1e-6", "1e-9")]
    assert all(map(rounds_to, found, printed.split()))
    assert all_agree(row)


@pytest.mark.parametrize(
    ("mu", "printed"),
    {
        "0.10": ".0399 .0001 .0014 .0130 .1187 .2828 .5398 .7807 .9595 .9924",
        "0.25": ".0995 .0003 .0023 .0189 .1511 .3356 .5987 .8224 .9709 .9950",
        "0.50": ".1974 .0006 .0048 .0339 .2172 .4307 .6915 .8799 .9840 .9976",
        "0.75": ".2923 .0015 .0096 .0575 .2975 .5301 .7734 .9228 .9917 .9990",
        "1.00": ".3829 .0033 .0183 .0924 .3891 .6276 .8413 .9530 .9959 .9996",
        "1.25": ".4680 .0068 .0329 .1409 .4874 .7175 .8944 .9729 .9981 .9998",
        "1.50": ".5467 .0132 .0559 .2043 .5865 .7955 .9332 .9852 .9992 .9999",
        "2.00": ".6827 .0428 .1378 .3721 .7638 .9075 .9772 .9963 .9999 1.0000",
    }.items(),
)
def test_table_4_is_the_paper_s(reproduced, mu, printed):
    row = reproduced.table("table-4")[mu]
    fprs = ("0.0001", "0.001", "0.01", "0.1", "0.25", "0.5", "0.75", "0.95", "0.99")
    found = [row["advantage"], *(row[f"TPR, FPR {fpr}"] for fpr in fprs)]
    assert all(map(rounds_to, found, printed.split()))
    assert all_agree(row)


# --- Figure 1 -------------------------------------------------------------------------------------


def test_the_headline(reproduced):
    table = reproduced.table("figure-1ab")
    for name, printed in {
        "mu of DP-SGD, at slack 1e-10": "1.57",
        "regret of mu for DP-SGD": "0.001",
        "regret of epsilon = 1 for Laplace": "0.0343",
        "TPR at FPR 10 %, in %: the whole curve": "61",
        "TPR at FPR 10 %, in %: mu alone": "61",
        "TPR at FPR 10 %, in %: (7.42, 1e-5)-DP alone": "99.95",
    }.items():
        assert rounds_to(table[name]["here"], printed)
        assert all_agree(table[name])


# By unit of the last printed digit: raw bounds are minimised on a grid, and curves are hulls.
@pytest.mark.parametrize(
    ("row", "column", "value", "unit"),
    [
        ("epsilon-DP", "Laplace", 3.432, 0.001),
        ("(epsilon, delta)-DP", "Laplace", 3.432, 0.001),
        ("(epsilon, delta)-DP", "DP-SGD", 21.71, 0.01),
        ("rho-zCDP, all orders (rho 0.3679; 11.32)", "Laplace, raw", 4.812, 0.001),
        ("rho-zCDP, all orders (rho 0.3679; 11.32)", "Laplace", 4.43, 0.01),
        ("rho-zCDP, all orders (rho 0.3679; 11.32)", "DP-SGD, raw", 21.77, 0.01),
        ("rho-zCDP, orders up to 64 (rho 1.454)", "DP-SGD, raw", 12.88, 0.01),
        ("rho-zCDP, orders up to 64 (rho 1.454)", "DP-SGD", 12.02, 0.01),
        ("rho-zCDP, orders up to 8 (rho 1.240)", "DP-SGD, raw", 10.97, 0.01),
        ("rho-zCDP, orders up to 8 (rho 1.240)", "DP-SGD", 10.10, 0.01),
        ("mu-GDP (mu 1.0301; 1.5673)", "Laplace", 3.702, 0.001),
        ("mu-GDP (mu 1.0301; 1.5673)", "DP-SGD", 0.107, 0.001),
        ("RDP", "Laplace, raw", 3.383, 0.001),
        ("RDP", "Laplace", 1.73, 0.01),
        ("RDP", "DP-SGD, raw", 10.76, 0.01),
        ("RDP", "DP-SGD", 9.90, 0.01),
    ],
)
def test_figure_1c(reproduced, row, column, value, unit):
    assert abs(float(reproduced.table("figure-1c")[row][column]) - value) <= 0.6 * unit


def test_the_optimal_renyi_curve_is_better_still(reproduced):
    for row in reproduced.records("figure-1c"):
        for mechanism in ("Laplace", "DP-SGD"):
            if row[f"{mechanism}, optimal"] != "\N{EN DASH}":
                assert float(row[f"{mechanism}, optimal"]) < float(row[mechanism])
                assert float(row[mechanism]) < float(row[f"{mechanism}, raw"])


# --- Tables 1, 2, 5 and 6 -------------------------------------------------------------------------


def test_table_1_only_mu_is_concise_ordered_and_accurate(reproduced):
    good = {
        row["representation"]
        for row in reproduced.records("table-1")
        if row["numbers in it"] == "1"
        and len(set(row["pairs ordered"].split(" of "))) == 1
        and row["regret, DP-SGD"] != "no finite one"
        and float(row["regret, DP-SGD"]) < 0.01
    }
    assert good == {"mu-GDP"}


@pytest.mark.parametrize(
    ("epsilon", "right", "printed", "mistaken"),
    [
        ("1", "0.247", "0.21", "0.206"),
        ("2", "0.465", "0.39", "0.388"),
        ("4", "0.863", "0.72", "0.719"),
        ("8", "1.567", "1.3", "1.307"),
    ],
)
def test_table_2_shows_both_rates(reproduced, epsilon, right, printed, mistaken):
    row = reproduced.table("table-2")[epsilon]
    assert rounds_to(row["mu, q = 16384/50000"], right)
    assert not rounds_to(row["mu, q = 16384/50000"], printed)
    assert rounds_to(row["mu, q = 16384/60000"], mistaken)
    assert rounds_to(row["mu, q = 16384/60000"], printed)


def test_the_epsilons_of_table_2_are_those_of_50_000_records(reproduced):
    by_mistake = ("0.82", "1.64", "3.25", "6.45")
    table = reproduced.records("table-2-evidence")
    for row, mistaken in zip(table, by_mistake, strict=True):
        assert abs(float(row["RDP, /50000"]) - float(row["epsilon"])) < 0.01
        assert rounds_to(row["RDP, /60000"], mistaken)


@pytest.mark.parametrize(("slug", "rows"), [("table-5", 6), ("table-6", 4)])
def test_tables_5_and_6_are_the_reference(reproduced, slug, rows):
    known = {
        (one["steps"][0]["noise_multiplier"], one["steps"][0]["num_steps"]): one
        for one in REFERENCE
        if len(one["steps"]) == 1 and one["steps"][0]["sample_rate"] == 16384 / 50000
    }
    table = reproduced.records(slug)
    assert len(table) == rows
    for row in table:
        reference = known[float(row["sigma"]), int(row["steps"])]
        exact = reference["mu@1e-10"]
        assert exact - reference["mu@1e-10_err"] <= float(row["mu"]) <= exact * (1.0 + 2e-7) + 1e-9
        assert reference["regret@1e-10"] <= float(row["regret"]) <= reference["regret@1e-10"] + 1e-7
        assert all_agree(row, "reference")


# --- Figures 2, 5 and 6 ------------------------------------------------------------------------


def test_delta_is_the_most_by_which_an_error_is_understated(reproduced):
    table = reproduced.table("figure-2")
    assert rounds_to(table["Delta(f, g)"]["here"], table["their difference"]["here"])


def test_topdown_is_the_paper_s(reproduced):
    table = reproduced.table("figure-5a")
    assert rounds_to(table["mu, at slack 1e-10"]["here"], "2.702")
    assert rounds_to(table["sqrt(2 rho), the mu of Gaussian noise"]["here"], "2.70185")
    assert 0.0 < float(table["regret of mu, at most"]["here"]) < 1e-7


def test_randomised_response_is_the_paper_s(reproduced):
    table = reproduced.table("figure-5b")
    assert rounds_to(table["mu of randomised response, slack 1e-10"]["here"], "1.23204")
    assert rounds_to(table["mu, by Prop. 6.1: -2 Phi^-1(1/(e + 1))"]["here"], "1.23204")
    assert rounds_to(table["regret of mu"]["here"], "0.0575")
    assert all_agree(table["regret of mu"])
    assert table["mu of a lone (1, 1e-5)-DP guarantee, by Prop. 6.2"]["here"] == "inf"


def test_many_pairs_say_what_mu_says(reproduced):
    for row in reproduced.records("figure-6"):
        by_mu, by_pairs = float(row["TPR by mu"]), float(row["TPR by 60 pairs"])
        assert by_mu <= by_pairs <= 1.02 * by_mu
        assert by_pairs < float(row["TPR by (8, 1e-5) alone"])
