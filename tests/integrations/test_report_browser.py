"""The report in a real browser: it works, loads nothing, and can be read."""

import json

import pytest

import gdpnum
from gdpnum.report import html
from gdpnum.rounding import fpr_shown, one_in, upper
from gdpnum.statements.page.reading import Readings
from tests.report.chromium import BINARY, Chromium
from tests.report.settings import HOSTILE, SETTINGS

pytestmark = pytest.mark.skipif(BINARY is None, reason="needs chromium")

SHOWN = ("fpr", "tpr", "tpr_gdp", "half", "hundredth")

# The least contrast of texts with what is behind them, each with its text.
CONTRASTS = """
(() => {
  const parsed = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => {
      c /= 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = parsed(getComputedStyle(at).backgroundColor);
      if (found[3] === 1) return found;
      if (found[3] > 0) throw new Error("a ground is half transparent");
    }
    return [255, 255, 255, 1];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (!text || !element.checkVisibility() || element.closest("script, title, desc")) continue;
    const style = getComputedStyle(element);
    for (let at = element; at; at = at.parentElement) {
      if (getComputedStyle(at).opacity !== "1") throw new Error("a text is half transparent");
    }
    const ink = parsed(element.closest("svg") ? style.fill : style.color);
    const [a, b] = [light(ink), light(ground(element))];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), text]);
  }
  return found;
})()
"""

