"""From composed losses to a trade-off curve: the lines of each direction, then their envelope."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.loss.compose import Composition, falls
from gdpnum.loss.pair import Floats
from gdpnum.loss.sums import scaled_tail_sums, sum_error

__all__ = ["Lines", "Points", "curve_of", "lines_of", "points_of"]


class Lines(NamedTuple):
    """The steep lines of one direction's profile, by increasing epsilon.

    Line i, delta(eps) = tpr_i - exp(eps) alpha_i, holds up to ``epsilons[i]``.
    """

    epsilons: Floats
    log_alphas: Floats
    tprs: Floats
    mass_at_infinity: float

    def delta(self, epsilons: Floats) -> Floats:
        """The profile at epsilons >= 0."""
        line = np.searchsorted(self.epsilons, epsilons)
        inside = np.minimum(line, self.tprs.size - 1)
        with np.errstate(over="ignore"):
            steep = self.tprs[inside] - np.exp(epsilons + self.log_alphas[inside])
        steep[line == self.tprs.size] = 0.0
        return np.maximum(steep, self.mass_at_infinity)


def lines_of(loss: Composition) -> Lines:
    """Inclusive vertices alpha_i = Pr[X >= w_i], tpr_i = Pr[Y >= w_i] at the losses w_i >= 0.

    Both come from the same masses, raised by all that may be missing from them; X has exp(-w)
    times the mass of Y. Rounding is granted to the pessimistic side: smaller alpha, larger tpr.
    """
    tails = loss.tail_above()
    if loss.lowest > 0.5 * loss.step:
        # Otherwise what is below the window is below zero, and belongs to the mirrored half.
        tails[0] += loss.below
    first = int(np.searchsorted(loss.losses, 0.0))
    losses, tails = loss.losses[first:], tails[first:]
    infinite = min(loss.above, 1.0)
    rounding = 4.0 * sum_error(loss.masses.size)
    # Not capped at one: a line stays above the profile only if tpr and alpha keep their masses.
    tprs = (tails + infinite) * (1.0 + rounding)
    with np.errstate(divide="ignore"):
        log_alphas = np.log(scaled_tail_sums(falls(tails), losses)) - losses * (1.0 + 2.0**-51)
    log_alphas -= rounding + loss.drift
    return Lines(losses, log_alphas, tprs, infinite)


class Points(NamedTuple):
    """Points (alpha, beta) such that a convex curve above all of them is above the steep half."""

    log_alphas: Floats
    tprs: Floats
    betas: Floats


def points_of(loss: Composition, lines: Lines) -> Points:
    """The vertices to which a summary is fitted: those of the lines, better where beta is small.

    Where tpr is near one, 1 - tpr has lost its digits. There alpha and beta are each bounded from
    below by themselves: whatever is above (alpha', beta') with alpha' <= alpha and beta' <= beta
    is above (alpha, beta), as curves fall.
    """
    plain = Points(lines.log_alphas, lines.tprs, 1.0 - lines.tprs)
    if loss.scaled_noise is None or plain.betas[0] > 0.01:
        return plain
    first = int(np.searchsorted(loss.losses, 0.0))
    losses = loss.losses[first:]
    rounding = 4.0 * sum_error(loss.masses.size) + loss.growth
    scaled = scaled_tail_sums(loss.masses[first:], losses) * (1.0 - rounding)
    scaled -= loss.scaled_noise[first:]
    # Up to the threshold at which half is missed, as far down as alpha is known at all.
    last = min(int(np.searchsorted(-lines.tprs, -0.5)), losses.size - 1)
    unknown = np.flatnonzero(scaled[: last + 1] <= 0.0)
    start = int(unknown[-1]) + 1 if unknown.size else 0
    if start > last:
        return plain
    known = slice(start, last + 1)
    log_alphas = np.log(scaled[known]) - losses[known] * (1.0 + 2.0**-50) - loss.drift
    betas = loss.head_below()[first:][known] * (1.0 - rounding)
    if start > 0 or loss.lowest > 0.5 * loss.step:
        # For thresholds below the first of these beta is at least zero, and alpha larger.
        log_alphas, betas = np.append(log_alphas[:1], log_alphas), np.append(0.0, betas)
    return Points(
        np.concatenate([log_alphas, plain.log_alphas[last:]]),
        np.concatenate([1.0 - betas, plain.tprs[last:]]),
        np.concatenate([betas, plain.betas[last:]]),
    )


def curve_of(directions: list[Lines]) -> TradeoffCurve:
    """A curve for delta(eps) = max over the directions of delta_direction(eps).

    In terms of curves, the convex hull of min(f, f^-1).
    """
    if len(directions) == 1:
        return TradeoffCurve(*directions[0])
    first, second = directions
    knots = np.append(0.0, first.epsilons)
    own, other = first.delta(knots), second.delta(knots)
    lead = np.maximum(other - own, 0.0)
    # Masses at infinity are bounds on next to nothing, and no reason for the longer way.
    infinite = first.mass_at_infinity + second.mass_at_infinity
    if (lead > 0.01 * own + infinite).any():
        return _envelope(first, second)
    # The second is convex in exp(eps), so a line that is above it at both ends of its cell is above
    # it within: raise each line of the first by what it lacks there.
    raised = first.tprs + np.maximum(lead[:-1], lead[1:])
    tprs = np.maximum.accumulate(raised[::-1])[::-1]
    infinite = first.mass_at_infinity + float(lead[-1])
    return TradeoffCurve(first.epsilons, first.log_alphas, tprs, infinite)


def _envelope(first: Lines, second: Lines) -> TradeoffCurve:
    """The upper envelope of two profiles that cross."""
    knots = np.union1d(np.append(first.epsilons, 0.0), second.epsilons)
    lead = first.delta(knots) - second.delta(knots)
    parts: list[Lines] = []

    def add(lines: Lines, chosen: NDArray[np.bool_], ends: Floats) -> None:
        """Take the line that holds in each of the chosen cells, up to its end."""
        line = np.searchsorted(lines.epsilons, middles[chosen])
        inside, beyond = np.minimum(line, lines.tprs.size - 1), line >= lines.tprs.size
        infinite = lines.mass_at_infinity
        parts.append(
            Lines(
                ends[chosen],
                np.where(beyond, -np.inf, lines.log_alphas[inside]),
                np.where(beyond, infinite, lines.tprs[inside]),
                infinite,
            )
        )

    left, right = knots[:-1], knots[1:]
    middles = 0.5 * (left + right)
    ahead, behind = lead[:-1], lead[1:]
    leads, trails = (ahead >= 0.0) & (behind >= 0.0), (ahead < 0.0) & (behind < 0.0)
    crossed = ~leads & ~trails
    add(first, leads, right)
    add(second, trails, right)
    # Where the lead changes hands inside a cell, each line holds on its side of the meeting point.
    # Both profiles are linear in exp(eps) there, so that point is exact.
    share = np.where(crossed, ahead / np.where(crossed, ahead - behind, 1.0), 0.0)
    meeting = right + np.log(share + (1.0 - share) * np.exp(left - right) + 1e-300)
    for lines, starts in ((first, ahead >= 0.0), (second, ahead < 0.0)):
        add(lines, crossed & starts, meeting)
        add(lines, crossed & ~starts, right)
    merged = [
        np.concatenate(columns) for columns in zip(*(part[:3] for part in parts), strict=True)
    ]
    order = np.argsort(merged[0], kind="stable")
    epsilons, log_alphas, tprs = (column[order] for column in merged)
    # Runs of knots on one line are one line: keep the last knot of each run.
    last = np.append((log_alphas[1:] != log_alphas[:-1]) | (tprs[1:] != tprs[:-1]), True)
    infinite = max(first.mass_at_infinity, second.mass_at_infinity)
    return TradeoffCurve(epsilons[last], log_alphas[last], tprs[last], infinite)
