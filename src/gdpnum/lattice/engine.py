"""LatticeBounds: what the lattice engine finds of releases, each part when first asked for."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from gdpnum import charges
from gdpnum.accuracy import Accuracy
from gdpnum.bounds.attacks import Attacks
from gdpnum.bounds.envelope import envelope
from gdpnum.bounds.lines import Lines, Vertices
from gdpnum.errors import BudgetExceeded
from gdpnum.lattice.above import upper_bound
from gdpnum.lattice.below import attacks
from gdpnum.lattice.compose import ComposedLoss
from gdpnum.lattice.outcomes import MOST_OUTCOMES, Outcomes, outcomes
from gdpnum.lattice.plan import Plan, plan
from gdpnum.lattice.reading import lines_of, vertices_of
from gdpnum.pairs.pair import Release

# Milliseconds that a fit takes in any case, for each segment and for each point, on one core; how
# many times that if it is refined, and the share of mu from which on rounding makes it be.
_ANYWAY, _EACH, _POINT, _REFINED, _SHOWS = 2.9, 1.3, 6e-4, 5.0, 4e-3


def directions(found: list[Release]) -> list[list[Release]]:
    """The releases, and where it matters the same with P and Q exchanged."""
    if all(release.pair.symmetric for release in found):
        return [found]
    return [found, [Release(release.pair.reversed(), release.times) for release in found]]


class LatticeBounds:
    """Bounds on the profile of releases, from above and from below, in both directions.

    ``above`` are releases that dominate what was run, ``below`` such as it dominates; they are one
    list where the pairs are exact.
    """

    def __init__(
        self,
        above: list[Release],
        below: list[Release],
        accuracy: Accuracy,
        *,
        most_outcomes: int = MOST_OUTCOMES,
        given: bool = False,
    ) -> None:
        self._above, self._below, self._accuracy = above, below, accuracy
        self._most, self._given = most_outcomes if accuracy.grid_step is None else 0, given

    @cached_property
    def _outcomes(self) -> list[Outcomes]:
        """All outcomes where they are few, in one direction or both; none where they are not."""
        return self._directed(self._above)

    @cached_property
    def _planned(self) -> list[tuple[list[Release], Plan]]:
        return [(one, plan(one, self._accuracy)) for one in directions(self._above)]

    def _directed(self, found: list[Release]) -> list[Outcomes]:
        few = outcomes(found, self._most, given=self._given) if found else None
        if few is None:
            return []
        return [few] if len(directions(found)) == 1 else [few, few.reversed()]

    @property
    def points(self) -> float:
        """About how many points it takes, known from the plan alone: infinite if it cannot be had.

        A million take a second or more.
        """
        try:
            lengths = [] if self._outcomes else [one.length for _, one in self._planned]
        except BudgetExceeded:
            return math.inf
        return max(lengths, default=0.0) * len(self._above)

    def milliseconds(self, mu: float) -> float:
        """About how long a fit takes, known from the plan alone, of about that mu.

        Rounding of so many releases that it shows beside what little they give away takes a finer
        lattice, and more than one.
        """
        segments = len(self._above)
        found = _ANYWAY + _EACH * segments + _POINT * self.points / segments
        rounding = charges.growth() * sum(release.times for release in self._above)
        return found * _REFINED if rounding > _SHOWS * mu else found

    @property
    def is_hasty(self) -> bool:
        """Whether short cuts were taken that the accuracy allows for."""
        return not self._outcomes and any(one.rough is not None for _, one in self._planned)

    @cached_property
    def _losses(self) -> list[ComposedLoss]:
        return [upper_bound(*one, self._accuracy) for one in self._planned]

    @cached_property
    def lines(self) -> tuple[Lines, ...]:
        """The profile from above, one for each direction."""
        if self._outcomes:
            return tuple(one.lines() for one in self._outcomes)
        return tuple(lines_of(loss) for loss in self._losses)

    @property
    def mass_at_infinity(self) -> float:
        """What may lie beyond every epsilon, in the worse direction."""
        return max(one.mass_at_infinity for one in self.lines)

    @property
    def advantage(self) -> float:
        """delta(0), from above."""
        return min(1.0, max(float(one.delta(np.zeros(1))[0]) for one in self.lines))

    @cached_property
    def steep(self) -> Lines:
        """The larger of the directions' profiles."""
        return envelope(*self.lines) if len(self.lines) > 1 else self.lines[0]

    @cached_property
    def vertices(self) -> tuple[Vertices, ...]:
        """The points that a summary must be below."""
        if self._outcomes:
            return tuple(map(Outcomes.vertices, self._outcomes, self.lines))
        return tuple(map(vertices_of, self._losses, self.lines))

    @cached_property
    def attacks(self) -> tuple[Attacks, ...]:
        """Tests that exist; none where no release is known from below."""
        few = self._outcomes if self._below is self._above else self._directed(self._below)
        if few:
            return tuple(one.attacks() for one in few)
        if self._below is self._above:
            return tuple(
                attacks(*self._planned[number], self._accuracy, self._losses[number].window)
                for number in self._needed()
            )
        if not self._below:
            return ()
        planned = [(one, plan(one, self._accuracy)) for one in directions(self._below)]
        return tuple(attacks(*one, self._accuracy) for one in planned)

    def _needed(self) -> list[int]:
        """The directions to attack: the first, and the second if it is anywhere clearly worse."""
        if len(self.lines) > 1:
            first, second = self.lines
            # At the corners of either: between its own, the second may well be below.
            corners = [one.epsilons[:: max(1, one.epsilons.size // 256)] for one in self.lines]
            knots = np.concatenate([[0.0], *corners])
            # Where the two agree to the tolerance, attacks in the first direction tell enough.
            enough = first.delta(knots) * (1.0 + 4.0 * self._accuracy.tolerance)
            if (second.delta(knots) > enough + self._accuracy.floor).any():
                return [0, 1]
        return [0]
