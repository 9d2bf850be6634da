"""How batches are drawn: one record a scheme.

A scheme says which numbers it asks for and which arguments of `gdpnum.DPSGD` they become.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gdpnum.errors import InvalidArgument

#: How neighbouring datasets differ, in words.
RELATIONS = {
    "add_remove": "one record added or removed",
    "replace": "one record replaced by another",
    "zero_out": "one record made empty",
}


@dataclass(frozen=True, kw_only=True)
class Planned:
    """The run of DP-SGD that is set on the page."""

    noise_multiplier: float = 1.0
    batch_size: int = 256
    dataset_size: int = 60_000
    epochs: float = 10.0
    batches: str = "poisson"
    neighbouring: str = "add_remove"
    max_batch_size: int = 512
    bands: int = 8
    records_per_person: int = 1


@dataclass(frozen=True)
class Scheme:
    """A way of drawing batches; ``asks`` are its numbers beside noise, and records per person."""

    name: str
    label: str
    note: str
    asks: tuple[str, ...]
    relations: tuple[str, ...]
    keywords: Callable[[Planned], dict[str, Any]]

    def document(self) -> dict[str, Any]:
        """For the page."""
        return {
            "name": self.name,
            "label": self.label,
            "note": self.note,
            "asks": list(self.asks),
            "relations": [[one, RELATIONS[one]] for one in self.relations],
        }


def _sizes(planned: Planned, *more: str) -> dict[str, Any]:
    """Batch, dataset and epochs, of which the library makes rates and steps in its own ways."""
    if planned.batch_size > planned.dataset_size:
        raise InvalidArgument(
            f"batch_size={planned.batch_size} is above dataset_size={planned.dataset_size}; "
            "make the batch smaller or the dataset larger"
        )
    sizes = {"batch_size": planned.batch_size, "dataset_size": planned.dataset_size}
    rest = {name: getattr(planned, name) for name in more}
    return {**sizes, "epochs": _plain(planned.epochs), **rest}


_SIZES = ("batch_size", "dataset_size", "epochs")

_ALL = (
    Scheme(
        "poisson",
        "by Poisson sampling",
        "every record joins every step by a coin of its own",
        _SIZES,
        ("add_remove", "replace"),
        _sizes,
    ),
    Scheme(
        "fixed",
        "of a fixed size, drawn anew for each step",
        "so many records, without replacement",
        _SIZES,
        ("replace",),
        lambda planned: {"batches": "fixed", **_sizes(planned)},
    ),
    Scheme(
        "shuffled",
        "by going through the data in some order",
        "each record once an epoch; the order is not relied upon",
        ("dataset_size", "epochs"),
        ("zero_out", "replace"),
        lambda planned: {"batches": "shuffled", "epochs": _plain(planned.epochs)},
    ),
    Scheme(
        "allocated",
        "by random allocation",
        "each record joins one random step of every epoch",
        _SIZES,
        ("add_remove",),
        lambda planned: {"batches": "allocated", **_sizes(planned)},
    ),
    Scheme(
        "truncated",
        "by Poisson sampling, cut at a largest size",
        "so that memory suffices",
        (*_SIZES, "max_batch_size"),
        ("add_remove",),
        lambda planned: {"batches": "truncated", **_sizes(planned, "max_batch_size")},
    ),
    Scheme(
        "cyclic",
        "by Poisson sampling from groups in turn",
        "as banded matrix mechanisms do",
        (*_SIZES, "bands"),
        ("add_remove",),
        lambda planned: {"batches": "cyclic", **_sizes(planned, "bands")},
    ),
)

#: The ways by name.
SCHEMES = {scheme.name: scheme for scheme in _ALL}


def arguments(planned: Planned) -> dict[str, Any]:
    """The arguments of `DPSGD` that a plan means."""
    scheme = SCHEMES[planned.batches]
    found = {"noise_multiplier": planned.noise_multiplier, **scheme.keywords(planned)}
    if planned.neighbouring != scheme.relations[0]:
        found["neighbouring"] = planned.neighbouring
    if planned.records_per_person > 1:
        found["records_per_person"] = planned.records_per_person
    return found


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number
