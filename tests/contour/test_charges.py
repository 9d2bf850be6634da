"""Each charge covers what its operation really does wrong, which is more than nothing.

Inputs were found by search. A charge of zero fails its test: every one asserts 0 < wrong <= charge.
"""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from flint import arb, ctx
from mpmath import mp, mpf
from scipy.special import erfcx, logsumexp, ndtr

import gdpnum
from gdpnum import charges, contour
from gdpnum.account import account
from gdpnum.accuracy import Accuracy
from gdpnum.contour.decay import LIFTED, decay, weighed
from gdpnum.contour.decided import profile_of_mu
from gdpnum.contour.fit import Effort
from gdpnum.contour.grid import cut, lifted_cut, lifted_spacing, shrunk, spacing
from gdpnum.contour.ladder import ladder
from gdpnum.contour.ordinary import _cumulants, placed, tilted_weights
from gdpnum.contour.pairs import Steps
from gdpnum.contour.phases import chunked, phases, roundings
from gdpnum.contour.transform import Quadrature, transform
from gdpnum.contour.turns import log_of_one_plus, powers, turns, turns_less_one
from gdpnum.floats import UNIT
from tests.contour.general import in_general

mp.dps = 32


@pytest.fixture(autouse=True)
def quiet():
    """The engine works with numpy's warnings off, and so do its parts here."""
    with np.errstate(all="ignore"):
        yield


SETTINGS = [(1.0, 0.05), (0.5, 0.01), (4.0, 0.3), (2.0, 0.9)]


def loss(sigma, rate, u):
    c = 1 / mpf(sigma)
    return mp.log(1 - mpf(rate) + mpf(rate) * mp.exp(c * u - c * c / 2))


def trapezoid(sigma, rate, s, step, first, last):
    """sum of N A^s on multiples of the step, in high precision."""
    total = mpf(0)
    for j in range(first, last + 1):
        u = mpf(step) * j
        total += mp.exp(-u * u / 2 + s * loss(sigma, rate, u))
    return total * mpf(step) / mp.sqrt(2 * mp.pi)


@cache
def exact(sigma, rate, s):
    # Its own error is below 1e-30.
    return trapezoid(sigma, rate, s, mpf(1) / 8, -120, 240)


def steps_of(sigma, rate, count=1):
    return Steps.of([[contour.Segment(contour.Poisson(sigma, rate), count)]])


def covered(wrong, charge):
    assert 0.0 < float(wrong) <= float(charge)


@pytest.mark.parametrize(("sigma", "rate"), SETTINGS)
@pytest.mark.parametrize("tilt", [3.0, -2.0, 0.5])
def test_quadrature(sigma, rate, tilt):
    steps = steps_of(sigma, rate)
    # So few digits that the error is far above rounding.
    step, charge = spacing(steps, np.array([6.0]), np.array([[tilt, 0.5]]), np.array([2.0]))
    s = mp.mpc(tilt, 2.0)
    number = int(25 / step[0])
    found = trapezoid(sigma, rate, s, float(step[0]), -number, number)
    size = exact(sigma, rate, mpf(tilt))
    covered(abs(found - exact(sigma, rate, s)) / size, charge[0])


@pytest.mark.parametrize(("sigma", "rate"), SETTINGS)
@pytest.mark.parametrize("tilt", [3.0, -2.0])
def test_cut_ends(sigma, rate, tilt):
    steps = steps_of(sigma, rate)
    step = 0.25
    first, last = -12, 40
    nodes = steps.at(step * np.arange(first, last + 1)[None, :])
    size = exact(sigma, rate, mpf(tilt))
    ends = [
        float(mpf(step) * mp.exp(-(mpf(u) ** 2) / 2 + tilt * loss(sigma, rate, mpf(u))) / size)
        / np.sqrt(2.0 * np.pi)
        for u in (step * first, step * last)
    ]
    charge = cut(steps, nodes, np.array([step]), np.array([[ends]]), np.array([[tilt]]))
    kept = trapezoid(sigma, rate, mpf(tilt), step, first, last)
    whole = trapezoid(sigma, rate, mpf(tilt), step, -80, 160)
    covered((whole - kept) / size, charge[0, 0])


