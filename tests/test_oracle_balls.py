"""Oracles in ball arithmetic agree with floats, with other oracles and within their radii.

Each test compares two roads to one number that share no code beyond the normal distribution.
"""

from math import inf

import numpy as np
import pytest
from flint import arb, ctx
from mpmath import mp

from tests.oracles import (
    ball,
    ball_step,
    certified,
    closed_form,
    naive,
)

# They hold each other, and nothing of the library.
pytestmark = pytest.mark.slow


def lattice(lowest, highest, step):
    return [step * i for i in range(lowest, highest + 1)]


def test_ball_composition_is_exact_on_dyadic_masses():
    loss = ball.composed([ball.Component([0.25, 0.5, 0.25], -0.5, count=3)], 0.5)
    expected = [float(mp.binomial(6, k)) / 64 for k in range(7)]
    assert [float(mass) for mass in loss.masses] == expected
    assert [float(w) for w in loss.losses()] == lattice(-3, 3, 0.5)
    assert float(loss.upper_tails()[0]) == 1.0


def test_ball_composition_is_numpy_convolution():
    rng = np.random.default_rng(1)
    first, second = rng.random(40), rng.random(30)
    first[-2:] = 0  # leading zeros of the polynomial must not be lost
    loss = ball.composed([ball.Component(first, -1.0, 2), ball.Component(second, 0.3)], 0.1)
    expected = np.convolve(np.convolve(first, first), second)
    assert len(loss.masses) == expected.size
    np.testing.assert_allclose([float(m) for m in loss.masses], expected, rtol=1e-12, atol=1e-300)
    tilted = np.exp(-(-1.7 + 0.1 * np.arange(expected.size))) * expected
    found = [float(tail) for tail in loss.tilted_tails()]
    np.testing.assert_allclose(found, np.cumsum(tilted[::-1])[::-1], rtol=1e-12)


@pytest.mark.parametrize("count", [1, 7, 40])
def test_both_ways_to_multiply_balls_agree_within_their_radii(count):
    nodes = lattice(-20, 180, 0.02)
    step = ball_step.sampled_gaussian(1.5, 0.2, nodes)
    component = ball.Component(step.masses, nodes[0], count)
    fixed, relative = (ball.composed([component], 0.02, relative=way) for way in (False, True))
    assert len(fixed.masses) == len(relative.masses) == 200 * count + 1
    pairs = zip(fixed.tilted_tails(), relative.tilted_tails(), strict=True)
    assert all(one.overlaps(other) for one, other in pairs)
    assert fixed.mu(1e-8).overlaps(relative.mu(1e-8))
    assert max(float(tail.rad()) for tail in fixed.tilted_tails()) < 1e-60


def test_radii_stay_below_1e_40_over_a_hundred_steps():
    nodes = lattice(-40, 160, 0.01)
    step = ball_step.sampled_gaussian(2.0, 0.1, nodes)
    loss = ball.composed([ball.Component(step.masses, nodes[0], 100)], 0.01)
    assert max(float(tail.rad()) for tail in loss.upper_tails()) < 1e-40
    assert float(loss.mu(1e-6, direction="remove").rad()) < 1e-30


@pytest.mark.parametrize(
    ("sigma", "rate", "h"), [(1.0, 0.01, 0.002), (0.5, 0.5, 0.02), (5.0, 1.0, 0.02)]
)
def test_connecting_the_dots_keeps_all_mass_and_never_flatters(sigma, rate, h):
    nodes = lattice(-200, 1400, h)
    step = ball_step.sampled_gaussian(sigma, rate, nodes)
    pairs = list(zip(step.nodes, step.masses, strict=True))
    with ctx.workprec(256):
        p = sum(step.masses, step.p_at_infinity)
        q = sum(((-w).exp() * m for w, m in pairs), step.q_at_infinity)
        assert abs(p - 1) < arb("1e-60")
        assert abs(q - 1) < arb("1e-60")
        assert all(not mass < 0 for mass in step.masses)
        assert not step.p_at_infinity < 0
        assert not step.q_at_infinity < 0
    exact = closed_form.gaussian(sigma, rate)
    for eps in (-0.015, 0.0, 0.5, 2.01):
        delta = float(step.p_at_infinity) + sum(
            float(m) * max(0.0, -np.expm1(eps - float(w))) for w, m in pairs
        )
        true = float(closed_form.profile(exact, eps, "remove"))
        assert true <= delta * (1 + 1e-12)
        assert delta <= true * 1.02 + 1e-12


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_lattice_mu_is_above_the_true_one_and_converges_quadratically(count):
    exact = certified.mu([(2.0, 0.2)] * count, 1e-8)
    excess = []
    for h in (0.02, 0.01):
        nodes = lattice(round(-0.4 / h), round(4 / h), h)
        step = ball_step.sampled_gaussian(2.0, 0.2, nodes)
        component = ball.Component(
            step.masses, nodes[0], count, step.p_at_infinity, step.q_at_infinity
        )
        excess.append(float(ball.composed([component], h).mu(1e-8)) - exact)
    assert 0 < excess[1] < excess[0] < 0.01 * exact
    assert 2.5 < excess[0] / excess[1] < 6


def test_ball_mu_is_the_naive_mu_on_randomised_response():
    eps, count = 0.5, 4
    pair = naive.randomized_response(eps)
    masses = [float(p) for _, p, _ in reversed(list(pair.losses()))]
    # The lattice reads Q = exp(-w) P, so floats that are not exactly a pair differ by 1e-16.
    component = ball.Component([masses[0], 0.0, masses[1]], -eps, count)
    for slack in (0.0, 1e-6):
        found = float(ball.composed([component], eps).mu(slack))
        assert found == pytest.approx(
            float(naive.mu(naive.repeated(pair, count), slack)), abs=1e-13
        )


def test_mass_at_infinity_above_the_slack_makes_ball_mu_infinite():
    loss = ball.composed([ball.Component([0.5, 0.4], 0.0, 2, p_at_infinity=0.1)], 0.1)
    assert float(loss.p_at_infinity) == pytest.approx(0.19)
    assert float(loss.mu(0.1)) == inf
