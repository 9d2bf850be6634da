"""The curve of the best of several runs: a mixture of shifted profiles of one run.

The winner has the density p(y) phi'(P[<= y]), phi the generating function of the number of runs.
Where P[<= y] = u, Q[<= y] is at least f(1 - u), and phi' rises, so

    delta(eps) <= integral of sup_u (p phi'(u) - exp(eps) q phi'(f(1 - u)))+.

The supremum is a convex function of p / q: with kinks exp(eps) r_k, where its slope rises by s_k,
the integral is sum_k s_k delta_run(eps + log r_k). The s_k sum to phi'(1) = E[K], the r_k do not
depend on eps, and the least of them is 1 / c of the bound E[K] delta_run(eps - log c).

That is good for large epsilons. For small ones another bound is: given K = k, the best of k runs is
a function of all of them, and profiles are convex, so
delta(eps) <= sum_k Pr[K = k] delta_(run * k)(eps). The smaller of the two holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincc

from gdpnum import charges
from gdpnum.bounds.claims import lines_of_claims
from gdpnum.curve.curve_pair import pair_of_curve
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.floats import Floats
from gdpnum.kind import Kind, Missing, kind_of, no_mu
from gdpnum.mechanisms.mechanism import Mechanism
from gdpnum.mechanisms.noise import Gaussian
from gdpnum.mechanisms.tuning import BestOf
from gdpnum.pairs.pair import Bracket, Pair
from gdpnum.releases import releases
from gdpnum.renyi.concentration import by_pair
from gdpnum.rounding import as_given, times

CurveOf = Callable[[Mechanism, float], TradeoffCurve]
"""What accounts for a run to a tolerance."""

# Places at which the supremum over u is taken, in 1 - u; between them it is bounded.
_PLACES = 10_000

# Hinges that are kept of those found, and how far out the farthest may be.
_HINGES, _FARTHEST = 500, 1e300

# Numbers of runs are taken in blocks, until hardly anything is hidden any more. They grow by the
# second factor where each costs a composition, by the first where a formula has it.
_FINE, _COARSE, _MOST_BLOCKS, _REVEALED = 1.03, 1.25, 400, 0.995

# Claims of the profile that a curve is made of, and what is next to nothing.
_CLAIMS, _TINY = 1024, 1e-17


class SelectionBound(NamedTuple):
    """delta(eps) <= sum_k weights_k delta_run(eps + shifts_k), for eps >= 0."""

    run: TradeoffCurve
    weights: Floats
    shifts: Floats

    def delta(self, epsilons: Floats) -> Floats:
        """The bound at epsilons >= 0."""
        found = np.zeros(epsilons.size)
        for place, epsilon in enumerate(epsilons.tolist()):
            moved = epsilon + self.shifts
            parts = self.weights * self.run.delta(moved - charges.winner_shift(moved))
            found[place] = parts.sum()
        return _raised(found, self.weights.size)


def selection_bound(tuned: BestOf, run: TradeoffCurve) -> SelectionBound:
    """The mixture for a run known by its curve."""
    run = run.symmetrised()
    # Finer where phi' and f change: in 1 - u, near 0 by powers.
    places = np.union1d(
        np.append(0.0, np.geomspace(1e-12, 1.0, _PLACES)), np.linspace(0.0, 1.0, _PLACES)
    )
    low, high = places[:-1], places[1:]
    # Within a cell u is at most 1 - low, and f(1 - u) at least f(high).
    share = charges.winner_density(_steepness(tuned))
    slopes = _density(tuned, low) * (1.0 + share)
    missed = 1.0 - np.asarray(run.beta(high))
    drops = _density(tuned, missed) * max(0.0, 1.0 - share)
    return SelectionBound(run, *_hinges(slopes, drops))


def _density(tuned: BestOf, left: Floats) -> Floats:
    """phi'(1 - x): the expected number of runs, times how likely all others are below."""
    mean, gamma = tuned.mean or 0.0, tuned.gamma
    if gamma is None:
        # Poisson's law; a fixed number is so many releases, and does not come here.
        return np.asarray(mean * np.exp(-mean * left))
    # phi'(u) = E[K] (gamma / (gamma + (1 - gamma)(1 - u)))^(eta + 1)
    reached = gamma / (gamma + (1.0 - gamma) * left)
    return np.asarray(mean * reached ** (tuned.shape + 1.0))


