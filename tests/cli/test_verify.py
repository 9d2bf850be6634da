import json
from dataclasses import replace

import pytest

import gdpnum as library
from tests.cli.invoking import gdpnum, printed, refused


@pytest.fixture(scope="module")
def statement():
    return library.statement(library.Laplace(scale=1.0), name="x", date="2026-03-01")


def test_a_true_statement_exits_with_zero(statement):
    assert "Every number holds" in printed("verify", "-", stdin=statement.to_json())


def test_json_says_the_same(statement):
    found = json.loads(printed("verify", "-", "--json", stdin=statement.to_json()))
    assert found["holds"]
    assert {one["name"] for one in found["findings"]} >= {"mu", "regret", "pure_epsilon"}


def test_a_false_statement_exits_with_one(statement):
    other = library.statement(library.Laplace(scale=1.2))
    forged = replace(other, run=statement.run, pure_epsilon=1.0)
    result = gdpnum("verify", "-", stdin=forged.to_json())
    assert result.exit_code == 1
    assert "FAILS" in result.stdout


def test_a_statement_that_contradicts_itself_exits_with_one(statement):
    text = json.dumps({**json.loads(statement.to_json()), "mu": 0.1})
    result = gdpnum("verify", "-", stdin=text)
    assert result.exit_code == 1
    assert "the key 'mu' is below mu_lower" in result.stderr


def test_a_file_that_cannot_be_read_exits_with_two():
    assert "cannot be read" in refused("verify", "no/such.json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "text is not a statement"),
        ("[]", "text is not a statement"),
        ("{}", "has no key 'schema'"),
        ('{"schema": "gdpnum-statement-2"}', "has no key"),
    ],
)
def test_what_is_no_statement_exits_with_two(text, said):
    assert said in refused("verify", "-", stdin=text)


def test_a_table_is_printed(tmp_path, statement):
    file = tmp_path / "s.json"
    file.write_text(statement.to_json())
    text = printed("table", str(file), str(file), "Gaussian:sigma=2", "--format", "markdown")
    assert text.count("\n| x") == 2
    assert "| x (2) |" in text.replace("\\(", "(").replace("\\)", ")")
    assert "| Gaussian" in text


def test_what_only_a_person_knows_can_be_stated(tmp_path):
    options = ("--state", "released=final model", "--state", "tuning=none", "--json")
    found = json.loads(printed("run", "Gaussian:sigma=2", *options))
    assert found["stated"]["released"] == "final model"
    assert found["stated"]["contact"] is None
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"parts": [{"type": "Gaussian", "sigma": 2.0}], "dataset": "D"}))
    assert json.loads(printed("run", str(file), "--json"))["stated"]["dataset"] == "D"
    assert "did you mean 'released'?" in refused("run", "Gaussian:sigma=2", "--state", "release=x")
    twice = ("--state", "tuning=a", "--state", "tuning=b")
    assert "--state tuning is there twice" in refused("run", "Gaussian:sigma=2", *twice)


def test_an_entry_of_the_registry_is_written_and_read(tmp_path):
    fields = {
        "data_curators": "A",
        "intended_use": "x",
        "data_product_type": "Dataset",
        "data_product_region": "EU",
        "description": "x",
        "registry_authors": "me",
    }
    options = [word for pair in fields.items() for word in ("--field", "=".join(pair))]
    run = ("report", "Gaussian:sigma=2", "--name", "x", "--date", "2026-03-01")
    entry = printed(*run, "--format", "registry", *options)
    assert entry.startswith("url_slug: x-a-2026\n")
    said = refused(*run, "--format", "registry")
    assert "the registry requires" in said
    assert "as in --field " in said
    assert "--field is for --format registry" in refused(*run, *options)
    pytest.importorskip("yaml")
    file = tmp_path / "entry.yaml"
    printed(*run, "--out", str(file), *options)
    assert file.read_text() == entry
    assert "GDP(mu=0.5, slack=1e-10)" in printed("run", str(file))