@pytest.mark.parametrize(
    ("sigma", "rate", "tilt", "last"),
    [
        (60.0, 1e-3, 8e3, 9.0),
        (200.0, 1e-4, 1e5, 12.0),
        (20.0, 0.01, 1e3, 6.0),
        (5.0, 1e-5, 260.0, 7.0),
    ],
)
def test_cut_ends_far_before_where_a_tilt_pulls(sigma, rate, tilt, last):
    """Nodes that end with the bulk: jumps are at tilt / sigma, and next to nothing."""
    steps, step = steps_of(sigma, rate), 0.5
    first, number = -16, int(last / step)
    nodes = steps.at(step * np.arange(first, number + 1)[None, :])
    u = [mpf(step) * j for j in range(first, int((tilt / sigma + 20.0) / step))]
    terms = [mp.exp(-x * x / 2 + tilt * loss(sigma, rate, x)) for x in u]
    size, beyond = mp.fsum(terms), mp.fsum(terms[number + 1 - first :])
    ends = [float(terms[0] / size), float(terms[number - first] / size)]
    charge = cut(steps, nodes, np.array([step]), np.array([[ends]]), np.array([[tilt]]))[0, 0]
    covered(beyond / size, charge)
    # Nearly all of it is at the first end: the left one is charged as well.
    assert charge <= 20.0 * float(beyond / size) + 2.0 * ends[0]


def test_nothing_is_known_of_what_is_cut_off_before_its_jumps():
    steps, tilt = steps_of(60.0, 1e-3), 1e5
    nodes = steps.at(0.5 * np.arange(-16, 17)[None, :])
    ends = np.array([[[0.0, 0.0]]])
    assert cut(steps, nodes, np.array([0.5]), ends, np.array([[tilt]]))[0, 0] == np.inf


@pytest.mark.parametrize(
    ("weights", "sigma"), [((0.999, 0.001), 8.0), ((0.7, 0.3), 2.0), ((0.9, 0.08, 0.02), 3.0)]
)
@pytest.mark.parametrize("negative", [0.5, 30.0, 2e3])
@pytest.mark.parametrize("turn", [0.1, 0.6, 1.0])
def test_negative_powers_grow_no_faster_up_to_a_quarter_turn(weights, sigma, negative, turn):
    """The integral of N |A(u + ib)|^-n beside that on the real line."""
    pair = contour.Mixture(sigma, weights)
    steps = Steps.of([[contour.Segment(pair, 5)]])
    c, k = 1.0 / sigma, len(weights) - 1
    height = turn * (0.5 - 1e-12) * np.pi / (c * k)
    u = np.linspace(-14.0, 10.0, 4001)
    j = np.arange(1.0, k + 1.0)[:, None]
    shifts = np.array(weights[1:])[:, None] * np.exp(j * c * u - 0.5 * (j * c) ** 2)
    on_line = weights[0] + shifts.sum(axis=0)
    lifted = np.abs(weights[0] + (shifts * np.exp(1j * j * c * height)).sum(axis=0))
    logs = [-0.5 * u * u - negative * np.log(one) for one in (lifted, on_line)]
    grown = logsumexp(logs[0]) - logsumexp(logs[1])
    bound = shrunk(steps, np.array([[height]]), np.array([[negative]]), np.zeros((1, 1)))[0, 0]
    assert grown <= bound * (1.0 + 1e-12) + 1e-12


def test_decay_rounding():
    """The logs of R_a of few releases, which rounding alone is wrong with."""
    sigma, rate, tilt = 40.0, 0.01, 700.0
    steps = steps_of(sigma, rate)
    thetas = np.geomspace(400.0, 6e3, 16)
    nodes, step, tilts = steps.at(0.25 * np.arange(-72, 81)[None, :]), np.array([0.25]), [[tilt]]
    places = weighed(steps, nodes, step, np.array(tilts))
    found = decay(steps, places, thetas[None, None, :])[0, 0]
    c, wrong = 1 / mpf(sigma), []
    for theta, log in zip(thetas, found, strict=True):
        a = np.minimum(places.sampled[0, 0] * float(c) * theta, 0.35 * np.pi * sigma)
        a = float(np.minimum(a, np.sqrt(-LIFTED * np.log(places.lost[0, 0]))))
        true = decayed(sigma, rate, tilt, mpf(float(theta)), mpf(a), mpf(0.25))
        wrong.append(float(mpf(float(log)) - (mp.log(true) + mpf(a) ** 2 / 2)))
    # A bound, and a close one; the largest of them says that there is something to be charged.
    assert min(wrong) >= 0.0
    assert max(wrong) <= 1e-11


