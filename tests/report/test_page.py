import base64
import hashlib
import json
import math
import re
import subprocess
import sys
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser

import pytest

from gdpnum.errors import InvalidType
from gdpnum.report import html
from gdpnum.rounding import one_in
from gdpnum.statements import Statement, releases, texts, words
from gdpnum.statements.page.reading import Readings
from gdpnum.statements.texts import BIBTEX, CITATION
from tests.report.settings import HOSTILE, SETTINGS

VOID = {"meta", "input"}


class Tree(HTMLParser):
    """What a browser sees: elements, their attributes, and text outside of scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.texts, self.raw = [], [], [], {}
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if not self.open:
            return
        tag, attributes = self.open[-1]
        if tag in {"script", "style"}:
            key = attributes.get("id", tag)
            self.raw[key] = self.raw.get(key, "") + data
        else:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join("".join(self.texts).replace("\u00a0", " ").split())

    def all(self, tag):
        return [attributes for found, attributes in self.seen if found == tag]


@pytest.fixture(params=SETTINGS)
def found(request, stated):
    statement = stated(request.param)
    return statement, Tree(html(statement))


def test_the_json_is_that_of_the_statement(found):
    statement, tree = found
    assert json.loads(tree.raw["statement"]) == json.loads(statement.to_json())
    assert Statement.from_json(tree.raw["statement"]) == statement


def test_every_sentence_is_there(found):
    statement, tree = found
    said = ["".join(words.guarantee(statement)), words.quality(statement), words.risk(statement)]
    said += [words.assumptions_in_words(statement), CITATION, *statement.warnings]
    said += [words._closing(statement), texts.SECOND_READING, releases.in_words(statement.run)]
    said += [words._renyi(statement, statement.fallback)] if statement.fallback else []
    for sentence in said:
        assert " ".join(sentence.split()) in tree.text
    # To the last space: it is there to be copied.
    assert BIBTEX in tree.texts
    assert statement.mechanism in tree.texts


def test_every_number_is_in_a_table(found):
    statement, _ = found
    blocks = list(words.blocks_of(statement))
    tables = [
        one
        for block in blocks
        for one in getattr(block, "tables", [block])
        if hasattr(one, "rows") and hasattr(one, "caption")
    ]
    assert _cells(html(statement)) == [list(row) for one in tables for row in one.rows]


def _cells(page):
    """The rows of the tables as text, without the asides in small print."""
    rows = re.findall(r"<tr>(<th scope=\"row\">.*?)</tr>", page)
    return [
        [
            unescape(re.sub("<.*?>", "", cell)).replace("\u00a0", " ")
            for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)
        ]
        for row in rows
    ]


def test_the_page_is_the_same_every_time(found):
    statement, _ = found
    assert html(statement) == html(Statement.from_json(statement.to_json())) == statement.to_html()


def test_the_page_is_small(stated):
    for name in SETTINGS:
        assert len(html(stated(name)).encode()) < 150_000


def test_user_text_is_text(stated):
    tree = Tree(html(stated("hostile")))
    assert tree.text.count(HOSTILE) == 2  # title and heading
    assert len(tree.all("script")) == 3
    assert not tree.all("img")


def test_nothing_in_the_data_can_end_its_element(stated):
    page = html(stated("hostile"))
    for key in ("statement", "readings"):
        data = page.partition(f'id="{key}">')[2].partition("</script>")[0]
        assert json.loads(data)
        assert "<" not in data


def test_the_policy_allows_this_style_and_this_script_only(found):
    _, tree = found
    (policy,) = [
        each["content"]
        for each in tree.all("meta")
        if each.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        digest = hashlib.sha256(tree.raw[kind].encode()).digest()
        assert f"{kind}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
    # Style attributes and handlers would be refused.
    assert not any(key == "style" or key.startswith("on") for _, at in tree.seen for key in at)


def test_nothing_is_loaded(found):
    _, tree = found
    assert not {tag for tag, _ in tree.seen} & {"link", "img", "iframe", "object", "video", "base"}
    assert not any("src" in attributes for _, attributes in tree.seen)
    assert "url(" not in tree.raw["style"]
    assert "@import" not in tree.raw["style"]


def test_headings_tables_and_labels_are_in_order(found):
    _, tree = found
    levels = [int(tag[1]) for tag, _ in tree.seen if re.fullmatch("h[1-6]", tag)]
    assert levels == [1] + [2] * (len(levels) - 1)
    assert tree.all("html") == [{"lang": "en"}]
    assert len(tree.all("caption")) == len(tree.all("table"))
    assert all(each["scope"] in {"row", "col"} for each in tree.all("th"))
    ids = [attributes["id"] for _, attributes in tree.seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = [attributes.get("aria-labelledby", "") for _, attributes in tree.seen]
    assert set(" ".join(named).split()) <= set(ids)
    (slider,) = tree.all("input")
    assert {"for": slider["id"]} in tree.all("label")
    assert slider["aria-valuetext"]
    assert len(tree.all("svg")) == len(tree.all("desc")) == 2


def test_readings_are_points_of_the_curve_and_rounded_up(found):
    statement, tree = found
    points = statement.curve_points
    readings = Readings.of(statement)
    texts = json.loads(tree.raw["readings"])["texts"]
    assert len(texts) == len(readings.rows) > 170
    for number, (row, text) in enumerate(zip(readings.rows, texts, strict=True)):
        at = readings.first + number
        assert row == (points.fpr[at], points.tpr[at], points.tpr_gdp[at])
        assert float(text["tpr"]) >= row.tpr
        assert _rate(text["tpr_words"]) >= Fraction(repr(row.tpr))
        assert _rate(text["tpr_gdp_words"]) >= Fraction(repr(row.tpr_gdp))
        assert _rate(text["fpr_words"]) <= Fraction(repr(row.fpr))
        assert float(_rate(text["fpr_words"])) == pytest.approx(row.fpr, rel=1e-2)
        for key, prior in (("half", 0.5), ("hundredth", 0.01)):
            percent = float(text[key].removesuffix(" %"))
            share = prior * row.tpr / (prior * row.tpr + (1.0 - prior) * row.fpr)
            assert 100.0 * share * (1 - 1e-12) <= percent <= 101.1 * share


def _rate(text):
    if text.endswith("%"):
        return Fraction(text.removesuffix(" %")) / 100
    number, _, of = text.partition(" in ")
    of, _, name = of.replace(",", "").partition(" ")
    scale = {"": 1, "million": 10**6, "billion": 10**9, "trillion": 10**12}[name]
    return Fraction(number) / (Fraction(of) * scale)


def test_the_start_is_the_headline(stated):
    text = Tree(html(stated("headline"))).text
    assert "An attacker who wrongly accuses 10 % of the records that were not used" in text
    assert "finds at most 61 % of those that were." in text
    assert "at most 86 % of those accused were, on average, instead of 50 %" in text
    assert "if 1 in 100 was, at most 5.81 % instead of 1 %" in text


def test_perfect_privacy_tells_an_attacker_nothing(stated):
    text = Tree(html(stated("perfect"))).text
    assert "is right in at most 50 % of trials instead of 50 %" in text
    assert "in at most 1 % instead of 1 %" in text


def test_an_infinite_mu_reads_well(stated):
    for name in ("no_finite_mu", "nothing"):
        tree = Tree(html(stated(name)))
        assert "This run has no finite mu" in tree.text
        assert "by mu, which is infinite, at most" in tree.text
        assert "by mu, infinite" in tree.text
        assert not re.search(r"\b(inf|nan|None)\b", tree.text)


def test_the_fallback_is_there_exactly_where_mu_is_not_enough(found):
    statement, tree = found
    assert ("privacy profile" in tree.text) == (not statement.is_complete)


def test_each_neighbouring_relation_has_its_words(stated):
    assert "Which of two values did a record have?" in Tree(html(stated("replace"))).text
    assert "two neighbouring datasets" in Tree(html(stated("perfect"))).text
    assert "accuse" not in Tree(html(stated("replace"))).text


def test_lines_stay_in_their_frame_and_rise(found):
    statement, _ = found
    for line in re.findall(r'<path class="(?:run|mu)" d="M(.*?)"', html(statement)):
        places = [tuple(map(float, place.split())) for place in line.split("L")]
        assert all(46 <= x <= 342 and 66 <= y <= 280 for x, y in places)
        assert places == sorted(places, key=lambda place: (place[0], -place[1]))


def test_rates_in_words():
    assert one_in(1.0) == one_in(math.nextafter(1.0, 0.0)) == "100 %"
    assert one_in(0.00125) == "1 in 800"
    assert one_in(8.219e-7) == "1 in 1.21 million"
    assert one_in(1e-300) == "1 in 1e+300"


@pytest.mark.parametrize("rate", [0.0999, 0.0635, 0.015621, 1 / 3, 7e-7, 1.234e-11, 0.25, 5e-324])
def test_a_rate_in_words_is_on_the_safe_side(rate):
    assert _rate(one_in(rate)) >= Fraction(repr(rate))
    assert _rate(one_in(rate, condition=True)) <= Fraction(repr(rate))


def test_only_a_statement_has_a_report():
    with pytest.raises(InvalidType, match="not a Statement; pass what"):
        html("statement")


def test_the_report_needs_no_matplotlib():
    code = (
        "import sys, gdpnum, gdpnum.report as r\n"
        "r.html(gdpnum.statement(gdpnum.Gaussian(sigma=2.0)))\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
