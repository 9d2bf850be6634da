import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdpnum
from gdpnum.statements import Statement, statement
from gdpnum.statements.description import leaf_of, parts_of, run_of
from tests.examples import examples
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


@examples(10)
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
    assert document["verdict"] == "mu is enough"


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


def edited(found, *path, to):
    """The JSON of a statement in which one value is another."""
    document = json.loads(found.to_json())
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return json.dumps(document)


def test_a_lowered_mu_is_refused():
    found = statement(gdpnum.Gaussian(sigma=1.0))
    text = edited(found, "mu", to=0.1)
    with pytest.raises(gdpnum.InvalidArgument, match="'mu' is below mu_lower"):
        Statement.from_json(text)
    document = {**json.loads(text), "mu_lower": 0.1}
    with pytest.raises(gdpnum.InvalidArgument, match="'tail_ratio' is not mu divided"):
        Statement.from_json(json.dumps(document))
    # As if it were another run's, but with the curve of this one.
    other = json.loads(statement(gdpnum.Gaussian(sigma=10.0)).to_json())
    keys = ("mu", "mu_lower", "advantage", "tail_ratio")
    document |= {key: other[key] for key in keys}
    with pytest.raises(gdpnum.InvalidArgument, match="'tpr_gdp' is not what mu and slack allow"):
        Statement.from_json(json.dumps(document))
    document["curve_points"]["tpr_gdp"] = other["curve_points"]["tpr_gdp"]
    with pytest.raises(gdpnum.InvalidArgument, match=r"'(mu|tpr_gdp|curve_points)'"):
        Statement.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["mu"], "nan", "'mu' holds 'nan', which is no number"),
        (["mu"], float("nan"), "NaN is no number"),
        (["mu"], True, "'mu' holds True"),
        (["mu"], 10**400, "text is not a statement|'mu' holds"),
        (["mu_lower"], -1.0, "'mu_lower' is out of range"),
        (["slack"], 1.0, "'slack' is out of range"),
        (["slack"], 1e-3, "'tpr_gdp' is not what mu and slack allow"),
        (["regret"], -0.1, "'regret' is out of range"),
        (["regret"], 0.0, "'fallback' is there exactly"),
        (["advantage"], 2.0, "'advantage' is out of range"),
        (["tail_ratio"], 1.5, "'tail_ratio' is not mu divided"),
        (["pure_epsilon"], 0.5, "'pure_epsilon' is not that of the run"),
        (["pure_epsilon"], 3.0, "'pure_epsilon' is not that of the run"),
        (["pure_epsilon"], "inf", "'pure_epsilon' is not that of the run"),
        (["epsilon", 0, "epsilon"], 0.97, "'epsilon' contradicts profile_points"),
        (["stated", "tuning"], 3, "tuning=3 is of type int"),
        (["stated", "extra"], "x", "text is not a statement"),
        (["audit"], {"sentences": [3], "rows": [], "refutes": False}, "audit=3 is of type int"),
        (["audit"], {"sentences": [], "rows": [], "refutes": 1}, "refutes=1 is not an option"),
        (["name"], 5, "name=5 is of type int, not a text"),
        (["date"], 7, "date=7 is of type int"),
        (["date"], "20260301", "'date' is not a date|date='20260301' is not a date"),
        (["date"], "\\x1b[31m", "is not a date"),
        (["reason"], 3, "reason=3 is of type int"),
        (["reason"], "because", "'reason' is there only where mu is infinite"),
        (["dataset_size"], "x", "dataset_size='x' is of type str"),
        (["dataset_size"], 0, "dataset_size=0 is below 1"),
        (["dataset_size"], 1.5, "dataset_size=1.5 is of type float"),
        (["dataset_size"], 17, "'dataset_size' has no epsilon"),
        (["curve_points"], {"fpr": [], "tpr": [], "tpr_gdp": []}, "'curve_points'"),
        (["curve_points"], 3, "text is not a statement"),
        (["curve_points", "tpr", 50], 0.0, "'curve_points' is not in order"),
        (["curve_points", "tpr", 0], 0.1, "'curve_points' is not in order|'mu' allows less"),
        (["curve_points", "fpr", 1], 0.0, "'curve_points' is not in order"),
        (["curve_points", "fpr", -1], 0.9999999, "'curve_points' does not go from"),
        (["profile_points"], {"epsilon": [], "delta": []}, "'profile_points'"),
        (["profile_points", "delta", 3], 1.0, "'profile_points' is not in order"),
        (["tpr", 0, "tpr"], 0.0, "'tpr' has rows that are not among"),
        (["epsilon", 0, "epsilon"], -1.0, "'epsilon'"),
        (["epsilon", 0, "delta"], 1e-12, "'epsilon' is not in order"),
        (["epsilon", 0, "epsilon"], 0.5, "'epsilon' contradicts profile_points"),
        (["pure_epsilon"], 0.99, "'pure_epsilon' is not that of the run"),
        (["profile_points", "delta", -1], -1.0, "'profile_points' is out of range"),
        (["profile_points"], {"epsilon": [0.0], "delta": [0.3]}, "'profile_points' allows less"),
        (["fallback", "profile", 0, "delta"], 0.39, "'fallback' allows less than the curve"),
        (["fallback", "truncated_cdp", "rho"], 0.0, "'truncated_cdp' allows less than"),
        (["curve_points", "tpr", 1], 0.0, "'curve_points' is out of range"),
        (["advantage"], 0.3, "'tail_ratio' is not mu divided"),
        (["assumptions", "tolerance"], 5.0, "'tolerance' is out of range"),
        (["fallback"], None, "'fallback' is there exactly"),
        (["fallback", "profile"], [], "'fallback' is out of range"),
        (["assumptions", "version"], "\\input{x}", "'version' is not a version number"),
        (["assumptions", "version"], "1.0\n", "'version' is not a version number"),
        (["assumptions", "version"], 2, "version=2 is of type int"),
        (["assumptions", "tolerance"], 0.0, "'tolerance' is out of range"),
    ],
    ids=str,
)
def test_a_statement_that_contradicts_itself_is_refused_by_its_key(stated, path, value, words):
    with pytest.raises(gdpnum.InvalidArgument, match=words):
        Statement.from_json(edited(stated("laplace"), *path, to=value))


