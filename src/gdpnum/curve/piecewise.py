"""PiecewiseCurve: a trade-off curve made of segments, as every computed one is.

The contour knows its curve between them too: `ContourCurve`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from gdpnum.bounds.envelope import envelope
from gdpnum.bounds.lines import Lines
from gdpnum.contour.profile import ContourBounds
from gdpnum.curve.tradeoff import Tangents, TradeoffCurve
from gdpnum.errors import InvalidType
from gdpnum.floats import Floats
from gdpnum.rounding import upper

# So few points are each found alone, and so are the same whatever was asked beside them.
_FEW = 8

# So many points are read off the chords, which are there soon and a ten-millionth below.
_MANY = 64


@dataclass(frozen=True, eq=False, repr=False)
class PiecewiseCurve(TradeoffCurve):
    """A convex, piecewise linear trade-off curve, stored as two steep halves.

    ``steep`` holds the slopes below -1, ``flat`` those above, as the steep half of the inverse;
    between them the slope is -1. Without ``flat`` the curve is symmetric, as for neighbours it is.
    """

    steep: Lines
    flat: Lines | None = None

    def __repr__(self) -> str:
        count = self.steep.tprs.size + self._other.tprs.size
        return (
            f"PiecewiseCurve(advantage={upper(self.advantage)}, vertices={count}, "
            f"mass_at_infinity={upper(self.mass_at_infinity, digits=2)})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PiecewiseCurve):
            return NotImplemented
        return self.steep.same_as(other.steep) and self._other.same_as(other._other)

    def __hash__(self) -> int:
        return hash((self.steep.tprs.tobytes(), self._other.tprs.tobytes()))

    @property
    def mass_at_infinity(self) -> float:
        return self.steep.mass_at_infinity

    @property
    def knots(self) -> Floats:
        return self.steep.epsilons

    @property
    def is_symmetric(self) -> bool:
        return self.flat is None or _same(self.steep, self.flat)

    def inverse(self) -> PiecewiseCurve:
        return self if self.flat is None else PiecewiseCurve(self.flat, self.steep)

    def symmetrised(self) -> PiecewiseCurve:
        return self if self.flat is None else PiecewiseCurve(envelope(self.steep, self.flat))

    def tangents(self, epsilons: Floats) -> Tangents:
        log_alphas, tprs = self.steep.at(epsilons)
        return np.exp(log_alphas), 1.0 - tprs

    @cached_property
    def vertices(self) -> tuple[Floats, Floats]:
        """All vertices (alphas, betas), from alpha = 0 to alpha = 1."""
        steep, _ = self.steep.from_zero()
        _, tprs = self._other.from_zero()
        alphas = np.unique(np.concatenate([steep, np.clip(1.0 - tprs, 0.0, 1.0), [1.0]]))
        return alphas, np.asarray(self.beta(alphas))

    @property
    def _other(self) -> Lines:
        return self.steep if self.flat is None else self.flat

    @cached_property
    def _halves(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Vertices of the steep half (alphas, TPRs), and of the other (alphas, betas), in order."""
        alphas, tprs = self.steep.from_zero()
        missed, hit = (alphas, tprs) if self.flat is None else self.flat.from_zero()
        # 1 - hit is rounded: never to a larger alpha, where the curve would be too high.
        return alphas, tprs, np.nextafter(1.0 - hit[::-1], -1.0), missed[::-1]

    def _betas(self, alphas: Floats) -> Floats:
        steep_alphas, steep_tprs, flat_alphas, flat_betas = self._halves
        steep_betas = 1.0 - steep_tprs
        steep = np.interp(alphas, steep_alphas, steep_betas)
        mirrored = np.interp(alphas, flat_alphas, flat_betas)
        # Between the halves the slope is -1. Where both reach, both are bounds.
        first, last = steep_alphas[-1], flat_alphas[0]
        between = np.maximum(steep_betas[-1] - (alphas - first), flat_betas[0] - (alphas - last))
        value = np.where(alphas <= first, steep, np.where(alphas >= last, mirrored, between))
        both = (alphas <= first) & (alphas >= last)
        value = np.where(both, np.maximum(steep, mirrored), value)
        # Vertices whose alpha underflows to zero are not those at zero.
        return np.where(alphas == 0.0, 1.0 - self.mass_at_infinity, value)

    def _tprs(self, fprs: Floats) -> Floats:
        steep_alphas, steep_tprs, flat_alphas, _ = self._halves
        steep = (fprs <= steep_alphas[-1]) & (fprs < flat_alphas[0])
        value = np.interp(fprs, steep_alphas, steep_tprs)
        value = np.where(steep, value, 1.0 - np.clip(self._betas(fprs), 0.0, 1.0 - fprs))
        return np.where(fprs == 0.0, self.mass_at_infinity, value)

    def _deltas(self, epsilons: Floats) -> Floats:
        return self.steep.delta(epsilons)

    def _epsilons(self, deltas: Floats) -> Floats:
        return self.steep.epsilon(deltas)

    def _document(self) -> dict[str, Any]:
        flat = None if self.flat is None else _columns(self.flat)
        return {"curve": "piecewise", "steep": _columns(self.steep), "flat": flat}


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
        return self._bounds.profile.chords()

    @cached_property
    def _chords(self) -> PiecewiseCurve:
        return PiecewiseCurve(self.steep)

    def _deltas(self, epsilons: Floats) -> Floats:
        whole = self._bounds.profile
        told = epsilons < whole.end(whole.smallest)
        return self._either(epsilons, told, partial(_alone, whole.upper), PiecewiseCurve._deltas)

    def _epsilons_from_zero(self, deltas: Floats) -> Floats:
        told = deltas >= self._bounds.smallest
        own = self._bounds.epsilons
        return self._either(deltas, told, own, PiecewiseCurve._epsilons_from_zero)

    def _tprs(self, fprs: Floats) -> Floats:
        whole = self._bounds.profile
        told = fprs >= whole.smallest
        found = self._either(fprs, told, partial(_alone, whole.tpr), PiecewiseCurve._tprs)
        smaller = ~told & (fprs > 0.0)
        if smaller.any() and fprs.size <= _MANY:
            # A bound as well, and where mu is large as close as it is at a larger FPR.
            found[smaller] = np.minimum(found[smaller], _alone(whole.tpr, fprs[smaller]))
        return found

    def _either(
        self,
        points: Floats,
        told: NDArray[np.bool_],
        own: Callable[[Floats], Floats],
        by_chords: Callable[[PiecewiseCurve, Floats], Floats],
    ) -> Floats:
        """The answers at few points as the contour has them where it is told; else by chords."""
        if points.size > _MANY:
            return by_chords(self._chords, points)
        found = np.empty(points.shape)
        if told.any():
            found[told] = own(points[told])
        if not told.all():
            found[~told] = by_chords(self._chords, points[~told])
        return found

    def _betas(self, alphas: Floats) -> Floats:
        if alphas.size > _MANY:
            return self._chords._betas(alphas)
        tprs = self._tprs(alphas)
        betas = 1.0 - tprs
        if not (tprs < 0.99).all():
            # Where the TPR is next to one the chords may keep more digits of what is left.
            betas = np.where(tprs < 0.99, betas, np.maximum(betas, self._chords._betas(alphas)))
        return betas


