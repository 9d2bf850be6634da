"""What bad inputs and hostile files once did, each now one of the library's errors, or right."""

import itertools
import json
import math
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import gdpnum
from gdpnum import (
    DPSGD,
    GDP,
    RDP,
    ZCDP,
    ApproxDP,
    AuditResult,
    Budget,
    BudgetExceeded,
    CTDAccountant,
    FixedSize,
    Gaussian,
    GdpnumError,
    InvalidArgument,
    KnownCurve,
    Laplace,
    MixtureOfGaussians,
    TradeoffCurve,
    TruncatedCDP,
    _validate,
    calibrate,
    calibrate_dpsgd,
    compare,
    delta_from_mu,
    epsilon_from_mu,
    fit_gdp,
    from_opacus,
    from_pld,
    from_registry,
    get_worst_case_regret,
    grid,
    mu_from_advantage,
    mu_from_epsilon,
    mu_from_epsilon_delta,
    mu_from_rho,
    plot,
    risk,
    statement,
    strict_json,
    sweep,
    table,
    tradeoff_curve,
    verify,
)
from gdpnum.calibration.formula import participation
from gdpnum.cli import app
from gdpnum.cli.sources import source_of
from tests.attack.methods import every_call, left_out
from tests.attack.nonsense import Unwilling

NOISE = Gaussian(sigma=1.0)
RUN = DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=10)
MANY = range(10**12)
DIGITS = 10**5000
TWO = np.ones(2)
MASKED = np.ma.array([0.5, 0.1], mask=[False, True])
SETTING = {"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 5}


def test_the_attack_calls_everything_public():
    assert list(left_out()) == []


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        # what never came back
        (lambda: calibrate(Laplace(scale=1.0), mu=0.5, tolerance=1e-200), "tolerance=1e-200"),
        (lambda: fit_gdp(RUN, tolerance=5e-324), "tolerance=5e-324"),
        (lambda: MixtureOfGaussians(sigma=1.0, shifts=MANY, weights=[1.0]), "shifts=range"),
        (lambda: grid(steps=range(10**4), noise_multiplier=range(10**4)), "combinations"),
        (lambda: delta_from_mu(MANY, 1.0), "mu=range"),
        (lambda: tradeoff_curve(NOISE).tpr(MANY), "fpr=range"),
        # what was a bare error, or a warning of numpy's
        (lambda: fit_gdp(RUN, slack=5e-324), "slack=5e-324"),
        (lambda: KnownCurve(DIGITS), "tradeoff=an int of some 5000 digits"),
        (lambda: KnownCurve(Unwilling()), "tradeoff=<Unwilling"),
        (lambda: from_pld(DIGITS), "pld=an int of some 5000 digits"),
        (lambda: mu_from_rho(0.5, assuming=TWO), "assuming=array"),
        (lambda: statement(NOISE, deltas=np.array(0.1)), "deltas=array"),
        (lambda: tradeoff_curve(NOISE, grid_step=1e300), r"grid_step=1e\+300"),
        (lambda: CTDAccountant().get_beta(0.1, grid_step=TWO), "grid_step=array"),
        (lambda: CTDAccountant().state_dict(3), "destination=3"),
        (lambda: CTDAccountant().load_state_dict(DIGITS), "state_dict=an int"),
        (lambda: compare(NOISE, NOISE).between(TWO, 1), "first=array"),
        (lambda: plot.comparison(3.0), "subjects=3.0"),
        (lambda: plot.regret_sweep(3.0), "records=3.0"),
        (lambda: calibrate(NOISE, mu=1.0, progress=3), "progress=3"),
        (lambda: sweep([NOISE], progress=3), "progress=3"),
        (lambda: sweep([NOISE], executor=DIGITS), "executor=an int"),
        (lambda: sweep([{**SETTING, "steps": TWO}]), "steps=array"),
        (lambda: DPSGD(noise_multiplier=1.0, batches=TWO), "batches=array"),
        (lambda: next(Budget(mu=1.0).steps(3, mechanism=NOISE)), "batches=3"),
        (lambda: statement(NOISE).to_registry(name=TWO), "name=array"),
        (lambda: ZCDP(rho=0.5).curve(TWO), "method=array"),
        (lambda: RDP(orders=[2.0], epsilons=["1.0"]), "epsilons="),
        (lambda: from_opacus("a\x00b"), "source='a"),
        (lambda: from_opacus("x" * 10_000), "source='xxx"),
        (lambda: calibrate_dpsgd(sample_rate=0.1, steps=10, mu=1.7e308), r"mu <= 1.7e\+308"),
        (lambda: calibrate_dpsgd(sample_rate=0.1, steps=Fraction(DIGITS, 3), mu=1.0), "steps="),
        (
            lambda: calibrate_dpsgd(
                batches="fixed", batch_size=10, dataset_size=2**63, steps=5, mu=1.0
            ),
            "without any noise",
        ),
        (
            lambda: calibrate_dpsgd(batches="fixed", batch_size=1, dataset_size=9, steps=0, mu=1.0),
            "steps=0",
        ),
        # what named neither argument nor value
        (lambda: delta_from_mu([[1.0, [2.0]]], 1.0), r"mu=\[\[1.0"),
        (lambda: TradeoffCurve.from_profile("one", [0.1]), "profile='one'"),
        (lambda: table([3.0]), r"runs\[0\]=3.0"),
        (lambda: GDP.fit(3.0), "subject=3.0"),
        (lambda: verify(3.0), "found=3.0"),
        (lambda: from_registry({}), "entry={}"),
        (lambda: AuditResult.from_dict({}), "found={}"),
        (
            lambda: gdpnum.dpsgd.get_mu_and_regret_for_dpsgd(1.0, 0.1, 2.5),
            "num_steps=2.5",
        ),
        (
            lambda: DPSGD(noise_multiplier=1.0, sample_rate=0.1, epochs=1.7e308),
            r"epochs=1.7e\+308",
        ),
        # what was believed
        (lambda: risk.tpr(NOISE, MASKED), "fpr=.* is masked"),
        (lambda: ZCDP(rho=0.5).closed_form_delta(math.nan), "epsilon=nan"),
        (lambda: risk.reported_fprs(math.nan), "advantage=nan"),
    ],
)
def test_bad_input_is_refused_by_name_and_value(ask, words):
    with pytest.raises(GdpnumError, match=words):
        ask()


