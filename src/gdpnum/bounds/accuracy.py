"""Accuracy: how exact an answer is asked of an engine."""

from __future__ import annotations

from dataclasses import dataclass

from gdpnum import _validate
from gdpnum.errors import InvalidArgument

__all__ = ["LATTICE_TOLERANCE", "SMALLEST_TPR", "Accuracy", "accuracy", "checked_tolerance"]

#: The smallest true positive rate at which a curve is accurate in relative terms.
SMALLEST_TPR = 1e-12

#: What the lattice reaches, relative to mu, in about ten milliseconds; the contour is far closer.
LATTICE_TOLERANCE = 1e-3

# Relative accuracies that doubles have, and that are one.
_SMALLEST_TOLERANCE, _LARGEST_TOLERANCE = 1e-15, 0.5


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


def accuracy(tolerance: object = None, *, slack: float = 0.0, grid_step: object = None) -> Accuracy:
    """The accuracy asked for, once its numbers are checked; by default what some ms buy."""
    step = None if grid_step is None else _validate.lattice_step("grid_step", grid_step)
    relative = LATTICE_TOLERANCE if tolerance is None else checked_tolerance(tolerance)
    return Accuracy(relative, slack or SMALLEST_TPR, step)


def checked_tolerance(value: object) -> float:
    """A relative accuracy that can be asked for."""
    advice = "pass a relative accuracy such as 1e-3"
    tolerance = _validate.positive("tolerance", value, advice=advice)
    if tolerance > _LARGEST_TOLERANCE:
        raise InvalidArgument(f"tolerance={tolerance!r} is above {_LARGEST_TOLERANCE:g}; {advice}")
    if tolerance < _SMALLEST_TOLERANCE:
        raise InvalidArgument(
            f"tolerance={tolerance!r} is below {_SMALLEST_TOLERANCE:g}, which floats do not "
            f"reach; {advice}"
        )
    return tolerance
