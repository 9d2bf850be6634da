"""``gdpnum opacus``: the statement of what an Opacus checkpoint records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import gdpnum
from gdpnum.cli.options import STATEMENT, TRAINING, one, takes
from gdpnum.cli.present import JSON_KEYS, present
from gdpnum.cli.program import epilog, tell

EPILOG = epilog("gdpnum opacus checkpoint.pt --dataset-size 50000", note=JSON_KEYS)


@takes(*STATEMENT, one("dataset_size", of=TRAINING))
def opacus(
    checkpoint: Annotated[
        Path, typer.Argument(help="A file that PrivacyEngine.save_checkpoint wrote.")
    ],
    **values: Any,
) -> None:
    """Account for the training that an Opacus checkpoint records.

    Nothing in the file is run, and neither torch nor Opacus is needed. Opacus records Poisson
    sampling whatever the sampler did; the accountant of gdpnum also records what it saw. The
    statement says how batches were drawn and what was not checked; findings follow it.
    """
    check = gdpnum.check_engine(checkpoint)
    present(check.run, values, wishes={"batches": check.batches})
    for finding in check.findings:
        tell(f"{'note' if finding.effect == 'harmless' else 'warning'}: {finding.text}")
