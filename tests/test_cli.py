import json
import math
import subprocess
import sys
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import gdpnum
from gdpnum.cli import app

GOOD = {"--noise-multiplier": "9.4", "--sample-rate": "0.3", "--steps": "10"}
SIZES = {"--batch-size": "3", "--dataset-size": "10"}


def invoke(options, *more):
    arguments = [text for pair in options.items() for text in pair]
    return CliRunner().invoke(app, ["dpsgd", *arguments, *more])


def without(*names, **changes):
    kept = {name: value for name, value in GOOD.items() if name not in names}
    return {**kept, **{f"--{name.replace('_', '-')}": value for name, value in changes.items()}}


@pytest.fixture
def engine(monkeypatch):
    """Stand-ins for the accountant, so that these tests are about the command line alone."""
    fit = SimpleNamespace(
        mu=1.56728,
        mu_lower=1.56628,
        regret=0.00123,
        slack=1e-10,
        tail_ratio=1.0047,
        advantage=0.56461,
        reason=None,
        tpr=lambda fpr: fpr**0.4,
    )
    curve = SimpleNamespace(tpr=lambda fpr: fpr**0.5, epsilon=lambda delta: -math.log(delta))
    calls = []

    def fit_gdp(mechanism, **options):
        calls.append((mechanism, options))
        return fit

    monkeypatch.setitem(vars(gdpnum), "fit_gdp", fit_gdp)
    monkeypatch.setitem(vars(gdpnum), "tradeoff_curve", lambda *_, **__: curve)
    return SimpleNamespace(fit=fit, calls=calls)


def test_a_run_is_described_as_the_options_say(engine):
    assert invoke(GOOD).exit_code == 0
    run, options = engine.calls[0]
    assert run == gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=0.3, steps=10)
    assert options == {"slack": 1e-10, "tolerance": 1e-3}


@pytest.mark.parametrize(
    "options",
    [
        without("--sample-rate") | SIZES,
        without("--steps", epochs="3"),  # in floats 3 / 0.3 is above 10
        without("--steps", "--sample-rate", epochs="3") | SIZES,
        without("--steps", epochs="2.8"),  # a step begun is a step
    ],
    ids=" ".join,
)
def test_sizes_and_epochs_say_the_same_run(engine, options):
    assert invoke(options).exit_code == 0
    assert engine.calls[0][0] == gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=0.3, steps=10)


def test_printed_bounds_are_rounded_to_the_safe_side(engine):
    text = invoke(GOOD).stdout
    assert "1.568-GDP with slack 1e-10" in text
    assert "at least 1.566" in text
    assert "advantage   0.5647" in text
    assert "11.52" in text  # epsilon = log(1e5) = 11.5129...


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("regret", 0.0099, "mu is a complete report"),
        ("regret", 0.01, "mu is not a good summary"),
        ("tail_ratio", 1.3, "rare events drive mu"),
    ],
)
def test_a_verdict_is_in_words(engine, field, value, words):
    setattr(engine.fit, field, value)
    assert words in invoke(GOOD).stdout


def test_an_infinite_mu_says_why(engine):
    engine.fit.mu = engine.fit.mu_lower = engine.fit.tail_ratio = math.inf
    engine.fit.reason = "delta=1e-05 exceeds the slack"
    assert "no finite mu at slack 1e-10: delta=1e-05 exceeds the slack." in invoke(GOOD).stdout
    assert json.loads(invoke(GOOD, "--json").stdout)["mu"] == "inf"


def test_json_keeps_every_digit(engine):
    record = json.loads(invoke(GOOD, "--json", "--delta", "0.001").stdout)
    assert record["mu"] == engine.fit.mu
    assert record["epsilon"] == [{"delta": 0.001, "epsilon": -math.log(0.001)}]
    assert [row["fpr"] for row in record["tpr"]] == [1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1]
    assert record["assumptions"]["neighbouring"] == "add_remove"
    assert record["assumptions"]["version"] == gdpnum.__version__


def test_the_run_of_the_readme_has_the_exact_mu():
    sizes = {"--batch-size": "16384", "--dataset-size": "50000"}
    result = invoke({"--noise-multiplier": "9.4", "--steps": "2000"} | sizes, "--json")
    record = json.loads(result.stdout)
    exact = 1.56728  # at slack 1e-10, to five decimals
    assert record["mu"] >= exact - 5e-6
    assert record["mu"] <= exact * 1.002
    assert record["mu_lower"] <= exact + 5e-6
    assert record["regret"] < 0.01
    # What the curve allows, mu allows too; both are within the tolerance of the truth.
    for row in record["tpr"]:
        assert row["tpr"] <= row["tpr_gdp"] * 1.002
    assert 0.60 < record["tpr"][-1]["tpr"] < 0.62  # the paper: 61 % at FPR 10 %


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (without(noise_multiplier="0"), "noise_multiplier=0.0 is not positive"),
        (without(noise_multiplier="nan"), "noise_multiplier=nan is not a finite float"),
        (without(sample_rate="1.5"), "sample_rate=1.5 is outside [0, 1]; pass the probability"),
        (without(steps="-1"), "steps=-1 is below 0"),
        (without(delta="2"), "delta=2.0 is outside [0, 1]"),
        (GOOD | SIZES, "pass either --sample-rate, or --batch-size and --dataset-size"),
        (without("--sample-rate"), "pass either --sample-rate, or"),
        (without("--sample-rate", batch_size="3"), "pass either --sample-rate, or"),
        (without("--sample-rate", batch_size="9", dataset_size="3"), "batch_size=9 is above"),
        (without("--sample-rate", batch_size="0", dataset_size="0"), "dataset_size=0 is below 1"),
        (without("--sample-rate", batch_size="-1", dataset_size="5"), "batch_size=-1 is below 0"),
        (without(epochs="3"), "pass either --steps or --epochs"),
        (without("--steps"), "pass either --steps or --epochs"),
        (without("--steps", epochs="0"), "epochs=0.0 is not positive"),
        (without("--steps", epochs="3", sample_rate="0"), "epochs need a sample rate above 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_is_one_line_on_stderr(options, words):
    result = invoke(options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"gdpnum: {words}")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (without("--noise-multiplier"), "Missing option '--noise-multiplier'"),
        (without(steps="ten"), "Invalid value for '--steps'"),
        (without(nonsense="1"), "No such option: --nonsense"),
    ],
)
def test_what_cannot_be_parsed_is_said_without_a_traceback(options, words):
    result = invoke(options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_the_version_is_printed():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"gdpnum {gdpnum.__version__}\n")


@pytest.mark.parametrize("arguments", [["--help"], ["dpsgd", "--help"]])
def test_help_loads_nothing_that_computes(arguments):
    program = (
        "import sys; from gdpnum.cli import app; app(sys.argv[1:], standalone_mode=False);"
        "assert not {'numpy', 'scipy'} & set(sys.modules), 'heavy import'"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "dpsgd" in done.stdout
