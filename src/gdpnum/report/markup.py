"""HTML from plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

__all__ = ["element", "escaped", "table"]


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


def _row(name: str, *values: str) -> str:
    return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{value}</td>" for value in values)}</tr>'
