"""Attacks in which the others stand at -1: whoever is in a batch takes another's place."""

import math

import numpy as np
import pytest

from gdpnum import DPSGD, fit_gdp
from gdpnum.pairs.clustered import blanked_pair, truncated_pair
from gdpnum.pairs.drawn import hypergeometric_weights
from tests.batches.bounds import delta_of_atoms, epsilon_above, epsilon_below

RUNS = 40_000


def frequencies(sums, number):
    return np.bincount(sums, minlength=number)[:number] / sums.size


def agree(weights, seen):
    """Each place within five deviations of what was seen there."""
    deviation = np.sqrt(weights * (1.0 - weights) / RUNS)
    assert (np.abs(weights - seen) <= 5.0 * deviation + 1e-12).all()


def test_sums_of_fixed_batches_are_those_of_the_sampler():
    rng = np.random.default_rng(7)
    size, batch, records = 9, 4, 2
    pair = blanked_pair(hypergeometric_weights(batch, size, records), 1.0)
    drawn = rng.permuted(np.tile(np.arange(size), (RUNS, 1)), axis=1)[:, :batch]
    ours = np.where(drawn < records, 1, -1).sum(axis=1)
    theirs = np.where(drawn < records, 0, -1).sum(axis=1)
    agree(pair.ours, frequencies(ours + batch, pair.ours.size))
    agree(pair.theirs, frequencies(theirs + batch, pair.theirs.size))


@pytest.mark.parametrize("relation", ["zero_out", "replace", "add_remove"])
def test_sums_of_truncated_batches_are_those_of_the_sampler(relation):
    rng = np.random.default_rng(8)
    size, rate, most = 12, 0.4, 5
    pair = truncated_pair(relation, 0.1, rate, size, most)
    found = []
    for own in (1, {"zero_out": 0, "replace": -1, "add_remove": None}[relation]):
        joined = rng.random((RUNS, size)) < rate
        if own is None:
            joined[:, 0] = False
        # A random order of those who joined; the first so many are kept.
        order = np.where(joined, rng.random((RUNS, size)), 2.0)
        kept = joined & (order <= np.sort(order, axis=1)[:, most - 1 : most])
        values = np.full(size, -1)
        values[0] = own or 0
        found.append(frequencies((kept * values).sum(axis=1) + most, pair.ours.size))
    assert pair.beyond == 0.0
    agree(pair.ours, found[0])
    agree(pair.theirs, found[1])


def test_the_profile_is_that_of_the_mixtures():
    weights, sigma = np.array([0.9, 0.1]), 1.3
    x = np.linspace(-12.0, 16.0, 280_001)
    p, q = (
        0.9 * np.exp(-0.5 * (x / sigma) ** 2) + 0.1 * np.exp(-0.5 * ((x - shift) / sigma) ** 2)
        for shift in (2.0, 1.0)
    )
    scale = (x[1] - x[0]) / (sigma * math.sqrt(2.0 * math.pi))
    pair = blanked_pair(weights, sigma)
    for one, (ours, theirs) in ((pair, (p, q)), (pair.reversed(), (q, p))):
        for epsilon in (0.0, 0.02, 0.1):
            exact = float(np.maximum(ours - math.exp(epsilon) * theirs, 0.0).sum()) * scale
            found = delta_of_atoms(one.atoms, epsilon)
            assert exact * (1.0 - 1e-3) - 1e-12 <= found <= exact * (1.0 + 1e-9) + 1e-12


def test_a_blanked_out_record_is_attacked_through_the_others():
    """Poisson's figure for the same run, 1.83, is no bound."""
    run = DPSGD(
        noise_multiplier=1.0,
        batches="fixed",
        batch_size=100,
        dataset_size=10_000,
        steps=1000,
        neighbouring="zero_out",
    )
    assert epsilon_below(run, 1e-5) == pytest.approx(10.37, abs=0.01)
    assert epsilon_below(run, 1e-5) < epsilon_above(run, 1e-5)


@pytest.mark.parametrize(("relation", "value"), [("zero_out", 10.37), ("replace", 13.36)])
def test_batches_that_are_always_cut_are_of_a_fixed_size(relation, value):
    run = DPSGD(
        noise_multiplier=1.0,
        batches="truncated",
        sample_rate=0.02,
        dataset_size=10_000,
        max_batch_size=100,
        steps=1000,
        neighbouring=relation,
    )
    assert epsilon_below(run, 1e-5) == pytest.approx(value, abs=0.01)


@pytest.mark.parametrize("relation", ["zero_out", "replace", "add_remove"])
@pytest.mark.parametrize("limit", [30, 50, 70])
def test_no_attack_is_above_the_bound(relation, limit):
    run = DPSGD(
        noise_multiplier=0.9,
        batches="truncated",
        sample_rate=0.1,
        dataset_size=500,
        max_batch_size=limit,
        steps=40,
        neighbouring=relation,
    )
    assert epsilon_below(run, 1e-5) <= epsilon_above(run, 1e-5)
    assert fit_gdp(run).mu_lower < fit_gdp(run).mu
