"""Meter: what a family of mechanisms achieves at a parameter, against a target."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import final

from gdpnum import _validate
from gdpnum.calibration.outcome import Attempt, Progress
from gdpnum.calibration.target import Target
from gdpnum.errors import GdpnumError
from gdpnum.mechanisms.mechanism import Mechanism, checked

#: An excess of this size, in logs, tells the side of the target but no slope.
FAR = 20.0


@final
@dataclass(frozen=True)
class Reading:
    """A parameter, its mechanism, and a bound on what it achieves.

    ``excess`` is the log of the strength over that of the target: at most 0 exactly if the target
    is met. ``is_engines`` says whether the engine has a bound, and not only a formula.
    """

    parameter: float
    mechanism: Mechanism
    achieved: float
    excess: float
    is_engines: bool


@final
class Meter:
    """Readings of a family, counted."""

    def __init__(
        self, family: Callable[[float], Mechanism], target: Target, progress: Progress | None
    ) -> None:
        _validate.function_or_none("progress", progress)
        self.target = target
        self.calls = 0
        self._family, self._progress = family, progress
        self._mu = target.mu

    def foretold(self, parameters: Sequence[float]) -> list[tuple[float, bool]]:
        """About the excess at each, of which nothing is certain, and whether that is close to it.

        None where that is unknown.
        """
        found: list[tuple[float, bool]] = []
        with suppress(GdpnumError):
            every = [checked(f"family({one!r})", self._family(one)) for one in parameters]
            found = self.target.estimated(every)
        if not all(0.0 < one < math.inf for one, _ in found):
            return []
        return [(math.log(one / self._mu), is_close) for one, is_close in found]

    def read(self, parameter: float, tolerance: float) -> Reading:
        """One engine call."""
        mechanism = checked(f"family({parameter!r})", self._family(parameter))
        found = self.target.measured(mechanism, tolerance=tolerance)
        self.calls += 1
        if self._progress is not None:
            self._progress(Attempt(parameter, found.value, self.target))
        excess = math.copysign(FAR, found.strength - self._mu)
        if 0.0 < found.strength < math.inf:
            excess = max(-FAR, min(FAR, math.log(found.strength / self._mu)))
        # Strengths are rounded; the value itself decides.
        met = found.value <= self.target.value
        excess = min(excess, 0.0) if met else max(excess, 1e-16)
        return Reading(parameter, mechanism, found.value, excess, found.is_engines)
