"""``gdpnum run``: the statement of whatever a file describes."""

from __future__ import annotations

from typing import Annotated

import typer

from gdpnum.cli import options
from gdpnum.cli.present import JSON_KEYS, present
from gdpnum.cli.program import epilog
from gdpnum.cli.sources import SOURCES, source
from gdpnum.errors import InvalidArgument

__all__ = ["EPILOG", "run"]

_FILE = """\b
A run file:
  name = "Two-stage training"
  dataset_size = 50000
  [[parts]]
  type = "DPSGD"
  noise_multiplier = 1.0
  batch_size = 500
  epochs = 10
  [[parts]]
  type = "Laplace"
  scale = 5.0
  count = 3"""

EPILOG = epilog(
    "gdpnum run training.toml --delta 1e-6", note=f"{_FILE}\n\n{SOURCES}\n\n{JSON_KEYS}"
)


def run(
    file: Annotated[str, typer.Argument(metavar="SOURCE", help="What was run; see below.")],
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
    """Account for any composition that a file describes.

    An option goes before what the file says, except that there is one dataset.
    """
    found = source(file)
    if dataset_size is not None and found.wishes.get("dataset_size", dataset_size) != dataset_size:
        raise InvalidArgument(
            f"--dataset-size is {dataset_size}, but {found.label} says "
            f"{found.wishes['dataset_size']}; leave it out, or mend it there"
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
    present(found.run, {**found.wishes, **wishes}, plot=plot, report=report, as_json=as_json)
