"""What `reproduce` writes: files, page, progress."""

import html
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from gdpnum.paper import files, page, reproduction, result
from gdpnum.paper.contents import contents

FIGURES = (
    *("figure-1a", "figure-1b", "figure-2", "figure-3", "figure-4a", "figure-4b", "appendix-b"),
    *("figure-6-curves", "figure-6-differences", "figure-7-curves", "figure-7-differences"),
)
TABLES = ("table-1", "table-2", "table-3", "table-4", "table-6", "table-7", "figure-1c")


def text_of(page):
    plain = re.sub(r"<[^>]+>", " ", page.partition("<body>")[2])
    return re.sub(r"\s+", " ", html.unescape(plain))


@pytest.mark.parametrize("slug", FIGURES)
def test_each_figure_is_a_png_and_a_pdf_and_in_the_page(reproduced, slug):
    png = (reproduced.folder / f"{slug}.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert (reproduced.folder / f"{slug}.pdf").read_bytes().startswith(b"%PDF")
    assert f"{slug}.pdf" in reproduced.page
    assert reproduced.page.count("data:image/png;base64,") == len(FIGURES)


@pytest.mark.parametrize("slug", TABLES)
def test_each_table_is_a_csv_and_in_the_page(reproduced, slug):
    assert len(reproduced.records(slug)) >= 4
    assert f'href="{slug}.csv"' in reproduced.page


def test_the_page_is_well_formed_and_loads_nothing(reproduced):
    class Reader(HTMLParser):
        opened, sources, ids, links = [], [], [], []

        def handle_starttag(self, tag, attrs):
            named = dict(attrs)
            self.sources += [named[key] for key in ("src", "srcset") if key in named]
            self.ids += [named["id"]] if "id" in named else []
            self.links += [named["href"]] if tag == "a" else []
            if tag == "img":
                assert named["alt"]
            if tag not in ("meta", "img"):
                self.opened.append(tag)

        def handle_endtag(self, tag):
            assert self.opened.pop() == tag

    reader = Reader()
    reader.feed(reproduced.page)
    assert not reader.opened
    assert all(source.startswith("data:image/png;") for source in reader.sources)
    assert len(set(reader.ids)) == len(reader.ids)
    for link in reader.links:
        if link.startswith("#"):
            assert link[1:] in reader.ids
        elif not link.startswith("https:"):
            assert (reproduced.folder / link).exists()
    assert "<script" not in reproduced.page
    assert 'name="viewport"' in reproduced.page


@pytest.mark.parametrize(
    "said",
    [
        "for these runs mu is 0.247, 0.465, 0.863, 1.567",
        "RDP of DP-SGD: the paper has 20.80 %",
        "zCDP: the paper has 21.80 % for DP-SGD",
        "= 21.77 %",
        "The paper's rule: sigma >= 2 and T >= 400",
        "above it at slack 1e-12 (0.0106",
        "The paper's conclusion stands",
        "about a hundred times smaller",
    ],
)
def test_each_disagreement_is_stated(reproduced, said):
    assert said in text_of(reproduced.page).replace("\N{NO-BREAK SPACE}", " ")


def test_every_number_that_differs_is_in_a_section_that_says_why(reproduced):
    for section in re.findall(r"<section.*?</section>", reproduced.page, re.DOTALL):
        if 'class="differs"' in section:
            assert "<strong>Differs.</strong>" in section


def test_a_number_agrees_if_it_rounds_to_the_printed_one():
    assert result.bound(1.5673, "1.57").agrees
    assert not result.bound(0.2469, "0.21").agrees
    assert result.bound(0.2469, "0.21").difference == pytest.approx(0.0369)
    assert result.bound(0.03988, ".0399").agrees
    assert result.bound(2.0).agrees


def test_bounds_are_shown_rounded_up():
    assert result.bound(6.11156e-8, digits=2).shown == "6.2e-8"
    assert result.bound(float("inf")).shown == "infinite"


def test_texts_are_shown_as_text():
    section = result.Section("a", "<b>", "a < b & c", notes=("<script>",))
    assert "<script>" not in page.page([section])
    assert "a &lt; b &amp; c" in page.page([section])


def test_a_csv_has_every_digit_and_what_it_is_held_against():
    table = result.Table("t", "T", ("name", "mu"), (("a, b", result.bound(1 / 3, "0.3")),))
    assert files.as_csv(table) == (
        f'name,mu,mu (paper),mu (difference)\n"a, b",{1 / 3!r},0.3,{1 / 3 - 0.3!r}\n'
    )


def test_progress_is_told(tmp_path, monkeypatch):
    def few(swept):
        return dict(list(contents(swept).items())[5:6])

    monkeypatch.setattr(reproduction, "contents", few)
    told = []
    index = reproduction.reproduce(
        tmp_path / "new" / "folder", progress=lambda *one: told.append(one)
    )
    assert index.exists()
    assert told == [(0, 1, "Tables 3 and 4"), (1, 1, str(index))]


def test_without_matplotlib_the_extra_is_named_before_any_work(tmp_path):
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from gdpnum.paper import reproduce\n"
        "try: reproduce(sys.argv[1])\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "pip install matplotlib" in done.stdout, done.stderr
    assert not (tmp_path / "out").exists()
