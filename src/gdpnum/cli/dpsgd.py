"""``gdpnum dpsgd``: the statement of a DP-SGD training run."""

from __future__ import annotations

from typing import cast

import gdpnum
from gdpnum.cli import options
from gdpnum.cli.present import JSON_KEYS, present
from gdpnum.cli.program import epilog
from gdpnum.cli.training import rate_of, steps_of
from gdpnum.errors import InvalidArgument

__all__ = ["EPILOG", "dpsgd"]

EPILOG = epilog(
    "gdpnum dpsgd --noise-multiplier 9.4 --batch-size 16384 --dataset-size 50000 \\\n"
    "  --steps 2000 --report statement.html --plot curve.svg",
    note=JSON_KEYS,
)


def dpsgd(
    *,
    noise_multiplier: options.NoiseMultiplier = None,
    sample_rate: options.SampleRate = None,
    batch_size: options.BatchSize = None,
    dataset_size: options.DatasetSize = None,
    steps: options.Steps = None,
    epochs: options.Epochs = None,
    neighbouring: options.Neighbouring = "add_remove",
    delta: options.Deltas = None,
    fpr: options.Fprs = None,
    slack: options.Slack = None,
    tolerance: options.Tolerance = None,
    name: options.Name = None,
    date: options.Date = None,
    state: options.State = None,
    plot: options.Plot = None,
    report: options.Report = None,
    as_json: options.Json = False,
) -> None:
    """Account for a DP-SGD training run."""
    if noise_multiplier is None:
        raise InvalidArgument("pass --noise-multiplier, with a sample rate and steps")
    rate = rate_of(sample_rate, batch_size, dataset_size)
    if rate is None:
        raise InvalidArgument("pass either --sample-rate, or --batch-size and --dataset-size")
    count = steps_of(steps, epochs, rate)
    if count is None:
        raise InvalidArgument("pass either --steps or --epochs")
    run = gdpnum.DPSGD(
        noise_multiplier=noise_multiplier,
        sample_rate=float(rate),
        steps=count,
        neighbouring=cast("gdpnum.mechanisms.Neighbouring", neighbouring),
    )
    wishes = options.given(
        deltas=delta,
        fprs=fpr,
        slack=slack,
        tolerance=tolerance,
        dataset_size=dataset_size,
        name=name,
        date=date,
        **options.stated(state),
    )
    present(run, wishes, plot=plot, report=report, as_json=as_json)
