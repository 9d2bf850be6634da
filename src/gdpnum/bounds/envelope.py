"""The envelope of two directions: lines whose profile is the larger of two."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdpnum import charges
from gdpnum.bounds.lines import Lines, at_infinity
from gdpnum.floats import Floats

# A lead of no more than this, in delta, may be rounding; it is given to the other line.
_ROUNDING = 1e-13


def envelope(first: Lines, second: Lines) -> Lines:
    """The steep half whose profile is the larger of two, at every epsilon >= 0.

    In terms of curves, the convex hull of min(f, f^-1). Both profiles are linear in exp(eps)
    between their knots, so where one overtakes the other inside such a cell, that is one more knot.
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
    behind = -np.minimum(np.minimum(at_start, at_end), 0.0)
    if behind.max() <= _ROUNDING:
        raised = _raised(first, np.searchsorted(first.epsilons, ends), behind)
        beyond = max(raised.mass_at_infinity, second.mass_at_infinity)
        return _settled(raised._replace(mass_at_infinity=beyond))
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
        return at_infinity(infinite)
    return _settled(_falling(Lines(epsilons[last], log_alphas[last], tprs[last], infinite)))


def _raised(lines: Lines, line_of_cell: NDArray[np.intp], behind: Floats) -> Lines:
    """The first of two, which leads but for rounding, each line raised by what it lacks."""
    tprs = np.append(lines.tprs, lines.mass_at_infinity)
    lifted = tprs.copy()
    np.maximum.at(lifted, line_of_cell, tprs[line_of_cell] + behind)
    lifted = np.maximum.accumulate(lifted[::-1])[::-1]
    return lines._replace(
        tprs=lifted[:-1] * (1.0 + charges.chord()),
        mass_at_infinity=max(lines.mass_at_infinity, float(lifted[-1])),
    )


def _falling(lines: Lines) -> Lines:
    """The same with alphas and tprs that fall, as they do but for rounding.

    A steeper line through the upper end of a line's cell is above it.
    """
    steeper = np.maximum.accumulate(lines.log_alphas[::-1])[::-1]
    with np.errstate(over="ignore"):
        at_end = lines.tprs - np.exp(lines.log_alphas + lines.epsilons)
        through = at_end + np.exp(steeper + lines.epsilons)
    tprs = np.where(steeper > lines.log_alphas, np.maximum(through, lines.tprs), lines.tprs)
    tprs = np.maximum.accumulate(tprs[::-1])[::-1] * (1.0 + charges.chord())
    return lines._replace(log_alphas=steeper, tprs=tprs)


def _settled(lines: Lines) -> Lines:
    """The same without a first cell of hardly any width.

    Both directions have the same delta(0) but for rounding, so which leads there is by chance, and
    the vertex of a leader by chance may lie beyond the diagonal.
    """
    if lines.epsilons.size < 2 or lines.epsilons[0] >= 1e-6 * lines.epsilons[1]:
        return lines
    at_zero = lines.tprs[:2] - np.exp(lines.log_alphas[:2])
    lead = max(float(at_zero[0] - at_zero[1]), 0.0)
    if lead > _ROUNDING:
        return lines
    tprs = lines.tprs[1:].copy()
    tprs[0] += lead
    return Lines(lines.epsilons[1:], lines.log_alphas[1:], tprs, lines.mass_at_infinity)
