"""The noise that just meets a target, whichever way batches are drawn."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import gdpnum
from gdpnum.explore.schemes import arguments
from gdpnum.mechanisms import PoissonSampled
from gdpnum.statements.numbers import delta_shown, fpr_shown

if TYPE_CHECKING:
    from gdpnum.explore.state import State

__all__ = ["found_noise", "target", "target_said"]

# Less noise than this is none, more is all.
_BETWEEN = (0.05, 1e4)


def target(state: State) -> dict[str, float]:
    """The target as calibration takes it."""
    at = {"epsilon": {"delta": state.delta}, "tpr": {"fpr": state.fpr}}.get(state.target, {})
    return {state.target: state.aim, **at}


def found_noise(state: State, tolerance: float = 1e-3) -> float:
    """The least noise with which what is set meets the target."""
    # What the answer does not depend on is not told apart.
    plain: dict[str, Any] = {"view": "plan", "measure": "mu", "pins": (), "name": ""}
    plain["noise_multiplier"] = 1.0
    if state.target != "tpr":
        plain["fpr"] = 0.1
    if state.target != "epsilon":
        plain["delta"] = 1e-5
    return _found(replace(state, **plain), tolerance)


@lru_cache(maxsize=512)
def _found(state: State, tolerance: float) -> float:
    wanted: dict[str, Any] = {**target(state), "tolerance": tolerance}
    leaf, steps = state.run.parts[0]
    if isinstance(leaf, PoissonSampled) and len(state.run.parts) == 1 and _is_plain(state):
        found = gdpnum.calibrate_dpsgd(
            sample_rate=leaf.rate, steps=steps, neighbouring=leaf.neighbouring, **wanted
        )
        return found.noise_multiplier
    return gdpnum.calibrate(
        lambda noise: replace(state, noise_multiplier=noise).run, between=_BETWEEN, **wanted
    ).value


def _is_plain(state: State) -> bool:
    return not {"batches", "records_per_person"} & set(arguments(state))


def target_said(state: State) -> str:
    """The target in words."""
    return {
        "mu": f"mu {state.aim:g}",
        "epsilon": f"epsilon {state.aim:g} at delta {delta_shown(state.delta)}",
        "tpr": f"TPR {state.aim:g} at FPR {fpr_shown(state.fpr)}",
        "advantage": f"advantage {state.aim:g}",
    }[state.target]
