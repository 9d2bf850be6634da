"""``gdpnum opacus``: the statement of what an Opacus checkpoint records."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

import gdpnum
from gdpnum.cli import options
from gdpnum.cli.present import JSON_KEYS, present
from gdpnum.cli.program import epilog, tell

__all__ = ["EPILOG", "opacus"]

EPILOG = epilog("gdpnum opacus checkpoint.pt --dataset-size 50000", note=JSON_KEYS)


def opacus(
    checkpoint: Annotated[
        Path, typer.Argument(help="A file that PrivacyEngine.save_checkpoint wrote.")
    ],
    *,
    delta: options.Deltas = None,
    fpr: options.Fprs = None,
    slack: options.Slack = None,
    tolerance: options.Tolerance = None,
    dataset_size: options.DatasetSize = None,
    name: options.Name = None,
    date: options.Date = None,
    state: options.State = None,
    plot: options.Plot = None,
    report: options.Report = None,
    as_json: options.Json = False,
) -> None:
    """Account for the training that an Opacus checkpoint records.

    Nothing in the file is run, and neither torch nor Opacus is needed. Opacus records Poisson
    sampling whatever the sampler did; make sure that it did so.
    """
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run = gdpnum.from_opacus(checkpoint)
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
    for warning in found:
        tell(f"warning: {warning.message}")
