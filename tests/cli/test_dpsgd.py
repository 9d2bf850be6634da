import json
import math
from pathlib import Path

import pytest

import gdpnum as library
from gdpnum import DPSGD, Statement
from tests.cli.invoking import DPSGD as GOOD
from tests.cli.invoking import document, gdpnum, printed, refused, words

README = Path(__file__).parents[2] / "README.md"

SIZES = {"--batch-size": "3", "--dataset-size": "10"}
HEADLINE = words({
    "--noise-multiplier": "9.4",
    "--batch-size": "16384",
    "--dataset-size": "50000",
    "--steps": "2000",
})  # fmt: skip


def without(*names, **changes):
    kept = {name: value for name, value in GOOD.items() if name not in names}
    return {**kept, **{f"--{name.replace('_', '-')}": value for name, value in changes.items()}}


@pytest.fixture
def asked(monkeypatch):
    """What the library is asked, in place of an answer to it."""
    calls = []
    answer = library.statement(library.Gaussian(sigma=1.0))

    def statement(run, **wishes):
        calls.append((run, wishes))
        return answer

    monkeypatch.setitem(vars(library), "statement", statement)
    return calls


# --- what was run -------------------------------------------------------------------------------


def test_a_run_is_described_as_the_options_say(asked):
    printed("dpsgd", *words(GOOD), "--date", "2026-03-01")
    run, wishes = asked[0]
    assert run == DPSGD(noise_multiplier=9.4, sample_rate=0.3, steps=10)
    assert wishes == {"date": "2026-03-01"}


@pytest.mark.parametrize(
    "options",
    [
        without("--sample-rate") | SIZES,
        without("--steps", epochs="3"),  # in floats 3 / 0.3 is above 10
        without("--steps", "--sample-rate", epochs="3") | SIZES,
        without("--steps", epochs="2.8"),  # a step begun is a step
        without(sample_rate="30%", steps="1e1"),
        without(sample_rate="3/10", steps="1_0"),
        without("--steps", sample_rate="30 %", epochs="9/3"),
        without(batches="poisson"),
    ],
    ids=" ".join,
)
def test_sizes_and_epochs_say_the_same_run(asked, options):
    printed("dpsgd", *words(options))
    assert asked[0][0] == DPSGD(noise_multiplier=9.4, sample_rate=0.3, steps=10)


def test_every_wish_reaches_the_library(asked):
    options = {"--slack": "1e-8", "--tolerance": "0.01", "--name": "a", "--date": "2026-03-01"}
    more = ["--delta", "0.1", "--delta", "0.2", "--fpr", "0.3", "--dataset-size", "10"]
    printed("dpsgd", *words(GOOD | options), *more, "--neighbouring", "replace")
    run, wishes = asked[0]
    assert run.neighbouring == "replace"
    assert wishes == {
        "slack": 1e-8,
        "tolerance": 0.01,
        "name": "a",
        "date": "2026-03-01",
        "deltas": [0.1, 0.2],
        "fprs": [0.3],
        "dataset_size": 10,
    }


# --- the headline -------------------------------------------------------------------------------


def test_the_headline_statement_is_the_papers():
    text = printed("dpsgd", *HEADLINE)
    assert "mu = 1.5673 with slack 1e-10" in text
    assert "mu is enough: its regret of 0.001" in text
    assert "no attack finds more than 61" in text


def test_the_readme_shows_what_is_printed():
    printed_lines = printed("dpsgd", *HEADLINE).splitlines()
    _, _, block = README.read_text(encoding="utf-8").partition("`make run` accounts for")
    shown = [line[4:] for line in block.partition("![")[0].splitlines() if line.startswith("    ")]
    assert len(shown) > 10
    assert [line for line in shown if line not in (*printed_lines, "...")] == []


