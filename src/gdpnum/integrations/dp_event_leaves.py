"""The events of dp-accounting that release something by themselves, one reader each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gdpnum import _validate
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.directed import quotient_below
from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    Mechanism,
    MixtureOfGaussians,
    Neighbouring,
    PoissonSampled,
    RandomizedResponse,
    ReportNoisyMax,
    TruncatedPoisson,
)
from gdpnum.renyi.divergences import ORDERS
from gdpnum.representations import RDP, ZCDP, ApproxDP, KnownCurve

Leaves = list[tuple[Mechanism, int]]
"""What is released, each with how often."""


def carried_name(event: Any) -> str | None:
    """The name of its class, that an event which was made a named tuple carries with it."""
    carried = getattr(event, "class_name", None)
    return carried.decode() if isinstance(carried, bytes) else carried


def inside(event: Any) -> list[Any]:
    """The events that an event is made of."""
    one = getattr(event, "event", None)
    return [*getattr(event, "events", ()), *([] if one is None else [one])]


#: What a non-private event releases: everything.
REVEALS = ApproxDP(epsilon=0.0, delta=1.0)


# Orders at which an affine bound on all of them is stated.
_ORDERS = np.unique(np.concatenate([ORDERS, 1.0 + np.geomspace(0.1, 100.0, 250)]))


def _gaussian(event: Any, relation: Neighbouring) -> Leaves:
    sigma = _validate.non_negative("noise_multiplier", event.noise_multiplier)
    return [(Gaussian(sigma=sigma, neighbouring=relation) if sigma > 0.0 else REVEALS, 1)]


def _laplace(event: Any, relation: Neighbouring) -> Leaves:
    scale = _validate.non_negative("noise_multiplier", event.noise_multiplier)
    return [(Laplace(scale=scale, neighbouring=relation) if scale > 0.0 else REVEALS, 1)]


def _discrete_laplace(event: Any, relation: Neighbouring) -> Leaves:
    rate = _validate.non_negative("noise_parameter", event.noise_parameter)
    sensitivity = _validate.count("sensitivity", event.sensitivity)
    if sensitivity == 0:
        return []
    if rate == 0.0:
        return [(REVEALS, 1)]
    scale = quotient_below(1.0, rate)
    return [(DiscreteLaplace(scale=scale, sensitivity=sensitivity, neighbouring=relation), 1)]


def _discrete_gaussian(event: Any, relation: Neighbouring) -> Leaves:
    """On the integers, or on vectors of them, of which the worst is not known but for one rho."""
    sigma = _validate.non_negative("sigma", event.sigma)
    sensitivity = _validate.non_negative("sensitivity", event.sensitivity)
    if sensitivity < 1.0:  # whole numbers that are no further apart are the same
        return []
    if sigma == 0.0:
        return [(REVEALS, 1)]
    # Vectors within a distance of one differ in one entry, by one; of any length, those that are
    # each within one of the origin may differ in two.
    one_entry = event.dimension == 1 or (sensitivity**2 < 2.0 and relation != "replace")
    if one_entry:
        whole = math.floor(sensitivity)
        return [(DiscreteGaussian(sigma=sigma, sensitivity=whole, neighbouring=relation), 1)]
    moved = (2.0 if relation == "replace" else 1.0) * sensitivity
    # Canonne, Kamath and Steinke 2020, Theorem 4 and Proposition 5; rounded up.
    return [(ZCDP(rho=0.5 * (moved / sigma) ** 2 * (1.0 + 2.0**-50)), 1)]


def _randomized_response(event: Any, relation: Neighbouring) -> Leaves:
    if relation == "add_remove":
        raise UnsupportedMechanism(
            "RandomizedResponseDpEvent has a bound for neighbouring='replace' or "
            "'replace_special'; for 'add_remove' the number of answers would tell"
        )
    random = _validate.probability("noise_parameter", event.noise_parameter)
    buckets = _validate.count("num_buckets", event.num_buckets, minimum=1)
    if buckets == 1 or random == 1.0:
        return []
    if random == 0.0:
        return [(REVEALS, 1)]
    if relation == "replace":
        # Odds of the true bucket to another: (1 - p + p / k) / (p / k).
        epsilon = math.log1p(buckets * (1.0 - random) / random)
        return [(RandomizedResponse(epsilon=epsilon, categories=buckets), 1)]
    # From the special record all buckets are equally likely.
    missed = random * (buckets - 1) / buckets
    return [(KnownCurve(TradeoffCurve.from_vertices([0, 1 / buckets, 1], [1, missed, 0])), 1)]


def largest_tree(event: Any, *, minimum: int = 0) -> int:
    """The steps of the largest tree of a ``SingleEpochTreeAggregationDpEvent``."""
    given = event.step_counts
    trees = list(given) if isinstance(given, (Sequence, np.ndarray)) else [given]
    if not trees:
        raise InvalidArgument("step_counts is empty; pass the number of steps of each tree")
    return max(_validate.count("step_counts", one, minimum=minimum) for one in trees)


def _tree(event: Any, relation: Neighbouring) -> Leaves:
    if relation == "add_remove":
        raise UnsupportedMechanism(
            "SingleEpochTreeAggregationDpEvent has a bound for neighbouring='replace_special' or "
            "'replace'; an added or removed record moves all that come after it to other leaves"
        )
    sigma = _validate.non_negative("noise_multiplier", event.noise_multiplier)
    steps = largest_tree(event)
    if steps == 0:
        return []
    if sigma == 0.0:
        return [(REVEALS, 1)]
    # A record is in one leaf of one tree, and so in one node of each of its levels; the others
    # keep their leaves.
    return [(Gaussian(sigma=sigma, neighbouring=relation), steps.bit_length())]


def _mixture(event: Any, relation: Neighbouring) -> Leaves:
    if relation == "replace":
        raise UnsupportedMechanism(
            "MixtureOfGaussiansDpEvent is for neighbouring='add_remove' or 'replace_special': one "
            "of its two laws has no record, which is what is not said of a replaced one"
        )
    sigma = _validate.non_negative("standard_deviation", event.standard_deviation)
    # Its checks are those of the mixture; one with no noise at all is checked with some.
    leaf = MixtureOfGaussians(
        sigma=sigma or 1.0,
        shifts=event.sensitivities,
        weights=event.sampling_probs,
        neighbouring=relation,
    )
    moved = [(s, w) for s, w in zip(leaf.shifts, leaf.weights, strict=True) if s > 0.0]
    if not moved:
        return []
    if sigma == 0.0:
        return [(REVEALS, 1)]
    if len(moved) > 1:
        return [(leaf, 1)]
    ((shift, weight),) = moved
    noise = Gaussian(sigma=quotient_below(sigma, shift), neighbouring=relation)
    return [(PoissonSampled(noise, rate=min(weight, 1.0)), 1)]


def _truncated(event: Any, relation: Neighbouring) -> Leaves:
    """Tighter than dp-accounting's own distribution of it."""
    size = _validate.count("dataset_size", event.dataset_size)
    largest = _validate.count("truncated_batch_size", event.truncated_batch_size)
    rate = _validate.probability("sampling_probability", event.sampling_probability)
    sigma = _validate.non_negative("noise_multiplier", event.noise_multiplier)
    if rate == 0.0 or size == 0 or largest == 0:
        return []
    if sigma == 0.0:
        return [(REVEALS, 1)]
    noise = Gaussian(sigma=sigma, neighbouring=relation)
    step = TruncatedPoisson(noise, rate=rate, dataset_size=size, max_batch_size=largest)
    return [(step, 1)]