READING = """
({
  tpr: document.querySelector("data[data-shows=tpr]").value,
  tpr_gdp: document.querySelector("data[data-shows=tpr_gdp]").value,
  fpr: document.querySelector("data[data-shows=fpr]").value,
  texts: Object.fromEntries(["fpr", "tpr", "tpr_gdp", "half", "hundredth"].map((key) => [key,
    [...new Set([...document.querySelectorAll(`[data-shows=${key}]`)].map((e) => e.innerText))]])),
  spoken: document.getElementById("fpr").getAttribute("aria-valuetext"),
  at: document.getElementById("fpr").valueAsNumber,
  circles: [...document.querySelectorAll("circle")].map((e) => [e.className.baseVal,
    e.cx.baseVal.value, e.cy.baseVal.value]),
})
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("pages"), {}
    for name, build in SETTINGS.items():
        found[name] = build(), folder / f"{name}.html"
        found[name][1].write_text(html(found[name][0]), encoding="utf-8")
    return found


def complaints(browser):
    kinds = {"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"}
    kinds |= {"Page.javascriptDialogOpening"}
    return [event for event in browser.events if event[0] in kinds]


def requested(browser):
    sent = [params for method, params in browser.events if method == "Network.requestWillBeSent"]
    return [params["request"]["url"] for params in sent]


@pytest.mark.parametrize("name", SETTINGS)
def test_a_page_loads_nothing_and_complains_of_nothing(browser, pages, name):
    _, page = pages[name]
    browser.open(page)
    browser.evaluate("new Promise((done) => setTimeout(done, 100))")
    assert requested(browser) == [page.as_uri()]
    assert complaints(browser) == []


@pytest.mark.parametrize("name", ["headline", "not_a_good_summary", "no_finite_mu"])
def test_the_control_reads_off_what_the_library_computes(browser, pages, name):
    statement, page = pages[name]
    browser.open(page)
    rows = Readings.of(statement).rows
    curve = (
        statement.run.curve().symmetrised()
        if isinstance(statement.run, gdpnum.Representation)
        else gdpnum.tradeoff_curve(statement.run)
    )
    fit = gdpnum.fit_gdp(statement.run)
    for at in (0, 17, 90, 91, len(rows) - 1):
        browser.evaluate(
            f"document.getElementById('fpr').value = {at};"
            "document.getElementById('fpr').dispatchEvent(new Event('input'))"
        )
        read = browser.evaluate(READING)
        fpr = float(read["fpr"])
        assert fpr == rows[at].fpr
        assert float(read["tpr"]) == rows[at].tpr == pytest.approx(curve.tpr(fpr), rel=1e-5)
        assert float(read["tpr_gdp"]) == rows[at].tpr_gdp == pytest.approx(fit.tpr(fpr), rel=1e-14)
        shown = {key: [text.replace("\u00a0", " ") for text in read["texts"][key]] for key in SHOWN}
        assert shown["fpr"] == [fpr_shown(fpr)]
        assert shown["tpr"] == [upper(rows[at].tpr, digits=3)]
        assert shown["tpr_gdp"] == [upper(rows[at].tpr_gdp, digits=3)]
        assert one_in(rows[at].tpr) in read["spoken"]
        of_hundred = 100.0 * rows[at].tpr / (rows[at].tpr + fpr)
        share = float(shown["half"][0].removesuffix(" %"))
        assert of_hundred * (1 - 1e-12) <= share <= 1.011 * of_hundred
        # In the first panel, scales are even.
        left, width, bottom, height = 46.0, 296.0, 280.0, 214.0
        for kind, x, y in read["circles"][:2]:
            tpr = rows[at].tpr if kind == "run" else rows[at].tpr_gdp
            assert (x - left) / width == pytest.approx(fpr, abs=1e-3)
            assert (bottom - y) / height == pytest.approx(tpr, abs=1e-3)


def test_the_control_works_by_keyboard_and_by_its_buttons(browser, pages):
    statement, page = pages["headline"]
    browser.open(page)
    start = browser.evaluate(READING)["at"]
    # From the top of the page: the first thing to reach is "lower", the second the slider.
    browser.press("Tab", 9)
    assert browser.evaluate("document.activeElement.id") == "lower"
    browser.press("Tab", 9)
    assert browser.evaluate("document.activeElement.id") == "fpr"
    assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press("ArrowRight", 39)
    read = browser.evaluate(READING)
    assert read["at"] == start + 1
    assert float(read["fpr"]) == Readings.of(statement).rows[start + 1].fpr
    browser.evaluate("document.getElementById('lower').click()")
    browser.evaluate("document.getElementById('lower').click()")
    read = browser.evaluate(READING)
    assert read["at"] == start - 1
    assert browser.evaluate("document.getElementById('spoken').textContent") == read["spoken"]
    assert complaints(browser) == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["headline", "not_a_good_summary", "no_finite_mu"])
def test_texts_stand_out(browser, pages, name, dark):
    _, page = pages[name]
    browser.open(page, dark=dark)
    found = browser.evaluate(CONTRASTS)
    assert len(found) > 120
    assert [each for each in found if each[0] < 4.5] == []
    ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") != dark


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_sticks_out(browser, pages, name, width):
    _, page = pages[name]
    browser.open(page, width=width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    if width == 390:
        inside = "[...document.querySelectorAll('.scroll')].every(e => e.scrollWidth <= 374)"
        assert browser.evaluate(inside)
    # What is drawn stays within its drawing.
    sticking = """
    [...document.querySelectorAll("svg")].flatMap((svg) => {
      const box = svg.getBoundingClientRect();
      return [...svg.querySelectorAll("text, path, circle")].filter((e) => {
        const at = e.getBoundingClientRect();
        return at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1
          || at.bottom > box.bottom + 1;
      }).map((e) => e.outerHTML);
    })
    """
    assert browser.evaluate(sticking) == []


def test_a_hostile_name_is_shown_as_text(browser, pages):
    _, page = pages["hostile"]
    browser.open(page)
    assert browser.evaluate("document.title") == f"Privacy statement: {HOSTILE}"
    assert HOSTILE in browser.evaluate("document.querySelector('h1').innerText")
    document = browser.evaluate("document.getElementById('statement').textContent")
    assert json.loads(document)["name"] == HOSTILE
    assert complaints(browser) == []


def test_no_other_script_would_run(browser, pages):
    _, page = pages["headline"]
    browser.open(page)
    browser.evaluate(
        "const added = document.createElement('script'); added.textContent = 'window.added = 1';"
        "document.body.append(added)"
    )
    assert browser.evaluate("window.added") is None
    assert "Content Security Policy" in str(complaints(browser))


def test_without_scripts_only_the_control_is_missing(browser, pages):
    stated, page = pages["headline"]
    browser.open(page, scripts=False)
    visible = {
        one: f"document.getElementById('{one}').checkVisibility()" for one in ("fpr", "copy")
    }
    assert not any(browser.evaluate(each) for each in visible.values())
    text = browser.evaluate("document.body.innerText").replace("\u00a0", " ")
    assert "at most 86 % of those accused were" in text
    # The table of the text has the TPR at an FPR of 0.1 in its second column.
    (row,) = (line for line in str(stated).splitlines() if line.startswith("0.1 "))
    assert row.split()[1] in text
    browser("Emulation.setScriptExecutionDisabled", value=False)


def test_paper_is_white_and_has_no_control(browser, pages):
    _, page = pages["headline"]
    browser.open(page, dark=True)
    scheme = {"name": "prefers-color-scheme", "value": "dark"}
    browser("Emulation.setEmulatedMedia", media="print", features=[scheme])
    ground = "getComputedStyle(document.body).backgroundColor"
    assert browser.evaluate(ground) == "rgb(255, 255, 255)"
    assert not browser.evaluate("document.getElementById('fpr').checkVisibility()")
    assert [each for each in browser.evaluate(CONTRASTS) if each[0] < 4.5] == []
    browser("Emulation.setEmulatedMedia", media="")
    assert browser.pdf().startswith(b"%PDF")


def test_the_citation_is_copied_or_selected(browser, pages):
    _, page = pages["headline"]
    browser.open(page)
    browser.evaluate("document.querySelector('[data-copies=bibtex]').click()")
    browser.evaluate("new Promise((done) => setTimeout(done, 200))")
    assert browser.evaluate("document.getElementById('copied').textContent")[:6] in (
        "Copied",
        "Select",
    )
