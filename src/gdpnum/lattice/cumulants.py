"""Cumulants: the moments of a composed loss under exponential tilting, for planning."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr

from gdpnum.bounds.sums import sums_by_place
from gdpnum.floats import Floats

# Points beyond this many add nothing to a plan.
_ENOUGH = 512

# The tilts at which plans look: as multiples of one over the standard deviation, of one over the
# largest loss, and as they are.
_UP, _DOWN = np.geomspace(1e-2, 1e4, 84), np.geomspace(1e-2, 1e4, 24)
_FEWER_UP, _FEWER_DOWN = (
    np.append(one[one < 100.0], one[one > 100.0][::4]) for one in (_UP, _DOWN)
)
_JUMP = np.geomspace(0.3, 100.0, 20)
_BETWEEN = -np.linspace(0.05, 1.0, 12)

# A deviation that is small: the loss of a run with a mu of about that.
_SMALL = 2.0

# exp of less than this is next to nothing, and not a normal number soon.
_SLOW = -700.0


class Atoms(NamedTuple):
    """Losses, P weights and a count: one kind of release, as the plan sees it."""

    losses: Floats
    weights: Floats
    times: int

    def variance(self, least: float) -> float:
        """Variance of one loss, of those only that are reached or exceeded at least so often."""
        weights, losses = self.weights, self.losses
        if least > 0.0:
            # These sums fall, so that those kept come first.
            kept = np.count_nonzero(weights[::-1].cumsum() * self.times >= least)
            weights, losses = weights[:kept], losses[:kept]
        mass = float(weights.sum())
        if mass <= 0.0:
            return 0.0
        return float((weights * (losses - float((weights * losses).sum()) / mass) ** 2).sum())


class Edge(NamedTuple):
    """A loss beyond which little lies, and the tilt whose Chernoff bound says so."""

    loss: float
    tilt: float


class Cumulants:
    """K(t) = sum_i n_i log E_P[exp(t L_i)] and its slope, at a ladder of tilts around zero."""

    def __init__(self, atoms: Sequence[Atoms]) -> None:
        self.atoms = [_thinned(_met(one)) for one in atoms]
        self.largest = sum(one.times * float(one.losses[-1]) for one in self.atoms)
        self.smallest = sum(one.times * float(one.losses[0]) for one in self.atoms)

    @cached_property
    def _largest_loss(self) -> float:
        return max(float(max(-one.losses[0], one.losses[-1])) for one in self.atoms)

    @cached_property
    def mean(self) -> float:
        """The mean of the sum."""
        return sum(one.times * float((one.weights * one.losses).sum()) for one in self.atoms)

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the sum; a loss that does not vary still needs a scale."""
        return max(_deviation(self.atoms, 0.0), 1e-12 * self._largest_loss, 1e-100)

    @cached_property
    def typical_deviation(self) -> float:
        """The same without jumps too rare to be met in a typical run.

        They dominate the variance where the sampling rate is tiny, yet the bulk that an attacker
        sees at ordinary error rates does not have them.
        """
        return max(_deviation(self.atoms, 0.1), 1e-2 * self.deviation)

    @cached_property
    def tilts(self) -> Floats:
        """The tilts looked at, in increasing order."""
        # Half a gap off the best tilt a Chernoff bound loses as much as the square of how far out
        # it is: a small deviation can do with fewer of those that are far out.
        down, up = (_FEWER_DOWN, _FEWER_UP) if self.deviation < _SMALL else (_DOWN, _UP)
        bulk = [-down / self.deviation, [0.0], up / self.deviation]
        # Rare jumps are felt at tilts of the scale of one jump; those between -1 and 0 lead from
        # P to Q, whatever the scale.
        jump = _JUMP / max(self._largest_loss, 1e-100)
        return np.sort(np.concatenate([*bulk, jump, _BETWEEN]))

    @cached_property
    def _table(self) -> tuple[Floats, Floats]:
        return self._evaluated(self.tilts)

    @property
    def values(self) -> Floats:
        """K at the tilts."""
        return self._table[0]

    @property
    def slopes(self) -> Floats:
        """The slope of K at the tilts: the tilted means."""
        return self._table[1]

    def _evaluated(self, tilts: Floats) -> tuple[Floats, Floats]:
        value, slope = np.zeros(tilts.size), np.zeros(tilts.size)
        for losses, weights, times in self.atoms:
            ends, tilted = _tilted(losses, tilts)
            # Not as a matrix product: BLAS may use threads, and then rounds differently each time.
            total = np.einsum("ij,j->i", tilted, weights)
            mean = np.einsum("ij,j->i", tilted, weights * losses) / total
            value += times * (tilts * ends + np.log(total))
            slope += times * mean
        return value, slope

    @property
    def zero(self) -> int:
        """The number of the tilt 0."""
        return int(np.searchsorted(self.tilts, 0.0))

    @property
    def balanced(self) -> int:
        """The number of the tilt whose mean is nearest zero. It lies in (-1, 0), from P towards Q.

        K there bounds the logs of alpha and beta of the test that rejects at a positive loss.
        """
        return int(np.argmin(np.abs(self.slopes)))

    def log_balanced_error(self) -> float:
        """About the log of the errors of the test that rejects at a positive loss, from above."""
        value = np.zeros(_BETWEEN.size)
        for losses, weights, times in self.atoms:
            ends, tilted = _tilted(losses, _BETWEEN)
            value += times * (_BETWEEN * ends + np.log(np.einsum("ij,j->i", tilted, weights)))
        return min(0.0, float(value.min()))

    def edge(self, start: int, log_mass: float, sign: float) -> Edge:
        """The nearest loss, up (sign 1) or down (-1), beyond which at most that tilted mass lies.

        For any tilt s on that side of t, Chernoff puts it at (K(s) - K(t) - log mass) / (s - t).
        """
        return self.edges(np.array([start]), np.array([log_mass]), sign)[0]

    def edges(self, starts: npt.NDArray[np.intp], log_mass: Floats, sign: float) -> list[Edge]:
        """The same for several tilts, each with a mass of its own."""
        distances = sign * (self.tilts - self.tilts[starts][:, None])
        excess = self.values - self.values[starts][:, None] - log_mass[:, None]
        # A tilt that is there twice is at no distance; it must not be chosen for that.
        reach = np.full(excess.shape, np.inf)
        np.divide(excess, distances, out=reach, where=distances > 0.0)
        best = reach.argmin(axis=1)
        found = sign * reach[np.arange(starts.size), best]
        return [Edge(*one) for one in zip(found.tolist(), self.tilts[best].tolist(), strict=True)]

    def log_tail(self, losses: Floats, sign: float) -> Floats:
        """Log of about the mass above (sign 1) or below (-1) each loss: a normal bulk, or one jump.

        A Chernoff bound will not do here: where jumps are rare it is far above the truth.
        """
        bulk = log_ndtr(sign * (self.mean - losses) / self.typical_deviation)
        jump = np.zeros(losses.size)
        if sign > 0.0:
            for values, weights, times in self.atoms:
                tail = np.append(weights[::-1].cumsum()[::-1], 0.0)
                jump += times * tail[values.searchsorted(losses)]
        return np.maximum(bulk, np.log(np.maximum(jump, 1e-300)))


