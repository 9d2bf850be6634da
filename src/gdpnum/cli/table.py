"""``gdpnum table``: several runs in one table for a paper."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import gdpnum
from gdpnum.cli.options import JSON, SLACK, STATEMENT, Option, given, one, takes
from gdpnum.cli.program import epilog
from gdpnum.cli.sources import SOURCES, source

EPILOG = epilog(
    "gdpnum table statement.json training.toml Laplace:scale=5 --format latex",
    note=f"{SOURCES}\n\nJSON: a list of rows; the keys are the heads of the columns, and numbers "
    "are texts as they are printed.",
)


@takes(
    Option(
        "form",
        "word",
        "Print in this form. [default: text]",
        ("latex", "markdown", "html", "text"),
        "--format",
    ),
    Option("delta", "number", "The delta of the column of epsilons. [default: 1e-5]"),
    SLACK,
    one("tolerance", of=STATEMENT),
    JSON,
)
def table(
    files: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Statements, or what was run.")
    ],
    *,
    form: str | None,
    as_json: bool,
    **wishes: Any,
) -> None:
    """Put several runs in one table: noise, rate, steps, mu, regret and epsilon."""
    found = {}
    for number, file in enumerate(files):
        read = source(file)
        name = read.statement.name if read.statement else read.wishes.get("name")
        shown = name or file
        label = shown if shown not in found else f"{shown} ({number + 1})"
        found[label] = read.statement or read.run
    wanted = "json" if as_json else form or "text"
    typer.echo(gdpnum.table(found, format=wanted, **given(**wishes)).rstrip("\n"))
