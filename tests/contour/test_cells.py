"""Cells between knots: a cubic tells what is between them, to the bound that is charged for it."""

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import erfcx, ndtr

from gdpnum import contour
from gdpnum.contour import chords
from gdpnum.contour.decided import Cells, _Beside, _cut_off, _lowest
from gdpnum.contour.fit import Effort, _end_known

SETTINGS = [(9.4, 0.32768, 2000), (2.0, 0.1, 25), (1.0, 0.01, 1000), (0.7, 0.001, 5000)]


@pytest.fixture(autouse=True)
def quiet():
    """The engine works with numpy's warnings off, and so do its parts here."""
    with np.errstate(all="ignore"):
        yield


def reading(sigma, rate, steps):
    """The ladder, the lines and the first knots of a run."""
    return Effort([contour.Segment(contour.Poisson(sigma, rate), steps)], 1e7).quick.read


def cubic_between(t, start, end, rising, falling):
    """The cubic with these values and slopes (times the length) at zero and at one."""
    first = (1 - t) ** 2 * ((1 + 2 * t) * start + t * rising)
    return first + t**2 * ((3 - 2 * t) * end - (1 - t) * falling)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_cubic_is_as_close_as_is_charged(setting):
    """Of long cells, in which the fourth derivative shows; and the charge is not far from it."""
    ladder, lines, _ = reading(*setting)
    removing, limit = lines.rows(slice(0, 1)), float(lines.limits[0, 0])
    t, closest = np.linspace(0.0, 1.0, 21)[1:-1], 0.0
    for start in (0.0, 0.3 * limit, 1.02 * limit, 1.5 * limit):
        for long in (0.1, 0.3, 0.6):
            end = start + long * float(ladder.deviation[0])
            if start <= limit < end:
                continue
            ends = removing.at(np.array([[start, end]]))
            cells = Cells.of(removing, ends)
            within = removing.at(start + t[None] * (end - start))
            slopes = -(end - start) * ends.lifted_alpha[0]
            wrong = np.abs(cubic_between(t, *ends.delta[0], *slopes) - within.delta[0])
            unsure = cells.unsure[0, 0] + within.delta_error[0]
            assert np.all(wrong <= cells.bent[0, 0] + unsure)
            if wrong.max() > 10.0 * unsure.max():
                closest = max(closest, float(wrong.max() / cells.bent[0, 0]))
    assert closest > 0.02


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_a_sum_omits_is_charged_at_both_ends_and_the_rest_once(setting):
    """Images and frequencies left out fall or rise within a cell; rounding is that of a knot."""
    _, lines, found = reading(*setting)
    assert np.all(found.omitted >= 0.0)
    assert np.all(found.omitted <= found.delta_error)
    wrong, omitted = found.delta_error, found.omitted
    least = np.maximum(wrong[:, :-1], wrong[:, 1:]) + omitted[:, :-1] + omitted[:, 1:]
    assert np.all(Cells.of(lines, found).unsure >= least * (1.0 - 1e-12))
    # Far before the epsilon that it is for, a line in the tail has images and little else.
    last = lines.lines[-1].rows(slice(0, 1))
    before = np.array([[0.02, 0.2]]) * float(lines.limits[-1, 0])
    (value, *_), (error, *_, missing) = (one[0] for one in last.at(before))
    known = lines.rows(slice(0, 1)).at(before)
    assert np.all(np.abs(value - known.delta[0]) <= error + known.delta_error[0])
    assert np.all(missing <= error)


def test_at_the_last_knot_delta_is_known_better_than_its_sum():
    """It is from zero to the slack; the sum may be far from that: what it omits counts twice."""
    *_, found = reading(*SETTINGS[0])
    found.delta_error[:, -1], slack = 1e-3, np.full(2, 1e-10)
    known = _end_known(found, slack)
    assert np.all(known.delta[:, -1] - known.delta_error[:, -1] <= 0.0)
    assert np.all(known.delta[:, -1] + known.delta_error[:, -1] <= slack * (1.0 + 1e-9))
    assert np.array_equal(known.omitted[:, -1], 2.0 * found.omitted[:, -1])


def test_a_cell_between_two_lines_is_charged_twice_its_length():
    """Their sums differ: only that slopes are at most one is known of both."""
    _, lines, _ = reading(*SETTINGS[0])
    limit, removing = float(lines.limits[0, 0]), lines.rows(slice(0, 1))
    over = removing.at(np.array([[0.999 * limit, 1.001 * limit]]))
    assert Cells.of(removing, over).bent[0, 0] == pytest.approx(0.004 * limit, rel=1e-9)


