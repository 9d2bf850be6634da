"""A statement as text for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gdpnum.statements import words
from gdpnum.statements.numbers import delta_shown, epsilon_shown, fpr_shown, upper

if TYPE_CHECKING:
    from gdpnum.statements.record import Fallback, Statement

__all__ = ["text"]

_WIDTH = 80

# A description of more lines is cut; the JSON has it whole.
_MOST_LINES = 8


def text(statement: Statement) -> str:
    """The statement in words and tables, lines of up to 80 characters."""
    return "\n".join(_lines(statement))


def _lines(statement: Statement) -> Iterator[str]:
    yield from _paragraph(words.title(statement))
    yield ""
    yield from _paragraph(f"{words.risk(statement)} {words.guarantee(statement)}")
    yield ""
    yield from _paragraph(words.quality(statement))
    for warning in words.cautions(statement):
        yield ""
        yield from _paragraph(f"WARNING. {warning}")
    yield ""
    yield from _paragraph(f"What was run: {words.run_in_words(statement.run)}.")
    yield from _cut(_paragraph(statement.mechanism, indent="  "))
    yield ""
    yield from _numbers(statement)
    yield ""
    yield f"{'FPR':<12}{'TPR at most':<14}by mu alone"
    for row in statement.tpr:
        note = "    both errors equally likely" if words.is_balanced(statement, row.fpr) else ""
        yield f"{fpr_shown(row.fpr):<12}{upper(row.tpr):<14}{upper(row.tpr_gdp)}{note}"
    yield ""
    yield f"{'delta':<12}epsilon at most"
    for at in statement.epsilon:
        found = words.delta_note(statement, at.delta)
        note = f"    {found}" if found else ""
        yield f"{delta_shown(at.delta):<12}{upper(at.epsilon)}{note}"
    if statement.fallback:
        yield from _fallback(statement, statement.fallback)
    yield ""
    yield from _paragraph(words.assumptions_in_words(statement))


def _numbers(statement: Statement) -> Iterator[str]:
    for name, value, meaning in words.numbers(statement):
        yield f"{name:<12}{value:<14}{meaning}"


def _fallback(statement: Statement, fallback: Fallback) -> Iterator[str]:
    yield ""
    yield f"{'epsilon':<12}delta at most"
    for row in fallback.profile:
        yield f"{epsilon_shown(row.epsilon):<12}{upper(row.delta)}"
    yield ""
    yield from _paragraph(words.renyi(statement, fallback))


def _paragraph(sentences: str, *, indent: str = "") -> list[str]:
    # A number stays with its unit or its name.
    tied = re.sub(r" (?=[%=])|(?<==) |(?<=FPR) ", "\u00a0", sentences)
    lines = textwrap.wrap(
        tied,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\u00a0", " ") for line in lines]


def _cut(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _MOST_LINES else [*lines[:_MOST_LINES], "  ..."]
