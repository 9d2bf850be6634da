"""Entries of the registry: by its own schema (registry.schema.json, of opendp's commit 3e9c812)."""

import json
import math
from pathlib import Path

import jsonschema
import pytest

import gdpnum
from gdpnum.statements import registry, statement

SCHEMA = json.loads((Path(__file__).parent / "registry.schema.json").read_text(encoding="utf-8"))
FIELDS = {
    "data_curators": ["A's", "B: c"],
    "intended_use": "to test #1",
    "data_product_type": "Machine learning model",
    "data_product_region": "EU",
    "description": "first line\n\n  second: line |",
    "registry_authors": ["me"],
}
NASTY = "it's {a}: \\\\ & *b* \x1b[31m"


@pytest.fixture(scope="module")
def yaml():
    return pytest.importorskip("yaml")


@pytest.fixture(scope="module")
def found():
    run = gdpnum.DPSGD(noise_multiplier=4.0, sample_rate=0.05, steps=200)
    return statement(
        run, name=NASTY, date="2026-03-01", trust_model="central", tuning=NASTY, protected="person"
    )


def test_an_entry_fits_the_schema_of_the_registry(yaml, found):
    text = found.to_registry(**FIELDS)
    document = yaml.safe_load(text)
    jsonschema.Draft7Validator(SCHEMA).validate(document)
    assert text.startswith("url_slug: ")
    basic = document["deployment"]["basic"]
    assert basic["data_curators"] == FIELDS["data_curators"]
    assert basic["publication_date"] == "2026-03-01"
    assert [line.strip() for line in basic["description"].splitlines()] == [
        line.strip() for line in FIELDS["description"].splitlines()
    ]
    assert document["deployment"]["deployment_model"]["model_name"] == "Central"
    # Name, curators, year, as the registry's script update_slug.py spells them.
    assert document["url_slug"] == "it-s-a-b-x1b-31m-a-s-b-c-2026"


def test_the_parameters_are_bounds_and_numbers(yaml, found):
    loss = yaml.safe_load(found.to_registry(**FIELDS))["deployment"]["privacy_loss"]
    epsilon = {row.delta: row.epsilon for row in found.epsilon}
    assert loss["privacy_parameters"]["delta"] == 1e-5
    assert epsilon[1e-5] <= loss["privacy_parameters"]["epsilon"] <= 1.001 * epsilon[1e-5]
    other = yaml.safe_load(found.to_registry(**FIELDS, delta=1e-9))["deployment"]["privacy_loss"]
    assert other["privacy_parameters"]["delta"] == 1e-9
    # What was accounted for is said beside what was stated.
    assert loss["privacy_unit"] == "person (accounted for: one record)"


def test_a_bounded_loss_is_pure(yaml):
    entry = statement(gdpnum.Laplace(scale=2.0), name="x", date="2026-03-01").to_registry(**FIELDS)
    deployment = yaml.safe_load(entry)["deployment"]
    assert deployment["dp_variant"]["variant_name"] == "Pure DP"
    assert deployment["privacy_loss"]["privacy_parameters"] == {"epsilon": 0.5}


def test_an_entry_of_ours_gives_back_its_mu(yaml, found):
    back = gdpnum.from_registry(found.to_registry(**FIELDS))
    assert isinstance(back, gdpnum.GDP)
    assert found.mu <= back.mu <= 1.01 * found.mu
    assert back.slack == found.slack


@pytest.mark.parametrize(
    ("parameters", "variant", "wanted"),
    [
        ({"epsilon": 1.0}, "Pure DP", gdpnum.PureDP(epsilon=1.0)),
        ({"epsilon": 1, "delta": "1e-05"}, None, gdpnum.ApproxDP(epsilon=1.0, delta=1e-5)),
        ({"rho": 0.5, "delta": 1e-10}, "Zero-concentrated DP", gdpnum.ZCDP(rho=0.5)),
    ],
)
def test_other_entries_are_read_as_far_as_they_say_something(parameters, variant, wanted):
    deployment = {
        "dp_variant": {"variant_name": variant},
        "privacy_loss": {"privacy_parameters": parameters},
    }
    assert gdpnum.from_registry({"deployment": deployment}) == wanted


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"deployment": 3},
        {"deployment": {"privacy_loss": {"privacy_parameters": {"epsilon": "e"}}}},
    ],
    ids=str,
)
def test_what_is_no_entry_is_refused(document):
    with pytest.raises(gdpnum.InvalidArgument, match="none of the registry"):
        gdpnum.from_registry(document)


@pytest.mark.parametrize("parameters", [{}, {"epsilon": 1.0}, {"delta": 1e-5}], ids=str)
def test_an_entry_that_is_no_guarantee_is_refused(parameters):
    deployment = {
        "dp_variant": {"variant_name": "Approximate DP"},
        "privacy_loss": {"privacy_parameters": parameters},
    }
    with pytest.raises(gdpnum.UnsupportedMechanism, match="no guarantee by itself"):
        gdpnum.from_registry({"deployment": deployment})


def test_missing_fields_are_named_in_one_error():
    found = statement(gdpnum.Gaussian(sigma=2.0))
    with pytest.raises(gdpnum.InvalidArgument) as error:
        found.to_registry(description="x")
    missing = [key for key in registry.REQUIRED if key != "description"]
    assert all(key in str(error.value) for key in missing)
    assert "description" not in str(error.value).partition(";")[0]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"data_curator": "x"}, "did you mean 'data_curators'"),
        ({"data_product_type": "Model"}, "data_product_type='Model' is not an option"),
        ({"data_curators": "one"}, "data_curators='one' is not a list"),
        ({"publication_date": "2026"}, "publication_date='2026' is not a date"),
        ({"intended_use": 3}, "intended_use=3 is not a text"),
        ({"tier": 4}, "tier=4 is not an option"),
        ({"delta": 0.5}, "no finite epsilon at delta=0.5"),
    ],
    ids=str,
)
def test_wrong_fields_are_refused(found, fields, words):
    with pytest.raises(gdpnum.InvalidArgument, match=words):
        found.to_registry(**{**FIELDS, **fields})


def test_numbers_are_written_so_that_yaml_reads_numbers(yaml):
    for value in (1e-5, 1e-300, 2.5e-7, 0.1, 7.432, 3):
        assert yaml.safe_load(registry._number(value)) == value
    assert math.isclose(yaml.safe_load(registry._number(1e16)), 1e16)
