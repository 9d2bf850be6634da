"""The contour's upper and lower delta enclose what ball arithmetic says, and closely."""

import numpy as np
import pytest

import gdpnum
from gdpnum import contour
from gdpnum.contour.fit import Effort
from gdpnum.contour.profile import ContourBounds
from tests.contour.general import in_general
from tests.oracles.contour_ball import BallProfile, mixture, poisson, replaced

# sigma, rate, steps; then the tilt, the distance and the reach of the oracle's frequencies.
ORDINARY = [
    (9.4, 0.32768, 2000, 3.5, 0.15, 12.0),
    (2.0, 0.2, 400, 3.0, 0.12, 10.0),
    (3.0, 0.25, 400, 3.0, 0.15, 12.0),
    (4.48, 0.0461, 3620, 8.0, 0.3, 30.0),
    (12.0, 0.32768, 1000, 6.0, 0.3, 22.0),
    (1.0, 0.05, 300, 4.0, 0.15, 30.0),
    (24.0, 0.32768, 1156, 11.0, 0.5, 40.0),
    (2.02, 0.115, 78, 6.0, 0.25, 60.0),
]


def _checked(knots, row, oracle, *, every=1):
    """The truth, delta and its error at some of the knots, which enclose it."""
    for i in range(0, knots.epsilons.shape[1], every):
        truth = oracle.delta(float(knots.epsilons[row, i]))
        delta, error = float(knots.delta[row, i]), float(knots.delta_error[row, i])
        assert truth <= np.nextafter(delta + error, 2.0)
        assert truth >= np.nextafter(delta - error, -1.0)
        yield truth, delta, error


def _at_once(sigma, rate, steps):
    """What `fits` reads of one run alone at its first knots."""
    with np.errstate(all="ignore"):
        return Effort([contour.Segment(contour.Poisson(sigma, rate), steps)], 1e7).quick.read[2]


def _enclosed(run, oracle, row, low_epsilon, high_epsilon, widest):
    knots = contour.profile(run).knots(np.linspace(low_epsilon, high_epsilon, 10))
    for truth, _, error in _checked(knots, row, oracle):
        assert error <= widest * float(truth)


@pytest.mark.parametrize(("sigma", "rate", "steps", "tilt", "spacing", "reach"), ORDINARY)
def test_removing(sigma, rate, steps, tilt, spacing, reach):
    oracle = BallProfile([(poisson(sigma, rate), steps)], tilt=tilt, spacing=spacing, reach=reach)
    run = [contour.Segment(contour.Poisson(sigma, rate), steps)]
    end = contour.profile(run).epsilon(1e-12)[0]
    _enclosed(run, oracle, 0, 0.0, end, 1e-9)


# Jumps have their say; in the last S l is larger than exponents of floats.
JUMPY = [
    (1.0, 0.01, 1000, 4.0, 0.1, 60.0),
    (2.77, 0.0611, 7, 22.0, 1.2, 300.0),
    (3.71, 0.000917, 3763, 120.0, 2.0, 650.0),
]


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "tilt", "spacing", "reach"), [*ORDINARY, *JUMPY]
)
def test_a_reading_at_once(sigma, rate, steps, tilt, spacing, reach):
    """What `fits` reads of one run alone: right at all knots, and close where mu is decided."""
    oracle = BallProfile([(poisson(sigma, rate), steps)], tilt=tilt, spacing=spacing, reach=reach)
    closest = np.inf
    for _, delta, error in _checked(_at_once(sigma, rate, steps), 0, oracle, every=3):
        if 1e-11 <= delta <= 1e-7:
            closest = min(closest, error / 1e-10)
    assert closest <= 1e-7


# Few steps, and so much noise that the jumps are far beyond the last node.
FEW = [
    (9.52, 0.00252, 2, 690.0, 50.0, 4.5e4, 1e-6),
    (644.0, 0.00103, 2, 1.5e6, 1.2e5, 4.5e6, 1e-4),
    (184.0, 9.97e-6, 127, 1e6, 1e5, 3e7, 1e-4),
]


@pytest.mark.parametrize(("sigma", "rate", "steps", "tilt", "spacing", "reach", "close"), FEW)
def test_few_steps_and_much_noise_at_once(sigma, rate, steps, tilt, spacing, reach, close):
    oracle = BallProfile([(poisson(sigma, rate), steps)], tilt=tilt, spacing=spacing, reach=reach)
    for _, delta, error in _checked(_at_once(sigma, rate, steps), 0, oracle, every=5):
        if 1e-11 <= delta <= 1e-7:
            assert error <= close * 1e-10


