"""From composed losses to a trade-off curve: the lines of each direction, then their envelope."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gdpnum.curve.lines import Lines
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.loss.compose import Composition, falls
from gdpnum.loss.pair import Floats
from gdpnum.loss.sums import scaled_tail_sums, sum_error
from gdpnum.loss.window import FEW_MISSED

__all__ = ["Points", "curve_of", "lines_of", "points_of"]


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
    # They fall but for rounding; where it raises one, take the one before.
    # Logarithms, and sums of them with losses, round in proportion to their size.
    log_alphas = np.minimum.accumulate(log_alphas) * (1.0 + 2.0**-50) - (rounding + loss.drift)
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
    if loss.below >= FEW_MISSED or plain.betas[0] > FEW_MISSED:
        return plain
    first = int(np.searchsorted(loss.losses, 0.0))
    losses = loss.losses[first:]
    rounding = 4.0 * sum_error(loss.masses.size) + loss.growth
    scaled = scaled_tail_sums(loss.masses[first:], losses) * (1.0 - rounding)
    scaled -= loss.scaled_noise[first:]
    missed = loss.head_below()[first:] * (1.0 - rounding)
    # As far up as these betas are the better ones, or until half is missed, and as far down as
    # alpha is known at all.
    stop = int(np.argmax(np.append((plain.betas >= missed) | (plain.betas >= 0.5), True)))
    unknown = np.flatnonzero(scaled[: stop + 1] <= 0.0)
    start = int(unknown[-1]) + 1 if unknown.size else 0
    if start >= stop:
        return plain
    # The two kinds overlap by one, so that none of the vertices between is left to neither.
    known = slice(start, stop + 1)
    log_alphas = np.log(scaled[known]) - losses[known] * (1.0 + 2.0**-50) - loss.drift
    betas = missed[known]
    if start > 0 or loss.lowest > 0.5 * loss.step:
        # For thresholds below the first of these beta is at least zero, and alpha larger.
        log_alphas, betas = np.append(log_alphas[:1], log_alphas), np.append(0.0, betas)
    return Points(
        np.concatenate([log_alphas, plain.log_alphas[stop:]]),
        np.concatenate([1.0 - betas, plain.tprs[stop:]]),
        np.concatenate([betas, plain.betas[stop:]]),
    )


def curve_of(directions: list[Lines]) -> PiecewiseCurve:
    """A curve for delta(eps) = max over the directions of delta_direction(eps).

    In terms of curves, the convex hull of min(f, f^-1). Each delta is convex in exp(eps), so their
    maximum lies below the chords between its values at the knots of the first direction. Where
    that one leads at both ends of a cell, its own line is such a chord, and known more exactly.
    """
    first, *others = directions
    if not others:
        return PiecewiseCurve(first)
    # A first cell of hardly any width would make a chord of nothing but rounding.
    start = 1 if first.epsilons.size > 1 and first.epsilons[0] < 1e-6 * first.epsilons[1] else 0
    # Others may reach further; there the first has come down to its mass at infinity.
    beyond = np.concatenate([one.epsilons[one.epsilons > first.epsilons[-1]] for one in others])
    if beyond.size:
        beyond = np.unique(beyond)
        first = Lines(
            np.append(first.epsilons, beyond),
            np.append(first.log_alphas, np.full(beyond.size, -np.inf)),
            np.append(first.tprs, np.full(beyond.size, first.mass_at_infinity)),
            first.mass_at_infinity,
        )
    epsilons = first.epsilons[start:]
    knots = np.append(0.0, epsilons)
    # Each of its knots is on a line of its own.
    with np.errstate(over="ignore"):
        own = first.tprs[start:] - np.exp(epsilons + first.log_alphas[start:])
    own = np.append(first.delta(np.zeros(1)), np.maximum(own, first.mass_at_infinity))
    deltas = np.max([own, *(other.delta(knots) for other in others)], axis=0)
    # What the first lacks at either end of a cell; next to nothing is simply added to its line.
    lead = np.maximum((deltas - own)[:-1], (deltas - own)[1:])
    led = lead <= 1e-13
    led[:start] = False
    # exp(eps) alpha at the upper end of a cell, of its chord
    weights = np.maximum(deltas[:-1] - deltas[1:], 0.0) / -np.expm1(-np.diff(knots))
    with np.errstate(divide="ignore"):
        log_alphas = np.where(led, first.log_alphas[start:], np.log(weights) - epsilons)
    tprs = np.where(led, first.tprs[start:] + lead, (deltas[1:] + weights) * (1.0 + 2.0**-50))
    # Alphas fall. Where rounding has disturbed that, a steeper line through the upper end of the
    # cell will do: it is above the chord.
    steeper = np.maximum.accumulate(log_alphas[::-1])[::-1]
    lifted = (deltas[1:] + np.exp(steeper + epsilons)) * (1.0 + 2.0**-50)
    tprs = np.where(steeper > log_alphas, np.maximum(lifted, tprs), tprs)
    log_alphas, tprs = steeper, np.maximum.accumulate(tprs[::-1])[::-1]
    # Past the last knot the others have no more than they have there.
    infinite = max(first.mass_at_infinity, float(deltas[-1]) if deltas[-1] > own[-1] else 0.0)
    # Lines with alpha = 0 are such a rest already.
    rest = int(np.searchsorted(-log_alphas[1:], np.inf)) + 1
    if rest < tprs.size:
        infinite = max(infinite, float(tprs[rest]))
        epsilons, log_alphas, tprs = (column[:rest] for column in (epsilons, log_alphas, tprs))
    return PiecewiseCurve(Lines(epsilons, log_alphas, tprs, infinite))
