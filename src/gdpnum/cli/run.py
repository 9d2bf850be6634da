"""``gdpnum run``: the statement of whatever a file describes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gdpnum.cli.options import STATEMENT, TRAINING, one, takes
from gdpnum.cli.present import JSON_KEYS, present
from gdpnum.cli.program import epilog
from gdpnum.cli.sources import SOURCES, source
from gdpnum.errors import InvalidArgument

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


@takes(*STATEMENT, one("dataset_size", of=TRAINING))
def run(
    file: Annotated[str, typer.Argument(metavar="SOURCE", help="What was run; see below.")],
    **values: Any,
) -> None:
    """Account for any composition that a file describes.

    An option goes before what the file says, except that there is one dataset.
    """
    found = source(file)
    size, said = values["dataset_size"], found.wishes.get("dataset_size")
    if None not in (size, said) and size != said:
        raise InvalidArgument(
            f"--dataset-size is {size}, but {found.label} says {said}; leave it out, or mend it "
            "there"
        )
    present(found.run, values, wishes=found.wishes)