def test_json_has_the_exact_mu_and_every_documented_key():
    record = document("dpsgd", *HEADLINE)
    exact = 1.56728  # at slack 1e-10, to five decimals
    assert record["mu"] >= exact - 5e-6
    assert record["mu"] <= exact * 1.002
    assert record["mu_lower"] <= exact + 5e-6
    assert record["slack"] == 1e-10
    assert record["regret"] < 0.01
    assert record["verdict"] == "mu is enough"
    assert 1.0 <= record["tail_ratio"] < 1.01
    assert 0.56 < record["advantage"] < 0.57
    deltas = [1 / 50_000, 1e-5, 50_000**-1.1, 1e-6, 1e-9]
    assert [row["delta"] for row in record["epsilon"]] == pytest.approx(deltas)
    assert record["assumptions"]["neighbouring"] == "add_remove"
    # What the curve allows, mu allows too; both are within the tolerance of the truth.
    for row in record["tpr"]:
        assert row["tpr"] <= row["tpr_gdp"] * 1.002
    (at,) = [row for row in record["tpr"] if row["fpr"] == 0.1]
    assert 0.60 < at["tpr"] < 0.62  # the paper: 61 % at FPR 10 %


def test_json_is_the_statement_and_text_is_too():
    date = ["--date", "2026-03-01"]
    text = printed("dpsgd", *HEADLINE, *date, "--json")
    assert json.loads(text)["date"] == "2026-03-01"
    assert str(Statement.from_json(text)) + "\n" == printed("dpsgd", *HEADLINE, *date)
    assert printed("dpsgd", *HEADLINE, *date, "--json") == text


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (("0.5", "0.01", "1000"), "mu is not enough"),
        (("1.0", "0.001", "1000"), "Rare events double mu"),
    ],
)
def test_a_mu_that_may_not_stand_alone_is_said_so(setting, said):
    text = printed("dpsgd", *words(dict(zip(GOOD, setting, strict=True))))
    assert said in text


def test_an_infinite_mu_is_a_text_in_json():
    record = document("run", "ApproxDP:epsilon=1,delta=1e-5")
    assert record["mu"] == "inf"
    assert math.isinf(float(record["mu"]))
    assert record["reason"]


# --- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "start"),
    [(".html", "<!doctype html>"), (".md", "## Privacy statement: x"), (".tex", "% "),
     (".txt", "Privacy statement: x"), (".json", "{")],
)  # fmt: skip
def test_a_report_has_the_form_its_ending_says(tmp_path, ending, start):
    path = tmp_path / f"report{ending}"
    text = printed("dpsgd", *words(GOOD), "--name", "x", "--report", str(path))
    assert text.startswith("Privacy statement: x")
    assert path.read_text().lower().startswith(start.lower())
    assert list(tmp_path.iterdir()) == [path]


