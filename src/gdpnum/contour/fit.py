"""mu, mu_lower and regret of runs at a slack, from one transform each."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import erf, erfinv

from gdpnum import charges
from gdpnum.contour.decided import regrets, smallest
from gdpnum.contour.draft import Draft
from gdpnum.contour.jumpy import jumpy
from gdpnum.contour.ladder import ladder
from gdpnum.contour.line import Knots, Reading
from gdpnum.contour.located import nearer
from gdpnum.contour.ordinary import Ordinary, ordinary
from gdpnum.contour.pairs import Run, Steps
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.reading import reading, sought
from gdpnum.contour.rungs import LEAST, RARE, Ladder, first_knots, one_outlook
from gdpnum.contour.worth import (
    MOST,
    Rival,
    is_common,
    is_outdone,
    is_too_much,
    least_work,
    likely_frequencies,
)
from gdpnum.floats import UNIT, Floats

# The slack that most people use: what is read at it serves the whole profile, too.
_USUAL = 1e-10

#: delta is computed to this share of the slack.
TOLERANCE = 1e-9

# A run of more distinct segments goes the general way, which takes them some at a time.
_SEVERAL = 12

# The general way is tried as well where the quick one leaves mu open by more than this share; and
# by more than the second where a lattice would be quick.
_CLOSE, _CLOSE_ENOUGH = 1e-8, 1e-6

# Where rare jumps decide it hardly knows more: it is tried from this share on, and only if the
# quick way took fewer frequencies than this.
_WIDE, _OFFHAND = 1e-5, 300

# At the last knot delta counts as known if it errs by less than this share of the slack.
_KNOWN = 1e-3

# Among many runs adding, and the tail of regret, are looked at on one knot of so many.
_SOME = 3

# A transform of more frequencies is not looked at for digits of mu beyond this share.
_OFTEN, _ENOUGH = 1500, 1e-7

# Where log chi^2 is above this there is no privacy to speak of, and exp of it may overflow.
_LARGE = 600.0

# Where a bound on the advantage is below so many slacks, mu is zero or next to it.
_NOTHING = 1.27

# Looking closer at a transform may cost so many times what computing it may.
_LOOKS = 3.0


class Fits(NamedTuple):
    """Arrays by run: the smallest valid mu lies in [mu_lower, mu]; regret is that of mu."""

    mu: Floats
    mu_lower: Floats
    regret: Floats
    """A bound on Delta(f, max(0, f_mu - slack)), and so on Delta(f, f_mu)."""
    advantage: Floats
    """delta(0), from above."""

    @property
    def typical_mu(self) -> Floats:
        """The mu of a Gaussian with that advantage."""
        return _mu_of_advantage(self.advantage)


def _mu_of_advantage(advantage: Floats) -> Floats:
    found: Floats = math.sqrt(8.0) * erfinv(advantage)
    return found


@dataclass(frozen=True, eq=False)
class Effort:
    """A run, and how many frequencies times nodes it may take."""

    run: Run
    most: float
    rival: Rival | None = None
    """About the milliseconds that a lattice takes, by about what mu is: jumps are left to it, and
    its digits, where it is the quicker one. None where the contour is wanted in any case."""

    @cached_property
    def steps(self) -> Steps:
        """The run as arrays."""
        return Steps.of([self.run])

    @cached_property
    def quick(self) -> Ordinary | None:
        """Of an ordinary run what mu at the usual slack, and its whole profile, are read off."""
        return self._read(np.array([_USUAL]))

    @cached_property
    def advantage_bound(self) -> float:
        """delta(0) from above, by a formula: close where it is next to nothing."""
        return _advantage_bound(self.steps) if self.steps.is_plain else 1.0

    def _read(self, slack: Floats) -> Ordinary | None:
        return _quick(self.steps, slack, TOLERANCE, self.most, self.rival)

    def fit(self, slack: float) -> Fits:
        """mu, mu_lower and regret at a slack, as close as they are known; see `fits`."""
        slacks = np.array([slack])
        with np.errstate(all="ignore"):
            quick = self.quick if slack == _USUAL else self._read(slacks)
            lenient = self.rival is not None
            found = _fit(self.steps, quick, slacks, TOLERANCE, self.most, lenient=lenient)
        if self.steps.c.size and not found.mu[0] > 0.0:
            raise OutOfReach("a mu of zero, of which the contour knows no regret; use the lattice")
        return found


def _advantage_bound(steps: Steps) -> float:
    """Half the root of chi^2, which multiplies, of sampled Gaussians (Lemma T17)."""
    total = float(steps.variance[0])
    for c, q, count in steps.segments:
        square = max(c * c, 1e-300)
        log_chi = 2.0 * math.log(q) + square + math.log(-math.expm1(-square))
        total += count * math.log1p(math.exp(min(log_chi, _LARGE)))
    if not total < _LARGE:
        return 1.0
    return min(0.5 * math.sqrt(math.expm1(total)) * (1.0 + charges.chi_squared()), 1.0)


def gaussian(mu: Floats, slack: Floats) -> Fits:
    """Gaussians alone: f_mu itself, and f_mu - slack touches f_mu' where both have slope -1."""
    mu_lower = np.maximum(mu - _mu_of_advantage(slack), 0.0) * (1.0 - 8.0 * UNIT)
    advantage = np.minimum(erf(mu / math.sqrt(8.0)) * (1.0 + 16.0 * UNIT), 1.0)
    return Fits(mu * (1.0 + 4.0 * UNIT), mu_lower, 0.5 * slack, advantage)