@pytest.mark.parametrize(("sigma", "rate", "steps", "tilt", "spacing", "reach"), JUMPY[:2])
def test_adding_at_once(sigma, rate, steps, tilt, spacing, reach):
    """Adding is read off the line in the middle there."""
    oracle = BallProfile(
        [(poisson(sigma, rate), steps)], tilt=1.0 - 0.5 * tilt, spacing=0.5 * spacing, reach=reach
    )
    for _, _, error in _checked(_at_once(sigma, rate, steps), 1, oracle, every=8):
        assert error <= 1e-9


@pytest.mark.parametrize(("sigma", "rate", "steps", "tilt", "spacing", "reach"), ORDINARY[::2])
def test_epsilons_from_the_tail(sigma, rate, steps, tilt, spacing, reach):
    """At an epsilon delta is at or below what was asked, and just before it is not."""
    oracle = BallProfile([(poisson(sigma, rate), steps)], tilt=tilt, spacing=spacing, reach=reach)
    run = Effort([contour.Segment(contour.Poisson(sigma, rate), steps)], 1e7)
    deltas = np.array([1e-5, 1e-6, 1e-9, 1e-12])
    epsilons = ContourBounds(run, 1e-12).epsilons(deltas)
    for delta, epsilon in zip(deltas.tolist(), epsilons.tolist(), strict=True):
        assert oracle.delta(epsilon) <= delta
        assert oracle.delta(epsilon * (1.0 - 1e-8)) >= delta


@pytest.mark.parametrize(("sigma", "rate", "steps", "tilt", "spacing", "reach"), ORDINARY[:3])
def test_adding(sigma, rate, steps, tilt, spacing, reach):
    oracle = BallProfile(
        [(poisson(sigma, rate), steps)], tilt=1.0 - tilt, spacing=spacing, reach=reach
    )
    run = [contour.Segment(contour.Poisson(sigma, rate), steps)]
    end = contour.profile(run).epsilon(1e-8)[0]
    _enclosed(run, oracle, 1, 0.0, 0.9 * end, 1e-5)


def test_rare_jumps():
    oracle = BallProfile([(poisson(1.0, 0.01), 1000)], tilt=4.0, spacing=0.1, reach=60.0)
    run = [contour.Segment(contour.Poisson(1.0, 0.01), 1000)]
    _enclosed(run, oracle, 0, 0.0, 3.2, 1e-7)


def test_two_phases():
    oracle = BallProfile(
        [(poisson(2.0, 0.1), 200), (poisson(6.0, 0.3), 400)], tilt=5.0, spacing=0.15, reach=20.0
    )
    run = [
        contour.Segment(contour.Poisson(2.0, 0.1), 200),
        contour.Segment(contour.Poisson(6.0, 0.3), 400),
    ]
    _enclosed(run, oracle, 0, 0.0, 7.0, 1e-9)


def test_replacing():
    oracle = BallProfile([(replaced(3.0, 0.1), 300)], tilt=4.0, spacing=0.15, reach=14.0)
    _enclosed([contour.Segment(contour.Replace(3.0, 0.1), 300)], oracle, 0, 0.0, 7.0, 1e-8)


@pytest.mark.parametrize("rooted", [True, False])
def test_mixtures(rooted):
    weights = (0.81, 0.18, 0.01)
    oracle = BallProfile([(mixture(4.0, weights), 300)], tilt=6.0, spacing=0.2, reach=20.0)
    run = [contour.Segment(contour.Mixture(4.0, weights, rooted), 300)]
    _enclosed(run, oracle, 0, 0.0, 5.0, 1e-8)


