"""A person's records, several shifts at once: each charge covers what is really wrong."""

import numpy as np
import pytest
from mpmath import mp, mpf

from gdpnum import charges, contour
from gdpnum.contour.grid import lifted_cut, lifted_spacing, spacing
from gdpnum.contour.pairs import Steps
from gdpnum.floats import UNIT
from gdpnum.pairs.mixture import person_pair

# sigma, rate, records: rare and frequent ones, many at once, hardly ever none.
PERSONS = [(1.0, 0.01, 2), (2.0, 0.05, 5), (0.7, 1e-3, 3), (3.0, 0.3, 12), (2.0, 0.4, 40)]


@pytest.fixture(autouse=True)
def quiet():
    """The engine works with numpy's warnings off, and so do its parts here."""
    with np.errstate(all="ignore"), mp.workdps(40):
        yield


def steps_of(sigma, rate, records):
    shares = person_pair(sigma, rate, records).shares
    return Steps.of([[contour.Segment(contour.Mixture(sigma, shares, real_rooted=True), 1)]])


def loss(sigma, rate, records, u):
    """log sum_j Bin(k, q)(j) exp(j c u - j^2 c^2 / 2)."""
    c, q = 1 / mpf(sigma), mpf(rate)
    return mp.log(
        mp.fsum(
            mp.binomial(records, j)
            * q**j
            * (1 - q) ** (records - j)
            * mp.exp(j * c * u - j * j * c * c / 2)
            for j in range(records + 1)
        )
    )


@pytest.mark.parametrize("person", PERSONS)
def test_losses_are_within_their_units(person):
    steps = steps_of(*person)
    u = np.arange(-1900, 3000, 411) / 256.0
    nodes = steps.at(u[None, :])
    height = 0.49 * np.pi / steps.slope[0]
    angles = steps.c[:, None] * height
    log_a, _, arg = steps.lifted(nodes, angles)
    lifted = np.zeros(u.size)
    for j, posterior in enumerate(nodes.posteriors, start=1):
        spread = (np.abs(nodes.u) + 0.5 * j / person[0]) * j / person[0]
        lifted += charges.lifted_units(j * angles, posterior, spread, nodes.units)[0]
    wrong = []
    for i, x in enumerate(u.tolist()):
        base = loss(*person, mpf(x))
        off = abs(mpf(float(nodes.loss[0, i])) - base)
        assert off <= nodes.units[0, i] * UNIT
        turned = loss(*person, mp.mpc(x, height)) - base
        also = abs(mp.mpc(float(log_a[0, 0, i]), float(arg[0, 0, i])) - turned)
        assert also <= (lifted[i] + nodes.units[0, i]) * UNIT
        wrong.append((off, also))
    assert max(off for off, _ in wrong) > 0
    assert max(also for _, also in wrong) > 0


def trapezoid(person, s, step, ends, height=0.0):
    total = mp.mpc(0)
    for j in range(int(ends[0] / step), int(ends[1] / step) + 1):
        w = mp.mpc(mpf(step) * j, height)
        total += mp.exp(-w * w / 2 + s * loss(*person, w))
    return total * mpf(step) / mp.sqrt(2 * mp.pi)


def test_quadrature_on_a_lifted_line():
    person = (2.0, 0.05, 3)
    steps = steps_of(*person)
    tilts, theta, ends = np.array([[3.0, -2.0]]), 30.0, (-9.0, 15.0)
    digits, thetas = np.array([5.0]), np.array([theta])
    step, missed, turned, height = lifted_spacing(steps, digits, tilts, thetas)
    assert step[0] > spacing(steps, digits, tilts, thetas)[0][0]
    for tilt in tilts[0].tolist():
        size = abs(trapezoid(person, mpf(tilt), 1 / 16, ends))
        flat = trapezoid(person, mpf(tilt), float(step[0]), ends)
        assert abs(flat - size) / size <= missed[0]
        s = mp.mpc(tilt, theta)
        found = trapezoid(person, s, float(step[0]), ends, float(height[0]))
        true = trapezoid(person, s, 1 / 24, ends)
        assert 0.0 < abs(found - true) / size <= turned[0]


@pytest.mark.parametrize("tilt", [3.0, 0.5, -2.0])
def test_ends_of_a_lifted_line(tilt):
    person, step, first, last, height = (1.0, 0.05, 3), 0.25, -12, 40, 0.5
    steps = steps_of(*person)
    nodes = steps.at(step * np.arange(first, last + 1)[None, :])
    size = abs(trapezoid(person, mpf(tilt), 1 / 16, (-12.0, 22.0)))

    def term(j, at):
        w = mp.mpc(step * j, at)
        return abs(mp.exp(-w * w / 2 + tilt * loss(*person, w))) / size / mp.sqrt(2 * mp.pi)

    outside = [*range(-48, first), *range(last + 1, 90)]
    beyond = mp.fsum(term(j, height) for j in outside) * step
    ends = [float(step * term(j, 0.0)) for j in (first, last)]
    charge = lifted_cut(
        steps, nodes, np.array([step]), np.array([height]), np.array([[tilt]]), np.array([[ends]])
    )
    assert 0.0 < beyond <= charge[0, 0]
