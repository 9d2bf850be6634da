"""Demand: how accurate an answer is asked of the accountant."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Demand"]


@dataclass(frozen=True)
class Demand:
    """Relative tolerance in mu, the smallest mass that matters, and perhaps the lattice step.

    ``floor`` is a slack, or the smallest true positive rate at which a curve is to be accurate.
    ``hasty`` allows short cuts that usually keep the tolerance, though not always.
    """

    tolerance: float
    floor: float
    grid_step: float | None = None
    hasty: bool = True

    @property
    def mass(self) -> float:
        """What truncation may cost in each tail: a fiftieth of the tolerance, at the floor."""
        return 0.02 * min(self.tolerance, 0.1) * self.floor