@pytest.mark.parametrize("mu", [0.003, 0.5, 1.567, 7.0, 40.0])
def test_the_summary_bends_no_more_than_is_charged(mu):
    """delta_mu's fourth derivative, in cells all the way to where it is below the slack."""
    epsilons = np.linspace(0.0, 7.0 * mu + 0.5 * mu * mu, 30)[None]
    _, lines, _ = reading(*SETTINGS[0])
    removing = lines.rows(slice(0, 1))
    cells = Cells.of(removing, removing.at(epsilons))
    beside = _Beside.of(cells, np.array([mu]), np.array([1e-10]))
    charged = (beside.bent - cells.bent) / cells.powers / 384.0
    wide = mpf(mu)
    with mp.workdps(40):
        for i, epsilon in enumerate(epsilons[0, :-1]):
            place = mpf(float(epsilon))
            a = wide / 2 - place / wide
            lifted = mp.exp(place) * mp.ncdf(-wide / 2 - place / wide)
            p = mp.npdf(a) / wide
            fourth = p * ((a * a - 1) / wide**2 - a / wide + 1) - lifted
            rounding = 1e-12 * float(cells.bent[0, i] / cells.powers[0, i])
            assert abs(fourth) <= charged[0, i] * 384.0 * (1.0 + 1e-6) + rounding


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_mu_that_is_too_small_has_no_room(setting):
    """Somewhere G of a mu that is below what is shown may be below zero."""
    run = [contour.Segment(contour.Poisson(*setting[:2]), setting[2])]
    exact = Effort(run, 1e7).fit(1e-10)
    _, lines, found = reading(*setting)
    cells, slack = Cells.of(lines, found), np.full(2, 1e-10)
    lower = np.repeat(exact.mu_lower, 2)
    beside = _Beside.of(cells, lower, slack)
    assert np.all(beside.shown[0] <= exact.mu[0])
    for share in (1e-6, 1e-4):
        less = lower * (1.0 - share)
        room = beside.least - beside.bent + beside.gained(less, beside.moved(less))
        assert not (room >= 0.0).all()


def test_gains_are_bounds():
    """What G gains from one mu to another, beside G itself, both ways."""
    _, lines, found = reading(*SETTINGS[0])
    cells, slack = Cells.of(lines, found), np.full(2, 1e-10)
    base = np.full(2, 1.5673)
    here = _Beside.of(cells, base, slack)
    for share in (-1e-2, -1e-5, 1e-5, 1e-2):
        mu = base * (1.0 + share)
        there = _Beside.of(cells, mu, slack)
        true, rounding = there.below - here.below, 1e-12 * there.below
        gained = here.gained(mu, here.moved(mu))
        assert np.all(gained <= (true + rounding)[:, :-1])
        assert np.all(gained <= (true + rounding)[:, 1:])
        spare = here.spare(np.full(gained.shape, 1e-9), here.moved(mu))
        less = _Beside.of(cells, mu - spare, slack)
        assert np.all(less.below >= there.below - 1e-9 - rounding)


def test_the_lowest_point_of_a_cubic():
    """Beside a fine grid: the bound is below every value, and at the lowest one where it counts."""
    rng = np.random.default_rng(5)
    t, tight = np.linspace(0.0, 1.0, 20_001), 0
    for _ in range(200):
        start, end = 0.2 * rng.normal(size=2)
        rising, falling = -abs(rng.normal()), abs(rng.normal())
        _, value, bound = _lowest(start, end, rising, falling)
        least = cubic_between(t, start, end, rising, falling).min()
        assert bound <= least + 1e-12
        if bound > -np.inf:
            assert value == pytest.approx(least, abs=1e-7)
            assert bound == pytest.approx(value, abs=1e-9)
            tight += 1
    assert tight > 50


@pytest.mark.parametrize("ends", [(1.0, 1.4, 0.3, 0.21), (0.0, 0.2, 1.0, 0.97)])
def test_what_a_chord_needs(ends):
    """G is nowhere below zero with it, whatever the profile: also where the line is above one."""
    start, end, first, last = ends
    found = float(chords.mus(np.array([start, end]), np.array([first, last]), 1e-6)[0])
    y = np.exp(np.linspace(start, end, 4001))
    line = first - (first - last) * (y - y[0]) / (y[-1] - y[0])
    line = np.minimum(line, 1.0 - (1.0 - last) * y / y[-1])
    assert holds(found, np.log(y), line - 1e-6)
    # A line that is below one is met by no smaller mu, if it goes on.
    y = np.exp(np.linspace(0.0, 5.0, 4001))
    line = first - (first - last) * (y - np.exp(start)) / (np.exp(end) - np.exp(start))
    if line[0] < 1.0:
        assert not holds(found * (1.0 - 1e-4), np.log(y), line - 1e-6)


def holds(mu, epsilons, deltas):
    """Whether delta_mu is nowhere below these."""
    a, b = 0.5 * mu - epsilons / mu, 0.5 * mu + epsilons / mu
    lifted = 0.5 * np.exp(-0.5 * a * a) * erfcx(b * np.sqrt(0.5))
    return bool(np.all(ndtr(a) - lifted >= deltas))


def test_a_summary_is_cut_off_at_one_only_where_that_hides_no_peak():
    """Where a test has alpha + tpr > 1 the ratio may rise up to where the profile leaves one."""
    knots = np.array([[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]])
    profile = np.array([[1.1, 1.02, 0.8, 1.05, 0.9], [1.1, 1.02, 0.8, 1.05, 0.9]])
    tpr, lifted = np.array([[0.9, 0.8, 0.7], [0.9, 0.9, 0.9]]), np.full((2, 3), 0.3)
    # The first has no such test up to there: 0.9 + 0.3 is more than one at zero.
    tpr[0, 0] = 0.7
    found = _cut_off(profile, knots, tpr, lifted)
    assert np.array_equal(found[0], np.minimum(profile[0], 1.0))
    assert np.array_equal(found[1], profile[1])
    low = np.minimum(profile, 0.99)
    assert _cut_off(low, knots, tpr, lifted) is low
