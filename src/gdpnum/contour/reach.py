"""What the contour cannot do."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gdpnum.errors import BudgetExceeded


class OutOfReach(BudgetExceeded):
    """The contour cannot have this within the work or to the accuracy asked for.

    ``work`` says by run what each would take alone: infinite where it is of no use.
    """

    def __init__(self, message: str, work: npt.NDArray[np.float64] | None = None) -> None:
        super().__init__(message)
        self.work = np.full(1, np.inf) if work is None else work
