"""The noise that just meets a target, whichever way batches are drawn."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import gdpnum
from gdpnum.errors import BudgetExceeded, UnsupportedMechanism
from gdpnum.explore import accounts
from gdpnum.explore.schemes import arguments
from gdpnum.explore.state import State
from gdpnum.mechanisms import PoissonSampled
from gdpnum.rounding import delta_shown, fpr_shown, rounded_up

# Less noise than this is none, more is all.
_LEAST, _MOST = 0.05, 1e4

# By so much the noise is raised at a time, until the number shown meets the target.
_RAISE, _MOST_RAISES = 1.0003, 20


def target(state: State) -> dict[str, float]:
    """The target as calibration takes it."""
    at = {"epsilon": {"delta": state.delta}, "tpr": {"fpr": state.fpr}}.get(state.target, {})
    return {state.target: state.aim, **at}


def found_noise(state: State, tolerance: float = 1e-3, *, near: float = 1.0) -> float:
    """The least noise with which what is set meets the target; ``near`` is where to look first."""
    # What the answer does not depend on is not told apart.
    plain: dict[str, Any] = {"view": "plan", "measure": "mu", "pins": (), "name": ""}
    plain["noise_multiplier"] = near
    if state.target != "tpr":
        plain["fpr"] = 0.1
    if state.target != "epsilon":
        plain["delta"] = 1e-5
    return _found(replace(state, **plain), tolerance)


def shown_noise(state: State) -> str:
    """The same in a few digits, with which the number that the page then shows meets the target."""
    # Rounded up, as more noise is more privacy. The search was more accurate than what is shown,
    # which may lie above the target by its tolerance.
    noise = rounded_up(found_noise(state))
    for _ in range(_MOST_RAISES):
        if _shown(replace(state, noise_multiplier=float(noise))) <= state.aim:
            break
        noise = rounded_up(_RAISE * float(noise))
    return noise


def _shown(state: State) -> float:
    fit, curve = accounts.fit(state.run), accounts.curve(state.run)
    return {
        "mu": fit.mu,
        "epsilon": curve.epsilon(state.delta),
        "tpr": curve.tpr(state.fpr),
        "advantage": fit.advantage,
    }[state.target]


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
        lambda noise: replace(state, noise_multiplier=noise).run, between=_between(state), **wanted
    ).value


def _between(state: State) -> tuple[float, float]:
    """Noise that misses the target and noise that meets it, as near as doubling finds them.

    Far from there, some schemes take long to account for.
    """
    low = high = state.noise_multiplier
    while high < _MOST and not _is_met(state, high):
        low, high = high, 2.0 * high
    while low > _LEAST and _is_met(state, low):
        low, high = 0.5 * low, low
    return low, high


def _is_met(state: State, noise: float) -> bool:
    try:
        return _shown(replace(state, noise_multiplier=noise)) <= state.aim
    except (BudgetExceeded, UnsupportedMechanism):
        # Too little noise to account for meets nothing.
        return False


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
