"""What can be set on the page: each number with its name, its words and the stops of its slider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Field:
    """A number that the page lets one drag or type; ``stops`` are where a drag rests."""

    name: str
    label: str
    note: str
    kind: Literal["count", "positive", "probability"]
    stops: tuple[float, ...]

    def document(self) -> dict[str, Any]:
        """For the page."""
        return {
            "name": self.name,
            "label": self.label,
            "note": self.note,
            "stops": [shown(stop) for stop in self.stops],
        }


def shown(value: float) -> str:
    """A number as a link and an input field have it: short, and the same when read back.

    >>> shown(1.0), shown(0.0043), shown(60_000), shown(1e-5), shown(2**60)
    ('1', '0.0043', '60000', '1e-5', '1152921504606846976')
    """
    if isinstance(value, int) or (value == int(value) and abs(value) < 2**53):
        return str(int(value))
    return repr(float(value)).replace("e-0", "e-")


def _decades(first: int, last: int, mantissas: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(float(f"{m:g}e{power}") for power in range(first, last) for m in mantissas)


def _counts(first: int, last: int, mantissas: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(sorted({int(stop) for stop in _decades(first, last, mantissas) if stop >= 1}))


_TENS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
_FINE = (
    *(m / 20 for m in range(20, 40)),
    *(m / 10 for m in range(20, 50)),
    *(m / 5 for m in range(25, 50)),
)
_POWERS = tuple(round(2 ** (quarter / 4)) for quarter in range(16, 65))

FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        Field(
            "noise_multiplier",
            "Noise multiplier",
            "standard deviation of the noise, divided by the clipping norm",
            "positive",
            (
                *(stop for stop in _decades(-1, 0, _FINE) if stop >= 0.3),
                *_decades(0, 1, _FINE),
                *_decades(1, 2, _TENS),
                100.0,
            ),
        ),
        Field(
            "batch_size",
            "Batch size",
            "records in a step; their expected number where it varies",
            "count",
            _POWERS,
        ),
        Field("dataset_size", "Dataset size", "records", "count", (*_counts(3, 8, _TENS), 10**8)),
        Field(
            "epochs",
            "Epochs",
            "passes over the data",
            "positive",
            (
                *range(1, 21),
                22,
                *range(25, 50, 5),
                *range(50, 100, 10),
                *_counts(2, 3, _TENS),
                1000,
            ),
        ),
        Field(
            "max_batch_size",
            "Largest batch",
            "records that a step takes at most; the rest are dropped",
            "count",
            _POWERS,
        ),
        Field(
            "bands", "Bands", "groups that take turns, step by step", "count", tuple(range(1, 65))
        ),
        Field(
            "records_per_person",
            "Records per person",
            "most records that one person has in the data",
            "count",
            (*range(1, 21), *range(25, 105, 5)),
        ),
        Field(
            "fpr",
            "False positive rate",
            "how often an attack accuses a record that was not used",
            "probability",
            (*_decades(-10, -2, _TENS), *(step / 100 for step in range(1, 100))),
        ),
        Field(
            "delta",
            "Delta",
            "at which epsilon is told",
            "probability",
            _decades(-12, -1, (1, 2, 5)),
        ),
        Field("aim", "Target", "to find the noise for", "positive", _decades(-2, 1, _TENS)),
    )
}

#: Those that say what is run, in the order of the page.
PLANNED = (
    *("noise_multiplier", "batch_size", "dataset_size", "epochs"),
    *("max_batch_size", "bands", "records_per_person"),
)
