import json
from importlib.resources import files

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdpnum
from gdpnum.statements import Statement, statement
from gdpnum.statements.description import leaf_of, parts_of, run_of
from tests.statements.settings import SETTINGS

SCHEMA = json.loads(
    files("gdpnum.statements").joinpath("statement.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

RUNS = [
    gdpnum.Gaussian(sigma=2.0) * 10 + gdpnum.Laplace(scale=5.0),
    (gdpnum.Gaussian(sigma=2.0) + gdpnum.DiscreteLaplace(scale=5.0)) * 3,
    gdpnum.DPSGD(noise_multiplier=2.0, sample_rate=0.01, steps=10, neighbouring="replace"),
    gdpnum.DPSGD(noise_multiplier=2.0, sample_rate=0.01, steps=0),
    gdpnum.DiscreteGaussian(sigma=3.0),
    gdpnum.RandomizedResponse(epsilon=1.0, categories=3),
    gdpnum.PureDP(epsilon=1.0),
    gdpnum.PureDP(epsilon=0.0),
    gdpnum.ApproxDP(epsilon=0.0, delta=1.0),
    gdpnum.GDP(mu=1.0),
    gdpnum.GDP(mu=1.0, slack=1e-6),
    gdpnum.ZCDP(rho=0.1),
    gdpnum.TruncatedCDP(rho=0.1, cap=8.0),
    gdpnum.RDP(orders=[2.0, 8.0], epsilons=[0.1, float("inf")]),
    gdpnum.TradeoffCurve.from_vertices([0.0, 0.1, 1.0], [0.9, 0.25, 0.0]),
    gdpnum.KnownCurve(gdpnum.GDP(mu=0.5).curve()) * 3,
]


def no_constants(name):
    raise AssertionError(f"{name} is not JSON")


def check(found):
    text = found.to_json()
    document = json.loads(text, parse_constant=no_constants)
    VALIDATOR.validate(document)
    back = Statement.from_json(text)
    assert back == found
    assert back.to_json() == text
    assert str(back) == str(found)
    return document


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_statement_is_the_same_after_json(stated, name):
    check(stated(name))


@pytest.mark.parametrize("run", RUNS, ids=lambda run: repr(run)[:40])
def test_every_kind_of_run_is_the_same_after_json(run):
    check(statement(run))


@settings(max_examples=25)
@given(
    st.text(),
    st.integers(1, 10**9),
    st.lists(st.floats(0.0, 1.0), max_size=3),
    st.floats(0.5, 1e3),
)
def test_whatever_the_user_passes_is_the_same_after_json(name, size, rates, sigma):
    run = gdpnum.Gaussian(sigma=sigma)
    check(statement(run, name=name, dataset_size=size, fprs=rates, deltas=rates))


def test_infinities_are_strings(stated):
    document = check(stated("no_finite_mu"))
    assert document["mu"] == document["mu_lower"] == document["tail_ratio"] == "inf"
    assert document["pure_epsilon"] == "inf"
    assert document["epsilon"][-1] == {"delta": 1e-9, "epsilon": "inf"}


def test_keys_of_the_first_command_line_are_kept(stated):
    document = check(stated("headline"))
    assert set(document) >= {
        *("mechanism", "mu", "mu_lower", "slack", "regret", "verdict", "tail_ratio"),
        *("advantage", "reason", "tpr", "epsilon", "assumptions"),
    }
    assert set(document["tpr"][0]) == {"fpr", "tpr", "tpr_gdp"}
    assert set(document["epsilon"][0]) == {"delta", "epsilon"}
    assert set(document["assumptions"]) >= {
        *("neighbouring", "sampling", "noise_multiplier", "tolerance", "version"),
    }
    assert document["verdict"] == "below 0.01: mu is a complete report"


def test_a_statement_is_small_enough_to_embed(stated):
    assert len(stated("headline").to_json()) < 30_000


def changed(text, **changes):
    return json.dumps({**json.loads(text), **changes})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "text is not a statement"),
        ("[]", "text is not a statement"),
        ("{}", "text is not a statement"),
        ('{"schema": "gdpnum-statement-9"}', "schema='gdpnum-statement-9' is not"),
        ({"verdict": "fine"}, "'verdict' does not agree"),
        ({"mechanism": "nothing"}, "'mechanism' does not agree"),
        ({"more": 1}, "'more' does not agree"),
        ({"parts": []}, "not a list of parts"),
        ({"tpr": [{"fpr": 0.1}]}, "text is not a statement"),
    ],
    ids=str,
)
def test_what_is_no_statement_is_refused(stated, text, words):
    if isinstance(text, dict):
        text = changed(stated("laplace").to_json(), **text)
    with pytest.raises(gdpnum.InvalidArgument, match=words):
        Statement.from_json(text)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({}, "mechanism has no type"),
        ({"type": "Gausian", "sigma": 1.0}, "did you mean 'Gaussian'"),
        ({"type": "Gaussian", "sigmo": 1.0}, "did you mean 'sigma'"),
        ({"type": "Gaussian"}, "lacks 'sigma'"),
        ({"type": "Gaussian", "sigma": -1.0}, "sigma=-1.0 is not positive"),
        ({"type": "Gaussian", "sigma": "1"}, "sigma='1' is of type str"),
        ({"type": "PoissonSampled", "rate": 0.1}, "lacks 'inner'"),
        ({"type": "PoissonSampled", "inner": {"type": "x"}, "rate": 0.1}, "mechanism.inner has"),
    ],
    ids=str,
)
def test_a_wrong_description_is_refused_with_advice(document, words):
    with pytest.raises(gdpnum.GdpnumError, match=words):
        leaf_of(document)


def test_a_run_of_its_parts_is_equal_to_it():
    for run in RUNS[:4]:
        assert run_of(parts_of(run)) == run


def test_a_stranger_cannot_be_written_down():
    class Stranger(gdpnum.mechanisms.Leaf):
        neighbouring = None

    with pytest.raises(gdpnum.UnsupportedMechanism, match="cannot write down"):
        parts_of(Stranger())
