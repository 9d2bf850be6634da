"""Composition: the masses of a sum of losses, with everything that may be wrong about them.

The sum is a circular convolution by FFT, at one or more exponential tilts. What it gets wrong is
bounded, not estimated, and kept beside the masses (`Composition`):

- rounding: each entry, from `spectrum`, weighted back by the tilt;
- truncation: what lies above or below the window, by a Chernoff bound on the lattice masses;
- wrap-round: what the circle brings into the window. It can only add, so it matters to a lower
  bound alone; Chernoff again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import fft

from gdpnum.errors import BudgetExceeded
from gdpnum.loss.distribution import LossDistribution
from gdpnum.loss.pair import Floats
from gdpnum.loss.spectrum import Spectrum
from gdpnum.loss.sums import UNIT, head_sums, scaled_tail_sums, tail_sums
from gdpnum.loss.window import FEW_MISSED, Window

__all__ = ["LARGEST_TRANSFORM", "Composition", "Factor", "compose", "falls", "infinite_loss"]

#: Points of the longest transform allowed: about 1 GB of work space.
LARGEST_TRANSFORM = 2**23

# Squares of exp of this still fit.
_LARGEST_EXPONENT = 300.0


class Factor(NamedTuple):
    """A distribution and how often it enters the sum."""

    distribution: LossDistribution
    times: int


@dataclass(frozen=True, eq=False)
class Composition:
    """A composed loss Y on a window: masses at ``lowest + step * j``, and how wrong they may be.

    For each i the exact Pr[Y >= w_i], infinity included, lies between
    ``sum_{j >= i} masses_j - noise_i - wrapped_i`` and ``sum_{j >= i} masses_j + noise_i + above``,
    and the exact Pr[Y < w_i] between ``sum_{j < i} masses_j - noise_below_i - wrapped_below_i`` and
    ``sum_{j < i} masses_j + noise_below_i + below``. ``growth`` is that of the factors, as in
    `LossDistribution`; ``drift`` is how far rounding may have moved the losses. Where little lies
    below the window, ``scaled_noise`` bounds how far sum_{j >= i} exp(w_i - w_j) masses_j may be
    above the exact one. ``window`` is the plan by which all this was computed.
    """

    lowest: float
    step: float
    masses: Floats
    noise: Floats
    noise_below: Floats
    wrapped: Floats
    wrapped_below: Floats
    above: float
    below: float
    growth: float
    drift: float
    scaled_noise: Floats | None
    window: Window | None

    @cached_property
    def losses(self) -> Floats:
        """The lattice points of the window."""
        return self.lowest + self.step * np.arange(self.masses.size, dtype=np.float64)

    def tail_above(self) -> Floats:
        """Upper bounds on Pr[w_i <= Y < the end of the window], falling in i."""
        # A tail is no larger than the one before it: take the least bound so far.
        return np.maximum(np.minimum.accumulate(tail_sums(self.masses) + self.noise), 0.0)

    def tail_below(self) -> Floats:
        """Lower bounds on Pr[Y >= w_i], falling in i."""
        bound = tail_sums(self.masses) - self.noise - self.wrapped
        return np.maximum(np.maximum.accumulate(bound[::-1])[::-1], 0.0)

    def head_above(self) -> Floats:
        """Upper bounds on Pr[Y < w_i]."""
        return head_sums(self.masses) + self.noise_below + self.below

    def head_below(self) -> Floats:
        """Lower bounds on Pr[Y < w_i], rising in i."""
        bound = head_sums(self.masses) - self.noise_below - self.wrapped_below
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


def compose(factors: Sequence[Factor], window: Window | None) -> Composition:
    """The composition of the factors, which share one lattice step, on a window.

    A single factor by itself needs no window.
    """
    if window is None:
        return _single(factors[0].distribution)
    step = factors[0].distribution.step
    lowest = sum(factor.times * factor.distribution.lowest for factor in factors)
    length = 1 + sum(factor.times * (factor.distribution.masses.size - 1) for factor in factors)
    start = min(max(0, int(np.floor((window.low - lowest) / step))), length - 1)
    stop = min(length, max(start + 1, int(np.ceil((window.high - lowest) / step)) + 1))
    size = max(int(np.ceil(window.span / step)), stop - start) + 2
    if size > LARGEST_TRANSFORM:
        raise BudgetExceeded(
            f"a lattice step of {step:.3g} needs {size:.3g} points, more than the "
            f"{LARGEST_TRANSFORM:.3g} allowed; pass a larger tolerance, or a grid_step of at least "
            f"{window.span / LARGEST_TRANSFORM:.2g}"
        )
    size = fft.next_fast_len(min(size, length + 1), real=True)
    losses = lowest + step * np.arange(start, stop, dtype=np.float64)
    passes = [_tilted(factors, tilt, size, start, losses, window) for tilt in window.tilts]
    uses = _uses(passes) if len(passes) > 1 else [_Use(passes[0], 0, losses.size)]
    above = below = 0.0
    if stop < length:
        above = _chernoff(factors, window.above, losses[-1] + step) if window.above > 0.0 else 1.0
    if start > 0:
        below = _chernoff(factors, window.below, losses[0] - step) if window.below < 0.0 else 1.0
    return Composition(
        lowest=float(losses[0]),
        step=step,
        above=above + infinite_loss(factors),
        below=below,
        growth=sum(factor.times * factor.distribution.growth for factor in factors),
        drift=_drift(factors) + 4.0 * UNIT * float(np.abs(losses).max()),
        scaled_noise=_scaled_noise(uses, losses) if below < FEW_MISSED else None,
        window=window,
        **_stitched(uses, heads=below < FEW_MISSED),
    )


class _Pass(NamedTuple):
    """Masses from one tilt. Their error over ``back`` has that 2-norm; ``relative`` is extra."""

    masses: Floats
    back: Floats
    log_error: Floats
    norm: float
    relative: float
    stray: float


class _Use(NamedTuple):
    """A pass, and the entries start..stop-1 that are taken from it."""

    one: _Pass
    start: int
    stop: int


def _uses(passes: Sequence[_Pass]) -> list[_Use]:
    """Each entry from the tilt that knows it best."""
    best = np.argmin([one.log_error for one in passes], axis=0)
    # The logs are linear in the loss, so each tilt is best on one interval.
    places = [np.flatnonzero(best == number) for number in range(len(passes))]
    return [
        _Use(one, int(used[0]), int(used[-1]) + 1)
        for one, used in zip(passes, places, strict=True)
        if used.size
    ]


def _stitched(uses: Sequence[_Use], *, heads: bool) -> dict[str, Floats]:
    """Masses, and the bounds of a `Composition` on them; on heads only if wanted."""
    parts = [_bounds(*use, heads=heads) for use in uses]
    return {name: sum((part[name] for part in parts[1:]), parts[0][name]) for name in parts[0]}


def _scaled_noise(uses: Sequence[_Use], losses: Floats) -> Floats:
    """Bounds on errors that enter with weights exp(w_i - w_j), j >= i."""
    total = np.zeros(losses.size)
    for one, start, stop in uses:
        back, share = np.zeros(losses.size), np.zeros(losses.size)
        back[start:stop] = one.back[start:stop]
        share[start:stop] = one.relative * np.abs(one.masses[start:stop])
        # As in `_bounds`, with the weights.
        total += one.norm * np.sqrt(scaled_tail_sums(back**2, 2.0 * losses))
        total += scaled_tail_sums(share, losses)
        # Tilts are above -1, so back * exp(-loss) falls: it is largest at the first entry used.
        total[:start] += one.stray * back[start] * np.exp(losses[:start] - losses[start])
        total[start:stop] += one.stray * back[start:stop]
    return total


def _bounds(one: _Pass, start: int, stop: int, *, heads: bool) -> dict[str, Floats]:
    """What one pass contributes to a `Composition`, if its entries start..stop-1 are used."""
    used = slice(start, stop)
    masses, squares, share = (np.zeros(one.masses.size) for _ in range(3))
    masses[used] = one.masses[used]
    squares[used] = one.back[used] ** 2
    share[used] = one.relative * np.abs(one.masses[used])
    # Cauchy-Schwarz: a sum of errors is at most their 2-norm times that of the weights.
    noise = one.norm * np.sqrt(_from_here_on(squares)) + _from_here_on(share)
    below = np.full(masses.size, np.inf)
    if heads:
        below = one.norm * np.sqrt(_up_to_here(squares)) + _up_to_here(share)
    # What wrapped counts where it is used. `back` is monotone: it is largest at an end.
    wrapped, wrapped_below = np.zeros(masses.size), np.zeros(masses.size)
    if one.stray > 0.0:
        stray = one.stray * one.back
        wrapped[:start] = stray[used].max()
        wrapped[used] = np.maximum(stray[used], stray[stop - 1])
        wrapped_below[used] = np.maximum(stray[used], stray[start])
        wrapped_below[stop:] = stray[used].max()
    return {
        "masses": masses,
        "noise": noise,
        "noise_below": below,
        "wrapped": wrapped,
        "wrapped_below": wrapped_below,
    }


def _from_here_on(values: Floats) -> Floats:
    return np.cumsum(values[::-1])[::-1]


def _up_to_here(values: Floats) -> Floats:
    return np.append(0.0, np.cumsum(values[:-1]))


def _single(one: LossDistribution) -> Composition:
    """One distribution by itself: nothing to compute, nothing lost."""
    nothing = np.zeros(one.masses.size)
    return Composition(
        lowest=one.lowest,
        step=one.step,
        masses=one.masses,
        noise=nothing,
        noise_below=nothing,
        wrapped=nothing,
        wrapped_below=nothing,
        above=one.mass_at_infinity,
        below=0.0,
        growth=one.growth,
        drift=_drift([Factor(one, 1)]),
        scaled_noise=nothing,
        window=None,
    )


def _drift(factors: Sequence[Factor]) -> float:
    """How far a sum of lattice points may be from where it is said to be."""
    largest = (max(abs(one.lowest), abs(float(one.losses[-1]))) for one, _ in factors)
    return 4.0 * UNIT * sum(times * loss for loss, (_, times) in zip(largest, factors, strict=True))


def infinite_loss(factors: Sequence[Factor]) -> float:
    """The mass at infinity, 1 - prod (1 - m_i)^n_i, without cancellation."""
    return float(
        -np.expm1(
            sum(
                one.times * np.log1p(-min(one.distribution.mass_at_infinity, 1.0))
                for one in factors
            )
        )
    )


def _log_moment(factors: Sequence[Factor], tilt: float) -> float:
    return sum(one.times * one.distribution.log_moment(tilt) for one in factors)


def _chernoff(factors: Sequence[Factor], tilt: float, loss: float) -> float:
    """A bound on the mass at or beyond a loss: above for a positive tilt, below for a negative."""
    log_mass = _log_moment(factors, tilt) - tilt * loss
    return float(np.exp(min(0.0, log_mass + 1e-6)))


def _tilted(
    factors: Sequence[Factor], tilt: float, size: int, start: int, losses: Floats, window: Window
) -> _Pass:
    """Masses at the losses from one tilted transform, with bounds on rounding and wrap-round."""
    spectrum = Spectrum(size, extended=window.extended)
    log_scale, relative = 0.0, 8.0
    for distribution, count in factors:
        exponents = tilt * distribution.losses
        log_moment = distribution.log_moment(tilt)
        # The cap concerns zero masses only: a positive one is no more than one when tilted.
        weighted = distribution.masses * np.exp(np.minimum(exponents - log_moment, 700.0))
        total = float(weighted.sum())
        spectrum.multiply(weighted / total, count)
        log_scale += count * (log_moment + float(np.log(total)))
        # Units of rounding that each factor's tilt, sum and quotient may bring, all one way.
        relative += count * (float(np.abs(exponents).max()) + np.log2(exponents.size) + 8.0)
    values, error = spectrum.masses(start, start + losses.size)
    exponents = log_scale - tilt * losses
    # Far below a large tilt's mean nothing is known; another tilt covers those losses.
    back = np.exp(np.minimum(exponents, _LARGEST_EXPONENT))
    relative = UNIT * (relative + 4.0 * (abs(log_scale) + float(np.abs(tilt * losses).max())))
    log_stray = _log_stray(factors, tilt, window, losses, size) - log_scale
    stray = float(np.exp(min(log_stray, 1.0)))
    norm = error * (1.0 + relative)
    return _Pass(values * back, back, exponents + np.log(norm), norm, relative, stray)


def _log_stray(
    factors: Sequence[Factor], tilt: float, window: Window, losses: Floats, size: int
) -> float:
    """Log of the tilted mass that the circle brings into the window, by Chernoff bounds."""
    circle = size * factors[0].distribution.step
    lowest = sum(one.times * one.distribution.lowest for one in factors)
    highest = sum(one.times * float(one.distribution.losses[-1]) for one in factors)
    # From above, mass lands a whole circle or more below where it belongs; from below, above.
    bounds = []
    if losses[0] + circle <= highest:
        moment = _log_moment(factors, tilt + window.step_up)
        bounds.append(moment - window.step_up * (losses[0] + circle))
    if losses[-1] - circle >= lowest:
        moment = _log_moment(factors, tilt - window.step_down)
        bounds.append(moment + window.step_down * (losses[-1] - circle))
    return float(np.logaddexp.reduce(bounds)) if bounds else -np.inf
