"""`table`: several runs in one table for a paper."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from gdpnum import _validate
from gdpnum.blocks.block import Block, Given, Sentence, Table
from gdpnum.blocks.html import html
from gdpnum.blocks.latex import latex
from gdpnum.blocks.markdown import markdown
from gdpnum.blocks.text import text
from gdpnum.errors import InvalidArgument
from gdpnum.rounding import as_given, delta_shown, upper
from gdpnum.statements import releases, words
from gdpnum.statements.build import Statement, statement
from gdpnum.subject import plain

_RUNS_ADVICE = "pass statements or mechanisms, by name or in a list"


def _json(blocks: list[Block]) -> str:
    """The rows as objects, numbers as they are printed."""
    tables = [block for block in blocks if isinstance(block, Table)]
    rows = [dict(zip(one.head, row, strict=True)) for one in tables for row in one.rows]
    return json.dumps(rows, indent=2)


#: The renderers by name.
FORMATS = {"latex": latex, "markdown": markdown, "text": text, "html": html, "json": _json}


def table(
    runs: Mapping[str, Any] | Iterable[Any],
    *,
    format: str = "text",
    delta: float = 1e-5,
    slack: float = 1e-10,
    tolerance: float | None = None,
) -> str:
    """Several runs in one table: name, noise, rate, steps, mu, regret, and epsilon at a delta.

    ``runs`` are statements, mechanisms or curves, by name or in a list; ``format`` is "latex",
    "markdown", "text", "html" or "json". Bounds are rounded up. Where the statements have different
    slacks, a column tells them: their mus are not comparable.

    >>> import gdpnum
    >>> print(table({"A": gdpnum.Gaussian(sigma=2.0) * 4, "B": gdpnum.Laplace(scale=1.0)}))
    name  sigma  q  T  mu      regret   epsilon at delta 1e-5
    A     2      -  4  1.0000  5.1e-11  4.378
    B     -      -  1  1.0301  0.038    1.000
    <BLANKLINE>
    mu and regret at slack 1e-10, one record added or removed. A regret of 0.01 or
    more: mu is not enough.
    """
    render = FORMATS[_validate.choice("format", format, tuple(FORMATS))]
    delta = _validate.probability("delta", delta)
    found = _stated(runs, delta, slack, tolerance)
    return render(list(_blocks(found, delta)))


def _stated(
    runs: Mapping[str, Any] | Iterable[Any], delta: float, slack: float, tolerance: float | None
) -> list[tuple[str, Statement]]:
    named = (
        runs.items()
        if isinstance(runs, Mapping)
        else ((None, run) for run in _validate.items("runs", runs, advice=_RUNS_ADVICE))
    )
    found = []
    for number, (name, run) in enumerate(named):
        wishes: dict[str, Any] = {"deltas": [delta], "slack": slack, "tolerance": tolerance}
        one = run
        if not isinstance(one, Statement):
            plain(f"runs[{number}]", run)  # or it says what is wrong, by that name
            one = statement(run, **wishes)
        found.append((name or one.name or f"run {number + 1}", one))
    if not found:
        raise InvalidArgument("runs is empty; pass statements or mechanisms, by name or in a list")
    return found


def _epsilon(one: Statement, delta: float) -> float:
    """The epsilon at a delta: the statement's own, or that of the curve kept in it."""
    own = (row.epsilon for row in one.epsilon if row.delta == delta)
    return next(own, min(one.curve().epsilon(delta), one.pure_epsilon))


def _blocks(found: list[tuple[str, Statement]], delta: float) -> list[Block]:
    slacks = {one.slack for _, one in found}
    mixed = len(slacks) > 1
    rows = []
    for name, one in found:
        mu, regret = one.headline
        run = ("-" if value is None else as_given(value) for value in releases.columns(one.run))
        slack = [delta_shown(one.slack)] * mixed
        rows.append((Given(name), *run, mu, *slack, regret, upper(_epsilon(one, delta))))
    relations = sorted({words.relation(one, "neighbours") for _, one in found})
    said = "; ".join(sentence.partition(" differ by ")[2] or sentence for sentence in relations)
    at = "the slack stated" if mixed else f"slack {delta_shown(slacks.pop())}"
    unlike = " A mu at one slack is not to be compared with a mu at another." if mixed else ""
    note = f"mu and regret at {at}, {said}. A regret of 0.01 or more: mu is not enough.{unlike}"
    head = ("name", "sigma", "q", "T", "mu", *["slack"] * mixed, "regret")
    columns = (*head, f"epsilon at delta {delta_shown(delta)}")
    return [Table("Privacy of the runs", columns, tuple(rows)), Sentence((note,), role="note")]
