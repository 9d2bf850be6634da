"""The accountant: from releases to a composed loss, from above and from below."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gdpnum.loss.compose import Composition, compose
from gdpnum.loss.cumulants import Atoms, Cumulants
from gdpnum.loss.demand import Demand
from gdpnum.loss.discretize import GROWTH, dominated, lattice, nearest, pessimistic, regridded
from gdpnum.loss.distribution import LossDistribution
from gdpnum.loss.dominating import Release
from gdpnum.loss.factors import Factor, infinite_loss
from gdpnum.loss.gathering import connected, counted, discounted
from gdpnum.loss.pair import Floats
from gdpnum.loss.scheme import Scheme
from gdpnum.loss.sums import scaled_tail_sums, sum_error
from gdpnum.loss.window import FEW_MISSED, Window, steep_window, whole_window

__all__ = ["Attacks", "attacks", "upper_bound"]


def upper_bound(releases: Sequence[Release], plan: Scheme, demand: Demand) -> Composition:
    """A composed loss that dominates the releases in this direction, for losses >= 0.

    Its exact masses bound the profile: delta(eps) <= sum_j m_j (1 - exp(eps - w_j))+ plus the mass
    at infinity, for every eps >= 0.
    """
    if plan.cuts is None:
        factors = [
            Factor(pessimistic(pair, lattice(plan.step, *limits, anchor), plan.step), count)
            for (pair, count), limits, anchor in zip(
                releases, plan.ranges, plan.anchors, strict=True
            )
        ]
        window = _steep(factors, demand, plan.foreseen)
        return compose(factors, window, connected(plan.step, plan.stride))
    fine = [
        Factor(cut.split.pessimistic_bulk(plan.step, low), release.times)
        for cut, release, (low, _) in zip(plan.cuts, releases, plan.ranges, strict=True)
    ]
    window = whole_window(_cumulants(fine), demand)
    bulk = compose(fine, window, connected(plan.step, plan.stride)).raised()
    jumps = [
        Factor(cut.split.pessimistic_jump(plan.coarse_step, high), release.times)
        for cut, release, (_, high) in zip(plan.cuts, releases, plan.ranges, strict=True)
    ]
    factors = [Factor(regridded(bulk, plan.coarse_step), 1), *jumps]
    return compose(factors, _steep(factors, demand))


@dataclass(frozen=True, eq=False)
class Attacks:
    """Tests that exist: for each loss w_i, one with TPR at least ``tpr`` and FPR at most alpha.

    They reject when a rounded loss is at least w_i, so (alpha_i, beta_i) lies on or above the true
    trade-off curve; ``beta`` is 1 - tpr, but keeps its digits where it is small. ``step`` is that
    of the rounding, so the i-th is the best of all such tests at the epsilons in (w_i - step, w_i].
    """

    losses: Floats
    step: float
    tpr: Floats
    beta: Floats
    log_alpha: Floats


def attacks(
    releases: Sequence[Release], plan: Scheme, demand: Demand, window: Window | None = None
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
        window = window or _steep(under_p, demand, plan.foreseen)
        return _attacks(under_p, under_q, window, stride=plan.stride)
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
        forgone += _binomial_excess(release.times, cut.split.jump_rate, cut.most)
    if bulk_p:
        window = whole_window(_cumulants(bulk_p), demand)
        # Blocks of outcomes are merged, the same under P and under Q: an attack like any other.
        blocks = counted(plan.stride)
        from_below = compose(bulk_p, window, blocks)
        # Q mass above the window counts as a false alarm of every test, the most cautious of them
        # included, so there must be hardly any.
        from_above = compose(bulk_q, window.shifted(1.0).raised(), blocks).raised()
        coarse_p = nearest(from_below.lowered(), plan.coarse_step, growth=-GROWTH)
        coarse_q = nearest(from_above, plan.coarse_step, growth=GROWTH)
        under_p.insert(0, Factor(coarse_p, 1))
        under_q.insert(0, Factor(coarse_q, 1))
    window = _steep(under_p, demand)
    return _attacks(under_p, under_q, window, forgone=forgone, lowered=bool(bulk_p))


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
    rounding = 4.0 * sum_error(from_below.masses.size)
    # An infinite loss is no false alarm: every test may reject there.
    revealed = infinite_loss(under_p)
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
        log_alpha=np.logaddexp(log_fpr(from_below.losses), _log(infinite_loss(under_q))),
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


def _log_fpr(weighted: Composition) -> Callable[[Floats], Floats]:
    """The log of an upper bound on Q[Y >= loss], from Q masses times exp(loss)."""
    losses = weighted.losses
    rounding = 4.0 * sum_error(losses.size) + losses * 2.0**-51 + weighted.drift
    scaled = scaled_tail_sums(np.maximum(weighted.masses, 0.0), losses)
    # Errors enter with weights exp(w_i - w_j) <= 1, so the bound on their plain sum holds, too.
    noise = weighted.noise
    if weighted.below < FEW_MISSED:
        noise = np.minimum(noise, weighted.scaled_noise)
    logs = np.log(scaled + noise + weighted.above + 1e-300) - losses + rounding

    def log_fpr(wanted: Floats) -> Floats:
        # The two windows may begin a few lattice points apart.
        places = np.rint((wanted - losses[0]) / weighted.step).astype(np.intp)
        known = logs[np.clip(places, 0, losses.size - 1)]
        return np.where(places < 0, 0.0, np.minimum(known, 0.0))

    return log_fpr


def _steep(
    factors: Sequence[Factor], demand: Demand, foreseen: Cumulants | None = None
) -> Window | None:
    """The window for a composition's steep half; a single release needs none."""
    if sum(count for _, count in factors) == 1:
        return None
    return steep_window(foreseen or _cumulants(factors), demand)


def _cumulants(factors: Sequence[Factor]) -> Cumulants:
    return Cumulants([Atoms(one.losses, one.masses, count) for one, count in factors])


def _binomial_excess(trials: int, probability: float, most: int) -> float:
    """A bound on the probability of more than ``most`` successes (Chernoff)."""
    share = (most + 1) / trials
    if share >= 1.0 or share <= probability:
        return 0.0 if most >= trials else 1.0
    divergence = share * np.log(share / probability) + (1.0 - share) * np.log(
        (1.0 - share) / (1.0 - probability)
    )
    return float(np.exp(-trials * divergence))
