"""What the contour cannot do."""

from __future__ import annotations

from gdpnum.errors import BudgetExceeded

__all__ = ["OutOfReach"]


class OutOfReach(BudgetExceeded):
    """The contour cannot have this within the work or to the accuracy asked for."""
