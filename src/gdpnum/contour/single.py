"""One release alone: its tails are known at every loss, so knots tell without any transform."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from gdpnum import charges
from gdpnum.bounds.lines import Lines
from gdpnum.bounds.sums import head_sums, tail_sum_error, tail_sums
from gdpnum.contour.chords import chord_knots, chord_lines, mus
from gdpnum.contour.decided import regrets, shown
from gdpnum.contour.fit import Fits
from gdpnum.contour.line import Knots, Rows
from gdpnum.contour.reach import OutOfReach
from gdpnum.floats import Floats, quietly
from gdpnum.pairs.pair import Pair, ReversedPair, Sampled, unsampled_loss

# What mu is looked for to, how often cells are cut for that, and into how many parts at a time.
_TOLERANCE, _TURNS, _PARTS = 1e-9, 4, 24.0

# By how much more than delta it may be wrong, and what rounding of quantiles does to it.
_BLURRED, _QUANTILES = 4.0, 5e-14

# Points of a quadrature of the loss that make up a deviation, about.
_DEVIATION = 6.0

# First knots, in such deviations: near zero, where regret is decided, around where mu is, and on.
_SIDE = np.geomspace(1e-4, 6.0, 28)
_NEAR, _AROUND = np.geomspace(1e-4, 2.0, 40), np.concatenate([-_SIDE[::-1], [0.0], _SIDE])
_ON = np.arange(0.25, 24.0, 0.25)

# The first knots of a curve, for each deviation.
_FIRST = 12.0

# Tails whose arguments cost no more than one charge.
_FAR = 1e-20


class Direct(NamedTuple):
    """A pair's own delta and exp(eps) alpha, as a reading has them."""

    pair: Pair

    def rows(self, _kept: Rows) -> Direct:
        """The same: there is one row."""
        return self

    def at(self, epsilons: Floats) -> Knots:
        """The tests "loss above eps" at increasing epsilons."""
        own = self.pair.inner if isinstance(self.pair, ReversedPair) else self.pair
        if isinstance(own, Sampled):
            found = _sampled(own, epsilons[0], adding=own is not self.pair)
        else:
            found = _tails(self.pair, epsilons[0])
        delta, size, lifted, alpha = (one[None, :] for one in found)
        wrong = np.where(alpha < _FAR, charges.growth(), charges.cell())
        wrong += tail_sum_error(epsilons.size)
        none = np.zeros_like(epsilons)
        return Knots(epsilons, delta, wrong * size, lifted, wrong * lifted, none, none)


