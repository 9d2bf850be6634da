"""NoiseLine: the noise that a target takes, against epochs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, final

from gdpnum.blocks.drawing import node, table
from gdpnum.errors import GdpnumError
from gdpnum.explore.fields import shown
from gdpnum.explore.find import found_noise, target_said
from gdpnum.explore.state import State
from gdpnum.explore.trade import NOISE_FRAME
from gdpnum.rounding import rounded_up

EPOCHS = (1, 2, 3, 4, 6, 8, 10, 14, 20, 30, 45, 70, 100, 150, 250, 400, 650, 1000)

# A line is read to a per cent.
_TOLERANCE = 1e-2


@final
@dataclass(frozen=True)
class NoiseLine:
    """The noise that the target takes, against epochs."""

    state: State

    def rows(self) -> Iterator[tuple[float, float]]:
        """(epochs, noise), one after another; what no noise meets is left out."""
        near = 1.0
        for epochs in EPOCHS:
            noise = self._noise(float(epochs), near)
            # More epochs take more noise, and not much more.
            near = near if math.isnan(noise) else noise
            yield float(epochs), noise

    def _noise(self, epochs: float, near: float) -> float:
        try:
            return found_noise(replace(self.state, epochs=epochs), _TOLERANCE, near=near)
        except GdpnumError:
            return math.nan

    def document(self, rows: list[tuple[float, float]]) -> dict[str, Any]:
        """The drawing and the table."""
        known = [(epochs, noise) for epochs, noise in rows if not math.isnan(noise)]
        inside = [point for point in known if NOISE_FRAME.up.holds(point[1])]
        xs, ys = ([point[axis] for point in inside] for axis in (0, 1))
        said, sizes = target_said(self.state), (self.state.batch_size, self.state.dataset_size)
        line = node("path", class_="run", d=NOISE_FRAME.path(xs, ys))
        return {
            "drawing": node("g", NOISE_FRAME.axes(), line),
            "caption": f"The least noise for {said}; batches of {sizes[0]} out of {sizes[1]}.",
            "table": table(
                f"The least noise multiplier for {said}",
                ["epochs", "noise"],
                [((shown(epochs),), (rounded_up(noise),)) for epochs, noise in known],
            ),
        }
