"""ContourCurve: a trade-off curve that is computed where it is asked."""

from __future__ import annotations

from functools import cached_property
from typing import final

import numpy as np

from gdpnum.bounds.lines import Lines
from gdpnum.contour.engine import ContourBounds
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.floats import Floats

__all__ = ["ContourCurve"]

# So many points are read off the chords, which are there soon and a ten-millionth below.
_MANY = 64


@final
class ContourCurve(PiecewiseCurve):
    """The curve of analytic pairs: asked at a point, that point is computed, to nine digits.

    Asked at many, and as a whole (its knots, vertices, JSON, compositions), it is the piecewise
    linear curve below it that the chords of its profile make, some thousand of them.
    """

    def __init__(self, bounds: ContourBounds) -> None:
        object.__setattr__(self, "_bounds", bounds)

    _bounds: ContourBounds

    @cached_property
    def steep(self) -> Lines:
        """The chords of its profile, made when first needed."""
        return self._bounds.steep

    @cached_property
    def _chords(self) -> PiecewiseCurve:
        return PiecewiseCurve(self.steep)

    def _deltas(self, epsilons: Floats) -> Floats:
        if epsilons.size > _MANY:
            return self._chords._deltas(epsilons)
        found = self._bounds.profile
        inside = epsilons.ravel() < found.end(found.smallest)
        deltas = np.full(inside.size, found.smallest)
        deltas[inside] = np.maximum(found.delta(epsilons.ravel()[inside])[1], 0.0)
        if not inside.all():
            deltas[~inside] = self._chords._deltas(epsilons.ravel()[~inside])
        return deltas.reshape(epsilons.shape)

    def _epsilons(self, deltas: Floats) -> Floats:
        if deltas.size > _MANY:
            return self._chords._epsilons(deltas)
        found = self._bounds.profile
        told = deltas.ravel() >= found.smallest
        epsilons = np.empty(told.size)
        epsilons[told] = found.epsilon(deltas.ravel()[told])
        if not told.all():
            epsilons[~told] = self._chords._epsilons(deltas.ravel()[~told])
        return epsilons.reshape(deltas.shape)

    def _tprs(self, fprs: Floats) -> Floats:
        if fprs.size > _MANY:
            return self._chords._tprs(fprs)
        found = self._bounds.profile
        told = fprs.ravel() >= found.smallest
        tprs = np.empty(told.size)
        tprs[told] = found.tpr(fprs.ravel()[told])
        if not told.all():
            tprs[~told] = self._chords._tprs(fprs.ravel()[~told])
        return tprs.reshape(fprs.shape)

    def _betas(self, alphas: Floats) -> Floats:
        if alphas.size > _MANY:
            return self._chords._betas(alphas)
        # Where the TPR is near one the chords keep more digits of what is left.
        tprs = self._tprs(alphas)
        return np.where(tprs < 0.99, 1.0 - tprs, self._chords._betas(alphas))
