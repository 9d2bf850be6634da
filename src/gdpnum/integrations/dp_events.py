"""Events of dp-accounting, by which it and JAX-Privacy say what was run, as mechanisms."""

from __future__ import annotations

import math
import warnings
from typing import Any, get_args

from gdpnum import _validate
from gdpnum.errors import GdpnumError, InvalidType, UnsupportedMechanism
from gdpnum.integrations.dp_event_leaves import READERS, REVEALS, Leaves, Relation
from gdpnum.mechanisms import Composed, Gaussian, Mechanism, PoissonSampled
from gdpnum.mechanisms.composition import repeat
from gdpnum.mechanisms.sampling import Noise
from gdpnum.representations import ZCDP, PureDP

__all__ = [
    "RelabelledNeighbours",
    "described",
    "from_dp_event",
    "relation_of",
    "warn_if_relabelled",
]

# dp-accounting's names.
_RELATIONS: dict[str, Relation] = {
    "ADD_OR_REMOVE_ONE": "add_remove",
    "REPLACE_ONE": "replace",
    "REPLACE_SPECIAL": "replace_special",
}

_COMPOSITES = ("ComposedDpEvent", "SelfComposedDpEvent", "PoissonSampledDpEvent")


class RelabelledNeighbours(UserWarning):
    """A mechanism is labelled "add_remove" that stands for records replaced by a special one.

    Its numbers hold for "replace_special"; text made from it names the other relation.
    """


def from_dp_event(event: object, *, neighbouring: object) -> Mechanism:
    """The mechanism that an event of dp-accounting describes.

    ``neighbouring`` is "add_remove", "replace" or "replace_special", or a member of dp-accounting's
    ``NeighboringRelation``: an event does not hold it, and has no meaning without. What a record
    contributes is bounded by the sensitivity, so a replaced one moves a sum by twice that. One
    replaced by a special record, which contributes nothing, moves it as far as one removed does,
    so the mechanism is labelled "add_remove"; that this is not the relation asked for is warned
    of by `RelabelledNeighbours`. Tree aggregation has no bound for "add_remove": there all records
    after one that is removed change their leaves.

    Gaussian, Laplace and discrete noise, Poisson samples of it, tree aggregation (one Gaussian a
    level), randomised response and compositions become the mechanisms they are. Mixtures of
    Gaussians and truncated batches are known by the curve of the privacy loss distribution that
    dp-accounting makes for them; ``ZCDpEvent`` and the like by what they state. With a non-private
    part everything is revealed, ``ApproxDP(epsilon=0.0, delta=1.0)``; no event at all is
    ``PureDP(epsilon=0.0)``.

    Raises `UnsupportedMechanism` where no bound is known, and says at which event.

    >>> from collections import namedtuple
    >>> Noise = namedtuple("Noise", "class_name noise_multiplier")
    >>> from_dp_event(Noise("GaussianDpEvent", 2.0), neighbouring="add_remove")
    Gaussian(sigma=2.0)
    """
    relation = relation_of(neighbouring)
    run = described(event, relation)
    warn_if_relabelled(run, relation)
    return run


def described(event: object, relation: Relation) -> Mechanism:
    """The mechanism of an event, whatever its label; see `from_dp_event`."""
    leaves = _leaves(event, "", relation)
    if (REVEALS, 1) in leaves:
        return REVEALS
    # Of what is known by rho, several are known by the sum.
    rhos = [leaf.rho * count for leaf, count in leaves if isinstance(leaf, ZCDP)]
    terms = [repeat(leaf, count) for leaf, count in leaves if not isinstance(leaf, ZCDP)]
    if rhos:
        terms.append(ZCDP(rho=math.fsum(rhos)))
    if not terms:
        return PureDP(epsilon=0.0)
    run = Composed(terms)
    (first, count), *others = run.parts
    return run if others else repeat(first, count)


def warn_if_relabelled(run: Mechanism, relation: Relation) -> None:
    """Warn of a label, for whoever called the caller of this."""
    if relation == "replace_special" and run.neighbouring == "add_remove":
        warnings.warn(
            "the mechanism is labelled neighbouring='add_remove'; its bounds are for a record "
            "replaced by a special one that contributes nothing ('replace_special'), so say so "
            "where you state them",
            RelabelledNeighbours,
            stacklevel=3,
        )


def relation_of(neighbouring: object) -> Relation:
    """A neighbouring relation, given by name or as dp-accounting's own."""
    name = getattr(neighbouring, "name", None)
    if name in _RELATIONS:
        return _RELATIONS[name]
    return _validate.choice("neighbouring", neighbouring, get_args(Relation))


