"""Blocks as HTML, and the head of a page that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable
from html import escape

from gdpnum.blocks import block as of
from gdpnum.blocks.block import Block, Given, one_line


def html(blocks: Iterable[Block], *, draw: Callable[[of.Picture], str] | None = None) -> str:
    """A fragment: headings, paragraphs, tables, and what ``draw`` makes of a picture."""
    lines, is_open = [], False
    for block in blocks:
        if isinstance(block, of.Section):
            lines += ["</section>"] * is_open
            lines += [f'<section aria-labelledby="{block.key}">']
            lines += [f'<h2 id="{block.key}">{escaped(block.title)}</h2>']
            is_open = True
        elif isinstance(block, of.Picture) and draw is not None:
            lines.append(draw(block))
        else:
            lines.append(_rendered(block))
    return "\n".join(filter(None, [*lines, "</section>" if is_open else ""]))


def _rendered(block: Block) -> str:  # noqa: PLR0911  (one a block)
    match block:
        case of.Title(kind, name, issued):
            unseen = '<span class="unseen">: </span>'
            named = f'<span class="kind">{kind}{unseen}</span>{_shown(name)}' if name else kind
            below = f'\n<p class="issued">{escaped(issued)}</p>' if issued else ""
            return f"<header>\n<h1>{named}</h1>{below}\n</header>"
        case of.Sentence(pieces, role):
            return element("p", _unbroken("".join(map(_shown, pieces))), class_=role)
        case of.Caution(pieces):
            warning = "<strong>Warning.</strong> " + "".join(map(_shown, pieces))
            return element("p", warning, class_="caution")
        case of.Table(caption, names, rows):
            return table(caption, names, [[_shown(cell) for cell in row] for row in rows])
        case of.Beside(tables):
            inner = "\n".join(f"<div>\n{_rendered(one)}\n</div>" for one in tables)
            return f'<div class="columns">\n{inner}\n</div>'
        case of.Code(code):
            return f"<pre><code>{escape(code)}</code></pre>"
        case of.Reference(citation, url, _, bibtex):
            link = f'<a href="{url}" rel="noreferrer">{url}</a>'
            return (
                f'<p id="citation">{escaped(citation)}, {link}.</p>\n'
                f'<pre id="bibtex"><code>{escape(bibtex)}</code></pre>'
            )
        case of.Section() | of.Picture():
            return ""


def _shown(piece: str) -> str:
    return escaped(one_line(piece)) if isinstance(piece, Given) else escaped(piece)


def escaped(text: str) -> str:
    r"""A text as HTML shows it, whatever it contains; not for code, as some spaces become hard.

    >>> escaped("<b> & 10 %")
    '&lt;b&gt; &amp; 10\xa0%'
    """
    # A number stays with its unit or its name.
    return escape(re.sub(r" (?=[%=])|(?<==) |(?<=FPR) ", "\u00a0", text))


def element(tag: str, content: str, **attributes: str) -> str:
    """An element around HTML; the attribute ``class_`` is class, ``data_x`` is data-x."""
    named = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
    )
    return f"<{tag}{named}>{content}</{tag}>"


def table(
    caption: str, head: Iterable[str], rows: Iterable[Iterable[str]], *, kind: str = "plain"
) -> str:
    """A table of HTML cells with a plain caption and head; the first cell of a row names it."""
    names = "".join(element("th", escaped(name), scope="col") for name in head)
    lines = "\n".join(_row(*cells) for cells in rows)
    return (
        f'<div class="scroll"><table class="{kind}">\n'
        f"<caption>{escaped(caption)}</caption>\n"
        f"<thead><tr>{names}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n</table></div>"
    )


def head(*, title: str, style: str, policy: str, version: str) -> str:
    """The doctype and head of a page that loads nothing but what its policy names."""
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="gdpnum {escaped(version)}">
<title>{escaped(title)}</title>
<style>{style}</style>
</head>"""


def content_hash(content: str) -> str:
    """The name of an inline style or script in a Content-Security-Policy."""
    digest = hashlib.sha256(content.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _row(name: str, *values: str) -> str:
    return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{value}</td>" for value in values)}</tr>'


def _unbroken(content: str) -> str:
    # A line must not end within "N(1.57, 1)".
    return re.sub(r"N\([^)]*\)", r'<span class="unbroken">\g<0></span>', content)
