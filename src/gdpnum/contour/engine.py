"""ContourBounds: what the contour engine finds of releases, each part when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from gdpnum.accuracy import SMALLEST_TPR, Accuracy
from gdpnum.bounds.attacks import Attacks
from gdpnum.bounds.lines import Lines
from gdpnum.contour.ladder import outlook
from gdpnum.contour.pairs import Run, Steps
from gdpnum.contour.profile import Profile, one_epsilon, profile
from gdpnum.contour.reach import OutOfReach
from gdpnum.floats import Floats

__all__ = ["ContourBounds"]

# Knots of a curve: so many to look first, and what a chord between two may add to mu, relatively.
_FIRST, _CHORD, _MOST = 160, 4e-7, 8_000

# How far a ladder reaches, and how large mu is, of runs whose profile is likely in reach.
_SMOOTH, _SMALLEST, _LARGEST = 0.02, 0.01, 5.0

# The share of its work that a whole profile may take: its sums are taken again at every point that
# is asked, where a lattice is done with one go.
_SHARE = 0.3

# What a curve is accurate to, relative to delta.
_ACCURACY = 1e-9


class ContourBounds:
    """Bounds on the profile of a run of analytic pairs, from above and from below."""

    def __init__(
        self,
        run: Run,
        accuracy: Accuracy,
        most: float,
        instead: Callable[[], Lines] | None = None,
    ) -> None:
        """``instead`` has the chords where the profile proves out of reach after all."""
        self._run, self._accuracy, self._most, self._instead = run, accuracy, most, instead
        self._epsilons: dict[float, float | None] = {}

    @cached_property
    def _steps(self) -> Steps:
        return Steps.of([self._run])

    @property
    def is_likely(self) -> bool:
        """Whether the profile is in reach, as far as can be told at once."""
        mu, steep = outlook(self._steps)
        return float(steep[0]) >= _SMOOTH and _SMALLEST <= float(mu[0]) <= _LARGEST

    @property
    def smallest(self) -> float:
        """Down to this delta, and this alpha, the accuracy of the profile holds."""
        return min(self._accuracy.floor, SMALLEST_TPR)

    @cached_property
    def profile(self) -> Profile | None:
        """Delta at any epsilon, from above and from below, with both directions.

        None where it is out of reach, and there is something instead.
        """
        try:
            most = self._most * _SHARE
            return profile(self._run, smallest=self.smallest, accuracy=_ACCURACY, most=most)
        except OutOfReach:
            if self._instead is None:
                raise
            return None

    def epsilon(self, delta: float) -> float | None:
        """An epsilon >= 0 at which delta is certainly at or below; None if that takes the whole.

        The same whatever else was asked.
        """
        if delta < self.smallest:
            return None
        if delta not in self._epsilons:
            self._epsilons[delta] = one_epsilon(self._steps, delta, most=self._most)
        return self._epsilons[delta]

    @cached_property
    def _knots(self) -> Floats:
        """Epsilons so close that a chord between two adds little to mu, from 0 to the last.

        A chord of length D adds D^2 p / 8 to delta, p the density of the loss under P, and a share
        r of delta adds about r / (2 log 1/delta) to mu, relatively.
        """
        found = self._whole
        end = found.end(1e-3 * found.smallest)
        first = np.linspace(0.0, 1.0, _FIRST) ** 2 * end
        knots = found.knots(first)
        worse = np.argmax(knots.delta, axis=0), np.arange(first.size)
        delta = np.maximum(knots.delta[worse], 1e-300)
        tpr = delta + knots.lifted_alpha[worse]
        density = np.maximum(-np.diff(tpr), 0.0) / np.diff(first)
        middle = np.sqrt(delta[:-1]) * np.sqrt(delta[1:])
        room = 8.0 * _CHORD * np.maximum(1.0, -2.0 * np.log(middle)) * middle
        with np.errstate(divide="ignore"):
            parts = np.diff(first) * np.sqrt(density / room)
        counted = np.concatenate([[0.0], np.cumsum(np.clip(parts, 1.0, 400.0))])
        number = int(min(counted[-1], _MOST))
        return np.interp(np.linspace(0.0, counted[-1], number + 1), counted, first)

    @property
    def _whole(self) -> Profile:
        if self.profile is None:
            raise OutOfReach("the whole profile takes too long by the contour; use the lattice")
        return self.profile

    @cached_property
    def steep(self) -> Lines:
        """The profile from above, by chords."""
        if self.profile is None and self._instead is not None:
            return self._instead()
        return Lines(*self._whole.points(self._knots))

    @cached_property
    def attacks(self) -> tuple[Attacks, ...]:
        """The tests that reject above each knot."""
        return tuple(
            Attacks(
                losses=one.epsilons, step=0.0, tpr=one.tpr, beta=one.beta, log_alpha=one.log_alpha
            )
            for one in self._whole.tests(self._knots)
        )
