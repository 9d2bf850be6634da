"""Accuracy: how exact an answer is asked of an engine."""

from __future__ import annotations

from dataclasses import dataclass

#: The smallest true positive rate at which a curve is accurate in relative terms.
SMALLEST_TPR = 1e-12

#: What the lattice reaches, relative to mu, in about ten milliseconds; the contour is far closer.
LATTICE_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Accuracy:
    """Relative tolerance in mu, the smallest mass that matters, and perhaps the lattice step.

    ``floor`` is a slack, or the smallest true positive rate at which a curve is to be accurate.
    ``hasty`` allows short cuts that usually keep the tolerance, though not always.
    """

    tolerance: float
    floor: float = SMALLEST_TPR
    grid_step: float | None = None
    hasty: bool = True

    @property
    def mass(self) -> float:
        """What truncation may cost in each tail: a fiftieth of the tolerance, at the floor."""
        # Never 0: it is what a tail may be, not what one is charged.
        return max(0.02 * min(self.tolerance, 0.1) * self.floor, 5e-324)
