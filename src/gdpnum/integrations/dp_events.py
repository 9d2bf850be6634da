"""Events of dp-accounting, by which it and JAX-Privacy say what was run, as mechanisms."""

from __future__ import annotations

import math
from typing import Any

from gdpnum import _validate
from gdpnum.errors import GdpnumError, InvalidArgument, InvalidType, UnsupportedMechanism
from gdpnum.integrations.dp_event_batches import COMPOSITES
from gdpnum.integrations.dp_event_leaves import (
    READERS,
    REVEALS,
    Leaves,
    carried_name,
    inside,
)
from gdpnum.mechanisms import Mechanism, Neighbouring
from gdpnum.mechanisms.mechanism import composed, repeat
from gdpnum.representations import ZCDP, PureDP

# dp-accounting's names, and ours.
# Deeper than anyone composes, and less than Python follows.
_DEEPEST = 100

_RELATIONS: dict[str, Neighbouring] = {
    "ADD_OR_REMOVE_ONE": "add_remove",
    "REPLACE_ONE": "replace",
    "REPLACE_SPECIAL": "zero_out",
}
_NAMES: dict[str, Neighbouring] = {
    "add_remove": "add_remove",
    "replace": "replace",
    "replace_special": "zero_out",
    "zero_out": "zero_out",
}


def from_dp_event(event: object, *, neighbouring: object) -> Mechanism:
    """The mechanism that an event of dp-accounting describes.

    ``neighbouring`` is "add_remove", "replace" or "replace_special", or a member of dp-accounting's
    ``NeighboringRelation``: an event does not hold it, and has no meaning without. What a record
    contributes is bounded by the sensitivity, so a replaced one moves a sum by twice that. One
    replaced by a special record, which contributes nothing, moves it as far as one removed does;
    that is our "zero_out". Tree aggregation has no bound for "add_remove": there all records after
    one that is removed change their leaves.

    What is noise, or noise on a sample, a batch or allotted steps, becomes the mechanism it is.
    ``ZCDpEvent`` and the like are known by what they state, and so is what they release of a
    sample: by Renyi divergences. A repeated event of which the best is selected is `BestOf`. With a
    non-private part everything is revealed, ``ApproxDP(epsilon=0.0, delta=1.0)``; no event at all
    is ``PureDP(epsilon=0.0)``. docs/dp_events.md has them all, with what dp-accounting's own
    accountants say.

    Raises `UnsupportedMechanism` where no bound is known, and says at which event.

    >>> from collections import namedtuple
    >>> Noise = namedtuple("Noise", "class_name noise_multiplier")
    >>> from_dp_event(Noise("GaussianDpEvent", 2.0), neighbouring="add_remove")
    Gaussian(sigma=2.0)
    """
    return described(event, relation_of(neighbouring))


def described(event: object, relation: Neighbouring) -> Mechanism:
    """The mechanism of an event; see `from_dp_event`."""
    leaves = _leaves(event, "", relation)
    if any(leaf == REVEALS for leaf, _ in leaves):
        return REVEALS
    # Of what is known by rho, several are known by the sum.
    rhos = [leaf.rho * count for leaf, count in leaves if isinstance(leaf, ZCDP)]
    terms = [repeat(leaf, count) for leaf, count in leaves if not isinstance(leaf, ZCDP)]
    if rhos:
        terms.append(ZCDP(rho=math.fsum(rhos)))
    return composed(terms) if terms else PureDP(epsilon=0.0)


def refused_event(event: Any, relation: Neighbouring) -> Any:
    """Of an event that has no bound, the innermost one that has none by itself."""
    refused = (one for one in inside(event) if not is_read(one, relation))
    return next((refused_event(one, relation) for one in refused), event)


def is_read(event: object, relation: Neighbouring) -> bool:
    """Whether an event has a bound for that relation."""
    try:
        _leaves(event, "", relation)
    except GdpnumError:
        return False
    return True


def relation_of(neighbouring: object) -> Neighbouring:
    """A neighbouring relation, given by name or as dp-accounting's own."""
    name = getattr(neighbouring, "name", None)
    if name in _RELATIONS:
        return _RELATIONS[name]
    return _NAMES[_validate.choice("neighbouring", neighbouring, tuple(_NAMES))]


def _leaves(event: Any, path: str, relation: Neighbouring) -> Leaves:
    """What an event releases, and how often; an event that releases nothing has none."""
    kind = _kind(event, path)
    before = f"{path}." if path else ""
    if path.count(".") > _DEEPEST:
        raise InvalidArgument(
            f"{_validate.shown('event', event)}, nested more than {_DEEPEST} deep; pass one that "
            "composes its events side by side"
        )
    if kind == "ComposedDpEvent":
        parts = enumerate(
            _validate.items(f"{before}events", event.events, advice="pass a list of events")
        )
        found = [_leaves(part, f"{before}events[{number}]", relation) for number, part in parts]
        return [leaf for leaves in found for leaf in leaves]
    inner = _leaves(event.event, f"{before}event", relation) if kind in COMPOSITES else []
    try:
        if kind in READERS:
            return READERS[kind](event, relation)
        return COMPOSITES[kind](event, inner, relation)
    except GdpnumError as error:
        raise type(error)(f"{path or 'event'}: {error}") from None


def _kind(event: Any, path: str) -> str:
    """The name of an event's class, or of a base that is known: versions differ in which exist."""
    carried = carried_name(event)
    names = [carried] if carried else [base.__name__ for base in type(event).__mro__]
    for name in names:
        if name == "ComposedDpEvent" or name in READERS or name in COMPOSITES:
            return name
    if carried or "DpEvent" in names:
        raise UnsupportedMechanism(
            f"{path or 'event'}: {names[0]} has no bound in gdpnum; describe what was run by other "
            "events, or by ApproxDP, ZCDP or KnownCurve"
        )
    raise InvalidType(
        f"{_validate.shown(path or 'event', event)}, not a DpEvent; "
        "pass one of dp-accounting, such as dp_accounting.GaussianDpEvent(1.0)"
    )
