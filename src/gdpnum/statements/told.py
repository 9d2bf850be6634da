"""A statement as blocks, in the order in which it is read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gdpnum.blocks.block import (
    Beside,
    Block,
    Caution,
    Code,
    Given,
    Picture,
    Reference,
    Section,
    Sentence,
    Table,
    Title,
)
from gdpnum.statements import releases, words
from gdpnum.statements.citation import BIBTEX, CITATION, KEY, URL
from gdpnum.statements.numbers import delta_shown, epsilon_shown, fpr_shown, one_in, percent, upper
from gdpnum.statements.rows import LABELS

if TYPE_CHECKING:
    from gdpnum.statements.record import Statement

__all__ = ["blocks_of"]


def blocks_of(statement: Statement) -> Iterator[Block]:
    """Everything a reader is told; a renderer leaves out what its format has no place for."""
    name = Given(statement.name) if statement.name else None
    issued = " · ".join(filter(None, (statement.date, f"gdpnum {statement.version}")))
    yield Title("Privacy statement", name, issued)
    yield Sentence((words.risk(statement),), role="lead")
    yield Section("What is guaranteed", "guarantee")
    yield Sentence(words.guarantee(statement), role="mu")
    yield Sentence((words.quality(statement),), role="enough")
    for caution in words.cautions(statement):
        yield Caution((caution,))
    yield Section("What an attacker can do at best", "attacker")
    yield Picture(_described(statement), statement)
    most = f"TPR exceeds FPR by at most {upper(statement.advantage, digits=3)}, the advantage."
    yield Sentence((f"{words.SECOND_READING} {most}",))
    beside = "" if statement.is_complete else " to report beside mu"
    yield Section(f"Tables{beside if math.isfinite(statement.mu) else ' to report'}", "tables")
    yield Beside((_curve(statement), _epsilons(statement)))
    if statement.fallback:
        yield Table(
            "delta at an epsilon (privacy profile)",
            ("epsilon", "delta at most"),
            tuple(
                (epsilon_shown(at.epsilon), upper(at.delta)) for at in statement.fallback.profile
            ),
        )
        yield Sentence((words.renyi(statement, statement.fallback),), role="note")
    yield Section("What was run, and what is assumed", "run")
    yield Sentence((f"Run: {releases.in_words(statement.run)}.",))
    yield Code(statement.mechanism)
    yield Sentence((words.assumptions_in_words(statement),))
    yield from _audit(statement)
    yield from _stated(statement)
    yield Sentence((words.closing(statement),))
    yield Section("How to cite", "cite")
    yield Reference(CITATION, URL, KEY, BIBTEX)


def _curve(statement: Statement) -> Table:
    """The curve: what it is beside mu only where mu does not tell it."""
    by_mu = not statement.is_complete and math.isfinite(statement.mu)
    rows = []
    for row in statement.tpr:
        note = ", equal errors" if words.is_balanced(statement, row.fpr) else ""
        last = upper(row.tpr_gdp) if by_mu else one_in(row.tpr)
        rows.append((fpr_shown(row.fpr), upper(row.tpr), last + note))
    last = "by mu alone" if by_mu else "that is"
    caption = "True positive rate (TPR) at a false positive rate (FPR)"
    return Table(caption, ("FPR", "TPR at most", last), tuple(rows))


def _epsilons(statement: Statement) -> Table:
    rows = []
    for at in statement.epsilon:
        found = words.delta_note(statement, at.delta)
        note = f" (delta {found})" if found else ""
        rows.append((delta_shown(at.delta), upper(at.epsilon) + note))
    return Table("epsilon at a delta", ("delta", "epsilon at most"), tuple(rows))


def _audit(statement: Statement) -> Iterator[Block]:
    if statement.audit is None:
        return
    yield Section("What an audit has shown", "audit")
    yield from (Sentence((Given(one),)) for one in statement.audit.sentences)
    if statement.audit.rows:
        rows = tuple(tuple(map(Given, row)) for row in statement.audit.rows)
        yield Table("Audit", ("audit", *[""] * (len(rows[0]) - 1)), rows)


def _stated(statement: Statement) -> Iterator[Block]:
    """What was stated of what only a person knows, and the names of what was not."""
    found = statement.stated._asdict()
    rows: list[tuple[str, str]] = [
        (LABELS[key], Given(value)) for key, value in found.items() if value is not None
    ]
    if found["protected"] is None and words.protected(statement) != "record":
        rows.insert(0, (LABELS["protected"], words.protected(statement)))
    yield Section("What only its owner can state", "stated")
    if rows:
        yield Table("As stated by whoever ran it", ("stated", "as"), tuple(rows))
    named = {label for label, _ in rows}
    missing = [label for label in LABELS.values() if label not in named]
    if missing:
        yield Sentence((f"Not stated: {', '.join(missing)}.",), role="note")


def _described(statement: Statement) -> str:
    read = [words.tpr_at(statement, fpr) for fpr in (0.001, 0.01, 0.1)]
    said = "; ".join(
        f"at a false positive rate of {percent(row.fpr)}, at most {percent(row.tpr)}, and "
        f"{percent(row.tpr_gdp)} by mu"
        for row in read
    )
    return f"The true positive rate rises with the false positive rate: {said}."
