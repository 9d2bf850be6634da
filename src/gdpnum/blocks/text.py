"""Blocks as text for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from itertools import zip_longest

from gdpnum.blocks import block as of
from gdpnum.blocks.block import Block, Given, one_line

_WIDTH = 80

# A number stays with its unit or its name.
_TIED = r" (?=[%=])|(?<==) |(?<=FPR) |(?<=slack) (?=\d)|(?<=\d,) (?=1\))"

# Longer code is cut: a form for machines has it whole.
_MOST_LINES = 8


def text(blocks: Iterable[Block]) -> str:
    """Paragraphs and tables, lines of up to 80 characters."""
    # Code and references belong to the paragraph before them.
    paragraphs: list[str] = []
    for block in blocks:
        shown = _rendered(block)
        if isinstance(block, of.Code | of.Reference) and paragraphs:
            paragraphs[-1] += f"\n{shown}"
        elif shown:
            paragraphs.append(shown)
    return "\n\n".join(paragraphs)


def _rendered(block: Block) -> str:  # noqa: PLR0911  (one a block)
    match block:
        case of.Title(kind, name, _):
            return _wrapped(f"{kind}: {one_line(name)}" if name else kind)
        case of.Sentence(pieces, _):
            return _wrapped("".join(map(_flat, pieces)))
        case of.Caution(pieces):
            return _wrapped("WARNING. " + "".join(map(_flat, pieces)))
        case of.Table():
            return "\n".join(_lines(block))
        case of.Beside(tables):
            return _beside([_lines(table) for table in tables])
        case of.Code(code):
            lines = _wrapped(code, indent="  ").splitlines()
            return "\n".join([*lines[:_MOST_LINES], *["  ..."] * (len(lines) > _MOST_LINES)])
        case of.Reference(_, url, _, _):
            return f"Method: {url}"
        case of.Section() | of.Picture():
            return ""


def _flat(piece: str) -> str:
    """A piece in one line; what a person gave loses what a terminal would obey."""
    return one_line(piece) if isinstance(piece, Given) else piece


def _lines(table: of.Table) -> list[str]:
    rows = [[_flat(cell) for cell in row] for row in (table.head, *table.rows) if any(row)]
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    # The last column may be long: it goes on below itself.
    room = max(20, _WIDTH - sum(widths[:-1]) - 2 * len(widths[:-1]))
    lines = []
    for row in rows:
        *cells, last = row
        start = "".join(f"{cell:<{width}}  " for cell, width in zip(cells, widths, strict=False))
        wrapped = textwrap.wrap(last, room, break_on_hyphens=False) or [""]
        lines += [f"{start}{wrapped[0]}".rstrip()]
        lines += [" " * len(start) + line for line in wrapped[1:]]
    return lines


def _beside(tables: list[list[str]]) -> str:
    widths = [max(map(len, lines)) + 4 for lines in tables]
    if sum(widths) - 4 > _WIDTH:
        return "\n\n".join("\n".join(lines) for lines in tables)
    rows = zip_longest(*tables, fillvalue="")
    padded = ([f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)] for row in rows)
    return "\n".join("".join(cells).rstrip() for cells in padded)


def _wrapped(paragraph: str, *, indent: str = "") -> str:
    tied = re.sub(_TIED, "\u00a0", paragraph)
    lines = textwrap.wrap(
        tied,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\u00a0", " ")
