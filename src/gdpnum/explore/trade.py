"""Trade: the axes of the map and the line, where the run is on them, what they depend on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gdpnum.blocks.drawing import Axis, Frame, Node, node
from gdpnum.explore.fields import FIELDS
from gdpnum.explore.state import State

#: From where to where an axis goes, and its ticks.
RANGES: dict[str, tuple[float, float, tuple[float, ...]]] = {
    "noise_multiplier": (0.3, 30.0, (0.3, 0.5, 1, 2, 5, 10, 30)),
    "batch_size": (16, 65_536, (16, 64, 256, 1024, 4096, 16_384, 65_536)),
    "dataset_size": (1e3, 1e8, (1e3, 1e4, 1e5, 1e6, 1e7, 1e8)),
    "epochs": (1, 1000, (1, 3, 10, 30, 100, 300, 1000)),
}

NOISE_FRAME = Frame(
    Axis(1, 1000, tuple((tick, f"{tick:g}") for tick in RANGES["epochs"][2]), "epochs"),
    Axis(
        0.3,
        100.0,
        tuple((tick, f"{tick:g}") for tick in (0.3, 1, 3, 10, 30, 100)),
        "noise multiplier",
    ),
)


def map_frame(state: State) -> Frame:
    """The axes of the map: the same whatever is set, so that nothing moves but the run."""
    across, up = (_axis(name) for name in (state.across, state.up))
    return Frame(across, up, width=644.0, height=452.0, left=66.0, right=622.0, bottom=398.0)


def _axis(name: str) -> Axis:
    low, high, ticks = RANGES[name]
    return Axis(low, high, tuple((tick, _tick(tick)) for tick in ticks), FIELDS[name].label.lower())


def _tick(value: float) -> str:
    for power, unit in ((6, "m"), (3, "k")):
        if value >= 10**power and value % 10**power == 0:
            return f"{value / 10**power:g}{unit}"
    return f"{value:g}"


def here(state: State) -> dict[str, Node]:
    """The run that is set, on the map and beside the line, unless it is beyond their axes."""
    at = (getattr(state, state.across), getattr(state, state.up))
    return {
        "here": _marked(map_frame(state), *at),
        "here_line": _marked(NOISE_FRAME, state.epochs, state.noise_multiplier),
    }


def _marked(frame: Frame, x: float, y: float) -> Node:
    is_inside = frame.across.holds(x) and frame.up.holds(y)
    return node("g", *([frame.dot("mark run", x, y)] if is_inside else []))


def keys(state: State) -> dict[str, str]:
    """What the map and the line depend on, as the text of a state: while it stays, so do they."""
    plain: dict[str, Any] = {"view": "trade", "pins": (), "name": "", "parts": ""}
    rates: dict[str, Any] = {"fpr": 0.1, "delta": 1e-5}
    asked = {"epsilon": "delta", "tpr": "fpr"}
    on_map = {name: getattr(State, name) for name in (state.across, state.up)}
    for_map = {name: value for name, value in rates.items() if asked.get(state.measure) != name}
    for_line = {name: value for name, value in rates.items() if asked.get(state.target) != name}
    no_map: dict[str, Any] = {"measure": "mu", "across": "epochs", "up": "noise_multiplier"}
    on_line = {name: getattr(State, name) for name in ("epochs", "noise_multiplier")}
    return {
        "map_key": replace(state, **plain, **on_map, **for_map, target="mu", aim=1.0).query,
        "line_key": replace(state, **plain, **on_line, **for_line, **no_map).query,
    }
