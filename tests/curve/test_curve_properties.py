"""What every trade-off curve is: convex, decreasing, below 1 - alpha, dual to its profile."""

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gdpnum import (
    ApproxDP,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    PoissonSampled,
    RandomizedResponse,
    charges,
    tradeoff_curve,
)
from gdpnum.curve.piecewise import PiecewiseCurve
from tests.examples import examples

leaves = st.one_of(
    st.builds(
        lambda sigma, rate: PoissonSampled(Gaussian(sigma=sigma), rate=rate),
        st.floats(0.45, 16.0),
        st.floats(1e-4, 1.0),
    ),
    st.builds(
        lambda scale, rate: PoissonSampled(Laplace(scale=scale), rate=rate),
        st.floats(0.2, 10.0),
        st.floats(1e-3, 1.0),
    ),
    st.builds(lambda scale: DiscreteLaplace(scale=scale), st.floats(0.3, 5.0)),
    st.builds(
        lambda epsilon, categories: RandomizedResponse(epsilon=epsilon, categories=categories),
        st.floats(0.01, 4.0),
        st.integers(2, 9),
    ),
    st.builds(
        lambda epsilon, delta: ApproxDP(epsilon=epsilon, delta=delta),
        st.floats(0.01, 2.0),
        st.floats(0.0, 1e-3),
    ),
)
mechanisms = st.one_of(
    st.builds(lambda leaf, count: leaf * count, leaves, st.integers(1, 300)),
    st.builds(
        lambda first, second, count: first * count + second,
        leaves.filter(lambda leaf: leaf.neighbouring != "replace"),
        leaves.filter(lambda leaf: leaf.neighbouring != "replace"),
        st.integers(1, 20),
    ),
)

modest = examples(40)
curve_of = cache(tradeoff_curve)

# Rounding of a value of size one, in sums and interpolations of a few terms.
ROUNDING = 1e-14


def joint(mechanism):
    """By how much the two halves may overlap: the rounding granted to each release's masses."""
    return ROUNDING + 4.0 * charges.growth() * sum(count for _, count in mechanism.parts)


@modest
@given(mechanisms)
def test_a_curve_starts_at_one_minus_the_mass_at_infinity_and_ends_at_zero(mechanism):
    curve = curve_of(mechanism)
    assert curve.beta(0.0) == 1.0 - curve.mass_at_infinity
    assert curve.beta(1.0) == 0.0
    assert curve.tpr(0.0) == curve.mass_at_infinity
    assert curve.tpr(1.0) == 1.0


@modest
@given(mechanisms)
def test_a_curve_falls_and_stays_below_the_diagonal(mechanism):
    alphas, betas = curve_of(mechanism).vertices
    assert np.isfinite(alphas).all()
    assert np.isfinite(betas).all()
    overlap = joint(mechanism)
    assert (np.diff(alphas) >= -overlap).all()
    assert (np.diff(betas) <= overlap).all()
    assert (betas <= 1.0 - alphas + ROUNDING).all()
    assert alphas.min() >= 0.0
    assert betas.min() >= 0.0


@modest
@given(mechanisms, st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3))
def test_a_curve_is_convex(mechanism, places):
    low, middle, high = sorted(places)
    if low == high:
        return
    share = (middle - low) / (high - low)
    left, inside, right = curve_of(mechanism).beta([low, middle, high])
    assert inside <= (1 - share) * left + share * right + ROUNDING


@modest
@given(mechanisms)
def test_the_slopes_of_the_steep_half_grow_along_the_curve(mechanism):
    """Line by line in log alpha, where alphas as small as 1e-300 are still told apart."""
    curve = curve_of(mechanism)
    # At rate 1 a run is Gaussian, and its curve has no lines.
    assume(isinstance(curve, PiecewiseCurve))
    lines = curve.steep
    assert (np.diff(lines.epsilons) >= 0.0).all()
    assert (np.diff(lines.log_alphas) <= ROUNDING).all()
    assert (np.diff(lines.tprs) <= ROUNDING).all()


@modest
@given(mechanisms, st.floats(0.0, 1.0), st.floats(-8.0, 8.0))
def test_every_line_of_the_profile_is_below_the_curve(mechanism, alpha, epsilon):
    curve = curve_of(mechanism)
    line = 1.0 - curve.delta(epsilon) - np.exp(epsilon) * alpha
    assert curve.beta(alpha) >= line - ROUNDING


@modest
@given(mechanisms, st.floats(0.0, 1.0))
def test_the_highest_line_of_the_profile_is_the_curve(mechanism, alpha):
    """sup over real eps of 1 - delta(eps) - exp(eps) alpha, at the kinks of delta."""
    # Of a curve without segments the lines are those of its chords.
    curve = curve_of(mechanism)
    if not isinstance(curve, PiecewiseCurve):
        return
    curve = PiecewiseCurve(curve.steep, curve.flat)
    kinks = curve.knots[curve.knots < 40.0]
    epsilons = np.concatenate([-kinks[::-1], [0.0], kinks, [40.0]])
    lines = 1.0 - curve.delta(epsilons) - np.exp(epsilons) * alpha
    # Lines beyond eps = 40 fall to zero before this alpha.
    if alpha > 1e-12:
        assert curve.beta(alpha) == pytest.approx(max(0.0, lines.max()), abs=1e-12)


@modest
@given(mechanisms, st.floats(1e-12, 1.0))
def test_tpr_is_one_minus_beta(mechanism, alpha):
    curve = curve_of(mechanism)
    assert curve.tpr(alpha) == pytest.approx(1.0 - curve.beta(alpha), abs=ROUNDING)
    assert curve.tpr(alpha) >= alpha


@modest
@given(mechanisms)
def test_the_profile_falls_and_is_symmetric(mechanism):
    """delta(-eps) = 1 - exp(-eps) (1 - delta(eps))."""
    curve = curve_of(mechanism)
    epsilons = np.linspace(0.0, 12.0, 400)
    deltas = curve.delta(epsilons)
    assert (np.diff(deltas) <= ROUNDING).all()
    assert deltas.min() >= curve.mass_at_infinity
    mirrored = 1.0 - np.exp(-epsilons) * (1.0 - deltas)
    np.testing.assert_allclose(curve.delta(-epsilons), mirrored, rtol=0, atol=ROUNDING)


@modest
@given(mechanisms, st.floats(-12.0, 0.0))
def test_epsilon_keeps_its_delta(mechanism, exponent):
    """No delta comes back larger than it was asked for, and a smaller epsilon would not do."""
    curve, delta = curve_of(mechanism), 10.0**exponent
    epsilon = curve.epsilon(delta)
    if np.isinf(epsilon):
        assert delta < curve.mass_at_infinity
        return
    assert epsilon >= 0.0
    assert curve.delta(epsilon) <= delta * (1 + 1e-9) + 1e-15
    if epsilon > 0.0:
        assert curve.delta(epsilon * (1 - 1e-6)) >= delta * (1 - 1e-9)


@modest
@given(mechanisms, st.floats(0.0, 6.0))
def test_epsilon_inverts_delta_where_delta_falls(mechanism, epsilon):
    curve = curve_of(mechanism)
    delta = curve.delta(epsilon)
    slope = (delta - curve.delta(epsilon + 1e-3)) / 1e-3
    if delta > curve.mass_at_infinity * (1 + 1e-6) + 1e-12 and slope > 1e-12:
        # A delta near one is known to its last digit only, and so much worse its epsilon.
        assert curve.epsilon(delta) <= epsilon + 1e-9 + 4e-16 / slope
        assert curve.delta(curve.epsilon(delta)) == pytest.approx(delta, rel=1e-9)
