"""Correlated noise as JAX-Privacy and dp-accounting describe it, as `MatrixMechanism`."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np

from gdpnum import _validate
from gdpnum.errors import InvalidType, UnsupportedMechanism
from gdpnum.integrations.dp_event_leaves import largest_tree
from gdpnum.integrations.dp_events import from_dp_event, relation_of
from gdpnum.mechanisms import MatrixMechanism, Mechanism
from gdpnum.mechanisms.mechanism import Neighbouring

__all__ = ["from_bandmf", "from_execution_plan", "from_tree_event"]


def from_bandmf(config: Any, *, noise_multiplier: float | None = None) -> Mechanism:
    """The mechanism of JAX-Privacy's ``BandMFExecutionPlanConfig``: bands under cyclic sampling.

    A configuration calibrated by (epsilon, delta) finds its noise with its own accountant; pass
    that ``noise_multiplier``, or the configuration's ``plan`` is made to tell it. JAX-Privacy
    measures noise in the largest column of the strategy, we in the clipping norm; its probability
    is within a group, ours over all. The relation is that of the configuration's accountant.

    Raises `UnsupportedMechanism` for truncated batches: `from_execution_plan` reads those.
    """
    for name in ("strategy", "iterations", "sampling_prob", "accountant"):
        if not hasattr(config, name):
            raise InvalidType(
                f"{_validate.shown('config', config)} and has no {name}; pass a "
                "BandMFExecutionPlanConfig of jax_privacy"
            )
    if getattr(config, "truncated_batch_size", None) is not None:
        raise UnsupportedMechanism(
            "truncated batches are not Poisson samples; pass the plan to from_execution_plan"
        )
    relation = relation_of(config.accountant.neighboring_relation)
    strategy = np.asarray(config.strategy, dtype=np.float64)
    sigma = noise_multiplier if noise_multiplier is not None else config.noise_multiplier
    if sigma is None:
        sigma = _noise_of(config.plan.dp_event)
    norm = math.hypot(*strategy.tolist())
    if getattr(config, "column_normalize", False):
        # Its columns all have norm one, and the noise is still measured in the largest as given.
        strategy = strategy / norm
    return MatrixMechanism(
        strategy=tuple(strategy.tolist()),
        steps=int(config.iterations),
        noise_multiplier=_validate.positive("noise_multiplier", sigma) * norm,
        sample_rate=_share(float(config.sampling_prob), strategy.size),
        neighbouring=relation,
    )


def from_execution_plan(plan: Any, *, neighbouring: object) -> Mechanism:
    """The mechanism of a ``DPExecutionPlan`` of JAX-Privacy, by the event it carries.

    A plan does not hold the relation; that of its configuration is
    ``config.accountant.neighboring_relation``.
    """
    if not hasattr(plan, "dp_event"):
        raise InvalidType(
            f"{_validate.shown('plan', plan)} and has no dp_event; pass config.plan of a "
            "BandMFExecutionPlanConfig"
        )
    return from_dp_event(plan.dp_event, neighbouring=neighbouring)


def from_tree_event(
    event: Any, *, neighbouring: Neighbouring = "zero_out", participations: int = 1
) -> Mechanism:
    """The binary tree of dp-accounting's ``SingleEpochTreeAggregationDpEvent``.

    Of several trees a record is in one, so the largest counts. With more ``participations``, any
    steps of one tree: what restarting the tree is not, for which repeat the mechanism.
    """
    if not hasattr(event, "step_counts") or not hasattr(event, "noise_multiplier"):
        raise InvalidType(
            f"{_validate.shown('event', event)}, not a SingleEpochTreeAggregationDpEvent; pass one"
        )
    return MatrixMechanism(
        strategy="tree",
        steps=largest_tree(event, minimum=1),
        noise_multiplier=event.noise_multiplier,
        max_participations=participations,
        neighbouring=_validate.choice("neighbouring", neighbouring, get_args(Neighbouring)),
    )


def _noise_of(event: Any) -> float:
    """The noise multiplier of the one Gaussian in an event."""
    while not hasattr(event, "noise_multiplier"):
        if not hasattr(event, "event"):
            raise InvalidType(f"{event!r} holds no noise_multiplier; pass it beside the config")
        event = event.event
    return float(event.noise_multiplier)


def _share(group_rate: float, bands: int) -> float:
    """The rate over all groups which, times their number, is the rate within one or just above."""
    rate = group_rate / bands
    return rate if rate * bands >= group_rate else math.nextafter(rate, 1.0)
