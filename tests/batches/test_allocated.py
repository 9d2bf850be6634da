"""The pair of random allocation between integrals that need no lattice.

For two bins delta is one integral: with C(K) = E(w - K)+ of one lognormal, remove has
delta = E C(2 x - w) / 2; for three, two integrals. They are sums of a smooth function that
vanishes at both ends, so a plain sum over equally spaced points is as good as exact, as long as the
points are close to each other compared with the bend of C at zero: with little noise it is sharp.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from gdpnum import DPSGD, fit_gdp
from gdpnum.pairs.allocated import _WIDE, AllocatedPair, _law
from tests.batches.bounds import delta_of_atoms


def normal(points):
    """Deviates, so many to one, and their weights."""
    z = np.arange(-14.0, 14.0, 1.0 / points)
    return z, np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi) / points


def call(strike, s):
    """E(w - K)+, also for K < 0."""
    safe = np.maximum(strike, 1e-300)
    d = (0.5 * s**2 - np.log(safe)) / s
    return np.where(strike > 0.0, ndtr(d) - safe * ndtr(d - s), 1.0 - strike)


def put(strike, s):
    """E(K - w)+, zero for K < 0."""
    safe = np.maximum(strike, 1e-300)
    d = (0.5 * s**2 - np.log(safe)) / s
    return np.where(strike > 0.0, safe * ndtr(s - d) - ndtr(-d), 0.0)


def delta_of_bins(bins, s, epsilon, *, reverse):
    """The exact profile for two or three bins."""
    x = math.exp(-epsilon if reverse else epsilon)
    z, weights = normal(2**12 if bins == 2 else 32)
    rest = np.exp(s * z - 0.5 * s**2)
    if bins == 3:
        rest, weights = np.add.outer(rest, rest), np.multiply.outer(weights, weights)
    strikes = bins * x - rest
    if reverse:
        return math.exp(epsilon) * float((weights * put(strikes, s)).sum()) / bins
    return float((weights * call(strikes, s)).sum()) / bins


def attacked(sigma, bins, *, reverse):
    pair = AllocatedPair(sigma, bins, merged=True)
    return (pair.reversed() if reverse else pair).atoms


@pytest.mark.parametrize(
    ("sigma", "bins"),
    [(0.4, 2), (0.7, 2), (1.0, 2), (2.0, 2), (10.0, 2), (1.0, 3), (2.0, 3), (10.0, 3)],
)
@pytest.mark.parametrize("reverse", [False, True])
def test_two_or_three_bins_are_bracketed(sigma, bins, reverse):
    above, below = AllocatedPair(sigma, bins).atoms, attacked(sigma, bins, reverse=reverse)
    for z in (0.0, 0.5, 1.0, 2.0, 4.0):
        epsilon = z / sigma
        exact = delta_of_bins(bins, 1.0 / sigma, epsilon, reverse=reverse)
        high = delta_of_atoms(above, epsilon, reverse=reverse)
        low = delta_of_atoms(below, epsilon)
        assert low <= exact * (1.0 + 1e-12) + 1e-15
        assert exact <= high * (1.0 + 1e-12) + 1e-15
        if exact > 1e-12:
            # Half a percent of epsilon apart at most, or of delta where epsilon is nothing.
            beyond = delta_of_atoms(above, 1.005 * epsilon, reverse=reverse)
            assert beyond <= (low if epsilon > 0.0 else 1.005 * low)


@pytest.mark.parametrize(("sigma", "bins"), [(0.6, 40), (0.6, 300), (1.0, 19), (1.0, 20), (3.0, 7)])
def test_means_and_masses_are_one_but_for_what_is_granted(sigma, bins):
    for merged in (False, True):
        pair = AllocatedPair(sigma, bins, merged=merged).atoms
        assert pair.p.sum() == pytest.approx(1.0, abs=1e-7)
        assert pair.q.sum() == pytest.approx(1.0, abs=1e-7)
        assert (np.diff(pair.losses) >= 0.0).all()
        assert pair.mass_at_infinity < 1e-15
        assert pair.mass_at_minus_infinity < 1e-13


@pytest.mark.parametrize("reverse", [False, True])
def test_the_lattice_and_the_grid_agree_where_they_meet(reverse, monkeypatch):
    sigma, bins = 0.9, 30
    found = []
    for wide in (0.0, 1e9):
        monkeypatch.setattr("gdpnum.pairs.allocated._WIDE", wide)
        _law.cache_clear()
        above = AllocatedPair(sigma, bins).atoms
        found.append((attacked(sigma, bins, reverse=reverse), above))
    _law.cache_clear()
    assert _WIDE > 0.0
    for epsilon in (0.1, 0.5, 1.0, 2.0):
        (low, high), (other_low, other_high) = (
            (delta_of_atoms(below, epsilon), delta_of_atoms(above, epsilon, reverse=reverse))
            for below, above in found
        )
        assert low <= other_high * (1.0 + 1e-9)
        assert other_low <= high * (1.0 + 1e-9)


def test_more_steps_to_choose_from_are_more_private():
    deltas = [delta_of_atoms(AllocatedPair(1.0, bins).atoms, 0.3) for bins in (2, 5, 20, 60, 400)]
    assert deltas == sorted(deltas, reverse=True)


def test_the_same_pair_comes_out_bit_for_bit():
    one, other = AllocatedPair(0.8, 77).atoms, AllocatedPair(0.8, 77).atoms
    assert np.array_equal(one.losses, other.losses)
    assert np.array_equal(one.p, other.p)


def test_a_caller_who_raises_on_floating_point_gets_an_answer():
    with np.errstate(all="raise"):
        assert AllocatedPair(0.4, 50).atoms.mass_at_infinity < 1e-15
        assert AllocatedPair(2.0, 500, merged=True).atoms.mass_at_infinity == 0.0


def test_no_attack_in_either_direction_shows_more_than_is_true():
    """Near a TPR of one a mass too large by 1e-9 would look like a much larger mu."""
    s, slack, (z, weights) = 1.0, 1e-10, normal(2**10)
    rest, shifted = np.exp(s * z - 0.5 * s**2), np.exp(s * z - 0.5 * s**2) * weights
    exact = 0.0
    for loss in np.append(np.linspace(-3.0, 9.0, 60), np.linspace(5.0, 6.0, 60)):
        # W > e^loss, by one integral, and W < e^loss for the other direction.
        with np.errstate(divide="ignore"):
            edge = np.log(np.maximum(2.0 * math.exp(loss) - rest, 0.0)) / s + 0.5 * s
        for ours, theirs, side in ((shifted, weights, -edge), (weights, shifted, edge)):
            alpha, missed = (theirs * ndtr(side)).sum(), (ours * ndtr(-side)).sum()
            if alpha > 0.0 and missed + slack < 1.0:
                exact = max(exact, float(-ndtri(alpha) - ndtri(missed + slack)))
    fit = fit_gdp(DPSGD(noise_multiplier=1.0, batches="allocated", steps_per_epoch=2, epochs=1))
    assert fit.mu_lower <= exact * (1.0 + 1e-4) <= fit.mu * (1.0 + 2e-4)
    assert fit.mu <= fit.mu_lower * (1.0 + 1e-3)
    assert fit.mu_lower < fit.mu


@pytest.mark.parametrize(("sigma", "bins", "epochs"), [(5.0, 10**5, 1000), (50.0, 10**6, 1000)])
def test_many_bins_and_epochs_are_known_by_their_variance(sigma, bins, epochs):
    """So many small losses are Gaussian: mu^2 = E (exp(1 / sigma^2) - 1) / t, almost."""
    mu = math.sqrt(epochs * math.expm1(1.0 / sigma**2) / bins)
    run = DPSGD(noise_multiplier=sigma, batches="allocated", steps_per_epoch=bins, epochs=epochs)
    fit = fit_gdp(run)
    assert fit.mu_lower <= mu <= fit.mu <= 1.005 * fit.mu_lower
