"""``gdpnum calibrate``: the DP-SGD setting that just meets a privacy target."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import typer

import gdpnum
from gdpnum.cli.options import JSON, SLACK, TRAINING, Option, given, takes
from gdpnum.cli.program import epilog
from gdpnum.cli.tables import as_table, json_of
from gdpnum.errors import InvalidArgument
from gdpnum.rounding import as_given, rounded_down, rounded_up
from gdpnum.training import NAMES, as_option, is_poisson, resolved

EPILOG = epilog(
    "gdpnum calibrate --sample-rate 0.01 --steps 1000 --mu 1",
    "gdpnum calibrate --noise-multiplier 1 --dataset-size 50000 --steps 1000 \\\n"
    "  --epsilon 2 --delta 1e-5",
    note="JSON keys: found (which parameter), noise_multiplier, sample_rate, steps, batch_size, "
    "target (kind, value, at), achieved, at_limit (whether the end of the "
    "range was reached), tolerance, calls (of the engine), mechanism.",
)


_TARGETS = (
    Option("mu", "number", "Target: at most this mu, at --slack."),
    Option("epsilon", "number", "Target: at most this epsilon, at --delta."),
    Option("delta", "number", "The delta of --epsilon."),
    Option("advantage", "number", "Target: at most this advantage, TPR - FPR at any FPR."),
    Option("tpr", "number", "Target: at most this TPR, at --fpr."),
    Option("fpr", "number", "The FPR of --tpr."),
    SLACK,
)


@takes(
    *TRAINING,
    *_TARGETS,
    Option("tolerance", "number", "How near the target, relatively. [default: 1e-3]"),
    JSON,
)
def calibrate(*, tolerance: float | None, as_json: bool, **values: Any) -> None:
    """Find the DP-SGD setting that just meets a privacy target.

    Of noise, sample rate and steps pass two; the third is found: the smallest noise multiplier, the
    largest sample rate or the largest number of steps. For other batches than Poisson samples it is
    the noise.
    """
    described = {name: values.pop(name) for name in NAMES}
    asked = given(**values)
    gdpnum.calibration.stated(**asked, spelled=as_option)  # in the words of who typed it
    dataset_size = described["dataset_size"]
    run = resolved(described, spelled=as_option)
    names = ("noise_multiplier", "sample_rate", "steps")
    missing = [as_option(name) for name in names if name not in run]
    if is_poisson(run) and len(missing) != 1:
        came = f"{' and '.join(missing)} are left out" if missing else "all three are given"
        raise InvalidArgument(
            f"{came}; pass two of {', '.join(map(as_option, names))}, to find the third"
        )
    found = gdpnum.calibrate_dpsgd(**run, **asked, **given(tolerance=tolerance))
    rate = found.sample_rate
    goal = {name: getattr(found.target, name) for name in ("kind", "value", "at")}
    document = {
        **{name: getattr(found, name) for name in ("found", *names)},
        # The whole batch that keeps within the rate.
        "batch_size": None if dataset_size is None or rate is None else _batch(rate, dataset_size),
        "target": goal,
        **{name: getattr(found, name) for name in ("achieved", "at_limit", "tolerance", "calls")},
        "mechanism": repr(found.mechanism),
    }
    typer.echo(json_of(document) if as_json else "\n".join(_lines(document, str(found.target))))


def _batch(rate: float, records: int) -> int:
    batch = round(rate * records)
    return batch if batch / records <= rate else batch - 1


def _lines(document: dict[str, Any], target: str) -> Iterator[str]:
    found = document["found"]
    value = {
        # To the side on which the target is still met.
        "noise_multiplier": rounded_up(document["noise_multiplier"], digits=6),
        "sample_rate": rounded_down(document["sample_rate"] or 0.0, digits=6),
        "steps": str(document["steps"]),
    }
    end = "smallest" if found == "noise_multiplier" else "largest"
    kind, achieved = document["target"]["kind"], document["achieved"]
    shown = rounded_up(achieved, digits=6) if math.isfinite(achieved) else "infinite"
    known = "which meets" if document["at_limit"] else f"the {end} that meets"
    yield f"{found.replace('_', ' ').capitalize()} {value[found]}: {known} {target}."
    yield ""
    rows = [
        (name.replace("_", " "), value[name] if name == found else as_given(document[name]))
        for name in value
        if document[name] is not None
    ]
    if document["batch_size"] is not None:
        rows.append(("batch size", f"{document['batch_size']}"))
    yield as_table([*rows, ("target", target), ("achieved", f"{kind} <= {shown}")])
    if document["at_limit"]:
        yield ""
        yield "It is at the end of the range that can be accounted for; others may meet it, too."
