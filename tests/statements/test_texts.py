import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import gdpnum
from gdpnum.statements import Statement, releases, statement, texts, words
from tests.statements.settings import FORMS, GOLDEN, SETTINGS, written

NASTY = "<script>alert(1)</script> *a* _b_ [c](d) `e` | $f$ 50% & #1 {g} ~h ^i \\j \x1b[31m\nk"


@pytest.mark.parametrize("ending", FORMS)
@pytest.mark.parametrize("name", SETTINGS)
def test_a_statement_reads_as_it_was_reviewed(stated, name, ending):
    golden = (GOLDEN / f"{name}.{ending}").read_text(encoding="utf-8")
    assert written(FORMS[ending](stated(name))) == golden


def flat(text):
    return " ".join(text.split())


def test_the_statement_of_the_readme_fits_one_screen_with_one_mu_and_one_regret(stated):
    text = str(stated("headline"))
    assert len(text.splitlines()) <= 48
    assert re.findall(r"mu = ([\d.]+\d)|N\(([1-9.]+), 1\)", text) == [
        ("1.5673", ""),
        ("", "1.5673"),
    ]
    assert len(re.findall(r"regret of (0\.001\d)", text)) == 1


def test_the_first_sentence_has_its_baseline(stated):
    first = str(stated("headline")).split("\n\n")[1]
    (tpr,) = [row.tpr for row in stated("headline").tpr if row.fpr == 0.1]
    assert flat(first) == (
        "Guessing finds 10 % of the records that were used if it may wrongly accuse 10 % of the "
        f"others. With what this run released, no attack finds more than {words.percent(tpr)}."
    )


def test_no_sentence_defines_gdp_by_gdp(stated):
    for name in SETTINGS:
        assert not re.search(r"[\d.]+-GDP", str(stated(name)))


@pytest.mark.parametrize("mu", [0.05, 0.3, 0.8, 1.5, 3.0, 6.0])
def test_mu_has_its_place_on_a_scale_with_words(mu):
    text = flat(str(statement(gdpnum.GDP(mu=mu))))
    found = re.search(r"mu (?:between (\S+) and (\S+)|above 4) excludes \w", text)
    low, high = found.groups()
    assert mu > 4.0 if low is None else float(low) < mu <= float(high)


def test_words_of_the_scale_are_true():
    # What each step of the scale says, at its upper end and an FPR of 1 %.
    found = {limit: gdpnum.tpr_from_mu(limit, 0.01) for limit, _ in texts.SCALE[:-1]}
    assert found[0.1] < 0.0131
    assert found[0.5] < 0.035
    assert found[1.0] < 0.1
    assert 0.3 < found[2.0] < 0.4
    assert 0.9 < found[4.0] < 0.96


def test_a_reader_is_told_that_mu_is_not_enough_and_is_given_the_fallback(stated):
    found = stated("not_a_good_summary")
    text = str(found)
    assert "mu is not enough: its regret of 0.17 is not below 0.01" in flat(text)
    assert "delta at most" in text
    assert "Truncated CDP: rho = " in text
    assert found.warnings[0].startswith("mu is not enough")
    assert not found.is_complete


def test_a_reader_is_told_that_rare_events_double_mu(stated):
    found = stated("rare_events")
    assert "Rare events double mu" in str(found)
    assert found.warnings[-1].startswith("Rare events double mu")
    assert found.is_complete
    assert found.fallback is None
    assert found.verdict == "mu is enough, but mind the warning"


def test_a_good_summary_comes_without_a_warning(stated):
    assert stated("headline").warnings == ()
    assert stated("headline").fallback is None


@pytest.mark.parametrize("epsilon", [1.0, 8.0])
def test_no_finite_mu_is_never_enough(epsilon):
    found = statement(gdpnum.ApproxDP(epsilon=epsilon, delta=1e-5))
    assert found.regret < 0.01 or epsilon == 1.0
    assert not found.is_complete
    assert found.fallback.profile
    assert found.verdict == "no finite mu: report the tables"
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        said = flat(text.replace("\u00a0", " ").replace("$\\mu$", "mu"))
        assert "This run has no finite mu" in said
        assert "privacy loss is unbounded" in said
        assert "is enough" not in said
        assert "nan" not in re.findall(r"\w+", said.lower())


@pytest.mark.parametrize(
    ("slack", "size", "enough"),
    [
        (1e-10, None, True),
        (1e-6, None, True),
        (1.1e-6, None, False),
        (0.01, None, False),
        (0.9, None, False),
        (1e-6, 100_000, True),
        (1e-6, 200_000, False),
        (1e-10, 10**9, True),
    ],
)
def test_a_large_slack_is_never_enough(slack, size, enough):
    found = statement(gdpnum.Gaussian(sigma=2.0), slack=slack, dataset_size=size)
    assert found.is_complete == enough
    assert ("everything about a record may be revealed" in flat(str(found))) == (not enough)
    assert ("mu at one slack is not to be compared" in flat(str(found))) == (not enough)


