"""``gdpnum audit``: what an attack's scores have shown, beside what is claimed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

import gdpnum
from gdpnum.cli.files import read_text
from gdpnum.cli.options import JSON, Option, given, takes
from gdpnum.cli.present import check_plot, save
from gdpnum.cli.program import epilog
from gdpnum.cli.sources import SOURCES, source
from gdpnum.cli.tables import json_of
from gdpnum.errors import InvalidArgument
from gdpnum.rounding import rounded_down
from gdpnum.score_columns import scores_in_csv

EPILOG = epilog(
    "gdpnum audit scores.csv --claim statement.json",
    "gdpnum audit canaries.csv --one-run --guesses 100,100 --claim 1.57",
    note="The file has a line for each run (with --one-run: for each canary) with two columns, "
    "score and included; a first line with these names may change their order. included is 1 or "
    "0, true or false, in or out. The higher a score, the surer the attack is that the canary was "
    f"included.\n\nA claim is a mu or a source. {SOURCES}\n\nJSON keys: mu_lower, confidence, "
    "slack, claim, claim_mu, p_value, refuted, verdict, epsilon (a list of {delta, epsilon}, at "
    "least), and the rest of AuditResult.to_dict.",
)

_DELTAS = (1e-5, 1e-6, 1e-9)


@takes(
    Option("claim", "text", "What is claimed: a mu, a statement or a run; see below."),
    Option("confidence", "number", "With which the bound is to hold. [default: 0.95]"),
    Option(
        "threshold",
        "text",
        "A number fixed before the scores were seen, bonferroni or split. [default: bonferroni]",
    ),
    Option(
        "method",
        "word",
        "How errors are bounded. [default: joint]",
        ("joint", "clopper_pearson"),
    ),
    Option("one_run", "flag", "The scores are of canaries of one run."),
    Option(
        "guesses",
        "text",
        "With --one-run: how many of the highest scores are taken to be included, or two numbers, "
        "as in 100,100, with how many of the lowest to be out; or split. [default: a tenth at "
        "either end]",
    ),
    Option("slack", "number", "Of the mu that is bounded. [default: that of the claim, or 0]"),
    Option("delta", "numbers", "Report epsilon here; may be repeated."),
    Option("plot", "path", "Draw the ROC curve here: .png, .pdf or .svg; needs matplotlib."),
    JSON,
)
def audit(
    file: Annotated[
        str, typer.Argument(metavar="SCORES", help="A CSV file, or - for standard input.")
    ],
    *,
    claim: str | None,
    threshold: str | None,
    method: str | None,
    one_run: bool,
    guesses: str | None,
    delta: list[float] | None,
    plot: Path | None,
    as_json: bool,
    **wished: float | None,
) -> None:
    """Bound mu from below by an attack's scores, and test a claim.

    An audit refutes a claim or does not refute it; it never confirms one.
    """
    check_plot(plot)
    _refuse_mixed(one_run, {"--threshold": threshold, "--method": method, "--plot": plot}, guesses)
    if file == claim == "-":
        raise InvalidArgument("standard input, -, is given twice; it can be read once")
    held = None if claim is None else _claim(claim)
    scores, included = _columns(read_text(file), "standard input" if file == "-" else file)
    wishes = given(claim=held, **wished)
    found: gdpnum.AuditResult
    if one_run:
        wishes |= {} if guesses is None else {"guesses": _guesses(guesses)}
        found = gdpnum.audit_one_run(scores, included, **wishes)
    else:
        wishes |= given(method=method)
        wishes |= {} if threshold is None else {"threshold": _threshold(threshold)}
        runs = gdpnum.audit(scores[included], scores[~included], **wishes)
        if plot is not None:
            save(gdpnum.plot.audit(runs), plot)
        found = runs
    typer.echo(_json(found, delta) if as_json else "\n".join(_lines(found, delta)))


def _refuse_mixed(one_run: bool, of_runs: dict[str, object], guesses: str | None) -> None:
    for name, value in of_runs.items():
        if one_run and value is not None:
            raise InvalidArgument(f"{name} is for scores of many runs; leave it or --one-run out")
    if guesses is not None and not one_run:
        raise InvalidArgument("--guesses is for the canaries of one run; add --one-run")


def _claim(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        read = source(text)
        return read.run if read.statement is None else read.statement


def _threshold(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _guesses(text: str) -> Any:
    if text == "split":
        return text
    try:
        numbers = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise InvalidArgument(
            f"--guesses {text} is not a number, two numbers as in 100,100, or split; pass one"
        ) from None
    return numbers[0] if len(numbers) == 1 else numbers


def _columns(text: str, label: str) -> tuple[Any, Any]:
    """The scores, and which of them are of included canaries, as arrays."""
    # Late: help needs no numpy.
    import numpy as np  # noqa: PLC0415

    scores, included = scores_in_csv(text, label)
    return np.array(scores), np.array(included, dtype=bool)


def _epsilons(
    found: gdpnum.AuditResult, deltas: list[float] | None
) -> Iterator[tuple[float, float]]:
    for delta in deltas or _DELTAS:
        yield delta, found.epsilon(delta)


def _json(found: gdpnum.AuditResult, deltas: list[float] | None) -> str:
    rows = [{"delta": delta, "epsilon": epsilon} for delta, epsilon in _epsilons(found, deltas)]
    return json_of({**found.to_dict(), "verdict": found.verdict, "epsilon": rows})


def _lines(found: gdpnum.AuditResult, deltas: list[float] | None) -> Iterator[str]:
    yield str(found)
    for delta, epsilon in _epsilons(found, deltas) if deltas else ():
        shown = (
            rounded_down(epsilon) if math.isfinite(epsilon) and epsilon > 0.0 else f"{epsilon:g}"
        )
        yield f"At delta {delta:g}, epsilon is at least {shown}."