def _steepness(tuned: BestOf) -> float:
    """The largest derivative of log phi'."""
    if tuned.number == "poisson":
        return tuned.mean or 0.0
    return (tuned.shape + 1.0) / (tuned.gamma or 1.0)


def _hinges(slopes: Floats, drops: Floats) -> tuple[Floats, Floats]:
    """Weights and log-kinks of r -> max_i (slope_i r - drop_i)+, an upper hull of lines."""
    # Of lines as steep as each other the one that drops least.
    order = np.lexsort((-drops, slopes))
    lines = [(0.0, 0.0)]
    kinks: list[float] = []
    for slope, drop in zip(slopes[order].tolist(), drops[order].tolist(), strict=True):
        while True:
            if slope <= lines[-1][0]:
                if len(lines) == 1 or drop >= lines[-1][1]:
                    break
            else:
                kink = (drop - lines[-1][1]) / (slope - lines[-1][0])
                if not kinks or kink > kinks[-1]:
                    lines.append((slope, drop))
                    kinks.append(kink)
                    break
            lines.pop()
            kinks.pop()
    weights = np.diff([slope for slope, _ in lines])
    # A kink of zero, where phi' underflows, is as good as a loss of minus infinity.
    shifts = [math.log(kink) if kink > 0.0 else -_FARTHEST for kink in kinks]
    return _merged(weights, np.array(shifts))


def _merged(weights: Floats, shifts: Floats) -> tuple[Floats, Floats]:
    """Fewer hinges: those next to each other become one at the least of their kinks."""
    edges = np.linspace(shifts[0], shifts[-1], _HINGES)
    group = np.searchsorted(edges, shifts, side="right")
    first = np.flatnonzero(np.diff(group, prepend=-1))
    return np.add.reduceat(weights, first), shifts[first]


def _raised(deltas: Floats, terms: int) -> Floats:
    return np.minimum(deltas * (1.0 + charges.winner_profile(terms)), 1.0)


class RunsBound(NamedTuple):
    """delta(eps) <= sum_i chances_i delta_i(eps) + rest: by how many runs there are."""

    curves: tuple[TradeoffCurve, ...]
    chances: Floats
    rest: float

    def delta(self, epsilons: Floats) -> Floats:
        """The bound at epsilons >= 0."""
        found = np.zeros(epsilons.size)
        for curve, chance in zip(self.curves, self.chances.tolist(), strict=True):
            found += chance * np.asarray(curve.delta(epsilons))
        return _raised(found + self.rest, len(self.curves))


def runs_bound(
    tuned: BestOf, composed: Callable[[int], TradeoffCurve], *, growth: float
) -> RunsBound:
    """The mixture over the number of runs; ``composed(k)`` is the curve of k runs together.

    Numbers are taken in blocks that grow by a factor, each as its largest: more runs reveal no
    less.
    """
    curves: list[TradeoffCurve] = []
    chances: list[float] = []
    most = 0
    below = _chance_up_to(tuned, 0)
    while below < 1.0 - _TINY and len(curves) < _MOST_BLOCKS:
        most = max(most + 1, int(most * growth))
        reached = _chance_up_to(tuned, most)
        curves.append(composed(most))
        chances.append(max(0.0, reached - below + charges.run_chance(most)))
        below = reached
        if curves[-1].advantage > _REVEALED:
            break
    rest = max(0.0, 1.0 - below) + charges.run_chance(most)
    return RunsBound(tuple(curves), np.array(chances), rest)


