"""Noise of every kind, sampled or not, alone, repeated and with others."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

import gdpnum as g
from tests.attack.families import laws
from tests.attack.tests_that_exist import Tests, best_tests


def _log_uniform(rng, low, high):
    return float(low * (high / low) ** rng.random())


def _rate(rng):
    return float(rng.choice([1.0, rng.random(), _log_uniform(rng, 1e-3, 1.0)]))


def _sampled(inner, rate):
    return inner if rate == 1.0 else g.PoissonSampled(inner, rate=rate)


def one(rng):
    """A release and its outcomes, of a kind drawn at random; neighbours by one record."""
    rate, kind = _rate(rng), rng.integers(5)
    if kind == 0:
        sigma = _log_uniform(rng, 0.3, 12.0)
        mixture = [(1.0 - rate, 0.0), (rate, 1.0)]
        return _sampled(g.Gaussian(sigma=sigma), rate), laws.gaussian_mixture(sigma, mixture)
    if kind == 1:
        scale = _log_uniform(rng, 0.2, 15.0)
        return _sampled(g.Laplace(scale=scale), rate), laws.laplace(scale, rate)
    if kind == 2:
        sigma = _log_uniform(rng, 0.3, 9.0)
        return _sampled(g.DiscreteGaussian(sigma=sigma), rate), laws.discrete_gaussian(sigma, rate)
    if kind == 3:
        scale = _log_uniform(rng, 0.2, 12.0)
        return _sampled(g.DiscreteLaplace(scale=scale), rate), laws.discrete_laplace(scale, rate)
    sigma = _log_uniform(rng, 0.8, 8.0)
    return _sampled(g.Skellam(sigma=sigma), rate), laws.skellam(sigma, rate)


def repeated(rng):
    """One release, once or several times."""
    mechanism, outcomes = one(rng)
    times = int(rng.choice([1, 1, 2, 3, 5, 20, 100]))
    return mechanism * times, best_tests([(outcomes, times)])


def mixed(rng):
    """Two or three releases of different kinds together."""
    chosen = [(*one(rng), int(rng.integers(1, 6))) for _ in range(int(rng.integers(2, 4)))]
    mechanism = g.Composed([m * times for m, _, times in chosen])
    return mechanism, best_tests([(outcomes, times) for _, outcomes, times in chosen])


def dpsgd(rng):
    """DP-SGD, long and short, also for a person of several records and for replaced ones."""
    sigma, rate = _log_uniform(rng, 0.5, 12.0), _log_uniform(rng, 1e-3, 0.9)
    steps = int(_log_uniform(rng, 1, 400))
    records = int(rng.choice([1, 1, 1, 2, 4]))
    if rng.random() < 0.25:
        run = g.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps, neighbouring="replace")
        outcomes = laws.gaussian_mixture(
            sigma, [(1 - rate, 0.0), (rate, 1.0)], [(1 - rate, 0.0), (rate, -1.0)]
        )
        return run, best_tests([(outcomes, steps)])
    run = g.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps, records_per_person=records)
    return run, best_tests([(laws.gaussian_mixture(sigma, binomial(records, rate)), steps)])


def binomial(number: int, rate: float) -> list[tuple[float, float]]:
    """How many of some records join, with what probability."""
    law = [1.0]
    for _ in range(number):
        law = [
            (law[j] if j < len(law) else 0.0) * (1.0 - rate) + (law[j - 1] if j else 0.0) * rate
            for j in range(len(law) + 1)
        ]
    return [(weight, float(j)) for j, weight in enumerate(law) if weight > 0.0]


def gaussians(rng):
    """Compositions of Gaussians: mu adds in squares, and every threshold is a test."""
    sigmas = [_log_uniform(rng, 0.2, 500.0) for _ in range(int(rng.integers(1, 4)))]
    counts = [int(rng.integers(1, 50)) for _ in sigmas]
    run = g.Composed([g.Gaussian(sigma=s) * n for s, n in zip(sigmas, counts, strict=True)])
    mu = np.sqrt(sum(n / s**2 for s, n in zip(sigmas, counts, strict=True)))
    thresholds = np.linspace(-8.0, 8.0, 200) + 0.5 * mu
    return run, Tests(ndtr(-thresholds), ndtr(mu - thresholds))


def responses(rng):
    """Randomised response of some categories, sampled or not, composed."""
    epsilon, categories = _log_uniform(rng, 0.05, 4.0), int(rng.choice([2, 3, 10, 1000]))
    rate, times = _rate(rng), int(rng.integers(1, 7))
    inner = g.RandomizedResponse(epsilon=epsilon, categories=categories)
    outcomes = laws.randomized_response(epsilon, categories, rate)
    return _sampled(inner, rate) * times, best_tests([(outcomes, times)])
