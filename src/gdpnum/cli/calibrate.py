"""``gdpnum calibrate``: the DP-SGD setting that just meets a privacy target."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, cast

import typer

import gdpnum
from gdpnum.cli import options
from gdpnum.cli.program import epilog
from gdpnum.cli.tables import as_json as json_of
from gdpnum.cli.tables import as_table
from gdpnum.training import rate_of, steps_of
from gdpnum.rounding import rounded_down, rounded_up

__all__ = ["EPILOG", "calibrate"]

EPILOG = epilog(
    "gdpnum calibrate --sample-rate 0.01 --steps 1000 --mu 1",
    "gdpnum calibrate --noise-multiplier 1 --dataset-size 50000 --steps 1000 \\\n"
    "  --epsilon 2 --delta 1e-5",
    note="JSON keys: found (which parameter), noise_multiplier, sample_rate, steps, batch_size, "
    "target (kind, value, at), achieved, at_limit (whether the end of the "
    "range was reached), tolerance, calls (of the engine), mechanism.",
)


def calibrate(
    *,
    noise_multiplier: options.NoiseMultiplier = None,
    sample_rate: options.SampleRate = None,
    batch_size: options.BatchSize = None,
    dataset_size: options.DatasetSize = None,
    steps: options.Steps = None,
    epochs: options.Epochs = None,
    neighbouring: options.Neighbouring = "add_remove",
    mu: Annotated[float | None, typer.Option(help="Target: at most this mu, at --slack.")] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Target: at most this epsilon, at --delta.")
    ] = None,
    delta: Annotated[float | None, typer.Option(help="The delta of --epsilon.")] = None,
    advantage: Annotated[
        float | None, typer.Option(help="Target: at most this advantage, TPR - FPR at any FPR.")
    ] = None,
    tpr: Annotated[float | None, typer.Option(help="Target: at most this TPR, at --fpr.")] = None,
    fpr: Annotated[float | None, typer.Option(help="The FPR of --tpr.")] = None,
    slack: options.Slack = None,
    tolerance: Annotated[
        float | None, typer.Option(help="How near the target, relatively. [default: 1e-3]")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Find the DP-SGD setting that just meets a privacy target.

    Of noise, sample rate and steps pass two; the third is found: the smallest noise multiplier, the
    largest sample rate or the largest number of steps.
    """
    rate = rate_of(sample_rate, batch_size, dataset_size)
    count = steps_of(steps, epochs, rate)
    found = gdpnum.calibrate_dpsgd(
        noise_multiplier=noise_multiplier,
        sample_rate=None if rate is None else float(rate),
        steps=count,
        mu=mu,
        epsilon=epsilon,
        delta=delta,
        advantage=advantage,
        tpr=tpr,
        fpr=fpr,
        neighbouring=cast("gdpnum.mechanisms.Neighbouring", neighbouring),
        **options.given(slack=slack, tolerance=tolerance),
    )
    document = {
        "found": found.found,
        "noise_multiplier": found.noise_multiplier,
        "sample_rate": found.sample_rate,
        "steps": found.steps,
        # The whole batch that keeps within the rate.
        "batch_size": None if dataset_size is None else _batch(found.sample_rate, dataset_size),
        "target": {
            "kind": found.target.kind,
            "value": found.target.value,
            "at": found.target.at,
        },
        "achieved": found.achieved,
        "at_limit": found.at_limit,
        "tolerance": found.tolerance,
        "calls": found.calls,
        "mechanism": repr(found.mechanism),
    }
    typer.echo(json_of(document) if as_json else "\n".join(_lines(document, str(found.target))))


def _batch(rate: float, records: int) -> int:
    batch = round(rate * records)
    return batch if batch / records <= rate else batch - 1


def _lines(document: dict[str, Any], target: str) -> Iterator[str]:
    from gdpnum.statements.numbers import as_given  # noqa: PLC0415

    found = document["found"]
    value = {
        # To the side on which the target is still met.
        "noise_multiplier": rounded_up(document["noise_multiplier"], digits=6),
        "sample_rate": rounded_down(document["sample_rate"], digits=6),
        "steps": str(document["steps"]),
    }
    end = {
        "noise_multiplier": "smallest",
        "sample_rate": "largest",
        "steps": "largest",
    }[found]
    kind, achieved = document["target"]["kind"], document["achieved"]
    shown = rounded_up(achieved, digits=6) if math.isfinite(achieved) else "infinite"
    known = "which meets" if document["at_limit"] else f"the {end} that meets"
    yield f"{found.replace('_', ' ').capitalize()} {value[found]}: {known} {target}."
    yield ""
    rows = [
        (name.replace("_", " "), value[name] if name == found else as_given(document[name]))
        for name in value
    ]
    if document["batch_size"] is not None:
        rows.append(("batch size", f"{document['batch_size']}"))
    yield as_table([*rows, ("target", target), ("achieved", f"{kind} <= {shown}")])
    if document["at_limit"]:
        yield ""
        yield "It is at the end of the range that can be accounted for; others may meet it, too."
