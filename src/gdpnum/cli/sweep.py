"""``gdpnum sweep``: many DP-SGD settings to one table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

import gdpnum
from gdpnum import _validate
from gdpnum._optional import imported
from gdpnum.cli.files import check_ending, check_installed, check_writable, replacing
from gdpnum.cli.options import JSON, SLACK, STATEMENT, TRAINING, Option, given, one, takes
from gdpnum.cli.program import NOTHING, epilog, flat, tell
from gdpnum.cli.settings import grid_of, settings_in
from gdpnum.cli.tables import as_table
from gdpnum.errors import InvalidArgument

EPILOG = epilog(
    "gdpnum sweep --noise-multiplier 1,2 --sample-rate 0.1%:10%:3 --steps 400 \\\n"
    "  --columns mu,regret,epsilon@1e-5 --out sweep.csv --resume sweep.rows",
    note="Values are separated by commas; FROM:TO:COUNT stands for so many, each the same multiple "
    "of the one before, and a number may be 1%, 256/60000 or 1e4. Columns: mu, mu_lower, regret, "
    "tail_ratio, slack, advantage, epsilon@DELTA, delta@EPSILON, tpr@FPR. A setting that fails is "
    "a row with its error.\n\n"
    "JSON: one object a line for each setting; its keys are those of the setting, the columns, and "
    "error (null if all went well); infinity is the text inf.",
)

_ENDINGS = (".csv", ".jsonl", ".parquet")

# A scheduler that is there answers sooner.
_SECONDS_TO_CONNECT = 10


# Each argument of DPSGD, as a list of values.
_VALUES = tuple(
    option if option.kind == "flag" else replace(option, kind="values") for option in TRAINING
)


@takes(
    *_VALUES,
    Option(
        "settings",
        "text",
        "A file of settings instead, one a line: CSV with a header, or JSON lines; columns named "
        "as the options, with _ for -, and any labels.",
    ),
    Option("columns", "text", "What to compute, separated by commas; see below."),
    SLACK,
    one("tolerance", of=STATEMENT),
    Option("out", "path", "Write the table here: .csv, .jsonl or .parquet."),
    Option(
        "resume", "path", "Keep rows here as they come; the same command again goes on from it."
    ),
    Option("workers", "whole", "Processes on this machine. [default: its cores]"),
    Option("scheduler", "text", "Address of a Dask scheduler, as tcp://host:8786; needs dask."),
    JSON,
)
def sweep(
    *,
    settings: str | None,
    columns: str | None,
    slack: float | None,
    tolerance: float | None,
    out: Path | None,
    resume: Path | None,
    workers: int | None,
    scheduler: str | None,
    as_json: bool,
    **values: Any,
) -> None:
    """Account for many DP-SGD settings and print, or write, a table."""
    if out is not None and resume is not None and out.absolute() == resume.absolute():
        raise InvalidArgument("--out and --resume are the same file; pass two")
    if scheduler is not None and workers is not None:
        raise InvalidArgument("--workers is for this machine; leave it out with --scheduler")
    if workers is not None:
        _validate.count("workers", workers, minimum=1, advice="pass how many processes")
    chosen = _chosen(settings, values)
    if out is not None:
        if check_ending("--out", out, _ENDINGS) == ".parquet":
            check_installed("pyarrow", install="pyarrow")
        check_writable("--out", out)
    named = None if columns is None else [one.strip() for one in columns.split(",")]
    wishes = given(columns=named, slack=slack, tolerance=tolerance, workers=workers)
    try:
        with _executor(scheduler) as executor:
            # A line of progress, if someone can see it.
            table = gdpnum.sweep(
                chosen, executor=executor, resume=resume, progress=sys.stderr.isatty(), **wishes
            )
    except KeyboardInterrupt:
        kept = (
            f"the same command goes on from {resume}"
            if resume is not None
            else "nothing is kept; with --resume FILE a sweep can go on"
        )
        raise KeyboardInterrupt(f"interrupted; {kept}") from None
    if out is not None:
        _write(table, out)
    if as_json:
        typer.echo(table.to_jsonl(), nl=False)
    elif out is None:
        typer.echo(_text(table))
    else:
        typer.echo(f"{len(table)} settings, {len(table.errors)} with an error: {out}")
    if table.errors:
        first = table.errors[0]["error"]
        tell(f"{len(table.errors)} of {len(table)} settings failed, the first by {first}")
    if len(table.errors) == len(table):
        raise typer.Exit(NOTHING)


def _chosen(settings: str | None, values: dict[str, Any]) -> list[dict[str, Any]]:
    if settings is None:
        return grid_of(values)
    for option in TRAINING:
        if values[option.name] not in (None, False):
            raise InvalidArgument(
                f"--settings holds whole settings; leave out {option.option}, or name it there"
            )
    return settings_in(settings)


@contextmanager
def _executor(scheduler: str | None) -> Iterator[Any]:
    if scheduler is None:
        yield None
        return

    distributed = imported("dask.distributed", extra="dask")
    try:
        client = distributed.Client(scheduler, timeout=_SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        raise InvalidArgument(
            f"no Dask scheduler answers at {scheduler} ({error}); start one with dask scheduler, "
            "and pass the address it prints"
        ) from None
    with client:
        yield client


def _write(table: gdpnum.SweepTable, out: Path) -> None:
    with replacing(out) as temporary:
        if out.suffix.lower() == ".csv":
            table.to_csv(temporary)
        elif out.suffix.lower() == ".jsonl":
            table.to_jsonl(temporary)
        else:
            table.to_parquet(temporary)


def _text(table: gdpnum.SweepTable) -> str:
    kept = [i for i, name in enumerate(table.columns) if name != "error" or table.errors]
    rows = [table.columns, *table.texts()]
    return as_table([[flat(row[i]) for i in kept] for row in rows])
