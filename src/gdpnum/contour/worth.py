"""Whether a run is worth the contour: guesses that spare a look. Nothing is proven by them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gdpnum.contour.pairs import Steps
from gdpnum.contour.reach import OutOfReach
from gdpnum.floats import UNIT

#: About the milliseconds that another engine takes, by about what mu is.
Rival: TypeAlias = Callable[[float], float]

#: A mu that is large.
MUCH = 16.0

# The rounding of the steps that is too much for a large mu beside the slack, at a bend of 0.1; with
# the powers of mu, of the bend and of the rate by which that changes.
_BLUR, _BY_MU, _BY_BEND, _BY_RATE = 1.2, -0.6, 0.9, -0.5

# A share of the losses' variance from which on a segment tells how steep they are.
_TELLING = 0.05

# So many times what a run may take is likely to be too much, with so many nodes, as a rule.
_LIKELY, _NODES = 2.2, 100.0

# Noise so little (one over it) that the general way may take this share of what the quick one does,
# and the share for several segments.
_STEEP, _SPARED, _SPARED_BY_ALL = 1.6, 0.7, 0.33

# Frequencies a segment from which on a rival may be the quicker one where jumps decide; and the
# milliseconds that they take: for each segment, and for each tenfold of them.
_DOUBTFUL, _EACH, _TENFOLD = 30.0, 1.1, 2.85

# The same of the general way, at least, besides that for each segment.
_GENERALLY = 4.2

# From this mu on, or from this rate and so many steps on, digits are worth that in any case. And
# noise so little (one over it) that no lattice is quick.
_LITTLE, _COMMON, _STEPS, _NOISELESS = 0.01, 0.01, 25, 0.8


def refuse_hidden(steps: Steps, mu: float, slack: float) -> None:
    """Raises `OutOfReach` for one run of about that large mu whose digits rounding hides.

    Of a nearly Gaussian one G is small everywhere: the smaller, the larger mu is and the less a
    loss bends. The numbers are those of a regression on some hundred runs.
    """
    # About the segments' parts of the losses' variance: those with next to none tell nothing.
    parts = steps.counts * steps.rate**2 * np.expm1(np.minimum(steps.slope**2, 50.0))
    telling = parts > _TELLING * float(parts.sum())
    rate, slope = steps.rate[telling], steps.slope[telling]
    bend = float(((1.0 - rate) * slope).max())
    most = _BLUR * (mu / MUCH) ** _BY_MU * (bend / 0.1) ** _BY_BEND * slack
    most *= float(rate.max()) ** _BY_RATE
    if float(steps.counts[telling].sum()) * UNIT > most:
        raise OutOfReach(f"a mu of about {mu:.2g} is hidden by rounding; use the lattice")


def is_too_much(frequencies: float, most: float) -> bool:
    """Whether so many frequencies are likely to take more evaluations than a run may."""
    return not frequencies * _NODES < _LIKELY * most


def is_outdone(steps: Steps, mu: float, rival: Rival, frequencies: float | None = None) -> bool:
    """Whether a rival is likely to be quicker, for one run of sampled Gaussians.

    Than so many frequencies are where jumps decide, or than the general way is.
    """
    segments = steps.c.size
    if frequencies is not None and frequencies < _DOUBTFUL * segments:
        return False
    if mu > _LITTLE or float(steps.c.max()) > _NOISELESS or is_common(steps):
        return False
    more = _GENERALLY if frequencies is None else _TENFOLD * math.log10(frequencies)
    return _EACH * segments + more > rival(mu)


def is_common(steps: Steps) -> bool:
    """Whether a run of sampled Gaussians is such that digits are wanted in any case."""
    return all(q >= _COMMON and count >= _STEPS for _, q, count in steps.segments)


def least_work(steps: Steps, work: float) -> float:
    """The least that the general way may take of a run for which the quick one takes so much."""
    if steps.c.size > 1:
        return _SPARED_BY_ALL * work
    return _SPARED * work if float(steps.c[0]) > _STEEP else work