def _tilted(losses: Floats, tilts: Floats) -> tuple[Floats, Floats]:
    """exp(t (L - e)) of each tilt t and loss L, with e the loss on which the tilt puts most.

    Counted from there nothing overflows.
    """
    ends = np.where(tilts > 0.0, losses[-1], losses[0])
    # One array all the way, as these are long; and no numbers so small that they are slow.
    tilted = losses - ends[:, None]
    tilted *= tilts[:, None]
    np.maximum(tilted, _SLOW, out=tilted)
    return ends, np.exp(tilted, out=tilted)


def _deviation(atoms: Sequence[Atoms], least: float) -> float:
    return float(np.sqrt(sum(one.times * one.variance(least) for one in atoms)))


def _met(one: Atoms) -> Atoms:
    """Without losses that are never met; if none is, all that is finite is next to nothing."""
    met = one.weights > 0.0
    if met.all():
        return one
    if not met.any():
        return Atoms(one.losses, np.full(one.losses.size, 1e-300), one.times)
    return Atoms(one.losses[met], one.weights[met], one.times)


def _thinned(one: Atoms) -> Atoms:
    """The same moved to fewer points, each mass to its two neighbours among them, mean kept.

    Spreading a distribution can only raise its moments, so plans made here hold for the original.
    The points grow apart with the distance from the heaviest one: rare jumps need less resolution
    than the bulk they start from.
    """
    size = one.losses.size
    if size <= _ENOUGH:
        return one
    heaviest = int(np.argmax(one.weights))
    reach = np.geomspace(1, size, _ENOUGH // 2).astype(np.intp) - 1
    points = _once(np.concatenate([heaviest - reach[::-1], heaviest + reach]).clip(0, size - 1))
    losses = one.losses[points]
    cell = (losses.searchsorted(one.losses) - 1).clip(0, losses.size - 2)
    gaps = losses[cell + 1] - losses[cell]
    share = np.divide(one.losses - losses[cell], gaps, out=np.zeros(size), where=gaps > 0.0)
    weights = sums_by_place(cell, one.weights * (1.0 - share), losses.size)
    weights += sums_by_place(cell + 1, one.weights * share, losses.size)
    return Atoms(losses, weights, one.times)


def _once(rising: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Each of the numbers once."""
    found: npt.NDArray[np.intp] = rising[np.append(True, rising[1:] != rising[:-1])]
    return found