def test_chi_squared():
    """Half the root of chi^2, which bounds the advantage, in high precision."""
    for sigma, rate, count in [
        (285.0, 1.14e-7, 8515465),
        (3.0, 2e-6, 77),
        (0.9, 3e-9, 1e5),
        (7.0, 1e-5, 3),
    ]:
        for shift in range(12):
            own = sigma * (1.0 + 0.01 * shift)
            effort = Effort([contour.Segment(contour.Poisson(own, rate), int(count))], 1e6)
            one = mpf(rate) ** 2 * mp.expm1(1 / mpf(own) ** 2)
            true = mp.sqrt(mp.expm1(int(count) * mp.log1p(one))) / 2
            assert true <= mpf(effort.advantage_bound) <= true * (1 + mpf(10) ** -11)


def decayed(sigma, rate, tilt, theta, a, step):
    """R_a(theta) by the trapezoid, without exp(a^2 / 2)."""
    c = 1 / mpf(sigma)
    total, size = mpf(0), mpf(0)
    number = int(12 / step)
    for j in range(-number, int(2.5 * number)):
        u = mpf(step) * j
        base = mp.exp(-u * u / 2)
        lifted = 1 - mpf(rate) + mpf(rate) * mp.exp(c * mp.mpc(u, a) - c * c / 2)
        total += base * abs(lifted) ** tilt * mp.exp(-theta * mp.arg(lifted))
        size += base * mp.exp(tilt * loss(sigma, rate, u))
    return total / size


def test_shifted_quadrature():
    sigma, rate, tilt, theta, a, step = 2.0, 0.2, 2.0, 3.0, 0.4, 2.0
    found = decayed(sigma, rate, tilt, theta, a, step)
    true = decayed(sigma, rate, tilt, theta, a, 0.05)
    b = 0.5 * np.pi * sigma - a
    charge = charges.shifted_quadrature(np.array(0.5 * b * b), np.array(2.0 * np.pi * b / step))
    covered(abs(found - true), charge)


def moduli(sigma, rate, tilt, thetas):
    size = exact(sigma, rate, mpf(tilt))
    return [abs(trapezoid(sigma, rate, mp.mpc(tilt, t), 0.125, -110, 220)) / size for t in thetas]


def test_left_out():
    sigma, rate, tilt, count = 2.0, 0.2, 2.0, 40
    width, first = 0.5, 6
    thetas = [(m + 0.5) * width for m in range(first, first + 24)]
    values = [r**count for r in moduli(sigma, rate, tilt, thetas)]
    delta = sum(
        v / abs(mp.mpc(tilt - 1, t) * mp.mpc(tilt, t)) for v, t in zip(values, thetas, strict=True)
    )
    alpha = sum(v / abs(mp.mpc(tilt, t)) for v, t in zip(values, thetas, strict=True))
    limit = first * width
    # The best height, by search; R_a falls, so its value at the limit serves all.
    logs = [
        count * (float(mp.log(decayed(sigma, rate, tilt, t, 0.1 * t, 0.25))) + 0.005 * t * t)
        for t in (limit, 2 * limit, 4 * limit)
    ]
    covered(delta * width / mp.pi, charges.left_out(np.array(logs[0]), np.array(limit)))
    covered(
        alpha * width / mp.pi,
        charges.left_out_slowly(np.array(logs), np.log(2.0) + np.full(3, width / limit)),
    )


@pytest.mark.parametrize("power", [0.1, 1.0, 3.0])
def test_slow_decay(power):
    sigma, rate, tilt, theta = 2.0, 0.2, 2.0, 40.0
    c, a = 0.5, 0.6
    q = max(power, 1.0)
    shifted = q * np.log(0.8 / 0.2) + 0.5 * c * c * q * (q + 1.0)
    growth = (np.logaddexp(0.0, shifted) + (q - 1.0) * np.log(2.0)) * (power / q) + 0.5 * a * a
    scale = 1.0 / (theta * np.sin(c * a))
    charge = charges.slow_decay(np.array(power), np.array(scale), np.array(growth))
    found = decayed(sigma, rate, tilt, theta, a, 0.25) * mp.exp(mpf(a) ** 2 / 2)
    assert found > 0
    assert float(mp.log(found)) <= float(charge) < 1.0 + growth