def _leaves(event: Any, path: str, relation: Relation) -> Leaves:
    """What an event releases, and how often; an event that releases nothing has none."""
    kind = _kind(event, path)
    inside = f"{path}." if path else ""
    try:
        if kind in READERS:
            return READERS[kind](event, relation)
        if kind == "SelfComposedDpEvent":
            count = _validate.count("count", event.count)
        elif kind == "PoissonSampledDpEvent":
            rate = _validate.probability("sampling_probability", event.sampling_probability)
    except GdpnumError as error:
        raise _at(path, error) from None
    if kind == "ComposedDpEvent":
        parts = enumerate(event.events)
        found = [_leaves(part, f"{inside}events[{number}]", relation) for number, part in parts]
        return [leaf for leaves in found for leaf in leaves]
    inner = _leaves(event.event, f"{inside}event", relation)
    if (REVEALS, 1) in inner:
        return [(REVEALS, 1)]
    if kind == "SelfComposedDpEvent":
        return [(leaf, count * times) for leaf, times in inner if count > 0]
    try:
        return _sampled(event.event, inner, rate, relation)
    except GdpnumError as error:
        raise _at(path, error) from None


def _kind(event: Any, path: str) -> str:
    """The name of an event's class, or of a base that is known: versions differ in what they have.

    An event that was made a named tuple carries the name with it.
    """
    carried = getattr(event, "class_name", None)
    if isinstance(carried, bytes):
        carried = carried.decode()
    names = [carried] if carried else [base.__name__ for base in type(event).__mro__]
    for name in names:
        if name in READERS or name in _COMPOSITES:
            return name
    if carried or "DpEvent" in names:
        unknown = UnsupportedMechanism(f"{names[0]} has no bound in gdpnum; {_advice(names[0])}")
        raise _at(path, unknown)
    raise InvalidType(
        f"{_validate.shown(path or 'event', event)}, not a DpEvent; "
        "pass one of dp-accounting, such as dp_accounting.GaussianDpEvent(1.0)"
    )


def _advice(name: str) -> str:
    if name.startswith("Sampled"):
        return "batches of a fixed size are not Poisson samples, which are all it can account for"
    return "describe what was run by other events, or by ApproxDP, ZCDP or KnownCurve"


def _at(path: str, error: GdpnumError) -> GdpnumError:
    return type(error)(f"{path or 'event'}: {error}")


def _releases_tree(event: Any) -> bool:
    """Whether an event, or any inside it, is a tree aggregation."""
    inside = [*getattr(event, "events", ()), *([event.event] if hasattr(event, "event") else ())]
    name = getattr(event, "class_name", None) or type(event).__name__
    return "TreeAggregation" in str(name) or any(map(_releases_tree, inside))


def _sampled(event: Any, inner: Leaves, rate: float, relation: Relation) -> Leaves:
    """What is released of a Poisson sample, given what would be of all records."""
    if rate == 0.0 or not inner:
        return []
    if rate < 1.0 and _releases_tree(event):
        raise UnsupportedMechanism(
            "PoissonSampledDpEvent has no bound if a tree is released of the sample: a record's "
            "nodes are noised one after the other, not as one Gaussian query of the sample"
        )
    (leaf, count), *others = inner
    if count == 1 and not others:
        if isinstance(leaf, PoissonSampled):  # a sample of a sample
            return [(PoissonSampled(leaf.inner, rate=rate * leaf.rate), 1)]
        if isinstance(leaf, Noise):
            return [(PoissonSampled(leaf, rate=rate), 1)]
    if rate == 1.0:
        return inner
    gaussians = [(leaf.sigma, count) for leaf, count in inner if isinstance(leaf, Gaussian)]
    if relation == "replace" or len(gaussians) < len(inner):
        released = " + ".join(repr(repeat(*one)) for one in inner)
        raise UnsupportedMechanism(
            f"PoissonSampledDpEvent has no bound for neighbouring={relation!r} if {released} is "
            "released of the sample: one release of noise may be, or several of Gaussian noise if "
            "neighbouring is 'add_remove' or 'replace_special'"
        )
    # Several Gaussians of one sample are one, whose mu^2 is the sum of theirs.
    squared = math.fsum(count / sigma**2 for sigma, count in gaussians)
    return [(PoissonSampled(Gaussian(sigma=1.0 / math.sqrt(squared)), rate=rate), 1)]