def test_a_slack_does_not_buy_a_verdict():
    run = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000)
    for slack in (1e-10, 0.01, 0.9):
        assert not statement(run, slack=slack).is_complete


def test_what_is_not_stated_is_said_to_be(stated):
    for form in (str, Statement.to_markdown, Statement.to_latex, Statement.to_html):
        said = flat(form(stated("headline")))
        assert "Not stated: who is protected, what was released, how batches were drawn" in said
    found = statement(gdpnum.Gaussian(sigma=2.0), released="final *model*", tuning="none")
    assert "what was released final *model*" in flat(str(found))
    assert r"final \*model\*" in found.to_markdown()
    assert not re.search("Not stated:[^.]*(released|tuning)", flat(str(found)))


def test_an_audit_has_its_place():
    audit = SimpleNamespace(
        sentences=lambda: ["mu 0.3 is refuted at level 0.05."], rows=lambda: [("canaries", 1000)]
    )
    refuted = SimpleNamespace(**vars(audit), refuted=True, mu_lower=0.1)
    assert statement(gdpnum.Gaussian(sigma=2.0), audit=refuted).audit.refutes
    found = statement(gdpnum.Gaussian(sigma=2.0), audit=audit)
    assert Statement.from_json(found.to_json()) == found
    for form in (str, Statement.to_markdown, Statement.to_latex, Statement.to_html):
        assert "0.3 is refuted at level 0.05." in form(found)
        assert "1000" in form(found)
    with pytest.raises(gdpnum.InvalidType, match="audit=3 is of type int"):
        statement(gdpnum.Gaussian(sigma=2.0), audit=3)


def test_an_audit_that_proves_more_than_is_stated_is_told_before_all_else():
    rng = np.random.default_rng(3)
    scores = rng.normal(2.0, size=300), rng.normal(size=300)
    run = gdpnum.Gaussian(sigma=2.0)
    for claim in (run, None):
        found = statement(run, audit=gdpnum.audit(*scores, claim=claim))
        assert found.audit.refutes
        assert Statement.from_json(found.to_json()) == found
        assert found.warnings[0].startswith("An audit contradicts this statement")
        for form in (str, Statement.to_markdown, Statement.to_latex, Statement.to_html):
            said = flat(form(found))
            assert said.index("An audit contradicts this statement") < said.index("Guessing finds")


def test_an_audit_of_a_claim_that_is_not_the_statement_does_not_contradict_it():
    rng = np.random.default_rng(3)
    scores = rng.normal(2.0, size=300), rng.normal(size=300)
    audit = gdpnum.audit(*scores, claim=gdpnum.GDP(mu=0.2))
    assert audit.refuted
    found = statement(gdpnum.Gaussian(sigma=0.4), audit=audit)
    assert not found.audit.refutes
    assert not any("audit" in one for one in found.warnings)


def test_every_form_has_the_second_reading_and_why_one_hundredth(stated):
    for form in (str, Statement.to_markdown, Statement.to_latex, Statement.to_html):
        said = flat(form(stated("headline")))
        assert "singling out, guessing an attribute and reconstruction" in said
        assert "by more than one point in a hundred" in said


@pytest.mark.parametrize("name", SETTINGS)
def test_lines_fit_a_terminal(stated, name):
    assert max(map(len, str(stated(name)).splitlines())) <= 80


def test_the_repr_is_short(stated):
    assert len(repr(stated("headline"))) < 160


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "once"), (2, "2 times")],
)
def test_what_was_run_is_said_in_words(count, words):
    text = str(statement(gdpnum.Gaussian(sigma=2.0, neighbouring="replace") * count))
    assert f"Gaussian noise with noise multiplier 2, {words}" in text
    assert "Which of two values did a record have?" in text
    assert "one record replaced by another" in text.replace("\n", " ")


def test_a_name_is_shown_as_text():
    found = statement(gdpnum.Gaussian(sigma=2.0), name=NASTY)
    text, markdown, latex = str(found), found.to_markdown(), found.to_latex()
    assert "\x1b" not in text + markdown + latex
    assert r"\x1b[31m k" in text.splitlines()[1] + text.splitlines()[0]
    heading = markdown.splitlines()[0]
    assert r"\<script\>" in heading
    assert not re.search(r"(?<!\\)[<>*_`|\[\]$]", heading)
    cell = latex.partition("\\paragraph{")[2].splitlines()[0].removesuffix("}")
    bare = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]", "", cell)
    assert not set("&%$#_{}~^\\<>") & set(bare)


