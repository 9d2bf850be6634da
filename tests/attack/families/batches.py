"""Batches that are no Poisson samples: attacks in which all other records contribute nothing."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

import gdpnum as g
from tests.attack.families import laws
from tests.attack.families.noise import _log_uniform, binomial
from tests.attack.tests_that_exist import Tests, best_tests


def _gaussian_tests(mu: float) -> Tests:
    thresholds = np.linspace(-8.0, 8.0, 200) + 0.5 * mu
    return Tests(ndtr(-thresholds), ndtr(mu - thresholds))


def fixed_size(rng):
    """The record is in the batch by chance, alone with its gradient or several times."""
    size = int(_log_uniform(rng, 5, 5000))
    batch, sigma = int(rng.integers(1, size + 1)), _log_uniform(rng, 0.6, 8.0)
    relation = str(rng.choice(["replace", "zero_out"]))
    again, steps = bool(rng.random() < 0.4), int(_log_uniform(rng, 1, 60))
    run = g.FixedSize(
        g.Gaussian(sigma=sigma, neighbouring=relation),
        batch_size=batch,
        dataset_size=size,
        with_replacement=again,
    )
    law = [(1.0 - batch / size, 0.0), (batch / size, 1.0)]
    if again:
        law = _binomial_logs(batch, 1.0 / size)
    other = [(w, -s) for w, s in law] if relation == "replace" else [(1.0, 0.0)]
    return run * steps, best_tests([(laws.gaussian_mixture(sigma, law, other), steps)])


def _binomial_logs(number: int, rate: float) -> list[tuple[float, float]]:
    if number <= 30:
        return binomial(number, rate)
    mean = number * rate
    last = min(number, math.ceil(mean + 12.0 * math.sqrt(mean) + 12))
    law = []
    for j in range(last + 1):
        log = math.lgamma(number + 1) - math.lgamma(j + 1) - math.lgamma(number - j + 1)
        log += j * math.log(rate) + (number - j) * math.log1p(-rate) if rate < 1.0 else 0.0
        law.append((math.exp(log), float(j)))
    missing = 1.0 - sum(w for w, _ in law)
    return [(law[0][0] + missing, 0.0), *law[1:]]  # fewer copies: a weaker attack


def shuffled(rng):
    """Where the record's place is known, its epoch is a Gaussian release."""
    sigma, epochs = _log_uniform(rng, 0.5, 20.0), int(rng.integers(1, 30))
    relation = str(rng.choice(["replace", "zero_out"]))
    records = int(rng.choice([1, 1, 3]))
    run = g.Shuffled(g.Gaussian(sigma=sigma, neighbouring=relation), records_per_person=records)
    moved = 2.0 if relation == "replace" else 1.0
    return run * epochs, _gaussian_tests(records * moved * math.sqrt(epochs) / sigma)


def allocated(rng):
    """One of some steps has the record: the largest outcome, their sum, and their likelihood."""
    sigma, bins = _log_uniform(rng, 0.6, 6.0), int(rng.integers(2, 12))
    times, kept = int(rng.integers(1, min(bins, 3) + 1)), int(rng.choice([1, 1, 3]))
    run = g.Allocated(g.Gaussian(sigma=sigma), bins=bins, times=times, kept=kept)
    shift = math.sqrt(kept) / sigma
    t = np.linspace(-6.0, 10.0 + shift, 300)
    largest = Tests(
        1.0 - ndtr(t) ** bins, 1.0 - ndtr(t) ** (bins - times) * ndtr(t - shift) ** times
    )
    smallest = Tests(ndtr(t) ** (bins - times) * ndtr(t - shift) ** times, ndtr(t) ** bins)
    tests = largest.joined(smallest).joined(_gaussian_tests(times * shift / math.sqrt(bins)))
    if times == 1:
        tests = tests.joined(_by_likelihood(rng, bins, shift))
    # Outcomes next to one have no digits left in 1 - x.
    kept_tests = tests.fpr > 1e-10
    return run, Tests(tests.fpr[kept_tests], tests.tpr[kept_tests])


def _by_likelihood(rng, bins: int, shift: float, samples: int = 20_000) -> Tests:
    """Likelihood ratio tests by Monte Carlo, each rate at a confidence of one in a million."""
    absent = rng.standard_normal((samples, bins))
    present = rng.standard_normal((samples, bins))
    present[:, 0] += shift
    ratio = [np.exp(shift * x - 0.5 * shift**2).mean(axis=1) for x in (absent, present)]
    thresholds = np.quantile(
        np.exp(shift * rng.standard_normal((4000, bins)) - shift**2 / 2).mean(axis=1),
        np.linspace(0.02, 0.98, 30),
    )
    off = math.sqrt(math.log(2 * 60 * 1e6) / (2 * samples))  # Hoeffding, for all at once
    fpr = (ratio[0][:, None] >= thresholds).mean(axis=0) + off
    tpr = (ratio[1][:, None] >= thresholds).mean(axis=0) - off
    kept = (tpr > 0.0) & (fpr < 1.0)
    return Tests(fpr[kept], tpr[kept])


def truncated(rng):
    """The record joins, and then stays with the chance that its batch leaves it."""
    size, rate = int(_log_uniform(rng, 5, 300)), _log_uniform(rng, 0.01, 0.9)
    most = int(rng.integers(1, size + 1))
    sigma, steps = _log_uniform(rng, 0.6, 8.0), int(_log_uniform(rng, 1, 60))
    run = g.TruncatedPoisson(
        g.Gaussian(sigma=sigma), rate=rate, dataset_size=size, max_batch_size=most
    )
    others = _binomial_logs(size - 1, rate)
    stays = rate * sum(w * min(1.0, most / (1.0 + j)) for w, j in others)
    outcomes = laws.gaussian_mixture(sigma, [(1.0 - stays, 0.0), (stays, 1.0)])
    return run * steps, best_tests([(outcomes, steps)])


def cyclic(rng):
    """In each cycle the record may join one step."""
    bands, sigma = int(rng.integers(1, 10)), _log_uniform(rng, 0.6, 8.0)
    rate, cycles = _log_uniform(rng, 1e-3, 1.0 / bands), int(_log_uniform(rng, 1, 60))
    rate = min(rate, math.nextafter(1.0 / bands, 0.0))
    run = g.CyclicPoisson(g.Gaussian(sigma=sigma), rate=rate, bands=bands)
    outcomes = laws.gaussian_mixture(sigma, [(1.0 - rate * bands, 0.0), (rate * bands, 1.0)])
    return run * cycles, best_tests([(outcomes, cycles)])
