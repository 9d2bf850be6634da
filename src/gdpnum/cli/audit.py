"""``gdpnum audit``: what an attack's scores have shown, beside what is claimed."""

from __future__ import annotations

import csv
import io
import math
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

import gdpnum
from gdpnum.cli import options
from gdpnum.cli.files import read_text, replacing
from gdpnum.cli.present import check_plot, save
from gdpnum.cli.program import epilog
from gdpnum.cli.sources import SOURCES, source
from gdpnum.cli.tables import as_json
from gdpnum.errors import InvalidArgument
from gdpnum.rounding import rounded_down

__all__ = ["EPILOG", "audit"]

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
_YES, _NO = ("1", "true", "in", "1.0"), ("0", "false", "out", "0.0")


def audit(
    file: Annotated[
        str, typer.Argument(metavar="SCORES", help="A CSV file, or - for standard input.")
    ],
    *,
    claim: Annotated[
        str | None, typer.Option(help="What is claimed: a mu, a statement or a run; see below.")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(help="With which the bound is to hold. [default: 0.95]")
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            help="A number fixed before the scores were seen, bonferroni or split. "
            "[default: bonferroni]"
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(help="How errors are bounded: joint or clopper_pearson. [default: joint]"),
    ] = None,
    one_run: Annotated[
        bool, typer.Option("--one-run", help="The scores are of canaries of one run.")
    ] = False,
    guesses: Annotated[
        str | None,
        typer.Option(
            help="With --one-run: how many of the highest scores are taken to be included, or two "
            "numbers, as in 100,100, with how many of the lowest to be out; or split. "
            "[default: a tenth at either end]"
        ),
    ] = None,
    slack: Annotated[
        float | None,
        typer.Option(help="Of the mu that is bounded. [default: that of the claim, or 0]"),
    ] = None,
    deltas: Annotated[
        list[float] | None,
        typer.Option("--delta", metavar="DELTA", help="Report epsilon here; may be repeated."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the ROC curve here (.png, .pdf or .svg); needs matplotlib."),
    ] = None,
    as_json: options.Json = False,
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
    wishes = options.given(confidence=confidence, slack=slack, claim=held)
    found: gdpnum.AuditResult
    if one_run:
        wishes |= {} if guesses is None else {"guesses": _guesses(guesses)}
        found = gdpnum.audit_one_run(scores, included, **wishes)
    else:
        wishes |= options.given(method=method)
        wishes |= {} if threshold is None else {"threshold": _threshold(threshold)}
        runs = gdpnum.audit(scores[included], scores[~included], **wishes)
        if plot is not None:
            with replacing(plot) as temporary:
                save(gdpnum.plot.audit(runs), temporary)
        found = runs
    typer.echo(_json(found, deltas) if as_json else "\n".join(_lines(found, deltas)))


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
    """The scores, and which of them are of included canaries."""
    # Late: help needs no numpy.
    import numpy as np  # noqa: PLC0415

    lines = csv.reader(io.StringIO(text))
    scores, included = array("d"), array("b")
    places = (0, 1)
    for row in lines:
        if not row or not "".join(row).strip():
            continue
        if not scores and "score" in _spelled(row):
            places = _places(row, label)
            continue
        try:
            scores.append(float(row[places[0]]))
            included.append(_flag(row[places[1]].strip().lower()))
        except (IndexError, ValueError):
            raise InvalidArgument(
                f"{label}, line {lines.line_num}: {','.join(row)!r} is no score and 1 or 0; mend "
                "it there, or name the columns score and included in the first line"
            ) from None
    return np.array(scores), np.array(included, dtype=bool)


def _places(names: list[str], label: str) -> tuple[int, int]:
    spelled = _spelled(names)
    if "included" not in spelled:
        raise InvalidArgument(
            f"{label} has no column 'included', but {', '.join(names)}; name two columns score and "
            "included"
        )
    return spelled.index("score"), spelled.index("included")


def _spelled(names: list[str]) -> list[str]:
    return [name.strip().lower() for name in names]


def _flag(text: str) -> bool:
    if text in _YES:
        return True
    if text in _NO:
        return False
    raise ValueError(text)


def _epsilons(
    found: gdpnum.AuditResult, deltas: list[float] | None
) -> Iterator[tuple[float, float]]:
    for delta in deltas or _DELTAS:
        yield delta, found.epsilon(delta)


def _json(found: gdpnum.AuditResult, deltas: list[float] | None) -> str:

    rows = [{"delta": delta, "epsilon": epsilon} for delta, epsilon in _epsilons(found, deltas)]
    return as_json({**found.to_dict(), "verdict": found.verdict, "epsilon": rows})


def _lines(found: gdpnum.AuditResult, deltas: list[float] | None) -> Iterator[str]:
    yield str(found)
    for delta, epsilon in _epsilons(found, deltas) if deltas else ():
        shown = (
            rounded_down(epsilon) if math.isfinite(epsilon) and epsilon > 0.0 else f"{epsilon:g}"
        )
        yield f"At delta {delta:g}, epsilon is at least {shown}."
