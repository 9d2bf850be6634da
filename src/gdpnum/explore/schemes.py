"""How batches are drawn: one record a scheme.

A scheme says which numbers it asks for and which arguments of `gdpnum.DPSGD` they become.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gdpnum.errors import InvalidArgument

if TYPE_CHECKING:
    from gdpnum.explore.state import State

__all__ = ["RELATIONS", "SCHEMES", "Scheme", "arguments"]

#: How neighbouring datasets differ, in words.
RELATIONS = {
    "add_remove": "one record added or removed",
    "replace": "one record replaced by another",
    "zero_out": "one record made empty",
}


@dataclass(frozen=True)
class Scheme:
    """A way of drawing batches; ``asks`` are its numbers beside noise, and records per person."""

    name: str
    label: str
    note: str
    asks: tuple[str, ...]
    relations: tuple[str, ...]
    keywords: Callable[[State], dict[str, Any]]

    def document(self) -> dict[str, Any]:
        """For the page."""
        return {
            "name": self.name,
            "label": self.label,
            "note": self.note,
            "asks": list(self.asks),
            "relations": [[one, RELATIONS[one]] for one in self.relations],
        }


def _sizes(state: State, *more: str) -> dict[str, Any]:
    """Batch, dataset and epochs, of which the library makes rates and steps in its own ways."""
    if state.batch_size > state.dataset_size:
        raise InvalidArgument(
            f"batch_size={state.batch_size} is above dataset_size={state.dataset_size}; "
            "make the batch smaller or the dataset larger"
        )
    sizes = {"batch_size": state.batch_size, "dataset_size": state.dataset_size}
    rest = {name: getattr(state, name) for name in more}
    return {**sizes, "epochs": _plain(state.epochs), **rest}


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
        lambda state: {"batches": "fixed", **_sizes(state)},
    ),
    Scheme(
        "shuffled",
        "by going through the data in some order",
        "each record once an epoch; the order is not relied upon",
        ("dataset_size", "epochs"),
        ("zero_out", "replace"),
        lambda state: {"batches": "shuffled", "epochs": _plain(state.epochs)},
    ),
    Scheme(
        "allocated",
        "by random allocation",
        "each record joins one random step of every epoch",
        _SIZES,
        ("add_remove",),
        lambda state: {"batches": "allocated", **_sizes(state)},
    ),
    Scheme(
        "truncated",
        "by Poisson sampling, cut at a largest size",
        "so that memory suffices",
        (*_SIZES, "max_batch_size"),
        ("add_remove",),
        lambda state: {"batches": "truncated", **_sizes(state, "max_batch_size")},
    ),
    Scheme(
        "cyclic",
        "by Poisson sampling from groups in turn",
        "as banded matrix mechanisms do",
        (*_SIZES, "bands"),
        ("add_remove",),
        lambda state: {"batches": "cyclic", **_sizes(state, "bands")},
    ),
)

#: The ways by name.
SCHEMES = {scheme.name: scheme for scheme in _ALL}


def arguments(state: State) -> dict[str, Any]:
    """The arguments of `DPSGD` that a state means."""
    scheme = SCHEMES[state.batches]
    found = {"noise_multiplier": state.noise_multiplier, **scheme.keywords(state)}
    if state.neighbouring != scheme.relations[0]:
        found["neighbouring"] = state.neighbouring
    if state.records_per_person > 1:
        found["records_per_person"] = state.records_per_person
    return found


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number
