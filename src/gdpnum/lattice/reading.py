"""What a composed loss says of one direction: the lines of its profile, and the vertices."""

from __future__ import annotations

import numpy as np

from gdpnum import charges
from gdpnum.bounds.lines import Lines, Vertices, lines_of_masses
from gdpnum.bounds.sums import scaled_tail_sums, tail_sum_error
from gdpnum.lattice.compose import ComposedLoss, falls
from gdpnum.lattice.window import FEW_MISSED


def lines_of(loss: ComposedLoss) -> Lines:
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
    return lines_of_masses(
        losses, falls(tails), min(loss.above, 1.0), tails=tails, drift=loss.drift
    )


def vertices_of(loss: ComposedLoss, lines: Lines) -> Vertices:
    """The vertices to which a summary is fitted: those of the lines, better where beta is small.

    Where tpr is near one, 1 - tpr has lost its digits. There alpha and beta are each bounded from
    below by themselves: whatever is above (alpha', beta') with alpha' <= alpha and beta' <= beta
    is above (alpha, beta), as curves fall.
    """
    plain = lines.vertices()
    if loss.below >= FEW_MISSED or plain.betas[0] > FEW_MISSED:
        return plain
    first = int(np.searchsorted(loss.losses, 0.0))
    steep = slice(first, first + lines.epsilons.size)
    losses = loss.losses[steep]
    rounding = tail_sum_error(loss.masses.size) + loss.growth
    scaled = scaled_tail_sums(loss.masses[first:], loss.losses[first:])[: losses.size]
    scaled = scaled * (1.0 - rounding) - loss.scaled_noise[steep]
    missed = loss.head_below()[steep] * (1.0 - rounding)
    # As far up as these betas are the better ones, or until half is missed, and as far down as
    # alpha is known at all.
    stop = int(np.argmax(np.append((plain.betas >= missed) | (plain.betas >= 0.5), True)))
    unknown = np.flatnonzero(scaled[: stop + 1] <= 0.0)
    start = int(unknown[-1]) + 1 if unknown.size else 0
    if start >= stop:
        return plain
    # The two kinds overlap by one, so that none of the vertices between is left to neither.
    known = slice(start, stop + 1)
    logs = np.log(scaled[known])
    log_alphas = logs - losses[known] - charges.log_alpha(logs, losses[known]) - loss.drift
    betas = missed[known]
    if start > 0 or loss.lowest > 0.5 * loss.step:
        # For thresholds below the first of these beta is at least zero, and alpha larger.
        log_alphas, betas = np.append(log_alphas[:1], log_alphas), np.append(0.0, betas)
    return Vertices(
        np.concatenate([log_alphas, plain.log_alphas[stop:]]),
        np.concatenate([1.0 - betas, plain.tprs[stop:]]),
        np.concatenate([betas, plain.betas[stop:]]),
    )