@pytest.mark.parametrize(("ending", "mark"), [("md", "mu is not enough"), ("tex", "is not enough")])
def test_every_form_says_that_mu_is_not_enough(stated, ending, mark):
    assert mark in FORMS[ending](stated("not_a_good_summary"))
    assert mark not in FORMS[ending](stated("headline"))


def test_printed_bounds_are_still_bounds(stated):
    found = stated("not_a_good_summary")
    lines = iter(str(found).splitlines())
    next(line for line in lines if line.startswith("FPR"))
    for row, line in zip(found.tpr, lines, strict=False):
        fpr, tpr, by_mu, *_ = line.split()
        assert float(fpr) <= row.fpr  # at fewer false positives, no more true ones
        assert float(tpr) >= row.tpr
        assert float(by_mu.rstrip(",")) >= row.tpr_gdp


@pytest.mark.parametrize("name", ["headline", "laplace", "rare_events"])
def test_the_regret_printed_is_that_of_the_mu_printed(stated, name):
    found = stated(name)
    mu, regret = found.headline
    curve = gdpnum.tradeoff_curve(found.run, tolerance=1e-4)
    exact = gdpnum.delta_divergence(curve, gdpnum.GDP(mu=float(mu), slack=found.slack)).value
    assert float(mu) >= found.mu
    assert float(regret) >= exact - 1e-6
    assert float(regret) >= found.regret


def test_rounding_never_makes_a_complete_report_look_like_none(stated):
    found = replace(stated("headline"), regret=0.00999999)
    mu, regret = found.headline
    assert float(mu) >= found.mu
    assert 0.00999999 <= float(regret) < 0.01
    assert f"mu = {mu} with" in flat(str(found))
    assert f"regret of {regret} is below 0.01" in flat(str(found))


def test_an_exact_mu_has_its_own_regret():
    assert statement(gdpnum.GDP(mu=1.5), slack=0.0).headline == ("1.5000", "0")


@pytest.mark.parametrize(
    "run", [gdpnum.Gaussian(sigma=0.2), gdpnum.RandomizedResponse(epsilon=5.0)], ids=repr
)
def test_a_guarantee_that_leaves_most_to_be_found_says_what_it_allows(run):
    found = statement(run)
    assert found.leaves_most_to_be_found
    tprs = {row.fpr: row.tpr for row in found.tpr}
    (said,) = [warning for warning in found.warnings if "At FPR 0.01 this run allows" in warning]
    # True of either: it tells rates, and whether small FPRs are held off.
    assert ("Only attacks that accuse hardly anyone are held off" in said) == (tprs[1e-6] < 0.5)
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        assert "this run allows a TPR of" in flat(text.replace("\u00a0", " "))
        assert "hardly anything" not in text


def test_a_mu_that_overstates_small_fprs_says_so():
    found = statement(gdpnum.RandomizedResponse(epsilon=6.0))
    assert found.is_complete
    assert any("At small FPRs mu overstates the risk" in one for one in found.warnings)


def test_a_guarantee_of_something_is_not_warned_about(stated):
    assert not statement(gdpnum.GDP(mu=4.5)).leaves_most_to_be_found
    assert not any(stated(name).leaves_most_to_be_found for name in SETTINGS)


def test_what_the_description_leaves_out_is_said_not_to_be_covered(stated):
    assert "Not covered: people with several records, tuning runs." in flat(str(stated("headline")))


@pytest.mark.parametrize("relation", ["add_remove", "replace", "zero_out", None])
def test_every_relation_has_its_words(relation):
    found = statement(gdpnum.Gaussian(sigma=2.0))
    person = gdpnum.per_person(found.run, records_per_person=3)
    for run, who in ((found.run, "record"), (person, "person with at most 3 records")):
        facts = releases.facts_of(run)
        one = SimpleNamespace(facts=facts, neighbouring=relation, curve_points=found.curve_points)
        said = words.risk(one) + words.relation(one, "neighbours")
        assert "10 %" in said
        assert "{" not in said
        assert relation is None or who in said


def test_noise_and_rate_are_printed_with_all_their_digits():
    run = gdpnum.DPSGD(noise_multiplier=0.99999951, sample_rate=0.12345678, steps=3)
    assert "3 steps of DP-SGD with noise multiplier 0.99999951" in releases.in_words(run)
    assert "probability 0.12345678" in releases.in_words(run)
    assert "noise multiplier 0.99999951" in flat(statement(run).to_latex())


def test_nothing_is_said_of_draws_where_every_record_is_in_every_batch():
    text = " ".join(str(gdpnum.statement(_full_batches(1.0))).split())
    assert "10 steps of DP-SGD with noise multiplier 2, each on all records." in text
    assert "secret" not in text
    assert "draws are secret" in " ".join(str(gdpnum.statement(_full_batches(0.5))).split())


def _full_batches(rate):
    return gdpnum.DPSGD(noise_multiplier=2.0, sample_rate=rate, steps=10)
