"""A run of DP-SGD as its users say it: by rate or by batch, by steps or by epochs.

`ARGUMENTS` is the one table of what `DPSGD` takes. The command line, run files, settings of sweeps
and calibration all read it, so that a new argument of `DPSGD` is one line here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, final

from gdpnum import _validate
from gdpnum.errors import InvalidArgument
from gdpnum.mechanisms import DPSGD, Mechanism
from gdpnum.mechanisms.sampling import Spelled, either_rate, rate_of, steps_of


@final
@dataclass(frozen=True)
class Argument:
    """An argument of `DPSGD`: its name, what it holds, a line of help, and the words it may be."""

    name: str
    kind: Literal["number", "whole", "flag", "word"]
    help: str
    words: tuple[str, ...] = ()


ARGUMENTS = (
    Argument(
        "noise_multiplier",
        "number",
        "Standard deviation of the noise divided by the clipping norm.",
    ),
    Argument("sample_rate", "number", "Probability that a record joins a step."),
    Argument("batch_size", "whole", "Expected batch size; with {dataset_size}, not {sample_rate}."),
    Argument("dataset_size", "whole", "Number of records."),
    Argument("steps", "whole", "Number of steps."),
    Argument("epochs", "number", "Passes over the data, in place of {steps}."),
    Argument(
        "batches",
        "word",
        "How batches are drawn.",
        ("poisson", "fixed", "shuffled", "allocated", "truncated", "cyclic"),
    ),
    Argument("max_batch_size", "whole", "Largest batch, where batches are truncated."),
    Argument("bands", "whole", "Bands of the noise, where batches are cyclic."),
    Argument("steps_per_epoch", "whole", "Steps of an epoch, where batches are allocated."),
    Argument("times_per_epoch", "whole", "Steps of an epoch that a record joins."),
    Argument("fixed_bins", "flag", "Every epoch allocates records to the same steps."),
    Argument("with_replacement", "flag", "A batch of fixed size may hold a record twice."),
    Argument("unit", "word", "Whom the guarantee is for.", ("record", "person")),
    Argument("records_per_person", "whole", "Records that one person may have."),
    Argument(
        "neighbouring",
        "word",
        "How neighbouring datasets differ, by one record.",
        ("add_remove", "replace", "zero_out"),
    ),
)
"""What `DPSGD` takes; {name} in a help is how a user writes another."""

NAMES = tuple(one.name for one in ARGUMENTS)
_KNOWN = frozenset(NAMES)


def as_option(name: str) -> str:
    """A name as it is typed on the command line."""
    return f"--{name.replace('_', '-')}"


def training_run(values: Mapping[str, Any], *, spelled: Spelled = str) -> Mechanism:
    """The run that some arguments of `DPSGD` describe; a None is one that is not given.

    >>> training_run({"noise_multiplier": 1.0, "sample_rate": 0.3, "epochs": 3})
    PoissonSampled(Gaussian(sigma=1.0), rate=0.3) * 10
    """
    given = resolved(values, spelled=spelled)
    if "noise_multiplier" not in given:
        raise InvalidArgument(f"pass {spelled('noise_multiplier')}, with a sample rate and steps")
    if is_poisson(given):
        if "sample_rate" not in given:
            raise InvalidArgument(either_rate(spelled))
        if "steps" not in given:
            raise InvalidArgument(f"pass either {spelled('steps')} or {spelled('epochs')}")
    return DPSGD(**given)


def is_poisson(values: Mapping[str, Any]) -> bool:
    """Whether each record joins each batch by itself."""
    batches = values.get("batches")
    return batches is None or _validate.is_text(batches, "poisson")


def resolved(values: Mapping[str, Any], *, spelled: Spelled = str) -> dict[str, Any]:
    """What is given, Poisson batches by rate and steps."""
    # By identity: a step count of 0 equals False.
    given = {
        name: one
        for name, one in values.items()
        if name in _KNOWN and one is not None and one is not False
    }
    if is_poisson(given):
        batch, size = given.pop("batch_size", None), given.pop("dataset_size", None)
        rate = rate_of(given.pop("sample_rate", None), batch, size, spelled=spelled)
        count = steps_of(given.pop("steps", None), given.pop("epochs", None), rate, spelled=spelled)
        given |= {} if rate is None else {"sample_rate": float(rate)}
        given |= {} if count is None else {"steps": count}
    return {name: _plain(value) for name, value in given.items()}


def _plain(value: Any) -> Any:
    """A fraction, which the command line reads exactly, as what the library takes."""
    if not isinstance(value, Fraction) or abs(value) > sys.float_info.max:
        return value
    return int(value) if value.denominator == 1 and abs(value) < 2**53 else float(value)