def test_a_regret_below_that_of_the_curve_is_refused(stated):
    with pytest.raises(gdpnum.InvalidArgument, match="'regret' is below what mu gives away"):
        Statement.from_json(edited(stated("headline"), "regret", to=0.0005))


def test_an_infinite_mu_may_have_no_reason():
    found = statement(gdpnum.PureDP(epsilon=1000.0), slack=0.0)
    assert check(found)["reason"] is None
    assert "no finite mu at slack 0." in str(found).replace("\n", " ")
    assert not found.is_complete


def test_a_reason_is_shown_as_text(stated):
    hostile = "<script>x</script> | *a* [b](c) \x1b[31m\n# d"
    found = Statement.from_json(edited(stated("no_finite_mu"), "reason", to=hostile))
    forms = (str(found), found.to_markdown(), found.to_latex(), found.to_html())
    assert not any("\x1b" in form for form in forms)
    assert "<script>x" not in found.to_markdown() + found.to_html()
    assert r"\<script\>x\</script\> \| \*a\* \[b\](c) \\x1b\[31m \# d." in found.to_markdown()


@pytest.mark.parametrize("sigma", [0.01, 0.05, 0.06, 0.0625, 0.1, 3.0, 1e3, 1e9, 1e15])
def test_any_mu_is_the_same_after_json(sigma):
    check(statement(gdpnum.Gaussian(sigma=sigma)))


def test_a_finite_pure_epsilon_where_there_is_none_is_refused(stated):
    for claimed in (3.0, 300.0):
        with pytest.raises(gdpnum.InvalidArgument, match="'pure_epsilon' is not that of the run"):
            Statement.from_json(edited(stated("headline"), "pure_epsilon", to=claimed))


@pytest.mark.parametrize("factor", [0.9, 0.99, 1.05])
@pytest.mark.parametrize("row", [0, 1, 2, 3])
def test_an_epsilon_that_contradicts_the_profile_is_refused(stated, row, factor):
    found = stated("headline")
    moved = found.epsilon[row].epsilon * factor
    if row > 0:
        moved = max(moved, found.epsilon[row - 1].epsilon)
    with pytest.raises(gdpnum.InvalidArgument, match="'epsilon'"):
        Statement.from_json(edited(found, "epsilon", row, "epsilon", to=moved))


def test_a_key_that_is_there_twice_is_refused(stated):
    text = stated("headline").to_json()
    for twice in (
        text.replace('"mu":', '"mu": 0.1, "mu":', 1),
        text.replace('"delta": 1e-05', '"delta": 1e-05, "delta": 1e-05', 1),
    ):
        with pytest.raises(gdpnum.InvalidArgument, match="is there twice"):
            Statement.from_json(twice)


FIRST = Path(__file__).parent / "first"


@pytest.mark.parametrize("name", ["gaussian", "laplace_slack", "no_finite_mu"])
def test_a_statement_of_the_first_schema_is_read_and_its_slack_charged(name):
    text = (FIRST / f"{name}.json").read_text(encoding="utf-8")
    old, found = json.loads(text), Statement.from_json(text)
    check(found)
    again = statement(found.run, slack=found.slack, name=found.name, date=found.date)
    assert found.mu == float(old["mu"])
    # It did not charge the slack, and its mu was less close: by so much its regret is larger.
    assert old["regret"] <= again.regret + (found.mu - again.mu if found.mu < 1e9 else 0.0) + 1e-12
    assert again.regret - 1e-9 <= found.regret <= old["regret"] + found.slack
    assert found.is_complete == again.is_complete == (name == "gaussian")
    assert set(found.stated) == {None}


@pytest.mark.parametrize(
    ("path", "value"),
    [(["mu"], 0.1), (["regret"], -1.0), (["tpr", 0, "tpr"], 0.0), (["mechanism"], "nothing")],
    ids=str,
)
def test_a_changed_statement_of_the_first_schema_is_refused(path, value):
    document = json.loads((FIRST / "laplace_slack.json").read_text(encoding="utf-8"))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(gdpnum.InvalidArgument):
        Statement.from_json(json.dumps(document))
