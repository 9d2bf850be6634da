"""The events of dp-accounting that run others: on samples, on allotted steps, and for selection.

Each is given what the inner event would release of all records.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from gdpnum import _validate
from gdpnum.directed import quotient_below, root_above
from gdpnum.errors import UnsupportedMechanism
from gdpnum.integrations.dp_event_leaves import REVEALS, Leaves, carried_name, inside
from gdpnum.kind import kind_of
from gdpnum.mechanisms import (
    Allocated,
    BestOf,
    FixedSize,
    Gaussian,
    Mechanism,
    MixtureOfGaussians,
    Neighbouring,
    PoissonSampled,
)
from gdpnum.mechanisms.mechanism import composed, repeat
from gdpnum.mechanisms.sampling import Noise
from gdpnum.renyi.concentration import renyi_epsilons
from gdpnum.renyi.sampled import (
    WHOLE_ORDERS,
    between_whole_orders,
    drawn_epsilons,
    sampled_epsilons,
)
from gdpnum.representations import RDP


def _repeated(event: Any, inner: Leaves, relation: Neighbouring) -> Leaves:  # noqa: ARG001
    count = _validate.count("count", event.count)
    return [(leaf, count * times) for leaf, times in inner if count > 0]


def _poisson(event: Any, inner: Leaves, relation: Neighbouring) -> Leaves:  # noqa: PLR0911
    """Noise on a sample; of what is known by divergences, the divergences on a sample."""
    rate = _validate.probability("sampling_probability", event.sampling_probability)
    if rate == 0.0 or not inner:
        return []
    if _reveals(inner):
        return [(REVEALS, 1)]
    if rate == 1.0:
        return inner
    if _releases_tree(event):
        raise UnsupportedMechanism(
            "PoissonSampledDpEvent has no bound if a tree is released of the sample: a record's "
            "nodes are noised one after the other, not as one Gaussian query of the sample"
        )
    (leaf, count), *others = inner
    if count == 1 and not others:
        if isinstance(leaf, PoissonSampled):  # a sample of a sample
            return [(PoissonSampled(leaf.inner, rate=rate * leaf.rate), 1)]
        if isinstance(leaf, MixtureOfGaussians):
            weights = [1.0 - rate, *(rate * weight for weight in leaf.weights)]
            return [(replace(leaf, shifts=[0.0, *leaf.shifts], weights=weights), 1)]
        if isinstance(leaf, Noise):
            return [(PoissonSampled(leaf, rate=rate), 1)]
    noise = _one_gaussian(inner)
    if noise is not None and relation != "replace":
        return [(PoissonSampled(noise, rate=rate), 1)]
    # The bound needs the sample without the record: for one replaced by a special record it is
    # known of noise only, to which such a record adds nothing.
    lacks_record = relation == "add_remove" or (relation == "zero_out" and _adds_noise(event.event))
    if lacks_record and _known_by_divergences(inner):
        return _by_divergences(inner, lambda epsilons: sampled_epsilons(epsilons, rate))
    raise UnsupportedMechanism(
        f"PoissonSampledDpEvent has no bound for neighbouring={_named(relation)!r} if "
        f"{_shown(inner)} is released of the sample: one release of noise may be, several of "
        "Gaussian noise if neighbouring is 'add_remove' or 'replace_special', and with "
        "'add_remove' what is zCDP, of which it is not said what a replaced record does to the "
        "samples it is not in"
    )


def _fixed_size(
    event: Any, inner: Leaves, relation: Neighbouring, *, again: bool = False
) -> Leaves:
    """Batches of a fixed size, drawn without replacement or with it.

    dp-accounting's RDP of the first is for a record that moves the sum by one sensitivity; an
    exchanged one moves it by two.
    """
    name = _name(event)
    size = _validate.count("source_dataset_size", event.source_dataset_size, minimum=1)
    drawn = _validate.count("sample_size", event.sample_size)
    if drawn == 0 or not inner:
        return []
    if _reveals(inner):
        return [(REVEALS, 1)]
    if relation == "add_remove":
        raise UnsupportedMechanism(
            f"{name} has a bound for neighbouring='replace' or 'replace_special'; a batch of a "
            "fixed size draws the others more or less often when a record comes or goes"
        )
    if drawn == size and not again:
        return inner
    noise = _one_gaussian(inner)
    if noise is not None:
        step = FixedSize(noise, batch_size=drawn, dataset_size=size, with_replacement=again)
        return [(step, 1)]
    if relation == "replace" and not again and drawn < size and _known_by_divergences(inner):
        rate = math.nextafter(drawn / size, 1.0)
        return _by_divergences(inner, lambda epsilons: drawn_epsilons(epsilons, rate))
    raise UnsupportedMechanism(
        f"{name} has no bound for neighbouring={_named(relation)!r} if {_shown(inner)} is released "
        "of the batch: Gaussian noise may be and, drawn without replacement and with 'replace', "
        "what is zCDP"
    )


def _allocated(event: Any, inner: Leaves, relation: Neighbouring) -> Leaves:  # noqa: ARG001
    """``num_selected`` of ``num_steps`` steps, which each record picks by itself."""
    steps = _validate.count("num_steps", event.num_steps, minimum=1)
    chosen = _validate.count("num_selected", event.num_selected)
    if chosen == 0 or not inner:
        return []
    if _reveals(inner):
        return [(REVEALS, 1)]
    noise = _one_gaussian(inner)
    if noise is None:
        raise UnsupportedMechanism(
            f"RandomAllocationDpEvent has no bound if {_shown(inner)} is released in a step; "
            "Gaussian noise may be"
        )
    if chosen == steps:
        return [(noise, chosen)]
    return [(Allocated(noise, bins=steps, times=chosen), 1)]


def _selected(event: Any, inner: Leaves, relation: Neighbouring) -> Leaves:  # noqa: ARG001
    """The best of a random number of runs: shape infinity is Poisson, 1 geometric."""
    mean = _validate.positive("mean", event.mean, advice="pass the mean number of runs")
    shape = math.inf if event.shape == math.inf else _validate.non_negative("shape", event.shape)
    if not inner:
        return []
    if _reveals(inner):
        return [(REVEALS, 1)]
    run = _together(inner)
    if math.isinf(shape):
        best = BestOf(run, number="poisson", mean=mean)
    elif shape == 1.0:
        best = BestOf(run, number="geometric", mean=mean)
    else:
        best = BestOf(run, number="truncated_negative_binomial", mean=mean, eta=shape)
    return list(best.parts)


#: By the name of the class, what an event releases by running another.
COMPOSITES: dict[str, Callable[[Any, Leaves, Neighbouring], Leaves]] = {
    "SelfComposedDpEvent": _repeated,
    "PoissonSampledDpEvent": _poisson,
    "SampledWithoutReplacementDpEvent": _fixed_size,
    "SampledWithReplacementDpEvent": partial(_fixed_size, again=True),
    "RandomAllocationDpEvent": _allocated,
    "RepeatAndSelectDpEvent": _selected,
}


# Events that add noise to a sum.
_NOISES = {
    "GaussianDpEvent",
    "DiscreteGaussianDpEvent",
    "LaplaceDpEvent",
    "DiscreteLaplaceDpEvent",
}


def _reveals(inner: Leaves) -> bool:
    return any(leaf == REVEALS for leaf, _ in inner)


def _together(inner: Leaves) -> Mechanism:
    return composed([repeat(leaf, count) for leaf, count in inner])


def _shown(inner: Leaves) -> str:
    return " + ".join(repr(repeat(leaf, count)) for leaf, count in inner)


def _named(relation: Neighbouring) -> str:
    return "replace_special" if relation == "zero_out" else relation


def _one_gaussian(inner: Leaves) -> Gaussian | None:
    """Several Gaussians of the same records are one, whose mu^2 is the sum of theirs."""
    gaussians = [(leaf, count) for leaf, count in inner if isinstance(leaf, Gaussian)]
    if len(gaussians) < len(inner):
        return None
    (first, count), *others = gaussians
    if count == 1 and not others:
        return first
    squared = sum(Fraction(count) / Fraction(leaf.sigma) ** 2 for leaf, count in gaussians)
    sigma = quotient_below(1.0, root_above(Fraction(squared)))
    return Gaussian(sigma=sigma, neighbouring=first.neighbouring)


def _known_by_divergences(inner: Leaves) -> bool:
    return any(kind_of(leaf).is_by_divergences for leaf, _ in inner)


def _by_divergences(inner: Leaves, bound: Callable[[Any], Any]) -> Leaves:
    orders, epsilons = between_whole_orders(bound(renyi_epsilons(_together(inner), WHOLE_ORDERS)))
    return [(RDP(orders=orders.tolist(), epsilons=epsilons.tolist()), 1)]


def _name(event: Any) -> str:
    return carried_name(event) or type(event).__name__


def _releases_tree(event: Any) -> bool:
    """Whether an event, or any inside it, is a tree aggregation."""
    return "TreeAggregation" in _name(event) or any(map(_releases_tree, inside(event)))


def _adds_noise(event: Any) -> bool:
    """Whether all that an event releases is a sum with noise."""
    parts = inside(event)
    return all(map(_adds_noise, parts)) if parts else _name(event) in _NOISES
