"""A statement as a section of a model card."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from gdpnum.statements import words
from gdpnum.statements.citation import CITATION, URL
from gdpnum.statements.numbers import delta_shown, epsilon_shown, fpr_shown, upper

if TYPE_CHECKING:
    from gdpnum.statements.record import Fallback, Statement

__all__ = ["escaped", "markdown"]


def markdown(statement: Statement) -> str:
    """The statement as Markdown: a heading of level two, sentences and tables."""
    return "\n\n".join(_blocks(statement)) + "\n"


def escaped(text: str) -> str:
    r"""A text of the user's, shown as it is: a backslash before all that Markdown or HTML reads.

    >>> escaped("<b> *x* | [y](z)")
    '\\<b\\> \\*x\\* \\| \\[y\\](z)'
    """
    return re.sub(r"([\\`*_{}\[\]<>#|~&$^:@])", r"\\\1", words.one_line(text))


def _blocks(statement: Statement) -> Iterator[str]:
    yield "## Privacy" + (f": {escaped(statement.name)}" if statement.name else "")
    yield f"{words.risk(statement)} {words.guarantee(statement, shown=escaped)}"
    yield words.quality(statement)
    for warning in words.cautions(statement):
        yield f"> **Warning.** {warning}"
    code = statement.mechanism.replace("`", "'")
    yield f"**What was run:** {words.run_in_words(statement.run)}: `{code}`."
    yield _table(["", "value", "meaning"], words.numbers(statement))
    yield _table(
        ["FPR", "TPR at most", "TPR by mu alone"],
        ([_fpr(statement, at.fpr), upper(at.tpr), upper(at.tpr_gdp)] for at in statement.tpr),
    )
    yield _table(
        ["delta", "epsilon at most"],
        ([_delta(statement, at.delta), upper(at.epsilon)] for at in statement.epsilon),
    )
    if statement.fallback:
        yield from _fallback(statement, statement.fallback)
    yield words.assumptions_in_words(statement)
    yield f"Cite: {CITATION}, <{URL}>."


def _fallback(statement: Statement, fallback: Fallback) -> Iterator[str]:
    yield _table(
        ["epsilon", "delta at most"],
        ([epsilon_shown(at.epsilon), upper(at.delta)] for at in fallback.profile),
    )
    yield words.renyi(statement, fallback)


def _fpr(statement: Statement, fpr: float) -> str:
    note = " (both errors equally likely)" if words.is_balanced(statement, fpr) else ""
    return f"{fpr_shown(fpr)}{note}"


def _delta(statement: Statement, delta: float) -> str:
    found = words.delta_note(statement, delta)
    note = f" ({found})" if found else ""
    return f"{delta_shown(delta)}{note}"


def _table(head: list[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