def test_what_never_ends_is_not_listed():
    with pytest.raises(InvalidArgument, match="more than 10 entries"):
        _validate.items("settings", itertools.count(), advice="pass fewer", most=10)


@pytest.mark.parametrize(
    ("ask", "least", "most"),
    [
        (lambda: delta_from_mu(2.0**63, 1.0), 1.0, 1.0),
        (lambda: delta_from_mu(1.0, 1.7e308), 0.0, 1e-300),
        (lambda: epsilon_from_mu(2.0**63, 0.5), 2.0**125, 2.0**126),
        (lambda: mu_from_epsilon(2.0**63), 1.0, 2.0**34),
        (lambda: mu_from_epsilon_delta(5e-324, 1e-5), 1e-5, 1e-4),
        (lambda: mu_from_advantage(5e-324), 5e-324, 1e-322),
        (lambda: risk.bayes_error(NOISE, prior=5e-324), 0.0, 5e-324),
        (lambda: risk.bayes_error(NOISE, prior=-0.0), 0.0, 0.0),
        (lambda: risk.positive_predictive_value(NOISE, prior=0.5, fpr=5e-324), 0.9, 1.0),
        (lambda: get_worst_case_regret([0.0, 0.5, 1.0], [1.0, 0.1, 0.0], 5e-324), 0.0, 1e-9),
        (lambda: RDP(orders=[2.0], epsilons=[0.5]).closed_form_delta(1.7e308), 0.0, 1e-300),
        (lambda: ZCDP(rho=0.5).closed_form_delta(1.7e308), 0.0, 1e-300),
        (lambda: TruncatedCDP(rho=0.5, cap=4.0).closed_form_delta(math.inf), 0.0, 1e-30),
        # Whoever is accused by what reveals everything now and then is a member.
        (
            lambda: risk.positive_predictive_value(
                ApproxDP(epsilon=0.0, delta=0.3), prior=5e-324, fpr=0.0
            ),
            1.0,
            1.0,
        ),
    ],
)
def test_numbers_at_the_ends_of_floats_raise_no_alarm(ask, least, most):
    with np.errstate(all="raise"):
        assert least <= ask() <= most


def test_more_noise_than_floats_square_is_refused_at_once():
    with pytest.raises(BudgetExceeded, match="less than floats"):
        fit_gdp(DPSGD(noise_multiplier=1e200, sample_rate=0.1, steps=10))
    # All of the data in every step needs no lattice.
    assert fit_gdp(Gaussian(sigma=1e200) * 3).mu < 1e-199
    found = calibrate_dpsgd(noise_multiplier=1.7e308, sample_rate=0.1, epsilon=2.0, delta=1e-5)
    assert found.at_limit


def test_batches_of_fixed_size_take_records_as_often_as_they_say():
    replaced = Gaussian(sigma=1.0, neighbouring="replace")
    run = FixedSize(replaced, batch_size=2, dataset_size=10) * 3
    exact = 1 - Fraction(8, 10) ** 3
    assert exact <= Fraction(participation(run)) <= exact * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("call", every_call(), ids=lambda call: call.name)
def test_every_public_call_is_as_good_with_warnings_as_errors(call):
    with np.errstate(all="raise"):
        try:
            call.function(**call.arguments)
        except (GdpnumError, ImportError):  # what is given no object of another package
            assert None in call.arguments.values() or "opendp" in call.name or "pld" in call.name


