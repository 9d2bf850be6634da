"""What a calibration returns, and what it tells while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, final

from gdpnum.blocks.block import Table
from gdpnum.blocks.html import html
from gdpnum.calibration.target import Target
from gdpnum.mechanisms.mechanism import Mechanism
from gdpnum.rounding import rounded_up


@final
@dataclass(frozen=True)
class Attempt:
    """One engine call on the way: a parameter, the bound found for it, and the target."""

    parameter: float
    achieved: float
    target: Target


Progress = Callable[[Attempt], object]
"""Called after each engine call."""


@dataclass(frozen=True, kw_only=True, repr=False)
class _Outcome:
    """What every calibration tells; ``calls`` counts the calls of the engine."""

    achieved: float
    target: Target
    mechanism: Mechanism
    tolerance: float
    calls: int
    at_limit: bool = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def _repr_html_(self) -> str:
        rows = tuple((name, f"{value}") for name, value in self.to_dict().items())
        return html([Table(f"{self}", ("field", "value"), rows)])

    def to_dict(self) -> dict[str, Any]:
        """The fields by name: numbers as plain floats, the target and the mechanism as text."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**found, "target": str(self.target), "mechanism": repr(self.mechanism)}

    def _described(self, parameter: str) -> str:
        end = ", the end of the range that has a bound" if self.at_limit else ""
        return (
            f"{parameter}{end}: {self.target.kind} <= {self._shown()} "
            f"for {self.target} ({self.calls} engine calls)"
        )

    def _shown(self) -> str:
        """The achieved value rounded up, or in full where that would read as above the target."""
        rounded = rounded_up(self.achieved, digits=6)
        return rounded if float(rounded) <= self.target.value else repr(self.achieved)


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class Calibration(_Outcome):
    """The parameter of a family that just meets a target, ``value``; see `calibrate`.

    Guarantee: ``mechanism`` meets ``target``, since ``achieved`` bounds what it does from above.
    ``achieved`` is at most the target and within a relative ``tolerance`` of it, unless
    ``at_limit``: then even the least private setting in the range meets it, or the least private
    one that the engine has a bound for. An epsilon below 1e-9, or 1e-6 delta, is met as epsilon 0.
    """

    value: float

    def __str__(self) -> str:
        return self._described(f"{self.value!r}")


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class DPSGDCalibration(_Outcome):
    """A DP-SGD run that just meets a target, its parameter ``found`` among them.

    Guarantee: ``mechanism`` meets ``target``, since ``achieved`` bounds what it does from above.
    ``achieved`` is at most the target and within a relative ``tolerance`` of it (for few steps, as
    near as a whole number comes), unless ``at_limit``: then even the end of the range meets it, a
    sample rate of one, say, or the least noise that the engine has a bound for. An epsilon below
    1e-9, or 1e-6 delta, is met as epsilon 0. Batches that are no Poisson samples may have no
    ``sample_rate`` or ``steps``.
    """

    noise_multiplier: float
    sample_rate: float | None
    steps: int | None
    found: str

    def __str__(self) -> str:
        return self._described(f"{self.found}={getattr(self, self.found)!r}")
