"""Compositions by FFT against the same masses composed in ball arithmetic.

A ball contains the truth, so what is asserted is the promise of `Composition` itself: each tail
and each head of the exact composition lies within its bounds.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtri, ndtri_exp

from gdpnum.accuracy import Accuracy
from gdpnum.lattice.above import upper_bound
from gdpnum.lattice.discretize import lattice, pessimistic
from gdpnum.lattice.distribution import Factor
from gdpnum.lattice.plan import plan as planned
from gdpnum.lattice.reading import lines_of
from gdpnum.pairs.pair import Release
from gdpnum.releases import releases
from tests.build import steps
from tests.examples import mostly_slow
from tests.oracles import ball

# Running sums in floats: 2 sqrt(n) extended roundings and two double ones, relative.
ROUNDING = 2.0**-50


@dataclass(frozen=True)
class Setting:
    """DP-SGD phases, in one direction, on the lattice of a tolerance or of a given step."""

    segments: tuple[tuple[float, float, int], ...]
    floor: float = 1e-10
    grid_step: float | None = None
    direction: str = "remove"
    tolerance: float = 1e-3

    def __str__(self):
        phases = "+".join("{:g}-{:g}-{}".format(*segment) for segment in self.segments)
        return f"{phases}-{self.direction}-{self.floor:g}"

    @property
    def accuracy(self):
        return Accuracy(self.tolerance, self.floor, self.grid_step)

    @cached_property
    def releases(self):
        found = releases(steps(self.segments)).above
        if self.direction == "add":
            found = [Release(pair.reversed(), times) for pair, times in found]
        return found

    @cached_property
    def plan(self):
        plan = planned(self.releases, self.accuracy)
        assert plan.cuts is None
        return plan

    @cached_property
    def composed_in_balls(self):
        found, plan = self.releases, self.plan
        factors = [
            Factor(pessimistic(pair, lattice(plan.step, *limits, anchor), plan.step), times)
            for (pair, times), limits, anchor in zip(found, plan.ranges, plan.anchors, strict=True)
        ]
        return ball.composed(
            [
                ball.Component(one.masses, one.lowest, times, one.mass_at_infinity)
                for one, times in factors
            ],
            plan.step,
        )

    def compositions(self):
        """The library's composition, and the ball one of the very same masses."""
        plan, exact = self.plan, self.composed_in_balls
        composition = upper_bound(self.releases, plan, self.accuracy)
        if plan.stride > 1:
            offset = round((composition.lowest - float(exact.lowest)) / plan.step)
            exact = ball.coarsened(exact, plan.stride, offset)
        return composition, exact

    @cached_property
    def both(self):
        """The two, computed once."""
        return self.compositions()


FAST = [
    Setting(((9.4, 0.32768, 20),)),
    Setting(((9.4, 0.32768, 60),), direction="add"),
    Setting(((0.5, 0.01, 50),), grid_step=0.02),
    Setting(((0.5, 0.01, 50),), grid_step=0.02, direction="add"),
    Setting(((0.5, 0.01, 7),), floor=1e-12, grid_step=0.01),
    Setting(((1.0, 1e-4, 30),), grid_step=2e-4),
    Setting(((1.0, 1e-4, 30),), grid_step=2e-4, direction="add"),
    Setting(((2.0, 0.1, 15), (0.8, 0.05, 10)), grid_step=0.005),
    Setting(((2.0, 0.1, 15), (0.8, 0.05, 10)), grid_step=0.005, direction="add"),
    Setting(((1.0, 0.5, 40),), floor=1e-6, grid_step=0.05),
    Setting(((3.0, 0.2, 3),), floor=1e-8),
    Setting(((0.45, 0.4, 12),), floor=1e-12, grid_step=0.05),
    # Steps enough for a coarser lattice of the sum.
    Setting(((9.4, 0.32768, 100),)),
    Setting(((9.4, 0.32768, 100),), direction="add"),
    Setting(((1.2, 0.2, 64), (3.0, 0.5, 40)), floor=1e-12),
    Setting(((0.8, 0.3, 70),), floor=1e-8, direction="add"),
    # Asks for a transform in extended precision.
    Setting(((0.45, 0.4, 12),), floor=1e-12, tolerance=1e-5),
]
SLOW = [
    Setting(((9.4, 0.32768, 400),)),
    Setting(((0.5, 0.01, 300),), grid_step=0.02),
    Setting(((1.0, 0.01, 300),), grid_step=0.01, floor=1e-12),
    Setting(((0.7, 0.3, 100), (5.0, 0.9, 200)), grid_step=0.02, direction="add"),
]
settings = pytest.mark.parametrize(
    "setting", [*FAST, *(pytest.param(one, marks=pytest.mark.slow) for one in SLOW)], ids=str
)


