import json

import pytest

import gdpnum as library
from gdpnum import Statement
from tests.cli.invoking import printed, refused


@pytest.fixture(scope="module")
def statement():
    return library.statement(library.Laplace(scale=1.0), name="x <b>", date="2026-03-01")


@pytest.fixture
def file(statement, tmp_path):
    path = tmp_path / "statement.json"
    path.write_text(statement.to_json())
    return str(path)


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "json"])
def test_a_statement_is_shown_in_each_form(file, statement, form):
    wanted = {
        "text": str,
        "markdown": Statement.to_markdown,
        "latex": Statement.to_latex,
        "html": Statement.to_html,
        "json": Statement.to_json,
    }[form](statement)
    assert printed("report", file, "--format", form).rstrip("\n") == wanted.rstrip("\n")


def test_text_is_what_is_printed_unless_asked(file, statement):
    assert printed("report", file) == f"{statement}\n"
    assert printed("report", file, "--json") == f"{statement.to_json()}\n"


def test_nothing_is_computed_again(file, monkeypatch):
    monkeypatch.setitem(vars(library), "statement", None)
    assert printed("report", file).startswith("Privacy statement: x <b>")


def test_a_run_is_accounted_for():
    text = printed("report", "Laplace:scale=1", "--name", "y", "--date", "2026-03-01")
    assert text.startswith("Privacy statement: y")
    assert "2026-03-01" in text


def test_a_file_has_the_form_its_ending_says(file, statement, tmp_path):
    out = tmp_path / "card.md"
    assert printed("report", file, "--out", str(out)) == ""
    assert out.read_text() == statement.to_markdown()


def test_commands_can_be_piped():
    text = printed("dpsgd", "--noise-multiplier=2", "--sample-rate=0.1", "--steps=9", "--json")
    assert printed("report", "-", "--format", "latex", stdin=text).startswith("% ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--format", "word"], "format='word' is not an option; pass 'html' or 'markdown'"),
        (["--format", "html", "--json"], "--format and --json contradict each other"),
        (["--out", "x.html", "--json"], "--out and --json contradict each other"),
        (["--out", "x.docx"], "--out x.docx does not end in .html, .md"),
        (["--out", "no/such/x.md"], "--out no/such/x.md cannot be written"),
        (["--name", "z"], "statement.json is a statement, which has its name, its date"),
    ],
)
def test_bad_input_is_one_line(file, options, said):
    assert said in refused("report", file, *options)


def test_a_statement_that_was_tampered_with_is_refused(file, statement, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(statement.to_json().replace("not below", "below"))
    assert "does not agree with the rest" in refused("report", str(other))


@pytest.mark.parametrize(
    "change",
    [{"name": 5}, {"date": 7}, {"dataset_size": "x"}, {"curve_points": {}}, {"mu": 10**400},
     {"curve_points": {"fpr": [], "tpr": [], "tpr_gdp": []}}, {"mu": 0.1}],
    ids=str,
)  # fmt: skip
def test_a_statement_that_cannot_be_one_is_refused_in_one_line(statement, tmp_path, change):
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**json.loads(statement.to_json()), **change}))
    refused("report", str(other))


def test_a_lowered_mu_is_refused():
    document = json.loads(library.statement(library.Gaussian(sigma=1.0)).to_json())
    text = json.dumps({**document, "mu": 0.1})
    assert "the key 'mu' is below mu_lower" in refused("report", "-", stdin=text)