def gaussian_delta(epsilon, mu=mpf(1)):
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("lam", [1.5, 3.0])
def test_aliases(lam):
    """Of the Gaussian with mu = 1, whose images are known: K(l) = l (l + 1) / 2."""
    period, epsilon = mpf(6), mpf(2)
    above = sum(
        (-1) ** k * mp.exp(lam * k * period) * gaussian_delta(epsilon + k * period)
        for k in range(1, 9)
    )
    below = sum(
        (-1) ** k
        * mp.exp(-lam * k * period)
        * (gaussian_delta(epsilon - k * period) - 1 + mp.exp(epsilon - k * period))
        for k in range(1, 9)
    )
    best = [np.inf, np.inf]
    for t in np.linspace(lam + 0.5, lam + 12.0, 60):
        kappa = t * np.log(t) - (1 + t) * np.log1p(t)
        k = 0.5 * t * (t + 1)
        up = charges.aliases(np.array(k), np.array(-(t - lam) * 6.0)) - 2.0 * t
        down = charges.aliases(np.array(k), np.array(-(1 + t + lam) * 6.0)) + 2.0 * (1 + t)
        best = [min(best[0], np.exp(up + kappa)), min(best[1], np.exp(down + kappa))]
    covered(abs(above), best[0])
    covered(abs(below), best[1])


def test_loss_units():
    worst = 0.0
    rng = np.random.default_rng(0)
    for sigma, rate in [*SETTINGS, (0.7, 1e-4), (9.4, 0.32768)]:
        u = np.sort(rng.integers(-2000, 4000, 200)) / 256.0
        nodes = steps_of(sigma, rate).at(u[None, :])
        c = 1 / mpf(sigma)
        for found, units, x in zip(nodes.loss[0], nodes.units[0], u, strict=True):
            b = mpf(rate) * mp.expm1(c * mpf(x) - c * c / 2)
            wrong = abs(mpf(float(found)) - mp.log1p(b))
            assert wrong <= units * UNIT
            worst = max(worst, float(wrong))
    assert worst > 0.0


def exact_transform(sigma, rate, tilt, theta, nodes, step):
    """The same trapezoid in high precision: M, and M(z) / M(lam)."""
    total, turned = mpf(0), mp.mpc(0)
    for x in nodes:
        value = loss(sigma, rate, mpf(float(x)))
        weight = mp.exp(-(mpf(float(x)) ** 2) / 2 + mpf(tilt) * value)
        total += weight
        turned += weight * mp.expj(mpf(theta) * value)
    return total * mpf(step) / mp.sqrt(2 * mp.pi), turned / total