def place(composition, exact):
    """Number of the ball's node at which the composition's window begins."""
    offset = (composition.lowest - float(exact.lowest)) / composition.step
    assert abs(offset - round(offset)) < 1e-6
    return round(offset)


def over(number, bound):
    """Whether a ball lies above a bound for certain, beyond the rounding of a running sum."""
    return number > arb(float(bound)) * (1 + ROUNDING)


def under(number, bound):
    """Whether a ball lies below a bound for certain."""
    return number < arb(float(bound)) * (1 - ROUNDING)


@settings
def test_every_tail_and_head_of_a_composition_is_within_its_bounds(setting):
    assert_within_bounds(*setting.both)


@pytest.mark.parametrize("setting", mostly_slow(FAST, quick=FAST[::4]), ids=str)
def test_so_they_are_where_frequencies_are_chosen_beforehand(setting, monkeypatch):
    """As on a long circle: the few that last are summed directly."""
    monkeypatch.setattr("gdpnum.lattice.spectrum._SHORT", 0)
    assert_within_bounds(*setting.compositions())


def assert_within_bounds(found, exact):
    start = place(found, exact)
    size = found.masses.size
    with ctx.workprec(exact.bits):
        tails = exact.upper_tails()[start : start + size]
        heads = [sum(exact.masses[:start], arb(0))]
        for mass in exact.masses[start : start + size - 1]:
            heads.append(heads[-1] + mass)
        infinite = exact.p_at_infinity
        upper, lower = found.tail_above() + found.above, found.tail_below()
        above, below = found.head_above(), found.head_below()
        for i in range(size):
            assert not over(tails[i] + infinite, upper[i]), f"tail {i} is above its bound"
            assert not under(tails[i] + infinite, lower[i]), f"tail {i} is below its bound"
            assert not over(heads[i], above[i]), f"head {i} is above its bound"
            assert not under(heads[i], below[i]), f"head {i} is below its bound"


@settings
def test_the_bounds_of_a_composition_are_within_its_budget(setting):
    """Noise and truncation cost a hundredth of the floor, or of the tail where it is larger."""
    found, exact = setting.both
    start = place(found, exact)
    tails = np.array([float(tail) for tail in exact.upper_tails()])[start:][: found.masses.size]
    steep = found.losses >= 0.0
    spread = (found.tail_above() + found.above - found.tail_below())[steep]
    assert (spread <= 0.01 * np.maximum(tails[steep], setting.floor)).all()


def accuracys(log_alpha, tpr, beta, slack):
    """-Phi^-1(alpha) - Phi^-1(beta + slack), each from the side that keeps its digits."""
    with np.errstate(invalid="ignore"):
        falls = np.where(tpr < 0.5, -ndtri(tpr - slack), ndtri(beta + slack))
    return np.where(tpr > slack, -ndtri_exp(np.minimum(log_alpha, 0.0)) - falls, 0.0)


@settings
def test_mu_of_a_composition_is_that_of_the_balls_within_the_charges(setting):
    found, exact = setting.both
    lines = lines_of(found)
    mu = float(np.max(accuracys(lines.log_alphas, lines.tprs, 1.0 - lines.tprs, setting.floor)))
    # The same thresholds, w >= 0, in balls; radii are far below a float's last digit.
    window = slice(place(found, exact), place(found, exact) + found.masses.size)
    steep, losses = found.losses >= 0.0, found.losses[found.losses >= 0.0]
    with ctx.workprec(exact.bits):
        tpr = np.array([float(tail + exact.p_at_infinity) for tail in exact.upper_tails()[window]])
        log_alpha = np.array([float(tail.log()) for tail in exact.tilted_tails()[window]])
    tpr, log_alpha = tpr[steep], log_alpha[steep]
    true = float(np.max(accuracys(log_alpha, tpr, 1.0 - tpr, setting.floor)))
    assert mu >= true * (1 - 1e-12)
    # Tails raised by d_i in [0, spread_i] raise tpr_i by d_i, and lower alpha_i by no more than
    # exp(-w_i) max d (summation by parts).
    spread = (found.tail_above() - found.tail_below())[steep]
    ahead = np.maximum.accumulate(spread[::-1])[::-1]
    lower = log_alpha + np.log1p(-np.minimum(ahead * np.exp(-losses - log_alpha), 0.5)) - 1e-12
    upper = (tpr + spread + found.above) * (1 + 1e-12)
    charged = accuracys(lower, upper, np.maximum(1.0 - upper, 0.0), setting.floor)
    assert mu <= float(np.max(charged)) * (1 + 1e-9)
