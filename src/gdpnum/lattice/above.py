"""From above: a composed loss that dominates the releases in one direction."""

from __future__ import annotations

from collections.abc import Sequence

from gdpnum.accuracy import Accuracy
from gdpnum.lattice.coarsening import connected
from gdpnum.lattice.compose import ComposedLoss, compose
from gdpnum.lattice.cumulants import Atoms, Cumulants
from gdpnum.lattice.discretize import lattice, pessimistic, regridded
from gdpnum.lattice.distribution import Factor
from gdpnum.lattice.plan import Plan
from gdpnum.lattice.window import Window, steep_window, whole_window
from gdpnum.pairs.pair import Release


def upper_bound(releases: Sequence[Release], plan: Plan, accuracy: Accuracy) -> ComposedLoss:
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
        window = steep_window_of(factors, accuracy, plan.foreseen)
        return compose(factors, window, connected(plan.step, plan.stride))
    fine = [
        Factor(cut.split.pessimistic_bulk(plan.step, low), release.times)
        for cut, release, (low, _) in zip(plan.cuts, releases, plan.ranges, strict=True)
    ]
    window = whole_window(cumulants_of(fine), accuracy)
    bulk = compose(fine, window, connected(plan.step, plan.stride)).raised()
    jumps = [
        Factor(cut.split.pessimistic_jump(plan.coarse_step, high), release.times)
        for cut, release, (_, high) in zip(plan.cuts, releases, plan.ranges, strict=True)
    ]
    factors = [Factor(regridded(bulk, plan.coarse_step), 1), *jumps]
    return compose(factors, steep_window_of(factors, accuracy))


def steep_window_of(
    factors: Sequence[Factor], accuracy: Accuracy, foreseen: Cumulants | None = None
) -> Window | None:
    """The window for a composition's steep half; a single release needs none."""
    if sum(count for _, count in factors) == 1:
        return None
    return steep_window(foreseen or cumulants_of(factors), accuracy)


def cumulants_of(factors: Sequence[Factor]) -> Cumulants:
    """The cumulants of lattice masses."""
    return Cumulants([Atoms(one.losses, one.masses, count) for one, count in factors])
