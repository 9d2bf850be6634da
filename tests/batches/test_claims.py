"""A pair made of claims has all of them, in exact arithmetic, and is symmetric."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import ndtr

from gdpnum import charges
from gdpnum.pairs.claims import claim_losses, claimed_pair, twice
from gdpnum.pairs.drawn import binomial_weights, drawn_pairs, hypergeometric_weights
from tests.batches.bounds import delta_of_atoms


def sampled_profile(rate, mu, epsilons):
    """The profile of a sampled Gaussian, from its formula."""
    log_y = np.log1p(np.expm1(epsilons) / rate)
    return rate * (ndtr(0.5 * mu - log_y / mu) - np.exp(log_y) * ndtr(-0.5 * mu - log_y / mu))


@mp.workdps(40)
def exact_profile(pair, epsilon):
    terms = [
        mpf(float(p)) - mp.exp(mpf(float(epsilon))) * mpf(float(q))
        for loss, p, q in zip(pair.losses, pair.p, pair.q, strict=True)
        if loss > epsilon
    ]
    return mp.fsum(terms) + mpf(pair.mass_at_infinity)


RATE, MU = 1e-3, 0.8
LOSSES = claim_losses(1e-5, 4.0)
DELTAS = sampled_profile(RATE, MU, LOSSES)


@mp.workdps(40)
def test_no_claim_is_lost_in_making_a_pair():
    pair = claimed_pair(LOSSES, DELTAS)
    for i in range(0, LOSSES.size - 1, 37):
        assert exact_profile(pair, LOSSES[i]) >= mpf(float(DELTAS[i])) * (1 - mpf(2) ** -60)


@mp.workdps(40)
def test_without_its_growth_some_would_be(monkeypatch):
    monkeypatch.setattr(charges, "growth", lambda: 0.0)
    pair = claimed_pair(LOSSES, DELTAS)
    places = range(0, LOSSES.size - 1, 7)
    assert any(exact_profile(pair, LOSSES[i]) < mpf(float(DELTAS[i])) for i in places)


def test_a_pair_of_claims_is_hardly_worse_than_they_are():
    pair = claimed_pair(LOSSES, DELTAS)
    between = 0.5 * (LOSSES[1:] + LOSSES[:-1])[::20]
    for epsilon in between:
        exact = float(sampled_profile(RATE, MU, np.array([epsilon]))[0])
        if exact > 1e-12:
            assert exact <= delta_of_atoms(pair, epsilon) <= 1.01 * exact


@pytest.mark.parametrize("deltas", [[0.3, 0.1, 0.02], [0.9, 0.2, 0.1], [0.0, 0.0, 0.0]])
def test_claims_far_apart_make_a_symmetric_pair_with_all_its_mass(deltas):
    pair = claimed_pair(np.array([0.0, 1.0, 3.0]), np.array(deltas))
    assert pair.symmetric
    assert pair.p.sum() + pair.mass_at_infinity == pytest.approx(1.0, abs=1e-9)
    assert np.array_equal(pair.p[::-1], pair.q)
    for epsilon, delta in zip([0.0, 1.0, 3.0], deltas, strict=True):
        assert delta_of_atoms(pair, epsilon) <= delta * (1.0 + 1e-9) + 1e-15


def test_twice_the_gaussian_is_one_of_twice_its_mu():
    mu = 0.7
    losses = claim_losses(0.01, 12.0)
    deltas = ndtr(0.5 * mu - losses / mu) - np.exp(losses) * ndtr(-0.5 * mu - losses / mu)
    both = twice(claimed_pair(losses, deltas))
    for epsilon in (0.0, 0.5, 1.0, 2.0, 4.0):
        exact = ndtr(mu - epsilon / (2 * mu)) - np.exp(epsilon) * ndtr(-mu - epsilon / (2 * mu))
        assert exact <= delta_of_atoms(both, epsilon) <= 1.01 * exact


def test_one_draw_at_most_is_the_hull_of_a_sampled_step():
    above, _ = drawn_pairs(np.array([0.99, 0.01]), 2.0)
    for epsilon in (0.0, 0.01, 0.1, 1.0):
        exact = float(sampled_profile(0.01, 1.0, np.array([epsilon]))[0])
        assert exact <= delta_of_atoms(above, epsilon) <= 1.01 * exact


@pytest.mark.parametrize(("draws", "probability"), [(30, 0.125), (400, 0.99)])
def test_weights_of_draws_are_binomial_to_their_last_digit(draws, probability):
    hit = Fraction(probability)
    for j, weight in enumerate(binomial_weights(draws, probability).tolist()):
        assert weight == float(comb(draws, j) * hit**j * (1 - hit) ** (draws - j))


@pytest.mark.parametrize(("draws", "size", "marked"), [(10, 60, 7), (900, 2000, 1000)])
def test_weights_of_a_batch_are_hypergeometric_to_their_last_digit(draws, size, marked):
    for j, weight in enumerate(hypergeometric_weights(draws, size, marked).tolist()):
        others = comb(size - marked, draws - j)
        assert weight == float(Fraction(comb(marked, j) * others, comb(size, draws)))


def test_many_records_of_a_person_in_a_batch_are_accounted_for():
    """Where not to be in it is below all floats."""
    weights = binomial_weights(400, 0.99)
    assert weights[0] == 0.0
    found = drawn_pairs(weights, 300.0)
    # On average 396 times, each of which moves the sum by 2 of 300.
    for pair in found:
        p, q = pair.cells(np.zeros(1))
        assert p[1] - q[1] == pytest.approx(2.0 * ndtr(396.0 / 300.0) - 1.0, rel=1e-2)
