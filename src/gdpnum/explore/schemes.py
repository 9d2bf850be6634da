"""How batches are drawn: one record a scheme, and which of them the library at hand accounts for.

A scheme says which numbers it asks for and which arguments of `gdpnum.DPSGD` they become. What the
signature of `DPSGD` does not take is left off the page.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import gdpnum
from gdpnum.errors import GdpnumError, InvalidArgument
from gdpnum.explore.fields import FIELDS

if TYPE_CHECKING:
    from gdpnum.explore.state import State

__all__ = ["RELATIONS", "SCHEMES", "Scheme", "arguments", "has_persons", "schemes"]

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


def _poisson(state: State) -> dict[str, Any]:
    sizes = _sizes(state)
    if set(sizes) <= _taken():
        return sizes
    rate = Fraction(state.batch_size, state.dataset_size)
    # As it was typed: 0.1 is a tenth. A step begun is a step.
    steps = math.ceil(Fraction(repr(state.epochs)) / rate)
    return {"sample_rate": float(rate), "steps": steps}


_SIZES = ("batch_size", "dataset_size", "epochs")

SCHEMES = (
    Scheme(
        "poisson",
        "by Poisson sampling",
        "every record joins every step by a coin of its own",
        _SIZES,
        ("add_remove", "replace"),
        _poisson,
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


@cache
def schemes() -> dict[str, Scheme]:
    """The schemes that the library at hand describes, by name."""
    return {scheme.name: scheme for scheme in SCHEMES if _is_described(scheme)}


def has_persons() -> bool:
    """Whether the library at hand accounts for several records a person."""
    return "records_per_person" in _taken()


def arguments(state: State) -> dict[str, Any]:
    """The arguments of `DPSGD` that a state means."""
    scheme = schemes()[state.batches]
    found = {"noise_multiplier": state.noise_multiplier, **scheme.keywords(state)}
    if state.neighbouring != scheme.relations[0]:
        found["neighbouring"] = state.neighbouring
    if state.records_per_person > 1:
        found["records_per_person"] = state.records_per_person
    return found


def _is_described(scheme: Scheme) -> bool:
    from gdpnum.explore.state import State  # noqa: PLC0415  (a state names its scheme)

    keywords = scheme.keywords(State.at_defaults())
    if not set(keywords) <= _taken():
        return False
    try:
        gdpnum.DPSGD(noise_multiplier=FIELDS["noise_multiplier"].default, **keywords)
    except (GdpnumError, NotImplementedError):
        return False
    return True


@cache
def _taken() -> frozenset[str]:
    return frozenset(inspect.signature(gdpnum.DPSGD).parameters)


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number
