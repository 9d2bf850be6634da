"""Sweeps: many settings to one table, in parallel and resumable.

``setting`` says what is run, ``row`` computes one line of what is wanted, ``journal`` keeps lines
on disk, ``dispatch`` hands out the work to ``executors``, ``table`` is the result.
"""

from gdpnum.sweeps.dispatch import sweep
from gdpnum.sweeps.setting import grid
from gdpnum.sweeps.table import SweepTable

__all__ = ["SweepTable", "grid", "sweep"]