@pytest.mark.parametrize(("sigma", "rate"), SETTINGS)
@pytest.mark.parametrize("count", [1, 5000])
@pytest.mark.parametrize("height", [0.0, 0.5])
def test_transform(sigma, rate, count, height):
    """weight_units, phase_units, power and cumulant_rounding: all that rounding does."""
    steps = steps_of(sigma, rate, count)
    step = np.array([0.125])
    u = 0.125 * np.arange(-80, 120)[None, :]
    tilts = np.array([[2.5, -1.5, 0.5]])
    # So many that they are taken by blocks, where T is not so large that nothing is left.
    thetas = 0.03125 * (np.arange(20)[None, :] + 0.5)
    none = np.zeros(1)
    quadrature = Quadrature(step, u[:, 0], u[:, -1], none, none, np.array([height]))
    groups = [np.array([0])]
    found = transform(steps, quadrature, groups, tilts=tilts, frequencies=thetas)
    for line in range(3):
        for m in (0, 1, 19):
            m0, ratio = exact_transform(sigma, rate, tilts[0, line], thetas[0, m], u[0], step[0])
            true = ratio**count * mp.expj(-mpf(thetas[0, m]) * mpf(float(found.centre[0])))
            value = mp.mpc(complex(found.values[0, line, m]))
            slip = float(found.centre_error[0]) * thetas[0, m]
            covered(abs(value - true), found.errors[0, line, m] + slip)
        # By its own error, which holds what the ends cut off, too.
        wrong = abs(mpf(float(found.cumulants[0, line])) - count * mp.log(m0))
        covered(wrong, found.cumulant_errors[0, line])


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.05), (0.5, 0.01), (0.7, 1e-3)])
def test_lifted_quadrature(sigma, rate):
    """On a line above the real one nodes are as far apart whatever the frequency."""
    steps = steps_of(sigma, rate)
    tilts, theta = np.array([[3.0, -2.0, 0.5]]), 60.0
    step, missed, turned, height = lifted_spacing(steps, np.array([5.0]), tilts, np.array([theta]))
    assert height[0] > 0.0
    assert step[0] > spacing(steps, np.array([5.0]), tilts, np.array([theta]))[0][0]
    number = int(25 / step[0])
    for tilt in tilts[0]:
        size = exact(sigma, rate, mpf(float(tilt)))
        flat = trapezoid(sigma, rate, mpf(float(tilt)), float(step[0]), -number, number)
        assert abs(flat - size) / size <= missed[0]
        for t in (4.0, theta):
            s = mp.mpc(tilt, t)
            total = mp.mpc(0)
            for j in range(-number, number + 1):
                w = mp.mpc(float(step[0]) * j, float(height[0]))
                total += mp.exp(-w * w / 2 + s * loss(sigma, rate, w))
            total *= float(step[0]) / mp.sqrt(2 * mp.pi)
            true = trapezoid(sigma, rate, s, mpf(1) / 64, -700, 1500)
            covered(abs(total - true) / size, turned[0])


@pytest.mark.parametrize("tilt", [3.0, 0.5, -2.0])
def test_lifted_cut(tilt):
    sigma, rate, step, first, last, height = 1.0, 0.05, 0.25, -12, 40, 0.75
    steps = steps_of(sigma, rate)
    nodes = steps.at(step * np.arange(first, last + 1)[None, :])
    size = exact(sigma, rate, mpf(tilt))

    def term(j):
        w = mp.mpc(step * j, height)
        return abs(mp.exp(-w * w / 2 + tilt * loss(sigma, rate, w)))

    outside = [*range(-80, first), *range(last + 1, 160)]
    beyond = sum(term(j) for j in outside) * step / mp.sqrt(2 * mp.pi) / size
    ends = [
        float(mpf(step) * mp.exp(-(mpf(u) ** 2) / 2 + tilt * loss(sigma, rate, mpf(u))) / size)
        / np.sqrt(2.0 * np.pi)
        for u in (step * first, step * last)
    ]
    charge = lifted_cut(
        steps, nodes, np.array([step]), np.array([height]), np.array([[tilt]]), np.array([[ends]])
    )
    covered(beyond, charge[0, 0])


def test_lifted_units():
    worst = 0.0
    for sigma, rate in [*SETTINGS, (0.7, 1e-4)]:
        steps = steps_of(sigma, rate)
        u = np.arange(-1500, 3000, 37) / 256.0
        nodes = steps.at(u[None, :])
        angle = np.array([[0.5 / sigma]])
        log_a, _, arg = steps.lifted(nodes, angle)
        spread = (np.abs(nodes.u) + 0.5 / sigma) / sigma
        units = charges.lifted_units(angle, nodes.posteriors[0], spread, nodes.units)[0]
        for j, x in enumerate(u):
            base = loss(sigma, rate, mpf(float(x)))
            true = loss(sigma, rate, mp.mpc(float(x), 0.5)) - base
            wrong = abs(mp.mpc(float(log_a[0, 0, j]), float(arg[0, 0, j])) - true)
            assert wrong <= units[j] * UNIT
            worst = max(worst, float(wrong))
    assert worst > 0.0


