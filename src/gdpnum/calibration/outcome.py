"""What a calibration returns, and what it tells while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from gdpnum.calibration.target import Target
from gdpnum.mechanisms.mechanism import Mechanism

__all__ = ["Attempt", "Calibration", "DPSGDCalibration", "Progress"]


@final
@dataclass(frozen=True)
class Attempt:
    """One engine call on the way: a parameter, the bound found for it, and the target."""

    parameter: float
    achieved: float
    target: Target


Progress = Callable[[Attempt], object]
"""Called after each engine call."""


@dataclass(frozen=True, kw_only=True)
class _Outcome:
    """What every calibration tells; ``calls`` counts the calls of the engine."""

    achieved: float
    target: Target
    mechanism: Mechanism
    tolerance: float
    calls: int
    at_limit: bool = False

    def _described(self, parameter: str) -> str:
        end = ", the end of the range" if self.at_limit else ""
        return (
            f"{parameter}{end}: {self.target.kind} = {self.achieved:.6g} "
            f"for {self.target} ({self.calls} engine calls)"
        )


@final
@dataclass(frozen=True, kw_only=True)
class Calibration(_Outcome):
    """The parameter of a family that just meets a target, ``value``; see `calibrate`.

    Guarantee: ``mechanism`` meets ``target``, since ``achieved`` bounds what it does from above.
    ``achieved`` is at most the target and within a relative ``tolerance`` of it, unless
    ``at_limit``: then even the least private setting in the range meets it.
    """

    value: float

    def __str__(self) -> str:
        return self._described(f"{self.value!r}")


@final
@dataclass(frozen=True, kw_only=True)
class DPSGDCalibration(_Outcome):
    """A DP-SGD run that just meets a target, its parameter ``found`` among them.

    Guarantee: ``mechanism`` meets ``target``, since ``achieved`` bounds what it does from above.
    ``achieved`` is at most the target and within a relative ``tolerance`` of it (for few steps, as
    near as a whole number comes), unless ``at_limit``: then even the end of the range meets it, a
    sample rate of one, say.
    """

    noise_multiplier: float
    sample_rate: float
    steps: int
    found: str

    def __str__(self) -> str:
        return self._described(f"{self.found}={getattr(self, self.found)!r}")
