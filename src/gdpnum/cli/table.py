"""``gdpnum table``: several runs in one table for a paper."""

from __future__ import annotations

from typing import Annotated

import typer

import gdpnum
from gdpnum.cli import options
from gdpnum.cli.program import epilog
from gdpnum.cli.sources import SOURCES, source

__all__ = ["EPILOG", "table"]

EPILOG = epilog(
    "gdpnum table statement.json training.toml Laplace:scale=5 --format latex",
    note=f"{SOURCES}\n\nJSON: a list of rows; the keys are the heads of the columns, and numbers "
    "are texts as they are printed.",
)


def table(
    files: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Statements, or what was run.")
    ],
    *,
    form: Annotated[
        str, typer.Option("--format", help="Print latex, markdown, html or text.")
    ] = "text",
    delta: Annotated[float, typer.Option(help="The delta of the column of epsilons.")] = 1e-5,
    slack: options.Slack = None,
    tolerance: options.Tolerance = None,
    as_json: options.Json = False,
) -> None:
    """Put several runs in one table: noise, rate, steps, mu, regret and epsilon."""
    found = {}
    for number, file in enumerate(files):
        read = source(file)
        name = read.statement.name if read.statement else read.wishes.get("name")
        shown = name or file
        label = shown if shown not in found else f"{shown} ({number + 1})"
        found[label] = read.statement or read.run
    wishes = options.given(slack=slack, tolerance=tolerance)
    form = "json" if as_json else form
    typer.echo(gdpnum.table(found, format=form, delta=delta, **wishes).rstrip("\n"))