# --- readers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', '{"a": NaN}', "[Infinity]", "[" * 100_000, "1" * 5000, "", "{"]
)
def test_json_is_strict(text):
    with pytest.raises(ValueError):  # noqa: PT011  (each in its own words)
        strict_json.parsed(text)
    for read in (
        gdpnum.Statement.from_json,
        TradeoffCurve.from_json,
        Budget.from_json,
        AuditResult.from_json,
        lambda text: source_of(text, "run.json"),
    ):
        with pytest.raises(InvalidArgument):
            read(text)


@pytest.mark.parametrize(
    "wish", ['"name": {}', '"deltas": 1', '"fprs": [2.0]', '"date": 3', '"slack": []']
)
def test_a_run_file_wishes_what_a_statement_has(wish):
    text = f'{{{wish}, "parts": [{{"type": "Gaussian", "sigma": 1.0}}]}}'
    with pytest.raises(InvalidArgument, match=wish.split('"')[1]):
        source_of(text, "run.json")


def test_paths_that_are_no_files_are_refused_at_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path("/dev/zero")):
        with pytest.raises(InvalidArgument):
            from_opacus(path)
        with pytest.raises(InvalidArgument, match="resume="):
            sweep([NOISE], columns=["mu"], workers=1, resume=path)


def test_a_text_file_ends(monkeypatch):
    monkeypatch.setattr("gdpnum.cli.files._LONGEST", 10_000)
    found = CliRunner().invoke(app, ["run", "/dev/zero"])
    assert found.exit_code == 2
    assert "more than 10000 characters" in found.output


def test_a_range_of_too_many_and_a_word_too_long_are_one_short_line():
    for value in ("1:2:1000000000", "x" * 10_000):
        words = ["--noise-multiplier", value, "--sample-rate", "0.1", "--steps", "5"]
        found = CliRunner().invoke(app, ["sweep", *words])
        assert found.exit_code == 2
        assert "--noise-multiplier" in found.output
        assert len(found.output) < 1000


def test_settings_with_a_huge_cell_are_one_line(tmp_path):
    path = tmp_path / "settings.csv"
    path.write_text("steps\n" + "1" * 200_000)
    found = CliRunner().invoke(app, ["sweep", "--settings", str(path)])
    assert found.exit_code == 2
    assert "is no table" in found.output


@pytest.mark.parametrize(
    "change",
    [
        {"number": -1},
        {"number": []},
        {"number": True},
        {"row": []},
        {"row": {"mu": "nan", "error": None}},
        {"row": {"mu": None, "error": None}},
        {"row": {"mu": -1.0, "error": None}},
        {"row": {"mu": 0.1, "error": []}},
        {"row": {"mu": 0.1, "epsilon": 2.0, "error": None}},
    ],
)
def test_rows_that_no_sweep_wrote_are_computed_again(tmp_path, change):
    def swept():
        return sweep([NOISE], columns=["mu"], workers=1, resume=tmp_path / "rows")

    wanted = swept()
    first, row = (tmp_path / "rows").read_text().splitlines()
    (tmp_path / "rows").write_text(f"{first}\n{json.dumps({**json.loads(row), **change})}\n")
    assert list(swept()) == list(wanted)


@pytest.mark.parametrize(
    "pld",
    [
        {"_loss_probs": {1: 0.75, -1: 0.25}, "_infinity_mass": -0.5},
        {"_loss_probs": {1: 0.75, -1: 0.25, 2: -0.5}, "_infinity_mass": 0.0},
        {"_loss_probs": None, "_infinity_mass": 0.0},
    ],
)
def test_a_loss_distribution_with_negative_masses_or_none_is_refused(pld):
    masses = SimpleNamespace(**pld, _discretization=1.0)
    both = SimpleNamespace(_pmf_remove=masses, _pmf_add=masses, _symmetric=True)
    with pytest.raises(InvalidArgument, match="pld"):
        from_pld(both)


def test_a_profile_that_is_no_number_is_refused():
    for value in (math.nan, "a", None):
        pld = SimpleNamespace(get_delta_for_epsilon=lambda _, value=value: value)
        with pytest.raises(InvalidArgument, match="pld"):
            from_pld(pld)


def test_a_coarse_tolerance_excuses_no_number():
    said = statement(NOISE, tolerance=0.4)
    assert verify(said).holds
    assert not verify(replace(said, advantage=0.9 * said.advantage)).holds


@pytest.mark.parametrize("rows", [[[]], [["mu", "0.1"], ["mu"]]])
def test_rows_of_an_audit_make_a_table(rows):
    audit = SimpleNamespace(sentences=lambda: ["Attacked."], rows=lambda: [("mu", "0.1")])
    document = json.loads(statement(NOISE, audit=audit).to_json())
    assert document["audit"]["rows"] == [["mu", "0.1"]]
    document["audit"]["rows"] = rows
    with pytest.raises(GdpnumError, match="audit"):
        gdpnum.Statement.from_json(json.dumps(document))