def _chance_up_to(tuned: BestOf, most: int) -> float:
    """Pr[K <= most]."""
    if tuned.number == "poisson":
        return float(gammaincc(most + 1.0, tuned.mean or 0.0))
    gamma, eta = tuned.gamma or 1.0, tuned.shape
    if most == 0:
        return 0.0
    # Ratios of successive chances are (1 - gamma)(k + eta) / (k + 1).
    k = np.arange(1.0, most)
    ratios = (1.0 - gamma) * (k + eta) / (k + 1.0)
    first = float(_density(tuned, np.ones(1))[0])
    return min(1.0, first * float(1.0 + np.cumprod(ratios).sum()))


@lru_cache(maxsize=32)
def best_of_curve(tuned: BestOf, curve_of: CurveOf, tolerance: float = 1e-3) -> TradeoffCurve:
    """The curve of the best of several runs, from below."""

    def composed(count: int) -> TradeoffCurve:
        return curve_of(tuned.run * count, max(tolerance, 3e-3))

    run = curve_of(tuned.run, tolerance)
    growth = _FINE if isinstance(run, GaussianCurve) else _COARSE
    with np.errstate(under="ignore"):
        bound = selection_bound(tuned, run)
        by_number = runs_bound(tuned, composed, growth=growth)
        epsilons = _claimed(bound)
        deltas = np.minimum(bound.delta(epsilons), by_number.delta(epsilons))
        return PiecewiseCurve(lines_of_claims(epsilons, deltas))


def _claimed(bound: SelectionBound) -> Floats:
    """The epsilons of the claims: up to where hardly anything is left, finer near zero."""
    least = max(_TINY, float(bound.weights.sum()) * bound.run.mass_at_infinity * (1.0 + 1e-9))
    last = 1.0
    while last < 1e6 and float(bound.delta(np.array([last]))[0]) > least:
        last *= 2.0
    low, high = 0.0, last
    for _ in range(12):
        middle = 0.5 * (low + high)
        if float(bound.delta(np.array([middle]))[0]) > least:
            low = middle
        else:
            high = middle
    return np.union1d(np.linspace(0.0, high, _CLAIMS), [high, last, 2.0 * last])


# --- its record ---------------------------------------------------------------------------------


def tuning_kind(curve_of: CurveOf) -> Kind:
    """The record of `BestOf`, given what accounts for a run: that comes after this layer."""

    def curve(leaf: BestOf) -> TradeoffCurve:
        return best_of_curve(leaf, curve_of)

    def above(leaf: BestOf) -> Pair | None:
        found = curve(leaf)
        return pair_of_curve(found) if found.advantage > 0.0 else None

    def together(leaf: BestOf, count: int) -> Sequence[tuple[Pair | Bracket, int]]:
        # With a score that says nothing the best is like any other run. Of a Poisson number there
        # may be none at all.
        runs = [] if leaf.number == "poisson" else releases(leaf.run).below
        attacks = [(Bracket(None, one.pair), count * one.times) for one in runs]
        return [(Bracket(above(leaf), None), count), *attacks]

    return Kind(
        description=BestOf,
        example=BestOf(Gaussian(sigma=2.0), number="geometric", mean=3.0),
        pair=lambda leaf: Bracket(above(leaf), None),
        squared_mu=no_mu,
        mass_at_infinity=lambda leaf: curve(leaf).mass_at_infinity,
        **by_pair(above),
        curve=Missing("its curve is a bound: an attack on one run is all that is known from below"),
        knob=Missing("what is tuned has the noise; calibrate a function of it"),
        words=_words,
        readers=("RepeatAndSelectDpEvent",),
        together=together,
        is_several=lambda _: True,
    )


def _words(leaf: BestOf, count: int | None) -> str:
    law = f"{str(leaf.number).replace('_', ' ')}, mean {as_given(leaf.mean or 1.0)}"
    runs = "; ".join(kind_of(part).words(part, often) for part, often in leaf.run.parts)
    return (
        f"the best of a random, undisclosed number of runs ({law}){times(count)}; each run: {runs}"
    )
