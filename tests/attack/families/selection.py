"""Selection: the best candidate, and the best of several runs, by outcomes written down."""

from __future__ import annotations

import math

import numpy as np

import gdpnum as g
from tests.attack.families import laws
from tests.attack.families.noise import _log_uniform
from tests.attack.tests_that_exist import Outcomes, Tests, best_tests


def _weighted(scores: np.ndarray, factor: float) -> np.ndarray:
    weights = np.exp(factor * (scores - scores.max()))
    return weights / weights.sum()


def exponential(rng):
    """Candidates with scores that a record moves by at most one."""
    epsilon, times = _log_uniform(rng, 0.05, 5.0), int(rng.integers(1, 5))
    scores = rng.normal(0.0, 3.0, int(rng.integers(2, 6)))
    moved = scores + rng.choice([-1.0, 1.0, rng.uniform(-1.0, 1.0)], scores.size)
    outcomes = Outcomes(_weighted(scores, epsilon / 2), _weighted(moved, epsilon / 2))
    run = g.ExponentialMechanism(epsilon=epsilon)
    noise = "gumbel"
    if rng.random() < 0.5:
        run = g.ReportNoisyMax(scale=2.0 / epsilon, noise=noise)
    return run * times, _only_some(best_tests([(outcomes, times)]))


def noisy_max(rng):
    """Two candidates with exponential or Laplace noise: the difference of two noises decides."""
    scale, noise = _log_uniform(rng, 0.3, 8.0), str(rng.choice(["exponential", "laplace"]))
    monotonic, times = bool(rng.random() < 0.5), int(rng.integers(1, 5))
    gap = float(rng.normal(0.0, 2.0 * scale))
    other = gap + (
        float(rng.choice([-1.0, 1.0])) if monotonic else 2.0 * float(rng.choice([-1.0, 1.0]))
    )

    def wins(apart: float) -> float:
        """The chance that the first candidate wins, being ahead by so much."""
        x = abs(apart) / scale
        behind = 0.5 * math.exp(-x) if noise == "exponential" else math.exp(-x) * (2.0 + x) / 4.0
        return 1.0 - behind if apart > 0 else behind

    p, q = wins(gap), wins(other)
    outcomes = Outcomes(np.array([p, 1.0 - p]), np.array([q, 1.0 - q]))
    run = g.ReportNoisyMax(scale=scale, noise=noise, monotonic=monotonic)
    return run * times, _only_some(best_tests([(outcomes, times)]))


def _only_some(tests: Tests) -> Tests:
    """One case of what the mechanism may be used for: other scores may reveal more."""
    return tests._replace(complete=False)


def best_of(rng):
    """The run with the best score, which is how well its outcome tells the two datasets apart."""
    if rng.random() < 0.5:
        epsilon = _log_uniform(rng, 0.05, 2.0)
        run, one = g.RandomizedResponse(epsilon=epsilon), laws.randomized_response(epsilon, 2)
    else:
        sigma = _log_uniform(rng, 0.8, 10.0)
        run, one = g.Gaussian(sigma=sigma), laws.gaussian_mixture(sigma, [(1.0, 1.0)], cells=120)
    law, mean = (
        str(rng.choice(["geometric", "poisson", "truncated_negative_binomial"])),
        _log_uniform(rng, 1.0, 30.0),
    )
    if law == "truncated_negative_binomial":
        eta, gamma = float(rng.choice([0.0, 0.5, 2.0, -0.5])), float(rng.uniform(0.05, 0.95))
        best = g.BestOf(run, number=law, eta=eta, gamma=gamma)

        def generating(x):
            if eta == 0.0:
                return np.log1p(-(1.0 - gamma) * x) / math.log(gamma)
            return ((1.0 - (1.0 - gamma) * x) ** -eta - 1.0) / (gamma**-eta - 1.0)

    elif law == "poisson":
        best = g.BestOf(run, number=law, mean=mean)

        def generating(x):
            return np.exp(mean * (x - 1.0))

    else:
        best = g.BestOf(run, number=law, mean=mean)

        def generating(x):
            return x / mean / (1.0 - (1.0 - 1.0 / mean) * x)

    order = np.argsort(one.p / one.q)
    if rng.random() < 0.5:
        order = order[::-1]
    # The best is at or below the i-th outcome if all are; none at all is an outcome, too.
    under = [
        generating(np.append(0.0, np.minimum(np.cumsum(side[order]), 1.0))) for side in one[:2]
    ]
    p, q = (np.append(np.diff(side), side[0]) for side in under)
    tests = best_tests([(Outcomes(np.maximum(p, 0.0), np.maximum(q, 0.0)), 1)])
    # Differences of numbers near one: what is smaller than this is rounding.
    return best, Tests(np.minimum(tests.fpr + 1e-10, 1.0), tests.tpr - 1e-10)


def all_of(rng):
    """So many runs, all of them shown: as if each were released."""
    number, rate = int(rng.integers(1, 6)), float(rng.choice([1.0, rng.uniform(0.1, 1.0)]))
    sigma, times = _log_uniform(rng, 0.8, 10.0), int(rng.integers(1, 5))
    inner = g.PoissonSampled(g.Gaussian(sigma=sigma), rate=rate) * times
    outcomes = laws.gaussian_mixture(sigma, [(1.0 - rate, 0.0), (rate, 1.0)], cells=200)
    return g.BestOf(inner, number=number), best_tests([(outcomes, number * times)])


def sampled_responses(rng):
    """Answers of those drawn only, with others' releases between: outcomes multiplied out."""
    chosen, releases = [], []
    for _ in range(int(rng.integers(1, 4))):
        epsilon, categories = _log_uniform(rng, 0.05, 3.0), int(rng.choice([2, 3, 8]))
        rate, times = _log_uniform(rng, 0.01, 1.0), int(rng.integers(1, 4))
        inner = g.RandomizedResponse(epsilon=epsilon, categories=categories)
        chosen.append(g.PoissonSampled(inner, rate=rate) * times)
        releases.append((laws.randomized_response(epsilon, categories, rate), times))
    return g.Composed(chosen), best_tests(releases)
