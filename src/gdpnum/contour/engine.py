"""ContourBounds: what the contour engine finds of releases, each part when first asked for."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gdpnum.accuracy import SMALLEST_TPR, Accuracy
from gdpnum.bounds.attacks import Attacks
from gdpnum.bounds.lines import Lines
from gdpnum.contour.pairs import Run
from gdpnum.contour.profile import Profile, profile
from gdpnum.floats import Floats

__all__ = ["ContourBounds"]

# Knots of a curve: so many to look first, and what a chord between two may add to mu, relatively.
_FIRST, _CHORD, _MOST = 160, 4e-7, 8_000

# What a curve is accurate to, relative to delta.
_ACCURACY = 1e-9


class ContourBounds:
    """Bounds on the profile of a run of analytic pairs, from above and from below."""

    def __init__(self, run: Run, accuracy: Accuracy, most: float) -> None:
        self._run, self._accuracy, self._most = run, accuracy, most

    @cached_property
    def profile(self) -> Profile:
        """Delta at any epsilon, from above and from below, with both directions."""
        floor = min(self._accuracy.floor, SMALLEST_TPR)
        return profile(self._run, smallest=floor, accuracy=_ACCURACY, most=self._most)

    @cached_property
    def _knots(self) -> Floats:
        """Epsilons so close that a chord between two adds little to mu, from 0 to the last.

        A chord of length D adds D^2 p / 8 to delta, p the density of the loss under P, and a share
        r of delta adds about r / (2 log 1/delta) to mu, relatively.
        """
        found = self.profile
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

    @cached_property
    def steep(self) -> Lines:
        """The profile from above, by chords."""
        return Lines(*self.profile.points(self._knots))

    @cached_property
    def attacks(self) -> tuple[Attacks, ...]:
        """The tests that reject above each knot."""
        return tuple(
            Attacks(
                losses=one.epsilons, step=0.0, tpr=one.tpr, beta=one.beta, log_alpha=one.log_alpha
            )
            for one in self.profile.tests(self._knots)
        )