def test_weight_units():
    exponent = np.array([-37.123456789, 12.3456789, -0.1, 55.5])
    loss_part = np.zeros(4)
    # 40 terms that add up to the exponent, each rounded, is what three units of each cover.
    parts = np.stack([0.7 * exponent, 0.3 * exponent])
    found = np.exp(parts[0] + parts[1])
    units = charges.weight_units(np.abs(parts).sum(axis=0), loss_part)
    for value, a, b, unit in zip(found, *parts, units, strict=True):
        true = mp.exp(mpf(float(a)) + mpf(float(b)))
        assert abs(mpf(float(value)) - true) <= unit * UNIT * true
    assert any(
        abs(mpf(float(value)) - mp.exp(mpf(float(a)) + mpf(float(b)))) > 0
        for value, a, b in zip(found, *parts, strict=True)
    )
    assert np.all(units >= 1.0)


def test_power():
    b, eta, count = 0.97, 1e-9, 300
    wrong = (mpf(b) + mpf(eta)) ** count - mpf(b) ** count
    charge = charges.transform_power(
        np.array(count * np.log(b + eta)), np.array(count * np.log1p(eta / b))
    )
    covered(wrong, charge)


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.05), (4.0, 0.3), (2.0, 0.9), (9.4, 0.32768)])
def test_cumulants_of_an_ordinary_run(sigma, rate):
    """log M as an ordinary run has it, with one rounding for all nodes: beside M itself."""
    steps = steps_of(sigma, rate, 400)
    places = placed(steps, 6.0, 6.0, 3.0)
    tilted = tilted_weights(places, np.array([-2.0, 0.5, 3.5]))[0].only([0, 1, 2])
    farthest, wrong = (
        np.abs(one).max(axis=1)[:, None] for one in (places.nodes.loss, places.nodes.units)
    )
    deepest = -places.exponents.min(axis=1)[:, None]
    logs, errors = _cumulants(places, tilted, farthest, wrong, deepest)
    worst = 0.0
    for s, found, error in zip((-2.0, 0.5, 3.5), logs[0], errors[0], strict=True):
        off = abs(float(mpf(float(found)) - mp.log(exact(sigma, rate, mpf(s)))))
        assert off <= error
        worst = max(worst, off)
    assert worst > 0.0
    assert np.all(errors <= 1e-12)


def test_cumulant_rounding():
    rng = np.random.default_rng(1)
    terms = rng.uniform(0.1, 1.0, 60)
    weights = rng.uniform(0.0, 1.0, 60)
    found = np.einsum("j,j->", terms, weights)
    true = sum((mpf(float(a)) * mpf(float(b)) for a, b in zip(terms, weights, strict=True)), mpf(0))
    charge = charges.cumulant_rounding(np.zeros(1), np.array([(terms * weights).sum()]), 60)
    covered(abs(mpf(float(found)) - true), charge[0])


@pytest.mark.parametrize("number", [3, 400])
@pytest.mark.parametrize("run", [(3.0, 0.25, 400), (0.8, 0.002, 200)])
def test_evaluation_and_known_images(run, number):
    """One line's sums, beside the same sums in high precision: a few, or many frequencies."""
    sigma, rate, count = run
    found = contour.profile([contour.Segment(contour.Poisson(sigma, rate), count)])
    _evaluated(found.lines.lines[-1], np.linspace(0.6, 1.0, number) * found.end(1e-8))


def test_evaluation_between_the_middle_and_zero():
    """On a line with -1/2 < lam < 0, as a large mu has: the images that are known are others."""
    lines, places = in_general(1.0, 0.9, 400, 1e-10)
    assert np.all((lines.lines[1].lam > -0.5) & (lines.lines[1].lam < 0.0))
    _evaluated(lines.lines[1], np.linspace(0.3, 0.9, 5) * places[0, -1])


