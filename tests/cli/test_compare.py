import json
import re

import pytest

import gdpnum as library
from tests.cli.invoking import document, printed, refused


def test_the_more_private_is_named(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"parts": [{"type": "Gaussian", "sigma": 1.0}]}))
    assert "[0] against [1]: more private, Delta" in printed("compare", "GDP:mu=0.5", str(path))
    assert "[0] against [1]: less private, Delta" in printed("compare", str(path), "GDP:mu=0.5")
    assert "[0] against [1]: equal, Delta 0" in printed("compare", str(path), "GDP:mu=1")


def test_it_says_what_python_says():
    sources = ["DPSGD:noise_multiplier=1,sample_rate=1%,steps=1e2", "GDP:mu=1", "Laplace:scale=2"]
    runs = [
        library.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=100),
        library.GDP(mu=1.0),
        library.Laplace(scale=2.0),
    ]
    said = printed("compare", *sources).splitlines()
    wanted = str(library.compare(*runs)).splitlines()
    assert said[4:] == wanted[4:]
    assert [line.split()[-2:] for line in said[:4]] == [line.split()[-2:] for line in wanted[:4]]
    assert [line.split()[1] for line in said[1:4]] == sources


def test_curves_that_cross_are_said_to():
    found = document("compare", "GDP:mu=1", "PureDP:epsilon=1")
    (pair,) = found["pairs"]
    assert (pair["first"], pair["second"], pair["order"]) == (0, 1, "incomparable")
    assert 0.0 < pair["crossing"]["fpr"] < 0.5
    assert pair["delta_divergence"] == max(pair["forward"], pair["backward"])
    text = printed("compare", "GDP:mu=1", "PureDP:epsilon=1")
    assert "[0] against [1]: incomparable" in text
    assert "they cross at FPR 0.2" in text


def test_three_are_compared_pair_by_pair():
    found = document("compare", "GDP:mu=1", "GDP:mu=2", "GDP:mu=3", "--slack", "1e-6")
    assert [one["label"] for one in found["subjects"]] == ["GDP:mu=1", "GDP:mu=2", "GDP:mu=3"]
    assert found["subjects"][0]["mechanism"] == "GDP(mu=1.0)"
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [(0, 1), (0, 2), (1, 2)]
    assert found["slack"] == 1e-6


def test_statements_are_compared_too(tmp_path):
    path = tmp_path / "statement.json"
    path.write_text(printed("run", "Gaussian:sigma=1", "--json"))
    assert "[1]: equal" in printed("compare", str(path), "Gaussian:sigma=1")
    assert "[1]: equal" in printed("compare", "-", str(path), stdin=path.read_text())


def test_the_curves_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "curves.png"
    printed("compare", "GDP:mu=1", "GDP:mu=1", "--plot", str(path))
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ([], "Missing argument 'SOURCE SOURCE...'"),
        (["GDP:mu=1"], "one source is given; pass two or more to compare"),
        (["-", "-"], "standard input, -, is given twice"),
        (["GDP:mu=1", "GDP:nu=1"], "GDP:nu=1: parts[0] has the key 'nu'"),
        (["GDP:mu=1", "no.json"], "no.json cannot be read (No such file or directory)"),
        (
            ["Gaussian:sigma=1", "Gaussian:sigma=1,neighbouring=replace"],
            "the subjects hold for diff",
        ),
    ],
)
def test_bad_input_is_one_line(sources, said):
    assert refused("compare", *sources).startswith(said)


def test_an_order_says_down_to_which_fpr_it_holds():
    run = "DPSGD:noise_multiplier=1,sample_rate=0.01,steps=10"
    assert "more private at FPRs of 1e-12 or more, " in printed("compare", run, "GDP:mu=1")
    assert document("compare", run, "GDP:mu=1")["pairs"][0]["smallest_fpr"] == 1e-12
    assert "more private, " in printed("compare", "GDP:mu=0.5", "GDP:mu=1")


def test_tprs_are_rounded_up_and_their_fprs_down():
    curves = [library.GDP(mu=1.0).curve(), library.PureDP(epsilon=1.0).curve()]
    text = printed("compare", "GDP:mu=1", "PureDP:epsilon=1")
    found = re.findall(r"([\d.e-]+) to ([\d.e-]+) at FPR ([\d.e-]+)", text)
    assert len(found) == 2
    for *tprs, fpr in found:
        for curve, tpr in zip(curves, tprs, strict=True):
            assert float(tpr) >= curve.tpr(float(fpr))
