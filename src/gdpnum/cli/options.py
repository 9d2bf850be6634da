"""Options that several commands take."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from gdpnum.errors import InvalidArgument

__all__ = [
    "STATED",
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
    "State",
    "Steps",
    "Tolerance",
    "given",
    "pairs",
    "stated",
]

#: What --state may say.
STATED = (
    *("protected", "released", "batches", "tuning", "trust_model", "dataset", "model", "contact"),
)

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
    float | None,
    typer.Option(
        help="How far a TPR may exceed what mu allows. 0 makes no exception, and with it sampling "
        "earns nothing; above 1e-6 mu never stands alone. [default: 1e-10]"
    ),
]
Tolerance = Annotated[
    float | None, typer.Option(help="Relative numerical accuracy of mu. [default: 1e-3]")
]

# --- how it is told -----------------------------------------------------------------------------

Name = Annotated[str | None, typer.Option(help="A title for the statement.")]
Date = Annotated[
    str | None, typer.Option(help="The date it bears, such as 2026-03-01. [default: today]")
]
State = Annotated[
    list[str] | None,
    typer.Option(
        "--state",
        metavar="KEY=TEXT",
        help="What only you know, as in --state released='final model'; may be repeated. Keys: "
        "protected, released, batches, tuning, trust_model, dataset, model, contact.",
    ),
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


def pairs(option: str, values: list[str] | None, known: Sequence[str]) -> dict[str, list[str]]:
    """The texts of an option that takes KEY=TEXT and may be repeated, by key."""
    found: dict[str, list[str]] = {}
    for value in values or []:
        key, equals, text = value.partition("=")
        if not equals or key not in known:
            close = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
            advice = f"did you mean {close[0]}=...?" if close else f"keys are {', '.join(known)}"
            raise InvalidArgument(f"{option} {value!r} is no KEY=TEXT that is known; {advice}")
        found.setdefault(key, []).append(text)
    return found


def stated(values: list[str] | None) -> dict[str, str]:
    """What --state says, as arguments of `gdpnum.statement`."""
    found = pairs("--state", values, STATED)
    for key, texts in found.items():
        if len(texts) > 1:
            raise InvalidArgument(f"--state {key} is there twice; pass it once")
    return {key: texts[0] for key, texts in found.items()}


def given(**values: Any) -> dict[str, Any]:
    """The options that were given, so that the others keep the library's defaults."""
    return {name: value for name, value in values.items() if value not in (None, [])}
