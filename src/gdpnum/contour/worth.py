"""Whether a run is worth the contour: what it may take, and guesses that spare a look.

Nothing is proven by these numbers: they were found by timing random runs on one core.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from scipy.special import ndtri

from gdpnum.contour.pairs import Steps
from gdpnum.contour.rungs import FARTHEST

#: About the milliseconds that another engine takes, by about what mu is.
Rival: TypeAlias = Callable[[float], float]

#: What a run may take at most, in frequencies times nodes: about a fifth of a second.
MOST = 1e7

#: What some ten milliseconds are enough for.
WORK = 1.5e6

#: The same where a finer lattice than usual is the alternative, which takes as long.
MORE_WORK = 6e6

#: What half a second is enough for: where no lattice helps.
PATIENCE = 1e8

#: What each distinct segment may take besides: a lattice takes some milliseconds for it.
MORE = 3e5

#: What may be taken for each point that a lattice would have: about as long.
POINT = 100.0

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

# A rate from which on a jump is nothing rare, and a loss that is next to none.
_OFTEN, _SMALL = 0.1, 0.01

# Digits (natural) of a transform, as a rule; by how much losses turn that have died out; and up to
# where a sum of many is nearly a Gaussian.
_DIGITS, _TURNED, _NEARLY = 35.0, 3.5, 1.5


def likely_frequencies(steps: Steps, mu: float, reach: float) -> float:
    """About how many frequencies one run of sampled Gaussians takes in which jumps have their say.

    The transform dies out with the Gaussian that the loss is nearly, or, where steps are few or
    jumps rare, with the smallest losses that all but exp(-digits) of the runs have; and periods
    are as long as the last tilt of the ladder makes them.
    """
    last = math.inf
    for c, q, count in steps.segments:
        own = math.sqrt(2.0 * _DIGITS / (count * math.expm1(min(c * c, 50.0)))) / q
        # Whether the losses that make up most of the variance turn by more than a little.
        turned = own * q * math.exp(min(1.5 * c * (1.0 + c), 600.0))
        share, often = _DIGITS / count, q > _OFTEN
        # Of whoever is sampled often the losses are larger: P and Q are further apart.
        middle = 0.5 * c * c if often else -0.5 * c * c
        small = q * math.exp(c * float(ndtri(math.exp(-share))) + middle)
        if turned > _NEARLY and (not often or small < _SMALL):
            own = max(own, max(_TURNED, share) / max(small, 1e-300))
        last = min(last, own)
    return last * _DIGITS * mu / (2.0 * math.pi * FARTHEST * reach)


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