@pytest.mark.parametrize(
    ("rate", "tilt", "spacing", "reach"), [(0.6, 1.4, 0.012, 1.6), (0.9, 1.3, 0.006, 1.2)]
)
def test_a_large_mu(rate, tilt, spacing, reach):
    """Of a mu of 13 or 18 a reading has three lines: right from zero to the end."""
    oracle = BallProfile([(poisson(1.0, rate), 400)], tilt=tilt, spacing=spacing, reach=reach)
    lines, knots = in_general(1.0, rate, 400, 1e-10)
    epsilons = np.linspace(0.0, knots[0, -1], 60)
    with np.errstate(all="ignore"):
        found = lines.at(np.stack([epsilons, epsilons]))
    assert len(lines.lines) == 3
    closest = np.inf
    for _, delta, error in _checked(found, 0, oracle):
        if 1e-11 <= delta <= 1e-7:
            closest = min(closest, error / 1e-10)
        if delta > 1e-3:
            assert error <= 1e-9
    assert closest <= 1e-7


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "spacing", "reach"),
    [(1.0, 0.1, 5000, 0.015, 4.0), (1.0, 0.6, 400, 0.01, 2.5), (5.0, 0.8, 30_000, 0.005, 1.0)],
)
def test_the_curve_of_a_large_mu(sigma, rate, steps, spacing, reach):
    """A mu of 9, 13 and 28: delta, epsilons and the advantage, on three lines of the oracle."""
    curve = gdpnum.tradeoff_curve(
        gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps)
    )
    each = [(poisson(sigma, rate), steps)]
    middle, before, after = (
        BallProfile(each, tilt=tilt, spacing=spacing, reach=reach) for tilt in (0.5, 0.9, 1.1)
    )
    hidden = -middle.delta(0.0)
    assert 1.0 - curve.advantage <= hidden
    assert 1.0 - curve.advantage >= float(hidden) * (1.0 - 1e-9) - 4e-16
    for delta in (1e-9, 1e-6, 1e-3, 0.3, 0.9):
        epsilon = curve.epsilon(delta)
        assert after.delta(epsilon) <= delta
        assert after.delta(epsilon * (1.0 - 1e-8)) >= delta
    half = curve.epsilon(0.5)
    for epsilon in np.linspace(0.0, half, 7)[1:].tolist():
        # From one half on, floats have delta - 1 without rounding.
        below, truth = curve.delta(epsilon) - 1.0, before.delta(epsilon)
        assert truth <= np.nextafter(below, 1.0)
        assert truth >= below - 1e-7 * abs(below) - 4e-16
    for fpr in (1e-100, 1e-30, 1e-12, 1e-6):
        # TPRs rise with the FPR, and beta is no more than they leave.
        tpr = curve.tpr(fpr)
        assert tpr >= curve.tpr(0.5 * fpr)
        assert curve.beta(fpr) <= 1.0 - tpr + 1e-9


# Next to no privacy: a mu of 56, 54 and 221; and one more, of 54, hidden by the rounding of many
# steps unless a line is close to where delta is a half.
LARGE = [
    (1.41, 0.94, 7180, 1.08, 0.003, 0.4, 1e-8),
    (1.0, 0.1, 200_436, 1.08, 0.003, 0.4, 1e-10),
    (0.531, 0.0758, 788_343, 1.02, 0.0008, 0.1, 1e-6),
    (8.8, 0.6, 620_000, 1.08, 0.003, 0.4, 1e-12),
]


@pytest.mark.parametrize(("sigma", "rate", "steps", "tilt", "spacing", "reach", "slack"), LARGE)
def test_next_to_no_privacy(sigma, rate, steps, tilt, spacing, reach, slack):
    """Beside two lines of the oracle: one for what is far from one, and one for 1 - delta."""
    lines, places = in_general(sigma, rate, steps, slack)
    with np.errstate(all="ignore"):
        knots = lines.at(places)
    first = int(np.argmax(knots.delta[0] < 0.999))
    each = [(poisson(sigma, rate), steps)]
    oracle = BallProfile(each, tilt=tilt, spacing=spacing, reach=reach)
    late = type(knots)(*(part[:, first:] for part in knots))
    for _, delta, error in _checked(late, 0, oracle, every=5):
        assert error <= 1e-3 * max(delta, slack)
    lam = float(lines.lines[1].lam[0, 0])
    assert -0.5 < lam < 0.0
    oracle = BallProfile(each, tilt=1.0 + lam, spacing=spacing, reach=reach)
    epsilons = np.linspace(1.0 + 3.0 * lam, 1.0, 12) * places[0, first]
    with np.errstate(all="ignore"):
        knots = lines.at(np.stack([epsilons, epsilons]))
    for i, epsilon in enumerate(epsilons):
        # Both are delta - 1: from one half on, floats have that without rounding.
        truth, below = oracle.delta(float(epsilon)), float(knots.delta[0, i]) - 1.0
        error = float(knots.delta_error[0, i])
        assert np.nextafter(below - error, -2.0) <= truth <= np.nextafter(below + error, 2.0)
        assert error <= 1e-9