def _zcdp(event: Any, relation: Neighbouring) -> Leaves:  # noqa: ARG001
    if math.inf in (event.rho, event.xi):  # as of noise that is none
        return [(REVEALS, 1)]
    rho, xi = _validate.non_negative("rho", event.rho), _validate.non_negative("xi", event.xi)
    if xi == 0.0:
        return [(ZCDP(rho=rho), 1)] if rho > 0.0 else []
    # D_t <= xi + rho t; at orders up to 1 no more than the limit there.
    epsilons = (xi + rho * np.maximum(_ORDERS, 1.0)) * (1.0 + 2.0**-50)
    return [(RDP(orders=_ORDERS.tolist(), epsilons=epsilons.tolist()), 1)]


def _exponential(event: Any, relation: Neighbouring) -> Leaves:  # noqa: ARG001
    leaf = ExponentialMechanism(epsilon=event.epsilon)
    return [(leaf, 1)] if leaf.epsilon > 0.0 else []


def _permute_and_flip(event: Any, relation: Neighbouring) -> Leaves:  # noqa: ARG001
    epsilon = _validate.non_negative("epsilon", event.epsilon)
    if epsilon == 0.0:
        return []
    return [(ReportNoisyMax(scale=quotient_below(2.0, epsilon), noise="exponential"), 1)]


def _approximate(event: Any, relation: Neighbouring) -> Leaves:  # noqa: ARG001
    leaf = ApproxDP(epsilon=event.epsilon, delta=event.delta)
    if leaf.epsilon == leaf.delta == 0.0:
        return []
    return [(REVEALS if leaf.delta == 1.0 else leaf, 1)]


#: By the name of the class, what an event releases.
READERS: dict[str, Callable[[Any, Neighbouring], Leaves]] = {
    "NoOpDpEvent": lambda _event, _relation: [],
    "NonPrivateDpEvent": lambda _event, _relation: [(REVEALS, 1)],
    "GaussianDpEvent": _gaussian,
    "LaplaceDpEvent": _laplace,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "DiscreteGaussianDpEvent": _discrete_gaussian,
    "RandomizedResponseDpEvent": _randomized_response,
    "SingleEpochTreeAggregationDpEvent": _tree,
    "MixtureOfGaussiansDpEvent": _mixture,
    "TruncatedSubsampledGaussianDpEvent": _truncated,
    "ZCDpEvent": _zcdp,
    "EpsilonDeltaDpEvent": _approximate,
    "ExponentialMechanismDpEvent": _exponential,
    "PermuteAndFlipDpEvent": _permute_and_flip,
}
