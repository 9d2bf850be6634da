"""Options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "BatchSize",
    "DatasetSize",
    "Date",
    "Deltas",
    "Epochs",
    "Fprs",
    "Json",
    "Name",
    "Neighbouring",
    "NoiseMultiplier",
    "Plot",
    "Report",
    "SampleRate",
    "Slack",
    "Steps",
    "Tolerance",
    "given",
]

# --- what was run -------------------------------------------------------------------------------

NoiseMultiplier = Annotated[
    float | None,
    typer.Option(help="Standard deviation of the noise divided by the clipping norm."),
]
SampleRate = Annotated[float | None, typer.Option(help="Probability that a record joins a step.")]
BatchSize = Annotated[
    int | None,
    typer.Option(help="Expected batch size; with --dataset-size, in place of --sample-rate."),
]
DatasetSize = Annotated[int | None, typer.Option(help="Number of records.")]
Steps = Annotated[int | None, typer.Option(help="Number of steps.")]
Epochs = Annotated[float | None, typer.Option(help="Passes over the data, in place of --steps.")]
Neighbouring = Annotated[
    str, typer.Option(help="How neighbouring datasets differ: add_remove or replace, one record.")
]

# --- what is asked ------------------------------------------------------------------------------

Deltas = Annotated[
    list[float] | None,
    typer.Option(
        "--delta",
        metavar="DELTA",
        help="Report epsilon here, not at 1e-5, 1e-6, 1e-9; may be repeated.",
    ),
]
Fprs = Annotated[
    list[float] | None,
    typer.Option(
        "--fpr", metavar="FPR", help="Report the TPR here, not at the usual FPRs; may be repeated."
    ),
]
Slack = Annotated[
    float | None, typer.Option(help="How far a TPR may exceed what mu allows. [default: 1e-10]")
]
Tolerance = Annotated[
    float | None, typer.Option(help="Relative numerical accuracy of mu. [default: 1e-3]")
]

# --- how it is told -----------------------------------------------------------------------------

Name = Annotated[str | None, typer.Option(help="A title for the statement.")]
Date = Annotated[
    str | None, typer.Option(help="The date it bears, such as 2026-03-01. [default: today]")
]
Plot = Annotated[
    Path | None,
    typer.Option(help="Draw the trade-off curve here (.png, .pdf or .svg); needs gdpnum[plot]."),
]
Report = Annotated[
    Path | None,
    typer.Option(help="Write the statement here too: .html, .md, .tex, .txt or .json."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def given(**values: Any) -> dict[str, Any]:
    """The options that were given, so that the others keep the library's defaults."""
    return {name: value for name, value in values.items() if value not in (None, [])}
