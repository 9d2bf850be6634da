import re
import sys
from types import SimpleNamespace

import pytest

import gdpnum
from gdpnum.statements import statement
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