def _evaluated(line, epsilons):
    """Checks a line's sums at epsilons, and what is charged for their rounding."""
    number = epsilons.size
    values, errors = line.at(np.stack([epsilons, epsilons]))
    worst = 0.0
    for i in range(0, number, max(1, number // 5)):
        epsilon = mpf(float(epsilons[i]))
        for row in range(2):
            lam = mpf(float(line.lam[row, 0]))
            p = mp.pi / mpf(float(line.frequencies[row, 0]))
            for which in range(2):
                total = mpf(0)
                for term, theta in zip(line.terms[row, which], line.frequencies[row], strict=True):
                    turn = -mpf(float(theta)) * (epsilon - mpf(float(line.centre[row, 0])))
                    total += (mp.mpc(complex(term)) * mp.expj(turn)).real
                total *= mp.exp(mpf(float(line.cumulant[row, 0])) - lam * epsilon)
                u, u1 = mp.exp(-abs(lam) * p), mp.exp(-(1 + lam) * p)
                lifted = mp.exp(epsilon) * u1 / (1 + u1)
                total += lifted if which else mp.sign(lam) * u / (1 + u) - lifted
                wrong = abs(mpf(float(values[row, which, i])) - total)
                assert wrong <= errors[row, which, i]
                worst = max(worst, float(wrong))
    assert worst > 0.0
    known = charges.known_images(np.array(1.0), np.array(0.5), np.array(3.0))
    turned = np.exp(np.float64(1.3) - np.float64(2.9))
    covered(abs(mpf(float(turned)) - mp.exp(mpf(1.3) - mpf(2.9))), known)
    constant, distant, far = charges.evaluation(*(np.ones((1, 2)) for _ in range(4)))
    assert min(constant.min(), distant.min(), far.min()) > 0.0


def test_turns():
    """exp(i x) by tangents: within 17 units, less one within 20 of x, and powers as they add up."""
    rng = np.random.default_rng(3)
    near = 0.5 * np.pi * np.arange(-40.0, 41.0)
    x = np.concatenate([rng.uniform(-3.0, 3.0, 60), rng.uniform(-1e4, 1e4, 60), near, [1e-9, 1e-3]])
    real, imaginary = turns_less_one(0.5 * x)
    worst = [0.0, 0.0]
    for angle, found, a, b in zip(x, turns(x), real, imaginary, strict=True):
        true = mp.expj(mpf(float(angle)))
        wrong = abs(mp.mpc(complex(found)) - true), abs(mp.mpc(float(a), float(b)) - (true - 1))
        assert wrong[0] <= 17 * UNIT
        assert wrong[1] <= 20 * UNIT * abs(angle)
        worst = [max(old, float(new)) for old, new in zip(worst, wrong, strict=True)]
    assert min(worst) > 0.0
    first, angles = np.array([[0.3, 1.0]]), np.array([[0.7, -2.0]])
    table = powers(first, angles, 37)
    for r in range(37):
        for place in range(2):
            true = mp.expj(mpf(float(first[0, place])) + r * mpf(float(angles[0, place])))
            wrong = abs(mp.mpc(complex(table[0, r, place])) - true)
            assert wrong <= (17 + 20 * r) * UNIT


def test_quantile():
    from scipy.special import ndtri, ndtri_exp

    worst = 0.0
    with ctx.workprec(200):
        for p in (1e-300, 1e-100, 1e-12, 1e-5, 0.01, 0.02425, 0.1353, 0.3, 0.49, 0.6, 0.9, 0.999):
            true = -(arb(2).sqrt() * (2 * arb(p)).erfcinv())
            for value in (ndtri(p), ndtri_exp(np.log(p))):
                # log rounds its argument, too: by a unit of log p, which moves the quantile less.
                wrong = abs(float(arb(float(value)) - true))
                assert wrong <= charges.one_quantile(np.array(float(value)))
                worst = max(worst, wrong)
    assert worst > 0.0


# The last are next to no privacy, where eps / mu and eps have few digits after the point.
MUS = (1e-4, 0.01, 0.5, 1.567, 6.0, 30.0, 1000.3, 3000.7)


def test_profile_of_mu():
    rng, worst = np.random.default_rng(3), 0.0
    for mu in MUS:
        epsilons = np.maximum(0.5 * mu * mu + mu * rng.uniform(-7.0, 7.0, 60), 0.0)
        found = profile_of_mu(np.array([mu]), epsilons[None, :])[0]
        for epsilon, value in zip(epsilons, found, strict=True):
            # The charge was added: what is left is at most twice it, and nothing below the truth.
            above = mpf(float(value)) - gaussian_delta(mpf(float(epsilon)), mpf(mu))
            assert 0 <= above <= 2.0 * charges.profile_of_mu(mu)
            worst = max(worst, float(above))
    assert worst > 0.0


def test_a_profile_next_to_one_or_to_nothing_is_a_number():
    with np.errstate(all="ignore"):
        found = profile_of_mu(np.array([1e-200, 5000.0]), np.array([[0.0, 1.0, 1e4]] * 2))
    assert np.all((found >= 0.0) & (found <= 1.0 + 1e-12))


def test_gaussian_delta():
    rng, worst = np.random.default_rng(4), 0.0
    for mu in MUS:
        epsilons = np.maximum(0.5 * mu * mu + mu * rng.uniform(-9.0, 9.0, 60), 0.0)
        s, half = epsilons / mu, 0.5 * mu
        a = half - s
        likely, lifted = ndtr(a), 0.5 * np.exp(-0.5 * a * a) * erfcx((half + s) * np.sqrt(0.5))
        charged = charges.gaussian_delta(a, epsilons, lifted, likely)
        for i, (epsilon, *most) in enumerate(zip(epsilons, *charged, strict=True)):
            with mp.workdps(60):
                place, wide = mpf(float(epsilon)), mpf(mu)
                slope = mp.exp(place) * mp.ncdf(-wide / 2 - place / wide)
                wrong = abs(mpf(float(likely[i] - lifted[i])) - gaussian_delta(place, wide))
                assert wrong <= most[0]
                assert abs(mpf(float(lifted[i])) - slope) <= most[1]
            worst = max(worst, float(wrong))
    assert worst > 0.0


def test_the_ladder_is_rounded_up():
    for sigma, rate in SETTINGS:
        found = ladder(steps_of(sigma, rate, 7), 12.0)
        for rung in (0, 9, 15):
            s = 1 + mpf(float(found.rungs.lam[0, rung]))
            true = 7 * mp.log(exact(sigma, rate, s))
            assert 0 < mpf(float(found.rungs.values[0, rung])) - true <= 1e-3 * (1 + true)


@pytest.mark.parametrize("sigma", [9.4, 0.7, 1.0 / 3.0, 49.0, 1e-3 * np.pi])
def test_the_deviation_is_rounded_once_on_its_way_to_the_loss(sigma):
    # T7 charges for one rounding of 1 / sigma: there is none before.
    run = gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=0.1, steps=10)
    taken = account(run, Accuracy(1e-3)).run
    assert Steps.of([taken]).c[0] == float(1 / Fraction(sigma))


@pytest.mark.parametrize("lifted", [False, True])
@pytest.mark.parametrize(("nodes", "number"), [(9, 1), (50, 7), (97, 60)])
def test_sums_over_nodes_by_blocks_of_frequencies(nodes, number, lifted):
    """sum V (exp(i theta l) - 1) within the roundings that are charged for, at every frequency."""
    rng = np.random.default_rng(nodes)
    weights = rng.random((2, 2, nodes)) * (np.exp(2j * rng.random((2, 2, nodes))) if lifted else 1)
    weights /= np.abs(weights).sum(axis=2, keepdims=True)
    away, arg = rng.normal(size=(2, nodes)), rng.random((2, nodes)) * lifted
    theta = np.array([[0.125], [0.75]]) * (np.arange(number) + 0.5)
    terms = chunked(nodes) + 8.0 if lifted else roundings(nodes, number)
    spread = np.einsum("nsj,nj->ns", np.abs(weights), np.abs(away) + arg)
    allowed = UNIT * (2.0 * terms + 72.0) * theta[:, None] * spread[:, :, None]
    real, imaginary = phases(weights, away, arg, theta)
    loss, worst = away + 1j * arg, 0.0
    for frequency in range(number):
        place = segment, line, _ = 1, frequency % 2, frequency
        true = mp.fsum(
            mp.mpc(complex(weight)) * mp.expm1(1j * mpf(float(theta[segment, frequency])) * one)
            for weight, one in zip(
                weights[segment, line], map(mp.mpc, map(complex, loss[segment])), strict=True
            )
        )
        wrong = float(abs(mp.mpc(float(real[place]), float(imaginary[place])) - true))
        assert wrong <= allowed[place]
        worst = max(worst, wrong)
    assert worst > 0.0


def test_where_a_transform_vanishes_its_logarithm_is_a_number():
    logs, _, modulus = log_of_one_plus(np.array([-1.0, 0.0]), np.array([0.0, 0.0]))
    assert np.isfinite(logs).all()
    assert 0.0 < modulus[0] < UNIT
    assert logs[1] == 0.0
