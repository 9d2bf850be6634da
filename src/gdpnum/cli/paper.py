"""``gdpnum paper``: the tables and figures of the paper, computed again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from gdpnum.cli import options
from gdpnum.cli.program import epilog

__all__ = ["EPILOG", "paper"]

EPILOG = epilog(
    "gdpnum paper --out paper",
    note="The folder gets index.html, where each number stands beside the paper's, a CSV file for "
    "each table, and a PNG and a PDF for each figure. It takes about half a minute, and needs "
    "gdpnum[plot].\n\nJSON keys: index, the path of the page.",
)


def paper(
    *,
    out: Annotated[Path, typer.Option(help="The folder to write to; made if need be.")] = Path(
        "paper"
    ),
    as_json: options.Json = False,
) -> None:
    """Compute the tables and figures of the paper again."""
    from gdpnum.paper import reproduce  # noqa: PLC0415

    index = reproduce(out, progress=_tell if sys.stderr.isatty() else None)
    typer.echo(json.dumps({"index": str(index)}) if as_json else index)


def _tell(done: int, total: int, doing: str) -> None:
    """One line on stderr that changes, and is gone when all is done."""
    line = f"{done}/{total} {doing}" if done < total else ""
    typer.echo(f"\r\x1b[K{line}", err=True, nl=False)