def _quick(
    steps: Steps,
    slack: Floats,
    tolerance: float,
    most: float,
    rival: Rival | None = None,
) -> Ordinary | None:
    """One run of sampled Gaussians, ordinary or jumpy; None where it is neither."""
    if not steps.is_plain or steps.c.size > _SEVERAL:
        return None
    mu, reach = one_outlook(steps)
    with np.errstate(all="ignore"):
        if reach >= 1.0:
            with suppress(OutOfReach):
                return ordinary(steps, mu, slack, tolerance)
        if _advantage_bound(steps) < _NOTHING * slack[0]:
            raise OutOfReach("next to nothing beside the slack; use the lattice")
        if reach >= 1.0:
            if rival is not None and is_outdone(steps, mu, rival):
                raise OutOfReach("next to nothing, for which a lattice is quicker")
            return None
        likely = likely_frequencies(steps, mu, reach)
        outdone = rival is not None and is_outdone(steps, mu, rival, likely)
        if outdone or is_too_much(likely, most):
            raise OutOfReach(f"some {likely:.2g} frequencies would be taken; use the lattice")
        try:
            return jumpy(steps, mu, reach, slack, tolerance, most)
        except OutOfReach as error:
            # The general way may take less.
            if most < least_work(steps, float(error.work[0])) < math.inf:
                raise
    return None


def fit_alone(steps: Steps, slack: Floats, tolerance: float, most: float) -> Fits:
    """The fit of one run, as close as it is known."""
    return _fit(steps, _quick(steps, slack, tolerance, most), slack, tolerance, most)


def _fit(
    steps: Steps,
    quick: Ordinary | None,
    slack: Floats,
    tolerance: float,
    most: float,
    *,
    lenient: bool = False,
) -> Fits:
    """The fit of one run: as it was read the quick way, where that is close enough.

    ``lenient``, where a lattice would do: unless a run is such that digits are wanted.
    """
    if not steps.c.size:
        return gaussian(np.sqrt(steps.variance), slack)
    if quick is None:
        return _generally(steps, slack, tolerance, most)
    found = _read(steps, *quick.read, slack, tolerance, most)
    wide = _CLOSE * found.mu[0]
    if quick.ladder.steep[0] < 1.0:
        # The general way has nearly the same lines, and knows little more: if that costs less.
        wide = _WIDE * found.mu[0] if quick.read[1].frequencies < _OFFHAND else math.inf
    known = found.mu_lower[0] > 0.0 and found.mu[0] < math.inf
    if lenient and _width(found) > wide and not is_common(steps):
        wide = max(wide, _CLOSE_ENOUGH * found.mu[0])
    if known and _width(found) <= wide:
        return found
    try:
        # Where rounding is in the way, either may know more.
        return min(found, _generally(steps, slack, tolerance, most), key=_width)
    except OutOfReach:
        if not known:
            raise
        return found


def _width(found: Fits) -> float:
    """How far the bounds on the first mu are apart."""
    return float(found.mu[0] - found.mu_lower[0])


def _generally(steps: Steps, slack: Floats, tolerance: float, most: float) -> Fits:
    """The fit of one run, whatever it is."""
    rungs = ladder(steps, 22.0)
    return drawn(steps, rungs, *sought(steps, rungs, slack, tolerance), slack, tolerance, most)


def drawn(
    steps: Steps,
    rungs: Ladder,
    draft: Draft,
    guess: Floats,
    slack: Floats,
    tolerance: float,
    most: float,
) -> Fits:
    """The fits of runs from a draft of their reading."""
    lines = reading(steps, rungs, draft, most * steps.runs)
    by_row = np.concatenate([slack, slack])[: rungs.rungs.lam.shape[0]]
    runs, rare = steps.runs, float(rungs.steep.min()) < RARE
    if rare:
        guess = nearer(lines.lines[-1].rows(slice(runs)), guess, slack)
    near, far = first_knots(rungs, by_row, guess, lines.limits[-1], found=rare)
    if runs == 1:
        found = lines.at(np.concatenate([near, far], axis=1))
        return _read(steps, rungs, lines, found, slack, tolerance, most)
    if near.shape[0] == runs or float(rungs.middle.min()) < LEAST:
        return _read(steps, rungs, lines, _apart_at(lines, near, far), slack, tolerance, most)
    # Adding, which rarely decides, takes fewer knots.
    others = lines.rows(slice(runs, None))
    found = _apart_at(lines.rows(slice(runs)), near[:runs], far[:runs])
    adding = _apart_at(others, _fewer(near[runs:]), _fewer(far[runs:]))
    return _read(steps, rungs, lines, found, slack, tolerance, most, adding)


