"""Formulas as MathML, which browsers draw themselves: no script, no font, no network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

_log = logging.getLogger(__name__)

# What the converter does not know, in words that it does.
_SAID = {r"\arg": r"\operatorname{arg}"}

# Characters of LaTeX from which on a formula may be wider than a phone.
_LONG = 45


def _markup(latex: str, display: str, node: nodes.Node) -> str:
    known = latex
    for command, words in _SAID.items():
        known = re.sub(re.escape(command) + r"(?![A-Za-z])", lambda _, said=words: said, known)
    # A command that the converter does not know would be shown as it is written.
    try:
        found = convert(known, display=display)
    except Exception as error:
        _log.warning("no MathML for %r: %s", latex, error, location=node)
        return ""
    for leftover in ("\\", "<mi>&</mi>", "#x0005C;"):
        if leftover in found:
            _log.warning("the formula %r is not understood in full", latex, location=node)
    return str(found)


def _inline(writer: Any, node: nodes.Element) -> None:
    latex = node.astext()
    # Browsers do not break MathML; on a phone a long one gets a line of its own, which scrolls.
    classes = "formula-inline long" if len(latex) > _LONG else "formula-inline"
    writer.body.append(f'<span class="{classes}">{_markup(latex, "inline", node)}</span>')
    raise nodes.SkipNode


def _display(writer: Any, node: nodes.Element) -> None:
    # Formulas side by side get a row each, which scrolls where a phone is too narrow for it.
    for one in node.astext().split(r"\qquad"):
        writer.body.append(f'<div class="formula">{_markup(one.strip(), "block", node)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer, to be chosen by ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
