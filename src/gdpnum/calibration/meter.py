"""Meter: what a family of mechanisms achieves at a parameter, against a target."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from gdpnum.calibration.outcome import Attempt, Progress
from gdpnum.calibration.target import Target
from gdpnum.mechanisms.mechanism import Mechanism, checked

__all__ = ["FAR", "Meter", "Reading"]

#: An excess of this size, in logs, tells the side of the target but no slope.
FAR = 20.0


@final
@dataclass(frozen=True)
class Reading:
    """A parameter, its mechanism, and a bound on what it achieves.

    ``excess`` is the log of the strength over that of the target: at most 0 exactly if the target
    is met. ``tolerance`` is what the engine was asked for.
    """

    parameter: float
    mechanism: Mechanism
    achieved: float
    excess: float
    tolerance: float


@final
class Meter:
    """Readings of a family, counted."""

    def __init__(
        self, family: Callable[[float], Mechanism], target: Target, progress: Progress | None
    ) -> None:
        self.target = target
        self.calls = 0
        self._family, self._progress = family, progress

    def read(self, parameter: float, tolerance: float) -> Reading:
        """One engine call."""
        mechanism = checked(f"family({parameter!r})", self._family(parameter))
        value, strength = self.target.measured(mechanism, tolerance=tolerance)
        return self._reading(parameter, mechanism, value, strength, tolerance)

    def confirmed(self, reading: Reading) -> Reading:
        """The reading of a mu, once the fit itself has been asked; of others as it is."""
        value = self.target.confirmed(
            reading.mechanism, reading.achieved, tolerance=reading.tolerance
        )
        if value == reading.achieved:
            return reading
        return self._reading(reading.parameter, reading.mechanism, value, value, reading.tolerance)

    def _reading(
        self,
        parameter: float,
        mechanism: Mechanism,
        value: float,
        strength: float,
        tolerance: float,
    ) -> Reading:
        target = self.target
        self.calls += 1
        if self._progress is not None:
            self._progress(Attempt(parameter, value, target))
        excess = math.copysign(FAR, strength - target.mu)
        if 0.0 < strength < math.inf:
            excess = max(-FAR, min(FAR, math.log(strength / target.mu)))
        # Strengths are rounded; the value itself decides.
        excess = min(excess, 0.0) if value <= target.value else max(excess, 1e-16)
        return Reading(parameter, mechanism, value, excess, tolerance)