def _apart_at(lines: Reading, near: Floats, far: Floats) -> Knots:
    """What lines have at both; some runs have one line for all, and others need not wait for it."""
    every = lines.at(near), lines.at(far)
    return Knots(*(np.concatenate(both, axis=1) for both in zip(*every, strict=True)))


def _fewer(knots: Floats) -> Floats:
    """One of some knots, and the last."""
    return np.concatenate([knots[:, :-1:_SOME], knots[:, -1:]], axis=1)


def _thinned(knots: Knots) -> Knots:
    """Some of those in the second half only: regret is decided in the first."""
    half = knots.epsilons.shape[1] // 2
    return Knots(*(np.concatenate([one[:, :half], one[:, half::_SOME]], axis=1) for one in knots))


def _read(
    steps: Steps,
    rungs: Ladder,
    lines: Reading,
    found: Knots,
    slack: Floats,
    tolerance: float,
    most: float,
    adding: Knots | None = None,
) -> Fits:
    """The fits that a reading gives, and what it has at the first knots: of adding maybe others."""
    runs, most = steps.runs, _LOOKS * most
    if runs == 1 and rungs.steep[0] < 1.0 and lines.frequencies > _OFTEN:
        tolerance = max(tolerance, _ENOUGH)
    by_row = np.concatenate([slack, slack])[: found.epsilons.shape[0]]
    found = _end_known(found, by_row)
    if adding is None:
        needed, mu_lower = smallest(lines, found, rungs.rungs, runs, by_row, tolerance, most=most)
    else:
        adding = _end_known(adding, slack)
        one, two = slice(0, runs), slice(runs, None)
        removed = lines.rows(one), found, rungs.rungs.rows(one)
        added = lines.rows(two), adding, rungs.rungs.rows(two)
        needed, mu_lower = smallest(*removed, runs, slack, tolerance, most=most)
        known = np.where(needed < np.inf, needed, np.maximum(mu_lower, 1e-300)), mu_lower
        other, mu_lower = smallest(*added, runs, slack, tolerance, known, most=most)
        needed = np.maximum(needed, other)
    # Without sampling: the better of the two where it hardly helps.
    mu = np.minimum(needed, steps.unsampled * (1.0 + 4e-16 * (8 + steps.c.size)))
    if runs == 1 and steps.variance[0] > 0.0 and not mu[0] - mu_lower[0] <= _CLOSE * mu[0]:
        mu = np.minimum(mu, _apart(steps, slack, tolerance))
    # What contradicts itself is not known.
    mu[mu < mu_lower] = np.inf
    # A lower bound at the last knot is not known any more.
    before = Knots(*(one[:runs, :-1] for one in found))
    if adding is not None:
        before = _thinned(before)
    return Fits(mu, mu_lower, *regrets(lines, before, mu, slack, tolerance))


def _end_known(found: Knots, slack: Floats) -> Knots:
    """The knots, with it that at the last delta is from zero to the slack.

    What a line says there may be far from both: none is for so large an epsilon. Where it is known
    well all the same, there is nothing to add.
    """
    if (found.delta_error[:, -1] < _KNOWN * slack).all():
        return found
    delta, error, omitted = (one.copy() for one in (found.delta, found.delta_error, found.omitted))
    upper = np.maximum(np.fmin(delta[:, -1] + error[:, -1], slack), 0.0)
    lower = np.minimum(np.fmax(delta[:, -1] - error[:, -1], 0.0), upper)
    delta[:, -1] = 0.5 * (lower + upper)
    error[:, -1] = 0.5 * (upper - lower) + (4.0 * UNIT) * upper
    # From the sum that is as far as from delta, and what the sum lacks besides.
    omitted[:, -1] *= 2.0
    return found._replace(delta=delta, delta_error=error, omitted=omitted)


def _apart(steps: Steps, slack: Floats, tolerance: float) -> Floats:
    """sqrt(mu^2 + sum mu_i^2), mu that of the run without its Gaussians mu_i, from above.

    delta(eps) = E[delta'(eps - X)], X the Gaussians' loss and delta' <= delta_mu + slack. Where
    they outweigh the rest, G is so flat that cells would have to be too short.
    """
    try:
        rest = fit_alone(replace(steps, variance=np.zeros(1)), slack, tolerance, MOST)
    except OutOfReach:
        return np.full(1, np.inf)
    bound: Floats = np.sqrt(steps.variance + rest.mu**2) * (1.0 + 8.0 * UNIT)
    return bound
