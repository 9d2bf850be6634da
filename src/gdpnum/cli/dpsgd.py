"""``gdpnum dpsgd``: the statement of a DP-SGD training run."""

from __future__ import annotations

from typing import Any

from gdpnum.cli.options import STATEMENT, TRAINING, TUNED, takes
from gdpnum.cli.present import JSON_KEYS, present
from gdpnum.cli.program import epilog
from gdpnum.mechanisms.tuning import tuned
from gdpnum.training import NAMES, as_option, training_run

EPILOG = epilog(
    "gdpnum dpsgd --noise-multiplier 9.4 --batch-size 16384 --dataset-size 50000 \\\n"
    "  --steps 2000 --report statement.html --plot curve.svg",
    "gdpnum dpsgd --noise-multiplier 1 --sample-rate 256/60000 --epochs 10",
    note=f"Numbers may be written 0.01, 1%, 256/60000 or 1e4.\n\n{JSON_KEYS}",
)


@takes(*TRAINING, TUNED, *STATEMENT)
def dpsgd(**values: Any) -> None:
    """Account for a DP-SGD training run."""
    described = {name: values.pop(name) for name in NAMES}
    run = training_run(described, spelled=as_option)
    tuning = values.pop("tuned")
    if tuning is not None:
        run = tuned(run, tuning)
    present(run, {**values, "dataset_size": described["dataset_size"]})
