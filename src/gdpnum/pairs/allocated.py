"""Random allocation: a record takes part in one of t steps, chosen at random and kept secret.

P is the mean over i of N(e_i, sigma^2 I), Q is N(0, sigma^2 I), and under Q the ratio is the mean
of t independent lognormals, W = (w_1 + ... + w_t) / t. Both profiles are means of convex functions
of W. So whatever spreads the w with their mean kept bounds them from above, in both directions at
once, and whatever merges outcomes bounds them from below (docs/proofs_batches.md, B4).

The w are common and small, or rare and large. With c between the two, K of them above it:

- from above, the sum of t - k small ones, k at most K, and of what each large one exceeds the mean
  of a small one by: to add K - k centred draws too many only spreads;
- from below, the sum of t - k small ones, k at least K, and the mean of the others.

Small ones are added on a lattice (`sum_law`), excesses on a grid that grows coarser with them
(`minifloat`). Where W is spread over decades all is done on the grid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from gdpnum import charges
from gdpnum.errors import BudgetExceeded
from gdpnum.floats import Floats
from gdpnum.pairs.atomic import AtomicPair, ComputedPair, ordered_atoms
from gdpnum.pairs.claims import twice
from gdpnum.pairs.lognormal import Cells, cells, first_cell
from gdpnum.pairs.minifloat import GridLaw, grid_power, joined, numbers, placed, places
from gdpnum.pairs.pair import Pair
from gdpnum.pairs.sum_law import SumLaw, power

# What may be cut off in all, of either measure; much below any slack or delta of interest.
_CUT = 1e-19

# The lattice of small ratios in standard deviations of them, and of their sum.
_FIRST, _FINENESS = 0.04, 0.03

# Quadrature of the first lattice at most.
_LONGEST = 8192

# Binary digits of the grids of one excess, of sums of several, and of the result; of little noise
# such sums decide more.
_ONE, _MANY, _RESULT = 7, 5, 10
_LITTLE_NOISE = 0.7

# How many large ratios are expected, at first; more where the lattice of the small would be long.
_EXPECTED = (0.1, 0.3, 1.0, 3.0, 10.0)

# Of one step at most so much is a large ratio.
_LARGEST_SHARE = 1e-4

# Above this relative deviation W is spread over decades.
_WIDE = 0.3

# More terms than this are never added up in one place of a grid, for each of its points.
_TERMS = 256


@dataclass(frozen=True)
class AllocatedPair(ComputedPair):
    """One record in one of so many steps, from above or (``merged``) from below.

    With ``exchanged`` it is exchanged for another: removed, and one added. Computed when first
    asked; its masses err by what is granted to their side. From below the sides of P and of Q
    depend on which of them an attack is to recognise: ``turned``, it is Q, and the pair (Q, P).
    """

    sigma: float
    steps: int
    merged: bool = False
    exchanged: bool = False
    turned: bool = False

    def reversed(self) -> Pair:
        return replace(self, turned=not self.turned) if self.merged else super().reversed()

    @cached_property
    def atoms(self) -> AtomicPair:
        """The pair, outcome by outcome."""
        with np.errstate(under="ignore"):
            law = _law(1.0 / self.sigma, self.steps, merged=self.merged)
            if self.merged:
                return law.attacked(turned=self.turned)
            once = law.dominating()
            return twice(once) if self.exchanged else once

    @property
    def symmetric(self) -> bool:
        return self.exchanged

    @property
    def mass_at_infinity(self) -> float:
        # From below nothing is cut off but left out; to say so takes no computing.
        return 0.0 if self.merged else self.atoms.mass_at_infinity


class _Law(NamedTuple):
    """Outcomes with their P and Q masses, how wrong each may be, relatively, and what is cut off.

    ``skew`` is how wrong the ratio of the two may be, where it is a mean of ratios (Lemma B5).
    """

    p: Floats
    q: Floats
    grown: float
    skew: Floats
    p_cut: float = 0.0
    q_cut: float = 0.0

    def dominating(self) -> AtomicPair:
        """The pair with all masses raised, and what is cut off at infinity."""
        more, kept = 1.0 + self.grown, self._kept
        p, q = (more * one for one in (self.p, self.q))
        p_cut, q_cut = (float(one[~kept].sum()) for one in (p, q))
        return ordered_atoms(p[kept], q[kept], self.p_cut + p_cut, self.q_cut + q_cut)

    def attacked(self, *, turned: bool) -> AtomicPair:
        """What an attack may count on: masses of both from below, and ratios to its disadvantage.

        It does not reject at what is cut off.
        """
        kept, less = self._kept, 1.0 - self.grown
        p, q, skew = less * self.p[kept], less * self.q[kept], self.skew[kept]
        return ordered_atoms(q, p * (1 + skew)) if turned else ordered_atoms(p * (1 - skew), q)

    @property
    def _kept(self) -> NDArray[np.bool_]:
        kept: NDArray[np.bool_] = (self.p > 1e-300) & (self.q > 1e-300)
        return kept


@lru_cache(maxsize=16)
def _law(s: float, steps: int, *, merged: bool) -> _Law:
    """The law of both directions, from above or from below."""
    if math.expm1(min(s**2, 100.0)) > _WIDE**2 * steps:
        return _wide(s, steps, merged=merged)
    at = _cut(s, steps)
    return _below(at) if merged else _above(at)


class _Cut(NamedTuple):
    """Where small ratios end, the share of large ones, the mean and deviation of small ones."""

    s: float
    steps: int
    cut: float
    share: float
    mean: float
    deviation: float
    step: float
    most: int

    @property
    def lowest(self) -> float:
        """A ratio below which next to none lies."""
        return _ratio(self.s, float(ndtri(_CUT / self.steps)))

    @property
    def weights(self) -> list[float]:
        """Pr[K = k] for k = 0, 1, ... up to the most."""
        found = [math.exp(self.steps * math.log1p(-self.share))]
        odds = self.share / (1.0 - self.share)
        for k in range(1, min(self.most, self.steps) + 1):
            found.append(found[-1] * odds * (self.steps - k + 1) / k)
        return found


def _ratio(s: float, z: float) -> float:
    return math.exp(s * z - 0.5 * s**2)


def _cut(s: float, steps: int) -> _Cut:
    """The cut for which the lattice of small ratios is short, and large ones are few."""
    for expected in _EXPECTED:
        share = min(expected / steps, _LARGEST_SHARE)
        z = -float(ndtri(share))
        mean = float(ndtr(z - s)) / (1.0 - share)
        square = math.exp(s**2) * float(ndtr(z - 2.0 * s)) / (1.0 - share)
        # Of little noise the difference has no digits, and what is cut off makes none.
        deviation = math.sqrt(square - mean**2) if s > 0.1 else s
        step = 2.0 ** math.floor(math.log2(_FIRST * deviation))
        most = 2
        while charges.many_jumps(share * steps, most - 1) > _CUT:
            most += 1
        found = _Cut(s, steps, _ratio(s, z), share, mean, deviation, step, most)
        if found.cut - found.lowest <= _LONGEST * step:
            return found
    raise BudgetExceeded(
        f"sigma={1.0 / s:.3g} with {steps} steps to choose from has ratios of too many sizes; "
        "describe more noise or fewer steps an epoch"
    )


def _split(found: Cells) -> Floats:
    """Masses at the ends of adjoining cells, means kept."""
    masses = np.append(found.down, 0.0)
    masses[1:] += found.up
    return masses


def _with_first(zero: Cells, body: Cells) -> Cells:
    return Cells(*(np.concatenate(both) for both in zip(zero, body, strict=True)))


def _small(at: _Cut, *, merged: bool) -> SumLaw:
    """The small ratios on a lattice: split between its points, or merged about them."""
    start = max(0, math.floor(at.lowest / at.step) - 1)
    ends = at.step * np.arange(start, math.ceil(at.cut / at.step) + 1, dtype=np.float64)
    high = np.minimum(ends[1:], at.cut)
    first = int(start == 0)
    found = cells(ends[first:-1], high[first:], at.s, (ends[first:-1], ends[1 + first :]))
    if first:
        found = _with_first(first_cell(float(ends[1]), at.s), found)
    whole = 1.0 - at.share
    if merged:
        return SumLaw(start, at.step, found.mass / whole, found.moment / whole)
    missing = 0.0 if first else _CUT / at.steps
    return SumLaw(start, at.step, _split(found) / whole, None, missing, missing)


def _large(at: _Cut, *, merged: bool) -> GridLaw:
    """The excess of one large ratio over the mean of a small one, in lattice steps."""
    highest = _ratio(at.s, _highest(at.s, at.steps))
    reach = np.array([at.cut - at.mean, highest - at.mean]) / at.step
    first, last = (int(one) for one in places(reach, _ONE).indices)
    nodes = numbers(np.arange(first, last + 2), _ONE) * at.step + at.mean
    low = np.maximum(nodes[:-1], at.cut)
    found = cells(low, np.maximum(nodes[1:], low), at.s, (nodes[:-1], nodes[1:]))
    if merged:
        excess = np.maximum(found.moment - at.mean * found.mass, 0.0)
        return GridLaw(_ONE, first, found.mass / at.share, excess / at.share)
    return GridLaw(_ONE, first, _split(found) / at.share)


def _highest(s: float, steps: int) -> float:
    """The deviate beyond which there is next to nothing, even of P, even in so many steps."""
    return max(s - float(ndtri(0.1 * _CUT)), -float(ndtri(0.1 * _CUT / steps)))


def _several(one: GridLaw, at: _Cut) -> GridLaw | None:
    """The law of all excesses together, on the event that there are two or more."""
    digits = _MANY + (at.s * _LITTLE_NOISE > 1.0)
    coarse = placed(one.values, one.masses, one.moments, digits)
    sums, found = coarse, []
    for weight in at.weights[2:]:
        sums = sums.plus(coarse, digits)
        found.append(sums.scaled(weight))
    return joined(found) if found else None


class _Part(NamedTuple):
    """Q masses of some outcomes, and P masses times t: Q masses times the sum of ratios."""

    q: Floats
    moments: Floats
    skew: float


def _alone(bulk: SumLaw, at: _Cut, weight: float) -> _Part:
    moments = bulk.values * bulk.masses if bulk.moments is None else bulk.moments
    return _Part(weight * bulk.masses, weight * moments, _skew(bulk, at))


def _together(bulk: SumLaw, excess: GridLaw, at: _Cut, offset: float) -> _Part:
    """Small and large ratios together; ``offset`` is what else the sum has on average.

    The further apart the excesses, the coarser may be what they are added to.
    """
    unit, found = bulk.step, []
    half = 1 << (excess.digits - 1)
    octave = np.maximum((excess.first + np.arange(excess.masses.size)) // half - 1, 0)
    shared = 4.0 * _FINENESS * math.sqrt(at.steps) * at.deviation
    for exponent in np.unique(octave):
        part = octave == exponent
        while 2.0 * bulk.step <= max(at.step * 2.0**exponent, 0.5 * shared):
            bulk = bulk.coarser()
        ratio = bulk.step / unit
        positions = ratio * (bulk.start + np.arange(bulk.masses.size, dtype=np.float64))
        masses, moments = excess.masses[part], None
        if bulk.moments is not None and excess.moments is not None:
            moments = np.multiply.outer(bulk.moments + offset * bulk.masses, masses)
            moments += np.multiply.outer(bulk.masses, excess.moments[part])
        sums = np.add.outer(positions, (at.step / unit) * excess.values[part])
        found.append((sums, np.multiply.outer(bulk.masses, masses), moments))
    lowest = math.floor(min(float(sums.min()) for sums, _, _ in found))
    laws = [placed(sums - lowest, masses, moments, _RESULT) for sums, masses, moments in found]
    law = joined(laws)
    skew = _skew(bulk, at) + 2.0 * _joining(at)
    if law.moments is not None:
        return _Part(law.masses, law.moments, skew)
    values = unit * (law.values + lowest) + offset
    return _Part(law.masses, law.masses * values, skew)


def _above(at: _Cut) -> _Law:
    small, one, weights = _small(at, merged=False), _large(at, merged=False), at.weights
    two_less, draw = power(small, at.steps - 2, fineness=_FINENESS, missing=_CUT)
    one_less = two_less.times(draw).trimmed(_CUT)
    bulk = one_less.times(draw).trimmed(_CUT)
    parts = [_alone(bulk, at, weights[0]), _together(one_less, one.scaled(weights[1]), at, at.mean)]
    several = _several(one, at)
    if several is not None:
        parts.append(_together(two_less, several, at, 2.0 * at.mean))
    # Larger ratios than the grid has, more of them than are added, sums off the lattice.
    z = _highest(at.s, at.steps)
    rare = charges.many_jumps(at.share * at.steps, at.most - 1) + at.steps * float(ndtr(-z))
    q_cut = 2.0 * (bulk.missing + rare)
    p_cut = 2.0 * bulk.lost / at.steps + q_cut + float(ndtr(at.s - z))
    return _gathered(parts, at.steps, _growth(at, bulk), p_cut, q_cut)


def _below(at: _Cut) -> _Law:
    small, one, weights = _small(at, merged=True), _large(at, merged=True), at.weights
    one_less, draw = power(small, at.steps - 1, fineness=_FINENESS, missing=_CUT)
    bulk = one_less.times(draw).trimmed(_CUT)
    parts = [_alone(bulk, at, weights[0]), _together(one_less, one.scaled(weights[1]), at, at.mean)]
    several = _several(one, at)
    if several is not None:
        most = len(weights) - 1
        rest, _ = power(small, at.steps - most, fineness=_FINENESS, missing=_CUT)
        parts.append(_together(rest, several, at, most * at.mean))
    return _gathered(parts, at.steps, _growth(at, bulk))


def _growth(at: _Cut, bulk: SumLaw) -> float:
    """The relative error of all masses: small ratios, large ones, their sums, their products."""
    one = charges.ratio_cell(_reach(at.s, at.steps))
    return charges.power(at.steps, one, bulk.error + _joining(at))


def _joining(at: _Cut) -> float:
    """The relative error of adding large ratios, to one another and to the small ones."""
    one = charges.ratio_cell(_reach(at.s, at.steps))
    large = (at.most + 1) * (one + charges.product_sum(_TERMS * 2**11))
    return large + charges.product_sum(_TERMS * 2**14)


def _skew(bulk: SumLaw, at: _Cut) -> float:
    """How wrong a mean of ratios may be: each is a quotient of two, an excess a difference."""
    return bulk.skew + 8.0 * charges.ratio_cell(_reach(at.s, at.steps))


def _reach(s: float, steps: int) -> float:
    """The largest exponent in the quadrature of a ratio: z^2 / 2, s z and s^2 / 2 together."""
    return 0.5 * (_highest(s, steps) + s) ** 2


def _wide(s: float, steps: int, *, merged: bool) -> _Law:
    """The pair where W is spread over decades: ratios and their sums on one grid."""
    # As fine as the spread of the ratios asks for, so that there are always about as many points.
    digits = min(max(math.ceil(math.log2(96.0 / s)), 3), 7)
    unit = 2.0 ** math.floor(s * float(ndtri(_CUT)) / math.log(2.0))
    z = _highest(s, steps)
    last = int(places(np.array([_ratio(s, z) / unit]), digits).indices[0])
    nodes = numbers(np.arange(1, last + 2), digits) * unit
    found = _with_first(
        first_cell(unit, s), cells(nodes[:-1], nodes[1:], s, (nodes[:-1], nodes[1:]))
    )
    if merged:
        one = GridLaw(digits, 0, found.mass, found.moment)
    else:
        one = GridLaw(digits, 0, _split(found))
    law, gone, lost, additions = grid_power(one, steps, missing=_CUT)
    moments = law.values * unit * law.masses if law.moments is None else law.moments
    # Each of the additions counts once for every result of it that goes into the sum.
    sums = 2.0 * charges.product_sum(_TERMS * one.masses.size) if additions > 0 else 0.0
    grown = charges.power(steps, charges.ratio_cell(_reach(s, steps)) + sums, 0.0)
    rare = steps * float(ndtr(-z))
    q_cut, p_cut = gone + rare, lost * unit / steps + gone + rare + float(ndtr(s - z))
    part = _Part(law.masses, moments, 2.0 * grown)
    if merged:
        return _gathered([part], steps, grown)
    return _gathered([part], steps, grown, p_cut, q_cut)


def _gathered(
    parts: list[_Part], steps: int, grown: float, p_cut: float = 0.0, q_cut: float = 0.0
) -> _Law:
    """All outcomes of the parts, whose P masses are times t."""
    if grown > 1e-3:
        raise BudgetExceeded(
            f"rounding of {steps} steps would not fit its budget; describe fewer steps an epoch"
        )
    q = np.concatenate([part.q for part in parts])
    p = np.concatenate([part.moments for part in parts]) / steps
    skew = np.concatenate([np.full(part.q.size, part.skew) for part in parts])
    return _Law(p, q, grown, skew, p_cut, q_cut)
