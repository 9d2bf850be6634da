"""The events of dp-accounting that release something by themselves, one reader each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from scipy.special import logsumexp

from gdpnum import _validate
from gdpnum._optional import imported
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.integrations.dp_event_batches import fixed_size, truncated
from gdpnum.integrations.pld import ordered_curve
from gdpnum.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    RandomizedResponse,
)
from gdpnum.representations import ZCDP, ApproxDP, KnownCurve, PureDP

__all__ = ["READERS", "REVEALS", "Leaves", "Relation"]

Relation = Literal["add_remove", "replace", "replace_special"]
"""Our relations, and that in which a record is replaced by one that contributes nothing."""

Leaves = list[tuple[Mechanism, int]]
"""What is released, each with how often."""

#: What a non-private event releases: everything.
REVEALS = ApproxDP(epsilon=0.0, delta=1.0)

# Lattice steps for distributions that dp-accounting makes, as parts of a loss's standard
# deviation: a variance too large by 1/600, a mu by 1/1200.
_STEPS = 10.0
_FINEST, _COARSEST = 1e-5, 0.05


def _gaussian(event: Any, relation: Relation) -> Leaves:
    sigma = _validate.non_negative("noise_multiplier", event.noise_multiplier)
    return [(_noise(sigma, relation), 1)] if sigma > 0.0 else [(REVEALS, 1)]


def _noise(sigma: float, relation: Relation) -> Gaussian:
    return Gaussian(sigma=sigma, neighbouring="replace" if relation == "replace" else "add_remove")


def _tree(event: Any, relation: Relation) -> Leaves:
    if relation == "add_remove":
        raise UnsupportedMechanism(
            "SingleEpochTreeAggregationDpEvent has a bound for neighbouring='replace_special' or "
            "'replace'; an added or removed record moves all that come after it to other leaves"
        )
    sigma = _validate.non_negative("noise_multiplier", event.noise_multiplier)
    given = event.step_counts
    trees = list(given) if isinstance(given, (Sequence, np.ndarray)) else [given]
    if not trees:
        raise InvalidArgument("step_counts is empty; pass the number of steps of each tree")
    steps = max(_validate.count("step_counts", one) for one in trees)
    if steps == 0:
        return []
    # A record is in one leaf of one tree, and so in one node of each of its levels; the others
    # keep their leaves.
    return [(_noise(sigma, relation), steps.bit_length())] if sigma > 0.0 else [(REVEALS, 1)]


def _laplace(event: Any, relation: Relation) -> Leaves:
    _refuse_replace("LaplaceDpEvent", relation)
    scale = _validate.non_negative("noise_multiplier", event.noise_multiplier)
    return [(Laplace(scale=scale), 1)] if scale > 0.0 else [(REVEALS, 1)]


def _discrete_laplace(event: Any, relation: Relation) -> Leaves:
    _refuse_replace("DiscreteLaplaceDpEvent", relation)
    rate = _validate.positive("noise_parameter", event.noise_parameter)
    sensitivity = _validate.count("sensitivity", event.sensitivity)
    if sensitivity <= 1:
        return [(DiscreteLaplace(scale=1.0 / rate), sensitivity)] if sensitivity else []
    # The test "at least j" has FPR r^j / (1 + r) with r = exp(-rate), and that FNR from the other
    # end, for j from 1 to the sensitivity; each is a vertex.
    levels = np.arange(sensitivity, 0, -1)
    alphas = np.exp(-rate * levels) / (1.0 + math.exp(-rate))
    alphas = np.concatenate([[0.0], alphas, [1.0]])
    return [(KnownCurve(TradeoffCurve.from_vertices(alphas, alphas[::-1])), 1)]


def _discrete_gaussian(event: Any, relation: Relation) -> Leaves:
    _refuse_replace("DiscreteGaussianDpEvent", relation)
    sigma = _validate.positive("sigma", event.sigma)
    # Whole numbers within a distance of one differ in one coordinate, whatever their number.
    if event.sensitivity != 1:
        raise UnsupportedMechanism(
            f"DiscreteGaussianDpEvent has a bound for sensitivity=1 only; found {event.sensitivity}"
        )
    return [(DiscreteGaussian(sigma=sigma), 1)]


def _randomized_response(event: Any, relation: Relation) -> Leaves:
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
    curve = TradeoffCurve.from_vertices([0.0, 1.0 / buckets, 1.0], [1.0, missed, 0.0])
    return [(KnownCurve(curve.symmetrised()), 1)]


def _mixture(event: Any, relation: Relation) -> Leaves:
    _refuse_replace("MixtureOfGaussiansDpEvent", relation)
    sigma = _validate.non_negative("standard_deviation", event.standard_deviation)
    shifts = [_validate.non_negative("sensitivities", one) for one in event.sensitivities]
    weights = [_validate.probability("sampling_probs", one) for one in event.sampling_probs]
    total = math.fsum(weights)
    if len(shifts) != len(weights) or abs(total - 1.0) > 1e-9:
        raise InvalidArgument(
            f"{len(shifts)} sensitivities with {len(weights)} sampling_probs of sum {total!r}; "
            "pass one probability for each, of sum 1"
        )
    moved = {
        shift: math.fsum(w for s, w in zip(shifts, weights, strict=True) if s == shift) / total
        for shift in shifts
        if shift > 0.0
    }
    moved = {shift: weight for shift, weight in moved.items() if weight > 0.0}
    if not moved:
        return []
    if sigma == 0.0:
        return [(REVEALS, 1)]
    if len(moved) > 1:
        return [(_bounded(_mixture_curve(sigma, tuple(moved.items()))), 1)]
    ((shift, weight),) = moved.items()
    return [(PoissonSampled(Gaussian(sigma=sigma / shift), rate=min(weight, 1.0)), 1)]


def _truncated(event: Any, relation: Relation) -> Leaves:
    size = _validate.count("dataset_size", event.dataset_size)
    largest = _validate.count("truncated_batch_size", event.truncated_batch_size)
    rate = _validate.probability("sampling_probability", event.sampling_probability)
    sigma = _validate.non_negative("noise_multiplier", event.noise_multiplier)
    if rate == 0.0 or size == 0 or largest == 0:
        return []
    if sigma == 0.0:
        return [(REVEALS, 1)]
    return truncated(event, relation)


def _zcdp(event: Any, relation: Relation) -> Leaves:  # noqa: ARG001
    if event.xi != 0.0:
        raise UnsupportedMechanism(f"ZCDpEvent has a bound for xi=0 only; found {event.xi!r}")
    rho = _validate.non_negative("rho", event.rho)
    return [(ZCDP(rho=rho), 1)] if rho > 0.0 else []


def _pure(event: Any, relation: Relation) -> Leaves:  # noqa: ARG001
    return [(PureDP(epsilon=event.epsilon), 1)]


def _approximate(event: Any, relation: Relation) -> Leaves:  # noqa: ARG001
    leaf = ApproxDP(epsilon=event.epsilon, delta=event.delta)
    return [(REVEALS if leaf.delta == 1.0 else leaf, 1)]


#: By the name of the class, what an event releases.
READERS: dict[str, Callable[[Any, Relation], Leaves]] = {
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
    "SampledWithoutReplacementDpEvent": fixed_size,
    "SampledWithReplacementDpEvent": fixed_size,
    "ZCDpEvent": _zcdp,
    "EpsilonDeltaDpEvent": _approximate,
    "ExponentialMechanismDpEvent": _pure,
    "PermuteAndFlipDpEvent": _pure,
}


def _refuse_replace(name: str, relation: Relation) -> None:
    if relation == "replace":
        raise UnsupportedMechanism(
            f"{name} has a bound for neighbouring='add_remove' or 'replace_special'; a replaced "
            "record moves the query by twice the sensitivity, so describe half the noise for those"
        )


# --- through a privacy loss distribution --------------------------------------------------------


def _bounded(curve: TradeoffCurve) -> KnownCurve:
    """A mechanism of which a curve bounds the attacks, and of which no attack is known."""
    return KnownCurve(curve, PureDP(epsilon=0.0).curve())


@lru_cache(maxsize=32)
def _mixture_curve(sigma: float, moved: tuple[tuple[float, float], ...]) -> TradeoffCurve:
    """The curve of N(0, sigma^2) against a mixture of shifts, each with its probability."""
    still = max(0.0, 1.0 - math.fsum(weight for _, weight in moved))
    shifts, weights = zip((0.0, still), *moved, strict=True)
    package = imported("dp_accounting.pld.privacy_loss_distribution", extra="dp-accounting")
    return ordered_curve(
        package.from_mixture_gaussian_mechanism(
            standard_deviation=sigma,
            sensitivities=shifts,
            sampling_probs=weights,
            value_discretization_interval=_step(sigma, shifts, weights),
        )
    )


def _step(sigma: float, shifts: Sequence[float], weights: Sequence[float]) -> float:
    """A lattice step small beside the standard deviation of the loss, by a plain quadrature."""
    shift, weight = np.array(shifts) / sigma, np.array(weights)
    x = np.linspace(-10.0, 10.0 + float(shift.max()), 4001)
    exponents = np.outer(shift, x) - 0.5 * shift[:, None] ** 2
    losses = np.asarray(logsumexp(exponents, axis=0, b=weight[:, None]))
    masses = np.exp(losses - 0.5 * x**2)
    masses /= masses.sum()
    mean = float(masses @ losses)
    deviation = math.sqrt(float(masses @ (losses - mean) ** 2))
    return min(max(deviation / _STEPS, _FINEST), _COARSEST)