def _alone(ask: Callable[[Floats], Floats], points: Floats) -> Floats:
    """The answers at the points: each asked alone, where they are few."""
    if not 1 < points.size <= _FEW:
        return ask(points)
    return np.concatenate([ask(points[i : i + 1]) for i in range(points.size)])


def _same(first: Lines, second: Lines) -> bool:
    """Whether two profiles agree up to rounding."""
    knots = np.concatenate([[0.0], first.epsilons, second.epsilons])
    return bool(np.allclose(first.delta(knots), second.delta(knots), rtol=1e-12, atol=1e-15))


def _columns(lines: Lines) -> dict[str, Any]:
    return {
        "epsilons": lines.epsilons.tolist(),
        "log_alphas": [x if np.isfinite(x) else str(x) for x in lines.log_alphas.tolist()],
        "tprs": lines.tprs.tolist(),
        "mass_at_infinity": lines.mass_at_infinity,
    }


def piecewise(curve: TradeoffCurve) -> PiecewiseCurve:
    """The curve, known to be one of lines."""
    if not isinstance(curve, PiecewiseCurve):
        raise InvalidType(
            f"curve={curve!r} is of type {type(curve).__name__}, not a curve of lines; "
            "pass one, as TradeoffCurve.from_samples makes of any"
        )
    return curve
