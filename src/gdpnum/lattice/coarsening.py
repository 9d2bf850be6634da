"""Coarsening: a composed loss brought to a coarser lattice, ``stride`` points to one.

The lattice that T releases are put on must be fine compared with the loss of one of them; their sum
is sqrt(T) times as wide, and all that is read off it may be read off that much coarser a lattice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gdpnum.floats import Floats


class Coarsening(NamedTuple):
    """Shares of the mass at x = 0, h, 2h, ... above a coarse point that go to it and to the next.

    The two add up to one at most, so a sum of coarsened errors weighs none of them more than once.
    """

    here: Floats
    above: Floats

    @property
    def stride(self) -> int:
        """Fine points to a coarse one."""
        return self.here.size

    @property
    def raises(self) -> bool:
        """Whether anything goes to the next point."""
        # What is nearest the next point has most to give.
        return bool(self.above[-1] > 0.0)


#: Every point for itself.
ALL = Coarsening(np.ones(1), np.zeros(1))


def connected(step: float, stride: int) -> Coarsening:
    """Connect-the-dots: each mass to the points on its two sides, such that P and Q masses stay.

    The next point gets (1 - exp(-x)) / (1 - exp(-H)) of the P mass at x, with H = stride * step.
    The result dominates, as on the first lattice.
    """
    if stride == 1:
        return ALL
    up, whole = step * np.arange(stride), np.expm1(-step * stride)
    above = np.expm1(-up) / whole
    # 1 - above, without cancellation
    here = np.exp(-up) * np.expm1(up - step * stride) / whole
    return Coarsening(here, above)


def counted(stride: int) -> Coarsening:
    """Every mass to the point below it: the sums from coarse points on are those of the fine."""
    return Coarsening(np.ones(stride), np.zeros(stride))


def discounted(step: float, stride: int) -> Coarsening:
    """The same for masses times exp(loss): sums over j of exp(-w_j) m_j stay."""
    return Coarsening(np.exp(-step * np.arange(stride)), np.zeros(stride))
