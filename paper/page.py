"""The index page: every result beside the paper's, self-contained."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import gdpnum
from gdpnum.blocks.html import content_hash, element, escaped, head, table
from gdpnum.rounding import rounded_up
from gdpnum.statements.texts import CITATION, URL
from paper.result import Cell, Finding, Listing, Number, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["page"]

# Tables of sentences, whose columns have a width of their own.
_NAMED = ("ledger", "figure-3-departures")


def page(sections: Sequence[Section]) -> str:
    """The page; its pictures are in it, the links lead to files beside it."""
    style = "\n".join(
        files(package).joinpath("style.css").read_text(encoding="utf-8")
        for package in ("gdpnum.statements.page", "paper")
    )
    policy = (
        f"default-src 'none'; img-src data:; style-src '{content_hash(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    top = head(
        title="The paper, computed again", style=style, policy=policy, version=gdpnum.__version__
    )
    body = "\n".join(map(_section, sections))
    return f"""\
{top}
<body>
<main>
{_header(sections)}
{body}
</main>
</body>
</html>
"""


def _header(sections: Sequence[Section]) -> str:
    differing = "\n".join(
        f'<li><a href="#{one.slug}">{escaped(one.title.partition(":")[0])}</a>. '
        f"{escaped(finding.claim)}</li>"
        for one in sections
        for finding in one.findings
    )
    links = "\n".join(
        f'<li><a href="#{one.slug}">{escaped(one.title)}</a></li>' for one in sections
    )
    return f"""\
<header>
<h1><span class="kind">gdpnum {escaped(gdpnum.__version__)}</span>The paper, computed again</h1>
<p class="lead">Every table and figure of
<a href="{URL}" rel="noreferrer">the paper</a>, through the library's public functions.
{_agreement(sections)} The <a href="#ledger">ledger</a> goes through what the paper claims.</p>
<p class="note">Under a number stands the one it is held against: the paper's, or a reference
computed independently. A number agrees if it rounds to the one printed there; if it does not, the
difference stands beside it. Upper bounds are shown rounded up. The CSV files have every
digit.</p>
</header>
<section aria-labelledby="differs">
<h2 id="differs">Where we differ</h2>
<ul>
{differing}
</ul>
</section>
<nav aria-labelledby="all">
<h2 id="all">All results</h2>
<ul>
{links}
</ul>
<p class="note">{escaped(CITATION)}.</p>
</nav>"""


def _agreement(sections: Sequence[Section]) -> str:
    """How many numbers agree, by what they were held against."""
    numbers = [number for one in sections for part in one.tables for number in part.numbers]
    held = {
        source: [number.agrees for number in numbers if number.source == source]
        for source in ("paper", "reference")
    }
    return (
        f"{sum(held['paper'])} of the {len(held['paper'])} numbers that are held against one that "
        f"the paper prints agree with it to the printed digits, and {sum(held['reference'])} of "
        f"the {len(held['reference'])} that are held against an independent computation of mu; the "
        "others differ for reasons that are given where they stand."
    )


def _section(section: Section) -> str:
    parts = [element("p", escaped(section.lead))]
    parts += map(_listing, section.listings)
    parts += map(_picture, section.pictures)
    parts += [_finding(finding) for finding in section.findings]
    parts += map(_table, section.tables)
    parts += [element("p", escaped(note)) for note in section.notes]
    parts += [
        element("p", f"{escaped(one.caption)}: {_link(f'{one.slug}.csv')}", class_="note")
        for one in section.attachments
    ]
    content = "\n".join(parts)
    return f"""\
<section aria-labelledby="{section.slug}">
<h2 id="{section.slug}">{escaped(section.title)}</h2>
{content}
</section>"""


def _finding(finding: Finding) -> str:
    evidence = "".join(element("li", escaped(one)) for one in finding.evidence)
    return (
        f'<div class="verdict mind"><p><strong>Differs.</strong> {escaped(finding.claim)}</p>'
        f"<ul>{evidence}</ul></div>"
    )


def _listing(listing: Listing) -> str:
    # Not `escaped`, which makes some spaces hard: code is to be copied.
    return (
        f"<pre><code>{escape(listing.code)}</code></pre>\n"
        f'<pre class="printed">{escape(listing.output)}</pre>'
    )


def _picture(picture: Picture) -> str:
    images = "\n".join(
        _image(
            figure, picture.pngs[slug], picture.described if number == 0 else f"{slug}, see above"
        )
        for number, (slug, figure) in enumerate(picture.parts.items())
    )
    links = " ".join(f"{_link(f'{slug}.png')} {_link(f'{slug}.pdf')}" for slug in picture.parts)
    return f"""\
<figure>
<div class="parts">
{images}
</div>
<figcaption>{escaped(picture.caption)} {links}</figcaption>
</figure>"""


def _image(figure: Figure, png: bytes, described: str) -> str:
    data = base64.b64encode(png).decode()
    width, height = (round(96 * inches) for inches in figure.get_size_inches())
    return (
        f'<img src="data:image/png;base64,{data}" width="{width}" height="{height}" '
        f'alt="{escaped(described)}">'
    )


def _table(part: Table) -> str:
    rows = ([_cell(cell) for cell in row] for row in part.rows)
    kind = part.slug if part.slug in _NAMED else "many" if len(part.head) > 6 else "plain"
    link = element("p", _link(f"{part.slug}.csv"), class_="note")
    return f"{table(part.caption, part.head, rows, kind=kind)}\n{link}"


def _cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return escaped(cell)
    if cell.beside is None:
        return escaped(cell.shown)
    held = f"{cell.source} {cell.beside}{_difference(cell)}"
    kind = "agrees" if cell.agrees else "differs"
    return f'{escaped(cell.shown)} <small class="{kind}">{escaped(held)}</small>'


def _difference(number: Number) -> str:
    if number.agrees or number.difference is None:
        return ""
    size = rounded_up(abs(number.difference), digits=2)
    return f", {'+' if number.difference > 0.0 else chr(0x2212)}{size}"


def _link(name: str) -> str:
    return f'<a href="{name}">{name}</a>'
