"""From below: attacks on the releases in one direction, which exist."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gdpnum import charges
from gdpnum.accuracy import Accuracy
from gdpnum.bounds.attacks import Attacks
from gdpnum.bounds.sums import scaled_tail_sums, tail_sum_error
from gdpnum.floats import Floats
from gdpnum.lattice.above import cumulants_of, steep_window_of
from gdpnum.lattice.coarsening import counted, discounted
from gdpnum.lattice.compose import ComposedLoss, compose
from gdpnum.lattice.discretize import dominated, lattice, nearest
from gdpnum.lattice.distribution import Factor, LossDistribution, mass_at_infinity
from gdpnum.lattice.plan import Plan
from gdpnum.lattice.window import FEW_MISSED, Window, whole_window
from gdpnum.pairs.pair import Release


def attacks(
    releases: Sequence[Release], plan: Plan, accuracy: Accuracy, window: Window | None = None
) -> Attacks:
    """Threshold tests against the releases in this direction, dominated by the true curve.

    The ``window`` of the upper bound will do for them too, unless the releases are split.
    """
    under_p: list[Factor] = []
    under_q: list[Factor] = []
    if plan.cuts is None:
        for (pair, count), limits, anchor in zip(releases, plan.ranges, plan.anchors, strict=True):
            p, q = dominated(pair, lattice(plan.step, *limits, anchor), plan.step)
            under_p.append(Factor(p, count))
            under_q.append(Factor(q, count))
        window = window or steep_window_of(under_p, accuracy, plan.foreseen)
        return _attacks(under_p, under_q, window, stride=plan.stride, lowered=_are_lowered(under_p))
    bulk_p: list[Factor] = []
    bulk_q: list[Factor] = []
    forgone = 0.0
    for cut, release, (low, high) in zip(plan.cuts, releases, plan.ranges, strict=True):
        kept = release.times - cut.most
        if kept > 0:
            bulk = cut.split.dominated_bulk(plan.step, low)
            for factors, one in zip((bulk_p, bulk_q), bulk, strict=True):
                factors.append(Factor(one, kept))
        jump = cut.split.dominated_jump(plan.coarse_step, high)
        for factors, one in zip((under_p, under_q), jump, strict=True):
            factors.append(Factor(one, release.times))
        forgone += charges.binomial_excess(release.times, cut.split.jump_rate, cut.most)
    if bulk_p:
        window = whole_window(cumulants_of(bulk_p), accuracy)
        # Blocks of outcomes are merged, the same under P and under Q: an attack like any other.
        blocks = counted(plan.stride)
        from_below = compose(bulk_p, window, blocks)
        # Q mass above the window counts as a false alarm of every test, the most cautious of them
        # included, so there must be hardly any.
        from_above = compose(bulk_q, window.shifted(1.0).extended_up(), blocks).raised()
        coarse_p = nearest(from_below.lowered(), plan.coarse_step, growth=-charges.growth())
        coarse_q = nearest(from_above, plan.coarse_step, growth=charges.growth())
        under_p.insert(0, Factor(coarse_p, 1))
        under_q.insert(0, Factor(coarse_q, 1))
    window = steep_window_of(under_p, accuracy)
    lowered = bool(bulk_p) or _are_lowered(under_p)
    return _attacks(under_p, under_q, window, forgone=forgone, lowered=lowered)


def _are_lowered(under_p: Sequence[Factor]) -> bool:
    """Whether P masses lack more than rounding makes of them."""
    return any(
        float(one.masses.sum()) + one.mass_at_infinity < 1.0 - 4.0 * charges.growth()
        for one, _ in under_p
    )


def _attacks(
    under_p: Sequence[Factor],
    under_q: Sequence[Factor],
    window: Window | None,
    *,
    stride: int = 1,
    forgone: float = 0.0,
    lowered: bool = False,
) -> Attacks:
    """Tests at the losses of a window.

    They go without a probability of ``forgone``. If masses of P have been ``lowered``, what they
    lack is missing from the misses.
    """
    from_below = compose(under_p, window, counted(stride))
    rounding = tail_sum_error(from_below.masses.size)
    # An infinite loss is no false alarm: every test may reject there.
    revealed = mass_at_infinity(under_p)
    tpr = (from_below.tail_below() + revealed) * (1.0 - rounding) - forgone
    beta = 1.0 - tpr
    if beta[0] < 0.01 and not lowered:
        # Where tpr is near one the misses are known better from their own side.
        missed = from_below.head_above() * (1.0 + rounding + 2.0 * from_below.growth) + forgone
        beta = np.minimum(beta, missed)
    step = under_q[0].distribution.step
    weighted = [_weighted(*factor) for factor in under_q]
    log_fpr = _log_fpr(compose(weighted, window, discounted(step, stride)))
    return Attacks(
        losses=from_below.losses,
        step=step,
        tpr=tpr,
        beta=beta,
        log_alpha=np.logaddexp(log_fpr(from_below.losses), _log(mass_at_infinity(under_q))),
    )


def _log(mass: float) -> float:
    return math.log(mass) if mass > 0.0 else -math.inf


def _weighted(under_q: LossDistribution, count: int) -> Factor:
    """Q masses times exp(loss): of the size of P masses, so that far tails do not underflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        weighted = under_q.masses * np.exp(under_q.losses)
    # A loss too large for this has no Q mass to speak of; one in place of it errs upwards.
    weighted[~np.isfinite(weighted)] = 1.0
    return Factor(replace(under_q, masses=weighted), count)


def _log_fpr(weighted: ComposedLoss) -> Callable[[Floats], Floats]:
    """The log of an upper bound on Q[Y >= loss], from Q masses times exp(loss)."""
    losses = weighted.losses
    rounding = tail_sum_error(losses.size) + weighted.drift
    scaled = scaled_tail_sums(np.maximum(weighted.masses, 0.0), losses)
    # Errors enter with weights exp(w_i - w_j) <= 1, so the bound on their plain sum holds, too.
    noise = weighted.noise
    if weighted.below < FEW_MISSED:
        noise = np.minimum(noise, weighted.scaled_noise)
    logs = np.log(scaled + noise + weighted.above + 1e-300)
    logs += rounding + charges.log_alpha(logs, losses) - losses

    def log_fpr(wanted: Floats) -> Floats:
        # The two windows may begin a few lattice points apart.
        places = np.rint((wanted - losses[0]) / weighted.step).astype(np.intp)
        known = logs[np.clip(places, 0, losses.size - 1)]
        return np.where(places < 0, 0.0, np.minimum(known, 0.0))

    return log_fpr
