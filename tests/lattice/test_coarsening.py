"""Gathering to a coarser lattice: what is kept, and attacks on it against ball arithmetic."""

import numpy as np
import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from gdpnum.accuracy import Accuracy
from gdpnum.lattice.below import attacks
from gdpnum.lattice.coarsening import connected, counted, discounted
from gdpnum.lattice.discretize import dominated, lattice
from gdpnum.lattice.engine import directions
from gdpnum.lattice.plan import plan as planned
from gdpnum.releases import releases
from tests.build import steps
from tests.oracles import ball

lattices = given(step=st.floats(1e-6, 3.0), stride=st.integers(1, 300))


@lattices
def test_connecting_keeps_p_and_q_masses(step, stride):
    here, above = connected(step, stride)
    assert (here >= 0.0).all()
    assert (above >= 0.0).all()
    np.testing.assert_allclose(here + above, 1.0, rtol=1e-15)
    # A P mass at loss x has exp(-x) of Q mass, one a coarse step up exp(-H).
    kept = here + above * np.exp(-step * stride)
    np.testing.assert_allclose(kept, np.exp(-step * np.arange(stride)), rtol=1e-13, atol=1e-300)


@lattices
def test_no_mass_weighs_more_than_once(step, stride):
    for one in (connected(step, stride), counted(stride), discounted(step, stride)):
        assert one.stride == stride
        assert (one.here + one.above <= 1.0 + 1e-15).all()


@pytest.mark.parametrize("way", [0, 1])
@pytest.mark.parametrize(
    "segments",
    [
        [(9.4, 0.32768, 100)],
        [(0.8, 0.3, 70)],
        [(1.2, 0.2, 64), (3.0, 0.5, 40)],
        pytest.param([(0.7, 0.02, 200)], marks=pytest.mark.slow),
    ],
)
def test_attacks_at_coarse_thresholds_have_the_error_rates_of_the_rounded_loss(segments, way):
    """P and Q probabilities of rounded losses, composed in balls, at the thresholds used."""
    found = directions(releases(steps(segments)).above)[way]
    accuracy = Accuracy(1e-3, 1e-10)
    plan = planned(found, accuracy)
    assert plan.stride > 1
    tests = attacks(found, plan, accuracy)
    rounded = [
        (dominated(pair, lattice(plan.step, *limits, anchor), plan.step), times)
        for (pair, times), limits, anchor in zip(found, plan.ranges, plan.anchors, strict=True)
    ]
    p, q = (
        ball.composed(
            [ball.Component(one[side].masses, one[side].lowest, times) for one, times in rounded],
            plan.step,
        )
        for side in (0, 1)
    )
    places = np.rint((tests.losses - float(p.lowest)) / plan.step).astype(int)
    inside = [(i, place) for i, place in enumerate(places) if place < len(p.masses)]
    with ctx.workprec(p.bits):
        p_tails, q_tails = p.upper_tails(), q.upper_tails()
        for i, place in inside:
            tpr, alpha = float(p_tails[place]), float(q_tails[place])
            # Honest: no test is said to do better than it does ...
            assert tests.tpr[i] <= tpr
            if alpha > 0.0:
                assert tests.log_alpha[i] >= min(np.log(alpha), 0.0)
            # ... and tight: nor, where it matters, by much worse.
            if tpr > 1e-9:
                assert tests.tpr[i] >= tpr * (1.0 - 1e-4)
                assert tests.log_alpha[i] <= np.log(alpha) + 1e-4
