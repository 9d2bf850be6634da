"""Blocks as Markdown, as a section of a model card."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gdpnum.blocks import block as of
from gdpnum.blocks.block import Block, Given, one_line


def markdown(blocks: Iterable[Block]) -> str:
    """A heading of level two, sentences and tables."""
    return "\n\n".join(filter(None, map(_rendered, blocks))) + "\n"


def _rendered(block: Block) -> str:  # noqa: PLR0911  (one a block)
    match block:
        case of.Title(kind, name, _):
            return f"## {kind}" + (f": {_escaped(name)}" if name else "")
        case of.Section(title, _):
            return f"### {title}"
        case of.Sentence(pieces, _):
            return "".join(map(_shown, pieces))
        case of.Caution(pieces):
            return "> **Warning.** " + "".join(map(_shown, pieces))
        case of.Table(_, head, rows):
            lines = [head, ["---"] * len(head), *rows]
            return "\n".join(f"| {' | '.join(map(_shown, cells))} |" for cells in lines)
        case of.Beside(tables):
            return "\n\n".join(map(_rendered, tables))
        case of.Code(code):
            return f"`{code.replace('`', chr(39))}`"
        case of.Reference(citation, url, _, _):
            return f"Cite: {citation}, <{url}>."
        case of.Picture():
            return ""


def _shown(piece: str) -> str:
    return _escaped(piece) if isinstance(piece, Given) else piece


def _escaped(text: str) -> str:
    r"""A text of the user's, shown as it is: a backslash before all that Markdown or HTML reads.

    >>> _escaped("<b> *x* | [y](z)")
    '\\<b\\> \\*x\\* \\| \\[y\\](z)'
    """
    escaped = re.sub(r"([\\`*_{}\[\]<>#|~&$^:@])", r"\\\1", one_line(text))
    # GitHub makes a link of what begins like an address.
    return re.sub(r"(?i)(www)\.", r"\1\\.", escaped)
