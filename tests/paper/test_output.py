"""What `reproduce` writes: files, page, progress."""

import html
import importlib.util
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import gdpnum
from paper import __main__, files, page, reproduction, result
from paper.contents import contents

# All of the paper is computed for them.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

FIGURES = (
    *("figure-1a", "figure-1b", "figure-1b-log", "figure-2", "figure-4", "figure-5a"),
    *("figure-5a-profile", "figure-5b", "figure-6"),
    *("figure-7-left", "figure-7-right", "figure-8-left", "figure-8-right"),
)
TABLES = (
    *("table-1", "table-2", "table-2-before", "table-2-after", "table-3", "table-4", "table-5"),
    *("table-6", "figure-1c", "figure-3", "ledger"),
)
SECTIONS = (
    *("figure-1ab", "figure-1c", "figure-2", "table-1", "figure-3", "table-2", "figure-4"),
    *("figure-5a", "figure-5b", "tables-3-4", "figure-6", "table-5", "table-6", "formulas"),
    "ledger",
)


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


def test_the_sections_have_the_numbers_of_the_paper_in_its_order(reproduced):
    assert tuple(re.findall(r'<h2 id="([^"]+)"', reproduced.page))[2:] == SECTIONS
    titles = re.findall(r"<h2 id=\"[^\"]+\">([^<:]+)", reproduced.page)
    assert titles[2:-2] == [
        *("Figures 1a and 1b", "Figure 1c", "Figure 2", "Table 1", "Figure 3", "Table 2"),
        *("Figure 4", "Figure 5a", "Figure 5b", "Tables 3 and 4", "Figure 6"),
        *("Table 5 and Figure 7", "Table 6 and Figure 8"),
    ]


def test_the_listing_of_figure_3_is_run_and_shown(reproduced):
    accountant = gdpnum.CTDAccountant()
    for _ in range(1000):
        accountant.step(noise_multiplier=1.0, sample_rate=0.001)
    mu, regret = accountant.get_mu_and_regret()
    assert "gdpnum.CTDAccountant()" in reproduced.page
    assert f'<pre class="printed">mu = {mu:.4f}, regret = {regret:.4f}' in reproduced.page


def test_the_departures_from_the_algorithm_are_listed(reproduced):
    steps = {row["step"]: row for row in reproduced.records("figure-3-departures")}
    assert "upper bound" in steps["rounding of regret"]["here"]
    assert "curves" in steps["comparing mu of two mechanisms"]["here"]


def test_what_numbers_were_held_against_is_said(reproduced):
    said = re.search(
        r"(\d+) of the (\d+) numbers that are held against one that the paper prints.*"
        r"(\d\d) of the (\d+) that are held against an independent computation of mu",
        text_of(reproduced.page),
    )
    agree, all_of_paper, sure, all_of_reference = map(int, said.groups())
    assert agree == all_of_paper - reproduced.page.count('class="differs"')
    assert sure == all_of_reference == 10


def test_table_2_can_be_copied_as_markdown_and_latex(reproduced):
    for when in ("before", "after"):
        markdown = (reproduced.folder / f"table-2-{when}.md").read_text(encoding="utf-8")
        latex = (reproduced.folder / f"table-2-{when}.tex").read_text(encoding="utf-8")
        for text in (markdown, latex):
            assert "Places-365" in text
            assert "JFT-300M" in text
        assert latex.count(r"\\") == len(markdown.splitlines()) - 1
        assert latex.startswith(r"\begin{tabular}{llcccc")


def test_it_is_no_part_of_the_wheel_but_of_the_source():
    assert importlib.util.find_spec("gdpnum.paper") is None
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'packages = ["src/gdpnum"]' in settings
    assert re.search(r'include = \["/src", "/paper"', settings)


def test_the_command_takes_a_folder_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(__main__, "reproduce", lambda out, **_: out / "index.html")
    assert __main__.main([str(tmp_path)]) == str(tmp_path / "index.html")
    assert __main__.main([]) == str(Path("build/paper/index.html"))
    for wrong in (["--help"], ["a", "b"]):
        with pytest.raises(SystemExit, match="one argument"):
            __main__.main(wrong)


def test_no_false_attribution_is_left(reproduced):
    assert "paper has a regret below 1e-7" not in reproduced.page
    assert "25 August 2022" in reproduced.page
    assert "arXiv:2410.09296" in reproduced.page
    assert "WRN-40-4" in reproduced.page


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
        "Three rows of Table 2 have delta = 8e-7",
        "at most 2 Delta except for sigma = 9.4. It is more for others too",
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
        return {"Tables 3 and 4": contents(swept)["Tables 3 and 4"]}

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
        "from paper import reproduce\n"
        "try: reproduce(sys.argv[1])\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "out")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "pip install matplotlib" in done.stdout, done.stderr
    assert not (tmp_path / "out").exists()
