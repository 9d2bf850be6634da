"""ComposedLoss: the masses of a sum of losses, with everything that may be wrong about them.

The sum is a circular convolution by FFT, at one or more exponential tilts. What it gets wrong is
bounded, not estimated, and kept beside the masses (`ComposedLoss`):

- rounding: each entry, from `spectrum`, weighted back by the tilt;
- truncation: what lies above or below the window, by a Chernoff bound on the lattice masses;
- wrap-round: what the circle brings into the window. It can only add, so it matters to a lower
  bound alone; Chernoff again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft

from gdpnum import charges
from gdpnum.bounds.sums import head_sums, tail_sums
from gdpnum.errors import BudgetExceeded
from gdpnum.floats import Floats
from gdpnum.lattice.coarsening import ALL, Coarsening
from gdpnum.lattice.distribution import (
    Factor,
    LossDistribution,
    drift,
    log_moment,
    mass_at_infinity,
)
from gdpnum.lattice.distribution import lowest as lowest_loss
from gdpnum.lattice.tilted import Circle, Use, tilted, uses_of
from gdpnum.lattice.window import Window

#: Points of the longest transform allowed: about 1 GB of work space.
LARGEST_TRANSFORM = 2**23


@dataclass(frozen=True, eq=False)
class ComposedLoss:
    """A composed loss Y on a window: masses at ``lowest + step * j``, and how wrong they may be.

    For each i the exact Pr[Y >= w_i], infinity included, lies between
    ``sum_{j >= i} masses_j - noise_i - wrapped_i`` and ``sum_{j >= i} masses_j + noise_i + above``,
    and the exact Pr[Y < w_i] between ``sum_{j < i} masses_j - noise_below_i - wrapped_below_i`` and
    ``sum_{j < i} masses_j + noise_below_i + below``; what may have wrapped is summed over the
    ``uses``, the transforms that the masses come from. ``growth`` is that of the factors, as in
    `LossDistribution`; ``drift`` is how far rounding may have moved the losses; ``window`` is the
    plan by which all this was computed.
    """

    lowest: float
    step: float
    masses: Floats
    uses: tuple[Use, ...]
    above: float
    below: float
    growth: float
    drift: float
    window: Window | None

    @cached_property
    def losses(self) -> Floats:
        """The lattice points of the window."""
        return self.lowest + self.step * np.arange(self.masses.size, dtype=np.float64)

    @cached_property
    def noise(self) -> Floats:
        """What rounding may have done to the sums from each loss on."""
        return self._total(Use.noise)

    @cached_property
    def noise_below(self) -> Floats:
        """What rounding may have done to the sums below each loss."""
        return self._total(Use.noise_below)

    @cached_property
    def scaled_noise(self) -> Floats:
        """How far sum_{j >= i} exp(w_i - w_j) masses_j may be above the exact one."""
        return self._total(lambda use: use.scaled_noise(self.losses))

    def _total(self, bound: Callable[[Use], Floats]) -> Floats:
        found = [bound(use) for use in self.uses]
        return sum(found[1:], found[0]) if found else np.zeros(self.masses.size)

    def tail_above(self) -> Floats:
        """Upper bounds on Pr[w_i <= Y < the end of the window], falling in i."""
        # A tail is no larger than the one before it: take the least bound so far.
        return np.maximum(np.minimum.accumulate(tail_sums(self.masses) + self.noise), 0.0)

    def tail_below(self) -> Floats:
        """Lower bounds on Pr[Y >= w_i], falling in i."""
        bound = tail_sums(self.masses) - self.noise - self._total(Use.wrapped)
        return np.maximum(np.maximum.accumulate(bound[::-1])[::-1], 0.0)

    def head_above(self) -> Floats:
        """Upper bounds on Pr[Y < w_i]."""
        return head_sums(self.masses) + self.noise_below + self.below

    def head_below(self) -> Floats:
        """Lower bounds on Pr[Y < w_i], rising in i."""
        bound = head_sums(self.masses) - self.noise_below - self._total(Use.wrapped_below)
        return np.maximum(np.maximum.accumulate(bound), 0.0)

    def raised(self) -> LossDistribution:
        """A distribution whose tails are nowhere below the true ones.

        What lies below the window is put at its first loss.
        """
        tails = self.tail_above()
        tails[0] += self.below
        return LossDistribution(self.lowest, self.step, falls(tails), self.above, self.growth)

    def lowered(self) -> LossDistribution:
        """A sub-distribution whose tails are nowhere above the true ones."""
        masses = falls(self.tail_below())
        return LossDistribution(self.lowest, self.step, masses, growth=self.growth)


def falls(tails: Floats) -> Floats:
    """The masses that have these tails."""
    return np.append(tails[:-1] - tails[1:], tails[-1])


def compose(
    factors: Sequence[Factor], window: Window | None, coarsening: Coarsening = ALL
) -> ComposedLoss:
    """The composition of the factors, which share one lattice step, gathered on a window.

    Its step is theirs times the stride. A single factor by itself needs no window.
    """
    if window is None:
        return _single(factors[0].distribution)
    step, stride = factors[0].distribution.step, coarsening.stride
    lowest = lowest_loss(factors)
    length = 1 + sum(factor.times * (factor.distribution.masses.size - 1) for factor in factors)
    start = min(max(0, math.floor((window.low - lowest) / step)), length - 1)
    stop = min(length, max(start + 1, math.ceil((window.high - lowest) / step) + 1))
    blocks = -(-(stop - start) // stride)
    # The first point also gets a share of what lies one coarse step below it.
    fine = range(start - stride if coarsening.raises else start, start + blocks * stride)
    size = max(math.ceil(window.span / step), len(fine)) + 2
    if size > LARGEST_TRANSFORM:
        raise BudgetExceeded(
            f"a lattice step of {step:.3g} needs {size:.3g} points, more than the "
            f"{LARGEST_TRANSFORM:.3g} allowed; pass a larger tolerance, or a grid_step of at least "
            f"{window.span / LARGEST_TRANSFORM:.2g}"
        )
    # A multiple of the stride, so that every stride-th point makes a circle of its own.
    size = stride * fft.next_fast_len(-(-min(size, length + 1) // stride), real=True)
    places = start + stride * np.arange(blocks + coarsening.raises, dtype=np.float64)
    losses = lowest + step * places
    circle = Circle(size, fine, lowest, length)
    passes = [tilted(factors, tilt, circle, losses, window, coarsening) for tilt in window.tilts]
    uses = uses_of(passes)
    above = below = 0.0
    if fine.stop < length:
        end = lowest + step * fine.stop
        above = charges.above_window(log_moment(factors, window.above), window.above, end)
    if start > 0:
        end = lowest + step * (start - 1)
        below = charges.below_window(log_moment(factors, window.below), window.below, end)
    return ComposedLoss(
        lowest=float(losses[0]),
        step=step * stride,
        masses=sum((use.masses() for use in uses[1:]), uses[0].masses()),
        uses=uses,
        above=above + mass_at_infinity(factors),
        below=below,
        growth=sum(factor.times * factor.distribution.growth for factor in factors),
        drift=drift(factors) + charges.drift(float(max(abs(losses[0]), abs(losses[-1])))),
        window=window,
    )


def _single(one: LossDistribution) -> ComposedLoss:
    """One distribution by itself: nothing to compute, nothing lost."""
    return ComposedLoss(
        lowest=one.lowest,
        step=one.step,
        masses=one.masses,
        uses=(),
        above=one.mass_at_infinity,
        below=0.0,
        growth=one.growth,
        drift=drift([Factor(one, 1)]),
        window=None,
    )