def test_a_plot_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "curve.svg"
    printed("dpsgd", *words(GOOD), "--plot", str(path))
    assert "<svg" in path.read_text()
    assert list(tmp_path.iterdir()) == [path]


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (without(noise_multiplier="0"), "--noise-multiplier=0.0 is not positive"),
        (without(noise_multiplier="nan"), "--noise-multiplier=nan is not a finite float"),
        (without(sample_rate="1.5"), "--sample-rate=1.5 is outside [0, 1]; pass the probability"),
        (without(sample_rate="150"), "--sample-rate=150.0 is outside [0, 1]"),
        (without(sample_rate="1/0"), "--sample-rate=1/0 divides by 0"),
        (without(sample_rate="a%"), "--sample-rate=a% is no number; pass one such as 0.01, 1%"),
        (without(steps="10.5"), "--steps=10.5 is no whole number"),
        (without(steps="9" * 400), "--steps='999999999999...9999999999999' is not a finite float"),
        (without(batches="fixed"), "--sample-rate=0.3 has no place with --batches="),
        (without(bands="4"), "--bands=4 has no place with batches='poisson'; did you"),
        (without(steps="-1"), "--steps=-1 is below 0"),
        (without(delta="2"), "--delta=2.0 is outside [0, 1]"),
        (without(fpr="-1"), "--fpr=-1.0 is outside [0, 1]"),
        (without(slack="1"), "--slack=1.0 is outside [0, 1)"),
        (without(tolerance="0"), "--tolerance=0.0 is not positive"),
        (without(neighbouring="both"), "--neighbouring='both' is not an option"),
        (without(date="yesterday"), "--date='yesterday' is not a date"),
        (without(dataset_size="0"), "--dataset-size=0 is below 1"),
        (GOOD | SIZES, "--sample-rate and --batch-size are both given; pass either"),
        (without("--sample-rate"), "pass either --sample-rate, or"),
        (without("--sample-rate", batch_size="3"), "pass either --sample-rate, or"),
        (without("--sample-rate", batch_size="9", dataset_size="3"), "--batch-size=9 is above"),
        (without("--sample-rate", batch_size="0", dataset_size="0"), "--dataset-size=0 is below 1"),
        (without("--sample-rate", batch_size="-1", dataset_size="5"), "--batch-size=-1 is below 0"),
        (without(epochs="3"), "pass either --steps or --epochs"),
        (without("--steps"), "pass either --steps or --epochs"),
        (without("--steps", epochs="0"), "--epochs=0.0 is not positive"),
        (without("--steps", epochs="3", sample_rate="0"), "epochs need a sample rate above 0"),
        (without("--noise-multiplier"), "pass --noise-multiplier, with a sample rate"),
        (without(steps="ten"), "--steps=ten is no whole number; pass one"),
        (without(nonsense="1"), "No such option"),
        (without(report="statement.doc"), "--report statement.doc does not end in .html, .md"),
        (without(plot="curve.gif"), "--plot curve.gif does not end in .png, .pdf or .svg"),
        (without(report="no/such/a.html"), "--report no/such/a.html cannot be written (No such"),
        (without(plot="no/such/a.png"), "--plot no/such/a.png cannot be written (No such"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_bad_input_is_one_line_on_stderr(options, said):
    assert refused("dpsgd", *words(options)).startswith(said)


def test_a_rate_in_percent_is_asked_about():
    assert refused("dpsgd", *words(without(sample_rate="5"))).endswith("or did you mean 0.05?")
    result = gdpnum("dpsgd", *words(without(sample_rate="1")))
    assert result.exit_code == 0  # it may be meant
    assert "did you mean 0.01, which is 1%?" in result.stderr
    assert result.stdout == printed("dpsgd", *words(without(sample_rate="1.0")))
    assert result.stdout == printed("dpsgd", *words(without(sample_rate="100%")))


def test_errors_name_no_argument_that_the_command_has_not():
    """The engine's advice may be a grid_step, which only Python takes."""
    said = refused("dpsgd", *words(GOOD | {"--noise-multiplier": "1e100"}))
    assert said.endswith("pass a larger --tolerance")


def test_a_path_is_refused_before_any_work(asked, tmp_path):
    assert "it is a folder" in refused("dpsgd", *words(GOOD), "--report", f"{_folder(tmp_path)}")
    assert not asked


def _folder(tmp_path):
    path = tmp_path / "folder.html"
    path.mkdir()
    return path


def test_without_matplotlib_a_plot_is_refused_before_any_work(asked, monkeypatch):
    monkeypatch.setattr("gdpnum.cli.files.find_spec", lambda _: None)
    said = refused("dpsgd", *words(GOOD), "--plot", "curve.png")
    assert said == "this needs the package matplotlib; pip install matplotlib"
    assert not asked


def test_a_failure_on_the_way_leaves_no_file(monkeypatch, tmp_path):
    kept = tmp_path / "report.md"
    kept.write_text("before")

    def fails(statement):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Statement, "to_markdown", fails)
    assert "No space left" in refused("dpsgd", *words(GOOD), "--report", str(kept))
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]
    assert kept.read_text() == "before"


def test_what_the_engine_cannot_do_is_one_line():
    result = gdpnum("dpsgd", *words(without(steps="1" + "0" * 30)))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