def _tails(pair: Pair, epsilons: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """delta, what its error is relative to, exp(eps) alpha, and the smaller tail."""
    p, q = (tail_sums(one)[1:] for one in pair.cells(epsilons))
    lifted = q * np.exp(epsilons)
    return p - lifted, p + lifted, lifted, q


def _sampled(
    pair: Sampled, epsilons: Floats, *, adding: bool
) -> tuple[Floats, Floats, Floats, Floats]:
    """The same of a sampled pair, whose delta is the rate times one of the pair that is sampled.

    With P and Q of that, removing: q (P - k Q), k = 1 + (exp(eps) - 1) / q, of what is above log k;
    adding: q exp(eps) (k Q - P), k = 1 + (exp(-eps) - 1) / q, of what is below (Lemma T18).
    """
    rate, lifts = pair.rate, np.exp(epsilons)
    if not adding:
        p, q = (tail_sums(one)[1:] for one in pair.inner.cells(unsampled_loss(epsilons, rate)))
        known = q * (1.0 + np.expm1(epsilons) / rate)
        return rate * (p - known), rate * (p + known), lifts * q, q
    places = unsampled_loss(-epsilons[::-1], rate)
    p, q = (head_sums(one)[:0:-1] for one in pair.inner.cells(places))
    odds = np.expm1(-epsilons) / rate
    # From where on nothing is below, all of it is zero.
    delta = np.where(odds > -1.0, q * (1.0 + odds) - p, 0.0)
    sizes, mixed = q * (1.0 - odds) + p, (1.0 - rate) * q + rate * p
    return (rate * lifts) * delta, (rate * lifts) * sizes, lifts * mixed, np.minimum(p, q)


@quietly
def single_fit(pair: Pair, slack: float) -> Fits:
    """mu, mu_lower and regret of one release of unbounded losses, to about 1e-9 of mu.

    mu is what the chords between knots need (Lemma T16), in both directions; mu_lower what a test
    shows, and regret what all of them do. Raises `OutOfReach` where that is not told so.
    """
    reading, slacks = Direct(pair), np.array([slack])
    knots, needed, lower = _decided(reading, slacks, 0.0)
    if not pair.symmetric:
        _, other, lower = _decided(Direct(pair.reversed()), slacks, lower)
        needed = max(needed, other)
    if needed == -math.inf and lower == 0.0:
        # No delta is above the slack, and no ratio above half of it.
        return Fits(
            np.zeros(1), np.zeros(1), 0.5 * slacks, knots.delta[:, 0] + knots.delta_error[:, 0]
        )
    mu = max(needed, lower)
    if not 0.0 < lower <= mu < math.inf:
        raise OutOfReach("a mu that a single release's knots do not tell; use the lattice")
    regret, advantage = regrets(reading, knots, np.array([mu]), slacks, _TOLERANCE)
    return Fits(np.array([mu]), np.array([lower]), regret, advantage)


@quietly
def single_lines(pair: Pair) -> Lines:
    """The curve of one release of unbounded losses, by chords of both directions' delta."""
    each = [Direct(one) for one in ((pair,) if pair.symmetric else (pair, pair.reversed()))]
    losses, _, _ = pair.points()
    # Some for each deviation, from zero to the last loss.
    places = np.arange(0.0, losses.size - 1.0, _DEVIATION / _FIRST)
    first = np.unique(np.append(np.interp(places, np.arange(losses.size), losses), losses[-1]))
    first = np.append(0.0, first[first > 0.0])
    knots = [one.at(first[None, :]) for one in each]
    worst = max(knots, key=lambda one: float(one.delta.sum()))
    epsilons = chord_knots(first, worst.delta[0], worst.lifted_alpha[0])
    found = [one.at(epsilons[None, :]) for one in each]
    upper = np.max([(one.delta + one.delta_error)[0] for one in found], axis=0)
    return chord_lines(epsilons, upper)


def _decided(reading: Direct, slack: Floats, lower: float) -> tuple[Knots, float, float]:
    """Knots, the mu that the chords between them need, and the largest that a test shows.

    ``lower`` is one that is shown already: what needs less is not looked at closer.
    """
    epsilons = _first(reading.pair, float(slack[0]))
    for _ in range(_TURNS):
        knots = reading.at(epsilons[None, :])
        upper = np.minimum.accumulate((knots.delta + knots.delta_error)[0])
        if not upper[-1] <= slack[0]:
            raise OutOfReach("losses beyond all knots; use the lattice")
        needed, told = mus(epsilons, upper, float(slack[0])), shown(knots, slack)[0]
        best = int(told.argmax())
        lower = max(lower, float(told[best]))
        # Closer than delta and quantiles are known there is nothing to find.
        known = float(knots.delta_error[0, best]) / float(knots.delta[0, best])
        tolerance = max(_TOLERANCE, _BLURRED * known, _QUANTILES / max(lower, _QUANTILES))
        over = needed > (1.0 + tolerance) * lower
        if not over.any():
            break
        # What a chord needs too much falls like the square of its length.
        ends = np.maximum(np.maximum(told[:-1], told[1:]), 0.0)
        room = np.maximum(lower - ends, 0.5 * tolerance * lower)
        parts = np.clip(np.ceil(np.sqrt((needed - ends) / room)), 2.0, _PARTS)
        counted = np.append(0.0, np.cumsum(np.where(over, parts, 1.0)))
        epsilons = np.interp(np.arange(counted[-1] + 1.0), counted, epsilons)
    return knots, float(needed.max()), lower


def _first(pair: Pair, slack: float) -> Floats:
    """First knots: zero, and others by about how often a loss is above them."""
    losses, p, q = pair.points()
    tprs, alphas = tail_sums(p), tail_sums(q)
    needed = np.where((losses > 0.0) & (tprs > slack), ndtri(tprs - slack) - ndtri(alphas), -np.inf)
    zero, best = np.interp(0.0, losses, np.arange(losses.size)), float(np.argmax(needed))
    places = _DEVIATION * np.concatenate([_NEAR, _ON]) + zero
    places = np.concatenate([places, best + _DEVIATION * _AROUND])
    places = np.sort(places[(places > zero) & (places < losses.size - 1.0)])
    inner = np.interp(places, np.arange(losses.size), losses)
    found: Floats = np.concatenate([[0.0], inner, losses[-1:]])
    rising: Floats = found[np.append(True, found[1:] > found[:-1])]
    return rising
