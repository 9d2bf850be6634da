"""Few outcomes, multiplied out: what has atoms only needs no lattice.

So few do not yet add up to something smooth, and a lattice between whose points they lie would be
read off wherever a chord is furthest from them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gdpnum import charges
from gdpnum.bounds.attacks import Attacks
from gdpnum.bounds.lines import Lines, Vertices, lines_of_masses
from gdpnum.bounds.sums import head_sums, tail_sum_error, tail_sums
from gdpnum.floats import Floats
from gdpnum.formulas.mass_at_infinity import joint_mass_at_infinity
from gdpnum.pairs.atomic import AtomicPair
from gdpnum.pairs.pair import Release

#: Outcomes that take about as long as a lattice does.
MOST_OUTCOMES = 2**14

# More releases than this are smooth enough for a lattice.
_FEW = 64

# Losses no further apart than this, relative to the largest, are one but for rounding.
_SAME = 1e-14


class Outcomes(NamedTuple):
    """All outcomes of some releases together, by rising loss, with their P and Q masses.

    P and Q masses are known to ``growth``, and so is a loss besides what it ``drifts``.
    """

    losses: Floats
    p: Floats
    q: Floats
    mass_at_infinity: float
    mass_at_minus_infinity: float
    growth: float
    drift: float

    def reversed(self) -> Outcomes:
        """The same with P and Q exchanged."""
        return self._replace(
            losses=-self.losses[::-1],
            p=self.q[::-1],
            q=self.p[::-1],
            mass_at_infinity=self.mass_at_minus_infinity,
            mass_at_minus_infinity=self.mass_at_infinity,
        )

    def lines(self) -> Lines:
        """The profile from above: P masses raised, and losses by so much that Q masses are not."""
        losses, first = self._raised()
        masses = np.maximum(self.p[first:] * (1.0 + self.growth), 1e-300)
        return lines_of_masses(losses[first:], masses, self.mass_at_infinity)

    def vertices(self, lines: Lines) -> Vertices:
        """The vertices of the lines, those betas better that are small."""
        plain = lines.vertices()
        _, first = self._raised()
        if self.total > 1.0 + self.growth or first == self.losses.size:
            return plain
        missed = head_sums(self.p)[first : first + plain.betas.size]
        missed = missed * (1.0 - self.growth - tail_sum_error(self.p.size))
        return plain._replace(betas=np.maximum(plain.betas, missed))

    def attacks(self) -> Attacks:
        """Tests that reject from some loss on, and one at an infinite loss only.

        P is taken from below and Q from above.
        """
        first = min(int(np.searchsorted(self.losses, 0.0)), self.losses.size - 1)
        rounding = self.growth + tail_sum_error(self.p.size)
        tails = np.append(tail_sums(self.p)[first:], 0.0)
        tprs = (tails + self.mass_at_infinity) * (1.0 - rounding)
        betas = 1.0 - tprs
        if self.total >= 1.0 - self.growth:
            # Otherwise P masses have been lowered, and what they lack is missed as well.
            heads = head_sums(np.append(self.p, 0.0))[first:]
            betas = np.minimum(betas, heads * (1.0 + rounding))
        alphas = np.append(tail_sums(self.q)[first:] * (1.0 + rounding), 0.0) + 1e-300
        losses = np.append(self.losses[first:], self.losses[-1] + 1.0)
        return Attacks(losses, 0.0, tprs, betas, np.log(alphas))

    @property
    def total(self) -> float:
        """All of P."""
        return float(tail_sums(self.p)[0]) + self.mass_at_infinity

    def _raised(self) -> tuple[Floats, int]:
        """The losses that lines have, and which of them is the first above zero."""
        losses = self.losses + (4.0 * self.growth + self.drift)
        return losses, int(np.searchsorted(losses, 0.0, side="right"))


def outcomes(
    releases: Sequence[Release], most: int = MOST_OUTCOMES, *, given: bool = False
) -> Outcomes | None:
    """All outcomes of releases together; None if some have no atoms, or all have more than that.

    Where their masses are ``given``, as those of a curve are, only sums and products round.
    """
    pairs = [(pair, n) for pair, n in releases if isinstance(pair, AtomicPair)]
    count = sum(n for _, n in pairs)
    number = math.prod(math.comb(pair.losses.size + n - 1, n) for pair, n in pairs)
    if len(pairs) < len(releases) or count > _FEW or number > most:
        return None
    if not all(_is_as_said(pair) for pair, _ in pairs):
        return None
    reach = sum(n * max(abs(pair.lowest), abs(pair.highest)) for pair, n in pairs)
    losses, p, q, spread = np.zeros(1), np.ones(1), np.ones(1), 0.0
    for pair, times in pairs:
        for _ in range(times):
            losses, p, q, width = _together(losses, p, q, pair, _SAME * reach)
            spread += width
    return Outcomes(
        losses,
        p,
        q,
        joint_mass_at_infinity((pair.mass_at_infinity, n) for pair, n in pairs),
        joint_mass_at_infinity((pair.mass_at_minus_infinity, n) for pair, n in pairs),
        growth=count * (charges.chord() if given else charges.growth()),
        drift=charges.drift(count * reach) + spread,
    )


def _is_as_said(pair: AtomicPair) -> bool:
    """Whether losses are those of the masses, as far as these can tell."""
    seen = (pair.p > 1e-290) & (pair.q > 1e-290)
    losses = np.log(pair.p[seen]) - np.log(pair.q[seen])
    return bool((np.abs(losses - pair.losses[seen]) <= 2.0 * charges.growth()).all())


def _together(
    losses: Floats, p: Floats, q: Floats, pair: AtomicPair, same: float
) -> tuple[Floats, Floats, Floats, float]:
    """Each outcome with each of another release, those of one loss as one; and how far off those.

    Which is told as the largest; with P and Q exchanged that is the smallest, so it may be off.
    """
    sums = np.add.outer(losses, pair.losses).ravel()
    order = np.argsort(sums, kind="stable")
    sums = sums[order]
    last = np.append(np.diff(sums) > same, True)
    starts = np.append(0, np.flatnonzero(last)[:-1] + 1)
    p, q = (
        np.add.reduceat(np.outer(*both).ravel()[order], starts)
        for both in ((p, pair.p), (q, pair.q))
    )
    return sums[last], p, q, float((sums[last] - sums[starts]).max())
