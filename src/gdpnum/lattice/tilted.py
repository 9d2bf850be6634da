"""One tilted transform of a sum of losses: masses, and bounds on what is wrong about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gdpnum import charges
from gdpnum.bounds.sums import scaled_tail_sums
from gdpnum.errors import BudgetExceeded
from gdpnum.floats import UNIT, Floats
from gdpnum.lattice.coarsening import Coarsening
from gdpnum.lattice.distribution import Factor, log_moment
from gdpnum.lattice.spectrum import Spectrum, product
from gdpnum.lattice.window import Window

# Squares of exp of this still fit.
_LARGEST_EXPONENT = 300.0


class Circle(NamedTuple):
    """A transform of ``size`` points, of which those in ``fine`` are wanted.

    The exact sum lives on the ``length`` points from ``lowest`` on, numbered from zero; on the
    circle every point stands for all that are a multiple of its size away.
    """

    size: int
    fine: range
    lowest: float
    length: int


class Pass(NamedTuple):
    """Coarse masses from one tilt, and their errors.

    The sum of the rounding errors of some entries is at most ``norm`` times the 2-norm of their
    ``spread``, plus the ``relative`` part of their masses. What wraps into all entries together is
    at most ``stray`` times the largest ``back`` among them.
    """

    masses: Floats
    back: Floats
    spread: Floats
    log_error: Floats
    norm: float
    relative: float
    stray: float


class Use(NamedTuple):
    """A pass, and the entries start..stop-1 that are taken from it."""

    one: Pass
    start: int
    stop: int

    def masses(self) -> Floats:
        """The masses, zero where another pass is used."""
        return self._alone(self.one.masses)

    def noise(self) -> Floats:
        """Bounds on the error of sums from each entry on."""
        # Cauchy-Schwarz: a sum of errors is at most their 2-norm times that of the weights.
        squares, shares = _from_here_on(self._squares()), _from_here_on(self._shares())
        return self.one.norm * np.sqrt(squares) + shares

    def noise_below(self) -> Floats:
        """Bounds on the error of sums up to before each entry."""
        squares, shares = _up_to_here(self._squares()), _up_to_here(self._shares())
        return self.one.norm * np.sqrt(squares) + shares

    def scaled_noise(self, losses: Floats) -> Floats:
        """Bounds on the error of sums in which entry j >= i weighs exp(w_i - w_j)."""
        start, stop = self.start, self.stop
        total = self.one.norm * np.sqrt(scaled_tail_sums(self._squares(), 2.0 * losses))
        total += scaled_tail_sums(self._shares(), losses)
        # Tilts are above -1, so back * exp(-loss) falls: it is largest at the first entry used.
        stray = self.one.stray * self.one.back
        total[:start] += stray[start] * np.exp(losses[:start] - losses[start])
        total[start:stop] += stray[start:stop]
        return total

    def wrapped(self) -> Floats:
        """Bounds on what wrapped into the entries from each one on."""
        found, stray = self._strays()
        # Strays are monotone: they are largest at an end.
        found[: self.start] = max(stray[0], stray[-1])
        found[self.start : self.stop] = np.maximum(stray, stray[-1])
        return found

    def wrapped_below(self) -> Floats:
        """Bounds on what wrapped into the entries before each one."""
        found, stray = self._strays()
        found[self.start : self.stop] = np.maximum(stray, stray[0])
        found[self.stop :] = max(stray[0], stray[-1])
        return found

    def _alone(self, values: Floats) -> Floats:
        """The values of the entries used, zero elsewhere."""
        if self.stop - self.start == values.size:
            return values
        alone = np.zeros(values.size)
        alone[self.start : self.stop] = values[self.start : self.stop]
        return alone

    def _squares(self) -> Floats:
        return self._alone(self.one.spread**2)

    def _shares(self) -> Floats:
        return self._alone(self.one.relative * np.abs(self.one.masses))

    def _strays(self) -> tuple[Floats, Floats]:
        return np.zeros(self.one.back.size), self.one.stray * self.one.back[self.start : self.stop]


def uses_of(passes: Sequence[Pass]) -> tuple[Use, ...]:
    """Each entry from the tilt that knows it best."""
    if len(passes) == 1:
        return (Use(passes[0], 0, passes[0].masses.size),)
    best = np.argmin([one.log_error for one in passes], axis=0)
    # The logs are linear in the loss, so each tilt is best on one interval.
    places = [np.flatnonzero(best == number) for number in range(len(passes))]
    return tuple(
        Use(one, int(used[0]), int(used[-1]) + 1)
        for one, used in zip(passes, places, strict=True)
        if used.size
    )


def _from_here_on(values: Floats) -> Floats:
    return values[::-1].cumsum()[::-1]


def _up_to_here(values: Floats) -> Floats:
    return np.append(0.0, values[:-1].cumsum())


def tilted(
    factors: Sequence[Factor],
    tilt: float,
    circle: Circle,
    losses: Floats,
    window: Window,
    coarsening: Coarsening,
) -> Pass:
    """Masses at the losses, from the transform of the masses times exp(tilt * loss)."""
    powers: list[tuple[Floats, int]] = []
    log_scale, units = 0.0, 0.0
    for distribution, count in factors:
        exponents = tilt * distribution.losses
        log_total = distribution.log_moment(tilt)
        # The cap concerns zero masses only: a positive one is no more than one when tilted.
        weighted = distribution.masses * np.exp(np.minimum(exponents - log_total, 700.0))
        total = float(weighted.sum())
        powers.append((weighted / total, count))
        log_scale += count * (log_total + math.log(total))
        # Units of rounding that each factor's tilt, sum and quotient may bring, all one way.
        largest = max(abs(float(exponents[0])), abs(float(exponents[-1])))
        units += count * charges.tilt(largest, exponents.size)
    per_point = tilt * factors[0].distribution.step
    reach = abs(per_point) * coarsening.stride
    if reach > _LARGEST_EXPONENT:
        raise BudgetExceeded(
            f"losses a lattice step apart differ by a factor exp({reach:.3g}) once tilted, more "
            "than floats hold; pass a larger slack or tolerance: next to nothing is lost here"
        )
    spectrum = product(powers, circle.size, extended=window.extended)
    values, error, spread = _coarse(spectrum, circle, coarsening, per_point)
    exponents = log_scale - tilt * losses
    # Far below a large tilt's mean nothing is known; another tilt covers those losses.
    back = np.exp(np.minimum(exponents, _LARGEST_EXPONENT))
    # A coarse sum rounds once for each of its terms, and in its weights.
    units += charges.coarse_sum(coarsening.stride, reach)
    largest = abs(tilt) * max(abs(float(losses[0])), abs(float(losses[-1])))
    relative = UNIT * (units + charges.back(log_scale, largest))
    log_stray = _log_stray(factors, tilt, window, circle, coarsening) - log_scale
    norm = error * (1.0 + relative)
    return Pass(
        masses=values * back,
        back=back,
        spread=spread * back,
        log_error=exponents + math.log(norm),
        norm=norm,
        relative=relative,
        stray=charges.wrapped(log_stray, reach),
    )


def _coarse(
    spectrum: Spectrum, circle: Circle, coarsening: Coarsening, per_point: float
) -> tuple[Floats, float, float]:
    """Tilted masses gathered at the coarse points, a bound on the error's 2-norm, and its spread.

    An entry gathers the errors of its fine points, x steps above it, with weights of at most
    exp(-tilt x); the sum of the squares of these is the square of the spread. In a sum of entries
    every fine point weighs at most that much at one of them.
    """
    stride = coarsening.stride
    if stride == 1:
        return *_on_lattice(spectrum, circle), 1.0
    # Block b has the points from one coarse step below coarse point b, if anything is raised to it.
    steps = np.arange(-stride if coarsening.raises else 0, stride, dtype=np.float64)
    tilts = np.exp(-per_point * steps)
    shares = np.append(coarsening.above, coarsening.here) if coarsening.raises else coarsening.here
    spread = math.sqrt(float((tilts**2).sum()))
    inside = circle.fine.start >= 0 and circle.fine.stop <= circle.length
    if inside and spectrum.is_narrow(stride):
        return *spectrum.coarse_masses(circle.fine, stride, shares * tilts), spread
    values, error = _on_lattice(spectrum, circle)
    blocks = values.reshape(-1, stride)
    weights = (shares * tilts).reshape(-1, stride)
    found = (blocks * weights[0]).sum(axis=1)
    if coarsening.raises:
        found[:-1] += (blocks[1:] * weights[1]).sum(axis=1)
    return found, error, spread


def _on_lattice(spectrum: Spectrum, circle: Circle) -> tuple[Floats, float]:
    """Tilted masses at the fine points, none off the ends of the lattice, and the error's norm."""
    values, error = spectrum.masses(circle.fine)
    start, stop = circle.fine.start, circle.fine.stop
    if start < 0 or stop > circle.length:
        values = values.copy()
        values[: max(0, -start)] = 0.0
        values[circle.length - start :] = 0.0
    return values, error


def _log_stray(
    factors: Sequence[Factor], tilt: float, window: Window, circle: Circle, coarsening: Coarsening
) -> float:
    """Log of the tilted mass that the circle brings to the fine points, by Chernoff bounds."""
    # The last of the coarse points may also get a share of what lies above it.
    stop = circle.fine.stop + coarsening.stride * coarsening.raises
    # From above, mass lands a whole circle or more below where it belongs; from below, above. Told
    # by numbers of points: as losses, the two ends would be rounded differently.
    step = factors[0].distribution.step
    bounds = []
    if circle.fine.start + circle.size < circle.length:
        nearest = circle.lowest + step * (circle.fine.start + circle.size)
        bounds.append(log_moment(factors, tilt + window.step_up) - window.step_up * nearest)
    if stop - 1 - circle.size >= 0:
        nearest = circle.lowest + step * (stop - 1 - circle.size)
        bounds.append(log_moment(factors, tilt - window.step_down) + window.step_down * nearest)
    return float(np.logaddexp.reduce(bounds)) if bounds else -math.inf
