"""The index page: every result beside the paper's, self-contained."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from importlib.resources import files

from gdpnum._version import __version__
from gdpnum.blocks.html import content_hash, element, escaped, head, table
from gdpnum.paper.result import Cell, Finding, Number, Picture, Section, Table
from gdpnum.rounding import rounded_up
from gdpnum.statements.citation import CITATION, URL

__all__ = ["page"]


def page(sections: Sequence[Section]) -> str:
    """The page; its pictures are in it, the links lead to files beside it."""
    style = "\n".join(
        files(package).joinpath("style.css").read_text(encoding="utf-8")
        for package in ("gdpnum.statements.page", "gdpnum.paper")
    )
    policy = (
        f"default-src 'none'; img-src data:; style-src '{content_hash(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    top = head(title="The paper, computed again", style=style, policy=policy, version=__version__)
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
    numbers = [number for one in sections for part in one.tables for number in part.numbers]
    agreeing = sum(number.agrees for number in numbers)
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
<h1><span class="kind">gdpnum {escaped(__version__)}</span>The paper, computed again</h1>
<p class="lead">Every table and figure of
<a href="{URL}" rel="noreferrer">the paper</a>, through the library's public functions.
{agreeing} of {len(numbers)} numbers that are held against a printed one agree with it to the
printed digits; the others differ for reasons that are given where they stand.</p>
<p class="note">Under a number stands the one it is held against: the paper's, or a reference
computed independently. A number agrees if it rounds to the printed one. Upper bounds are shown
rounded up. The CSV files have every digit.</p>
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


def _section(section: Section) -> str:
    parts = [element("p", escaped(section.lead))]
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


def _picture(picture: Picture) -> str:
    data = base64.b64encode(picture.png).decode()
    width, height = (round(96 * inches) for inches in picture.figure.get_size_inches())
    kind = "wide" if width > 450 else "narrow"
    links = f"{_link(f'{picture.slug}.png')} {_link(f'{picture.slug}.pdf')}"
    return f"""\
<figure class="{kind}">
<div class="scroll"><img src="data:image/png;base64,{data}" width="{width}" height="{height}"
alt="{escaped(picture.described)}"></div>
<figcaption>{escaped(picture.caption)} {links}</figcaption>
</figure>"""


def _table(part: Table) -> str:
    rows = ([_cell(cell) for cell in row] for row in part.rows)
    kind = "many" if len(part.head) > 6 else "plain"
    link = element("p", _link(f"{part.slug}.csv"), class_="note")
    return f"{table(part.caption, part.head, rows, kind=kind)}\n{link}"


def _cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return escaped(cell)
    if cell.beside is None:
        return escaped(cell.shown)
    held = f"{cell.source} {cell.beside}, {_difference(cell)}"
    kind = "agrees" if cell.agrees else "differs"
    return f'{escaped(cell.shown)} <small class="{kind}">{escaped(held)}</small>'


def _difference(number: Number) -> str:
    if number.agrees:
        return "agrees"
    assert number.difference is not None
    size = rounded_up(abs(number.difference), digits=2)
    return f"{'+' if number.difference > 0.0 else chr(0x2212)}{size}"


def _link(name: str) -> str:
    return f'<a href="{name}">{name}</a>'
