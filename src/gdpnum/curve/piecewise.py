"""PiecewiseCurve: a trade-off curve made of segments, as every computed one is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from gdpnum.curve.lines import Lines
from gdpnum.curve.tradeoff import Tangents, TradeoffCurve
from gdpnum.loss.pair import Floats

__all__ = ["PiecewiseCurve"]


@final
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
            f"PiecewiseCurve(advantage={self.advantage:.4g}, vertices={count}, "
            f"mass_at_infinity={self.mass_at_infinity:.2g})"
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
        steep, _ = self.steep.vertices()
        _, tprs = self._other.vertices()
        alphas = np.unique(np.concatenate([steep, np.clip(1.0 - tprs, 0.0, 1.0), [1.0]]))
        return alphas, np.asarray(self.beta(alphas))

    @property
    def _other(self) -> Lines:
        return self.steep if self.flat is None else self.flat

    @cached_property
    def _halves(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Vertices (alphas, betas) of the steep half, then of the other, both by rising alpha."""
        alphas, tprs = self.steep.vertices()
        missed, hit = self._other.vertices()
        return alphas, 1.0 - tprs, 1.0 - hit[::-1], missed[::-1]

    def _betas(self, alphas: Floats) -> Floats:
        steep_alphas, steep_betas, flat_alphas, flat_betas = self._halves
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
        steep_alphas, _, flat_alphas, _ = self._halves
        steep = (fprs <= steep_alphas[-1]) & (fprs < flat_alphas[0])
        value = np.interp(fprs, *self.steep.vertices())
        value = np.where(steep, value, 1.0 - np.asarray(self.beta(fprs)))
        return np.where(fprs == 0.0, self.mass_at_infinity, value)

    def _deltas(self, epsilons: Floats) -> Floats:
        return self.steep.delta(epsilons)

    def _epsilons(self, deltas: Floats) -> Floats:
        return self.steep.epsilon(deltas)

    def _document(self) -> dict[str, Any]:
        flat = None if self.flat is None else _columns(self.flat)
        return {"curve": "piecewise", "steep": _columns(self.steep), "flat": flat}


def envelope(first: Lines, second: Lines) -> Lines:
    """The steep half whose profile is the larger of two.

    Both are linear in exp(eps) between their knots, so where one overtakes the other inside such a
    cell, that is one more knot.
    """
    ends = np.union1d(first.epsilons, second.epsilons)
    (log_a, tpr_a), (log_b, tpr_b) = first.at(ends), second.at(ends)

    def lead(at: Floats) -> Floats:
        """How far the first is above the second on each cell, its own lines taken at ``at``."""
        with np.errstate(over="ignore"):
            fallen: Floats = np.exp(at + log_a) - np.exp(at + log_b)
        return (tpr_a - tpr_b) - fallen

    starts = np.append(0.0, ends[:-1])
    at_start, at_end = lead(starts), lead(ends)
    noise = 1e-15 * np.maximum(tpr_a, tpr_b)
    crossing = np.minimum(at_start, at_end) < -noise
    crossing &= np.maximum(at_start, at_end) > noise
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = np.exp(log_a - np.maximum(log_a, log_b)) - np.exp(
            log_b - np.maximum(log_a, log_b)
        )
        overtaken = (
            np.log(np.abs(tpr_a - tpr_b)) - np.log(np.abs(difference)) - np.maximum(log_a, log_b)
        )
    overtaken = np.where(crossing, np.clip(overtaken, starts, ends), ends)
    # Each cell in two: up to where the leader changes, and from there.
    a_first = np.where(crossing, at_start > 0.0, at_start + at_end >= 0.0)
    epsilons = np.column_stack([overtaken, ends]).ravel()
    leads = np.column_stack([a_first, a_first ^ crossing]).ravel()
    log_alphas = np.where(leads, np.repeat(log_a, 2), np.repeat(log_b, 2))
    tprs = np.where(leads, np.repeat(tpr_a, 2), np.repeat(tpr_b, 2))
    # A line is kept once, up to where the next takes over.
    last = (log_alphas[1:] != log_alphas[:-1]) | (tprs[1:] != tprs[:-1])
    last = np.append(last, True)
    # Lines with alpha = 0 are the mass at infinity.
    last &= np.isfinite(log_alphas)
    infinite = max(first.mass_at_infinity, second.mass_at_infinity)
    if not last.any():
        return Lines(np.zeros(1), np.full(1, -np.inf), np.full(1, infinite), infinite)
    return Lines(epsilons[last], log_alphas[last], tprs[last], infinite)


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
