import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

import gdpnum
from gdpnum.statements import statement, words
from tests.statements.settings import FORMS, GOLDEN, SETTINGS, written

NASTY = "<script>alert(1)</script> *a* _b_ [c](d) `e` | $f$ 50% & #1 {g} ~h ^i \\j \x1b[31m\nk"


@pytest.mark.parametrize("ending", FORMS)
@pytest.mark.parametrize("name", SETTINGS)
def test_a_statement_reads_as_it_was_reviewed(stated, name, ending):
    golden = (GOLDEN / f"{name}.{ending}").read_text(encoding="utf-8")
    assert written(FORMS[ending](stated(name))) == golden


def test_the_headline_of_the_paper_is_printed(stated):
    text = str(stated("headline"))
    assert "this run is 1.57-GDP with slack 1e-10" in text
    assert re.search(r"wrong about\s+10 % .* at most 61\.1 %", text, re.DOTALL)
    assert re.search(r"regret +0\.001\d+ +below 0.01: mu is a complete report", text)


def test_a_reader_is_told_that_mu_is_not_a_good_summary_and_is_given_the_fallback(stated):
    found = stated("not_a_good_summary")
    text = str(found)
    assert "mu is not a good summary of this run" in text
    assert "delta at most" in text
    assert "Truncated CDP: rho = " in text
    assert found.warnings[0].startswith("mu is not a good summary")
    assert not found.is_complete


def test_a_reader_is_told_that_rare_events_double_mu(stated):
    found = stated("rare_events")
    assert "Rare events double mu" in str(found)
    assert found.warnings[-1].startswith("Rare events double mu")
    assert found.is_complete
    assert found.fallback is None


def test_a_good_summary_comes_without_a_warning(stated):
    assert stated("headline").warnings == ()
    assert stated("headline").fallback is None


def test_an_infinite_mu_says_why(stated):
    found = stated("no_finite_mu")
    assert "no finite mu at slack 1e-10: privacy loss is unbounded" in str(found).replace("\n", " ")
    assert r"$\infty$" in found.to_latex()
    assert "nan" not in str(found).lower()


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
    assert "which of two values one record had" in text
    assert "one record replaced by another" in text.replace("\n", " ")


def test_a_name_is_shown_as_text():
    found = statement(gdpnum.Gaussian(sigma=2.0), name=NASTY)
    text, markdown, latex = str(found), found.to_markdown(), found.to_latex()
    assert "\x1b" not in text + markdown + latex
    assert r"\x1b[31m k" in text.splitlines()[1] + text.splitlines()[0]
    heading = markdown.splitlines()[0]
    assert r"\<script\>" in heading
    assert not re.search(r"(?<!\\)[<>*_`|\[\]$]", heading)
    (row,) = [line for line in latex.splitlines() if "script" in line and " & $" in line]
    cell = row.split(" & $")[0]
    bare = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]", "", cell)
    assert not set("&%$#_{}~^\\<>") & set(bare)


@pytest.mark.parametrize(("ending", "mark"), [("md", "not a good summary"), ("tex", "not a good")])
def test_every_form_says_that_mu_is_not_a_good_summary(stated, ending, mark):
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
        assert float(by_mu) >= row.tpr_gdp


def test_the_web_page_is_written_by_the_report(stated, monkeypatch):
    page = SimpleNamespace(html=lambda found: f"<p>{found.mu:.2f}</p>")
    monkeypatch.setitem(sys.modules, "gdpnum.report", page)
    assert stated("headline").to_html() == "<p>1.57</p>"


@pytest.mark.parametrize("name", ["headline", "laplace", "rare_events"])
@pytest.mark.parametrize("digits", [3, 4])
def test_the_regret_printed_is_that_of_the_mu_printed(stated, name, digits):
    found = stated(name)
    mu, regret = words.headline(found, digits=digits)
    curve = gdpnum.tradeoff_curve(found.run, tolerance=1e-4)
    exact = gdpnum.delta_divergence(curve, gdpnum.GDP(mu=float(mu)).curve()).value
    assert float(mu) >= found.mu
    assert float(regret) >= exact - 1e-6
    assert float(regret) >= found.regret


def test_rounding_never_makes_a_complete_report_look_like_none(stated):
    found = replace(stated("headline"), regret=0.00999999)
    mu, regret = words.headline(found)
    assert float(mu) >= found.mu
    assert 0.00999999 <= float(regret) < 0.01
    assert f"this run is {mu}-GDP" in str(found).replace("\n", " ")
    assert f"{regret}, below 0.01" in str(found).replace("\n", " ")


def test_an_exact_mu_has_its_own_regret():
    assert words.headline(statement(gdpnum.GDP(mu=1.5))) == ("1.50", "0")


@pytest.mark.parametrize("sigma", [0.01, 0.2])
def test_a_guarantee_of_hardly_anything_is_called_so(sigma):
    found = statement(gdpnum.Gaussian(sigma=sigma))
    said = "This guarantee excludes hardly anything"
    assert found.excludes_hardly_anything
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        assert said in text.replace("\u00a0", " ")
        assert "a complete report" not in text
    assert any(said in warning for warning in found.warnings)


def test_a_guarantee_of_something_is_not_called_hardly_anything(stated):
    assert not statement(gdpnum.GDP(mu=4.5)).excludes_hardly_anything
    assert not any(stated(name).excludes_hardly_anything for name in SETTINGS)


def test_the_table_agrees_with_the_warning(stated):
    found = stated("rare_events")
    assert found.verdict == "below 0.01, but see the warning"
    assert "complete report" not in str(found) + found.to_markdown() + found.to_html()


def test_what_the_description_leaves_out_is_said_not_to_be_covered(stated):
    said = "a person with several records, and tuning runs that are not listed, are not covered"
    assert said in str(stated("headline")).replace("\n", " ")


def test_noise_and_rate_are_printed_with_all_their_digits():
    run = gdpnum.DPSGD(noise_multiplier=0.99999951, sample_rate=0.12345678, steps=3)
    assert "noise multiplier 0.99999951, 3 times" in words.run_in_words(run)
    assert "probability 0.12345678" in words.run_in_words(run)
    latex = statement(run).to_latex().replace("\n", " ")
    assert "noise multiplier 0.99999951, Poisson sampling at rate 0.12345678" in latex
