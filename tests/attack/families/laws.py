"""The outcomes of single releases, written down from their definitions."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln, ndtr

from tests.attack.tests_that_exist import Outcomes

# Cells of a real outcome, over this many standard deviations to either side.
CELLS, FAR = 400, 9.0


def gaussian_mixture(sigma: float, present, absent=None, cells: int = CELLS) -> Outcomes:
    """sum_j w_j N(s_j, sigma^2) for two lists of (w, s), the real line cut into cells."""
    absent = [(1.0, 0.0)] if absent is None else absent
    shifts = [s for _, s in (*present, *absent)]
    inner = np.linspace(min(shifts) - FAR * sigma, max(shifts) + FAR * sigma, cells)
    edges = np.concatenate([[-np.inf], inner, [np.inf]])

    def masses(law):
        return sum(w * _normal_cells((edges - s) / sigma) for w, s in law)

    return Outcomes(masses(present), masses(absent), merged=True)


def _normal_cells(z: np.ndarray) -> np.ndarray:
    """Normal masses between quantiles, each from the tail it lies in: no differences near one."""
    return np.where(z[:-1] > 0.0, ndtr(-z[:-1]) - ndtr(-z[1:]), ndtr(z[1:]) - ndtr(z[:-1]))


def laplace(scale: float, rate: float = 1.0, cells: int = 240) -> Outcomes:
    """Laplace noise around 1 with probability ``rate``, else 0; against 0."""

    def cdf(x):
        near = np.abs(x) / scale
        return np.where(x < 0, 0.5 * np.exp(-near), 1.0 - 0.5 * np.exp(-near))

    # Outside [0, 1] the loss does not change.
    edges = np.linspace(0.0, 1.0, cells)
    q = np.diff(np.concatenate([[0.0], cdf(edges), [1.0]]))
    p = np.diff(np.concatenate([[0.0], cdf(edges - 1.0), [1.0]]))
    return Outcomes((1.0 - rate) * q + rate * p, q, merged=True)


def integers(log_mass, spread: float, rate: float = 1.0) -> Outcomes:
    """Noise on the integers with a log mass, around 1 with probability ``rate``, else 0."""
    last = max(4, math.ceil(spread))
    masses = np.exp(np.array([log_mass(int(abs(one))) for one in range(-last - 1, last + 2)]))
    masses /= masses.sum()
    # What is further out is not looked at: as if it were a cell of its own, never rejected.
    q, p = masses[1:], masses[:-1]
    return Outcomes((1.0 - rate) * q + rate * p, q)


def moved_integers(log_mass, spread: float, most: int, moved: int | None = None) -> Outcomes:
    """Noise on the integers with a log mass, around a whole number up to ``most``, against 0."""
    moved, last = most if moved is None else moved, max(4, math.ceil(spread)) + most
    places = np.arange(-last, last + most + 1)
    every = np.arange(-last - most, last + 2 * most + 1)
    total = np.exp(np.array([log_mass(int(abs(one))) for one in every])).sum()
    p, q = (
        np.exp(np.array([log_mass(int(abs(one))) for one in places - shift])) / total
        for shift in (moved, 0)
    )
    return Outcomes(p, q)


def discrete_gaussian(sigma: float, rate: float = 1.0) -> Outcomes:
    return integers(lambda k: -0.5 * (k / sigma) ** 2, 12.0 * sigma + 3, rate)


def discrete_laplace(scale: float, rate: float = 1.0) -> Outcomes:
    """A shift by one leaves two losses: the noise is on the one side or on the other."""
    r = math.exp(-1.0 / scale)
    q = np.array([r, 1.0]) / (1.0 + r)
    return Outcomes((1.0 - rate) * q + rate * q[::-1], q)


def skellam(sigma: float, rate: float = 1.0) -> Outcomes:
    """The difference of two Poissons of mean sigma^2 / 2, summed up."""
    mean = 0.5 * sigma**2
    counts = np.arange(0, math.ceil(mean + 14.0 * math.sqrt(mean) + 30))
    poisson = np.exp(counts * math.log(mean) - mean - gammaln(counts + 1))
    masses = np.convolve(poisson, poisson[::-1])
    middle = counts.size - 1
    last = min(middle - 1, math.ceil(11.0 * sigma + 8))
    window = masses[middle - last - 1 : middle + last + 2]
    q, p = window[1:], window[:-1]
    return Outcomes((1.0 - rate) * q + rate * p, q)


def randomized_response(epsilon: float, categories: int, rate: float = 1.0) -> Outcomes:
    """The true answer, another's true answer, anything else; or no answer at all."""
    odds = math.exp(epsilon)
    every = odds + categories - 1.0
    p = np.array([odds, 1.0, categories - 2.0]) / every
    q = np.array([1.0, odds, categories - 2.0]) / every
    p, q = p[: 2 if categories == 2 else 3], q[: 2 if categories == 2 else 3]
    if rate == 1.0:
        return Outcomes(p, q)
    return Outcomes(np.append(rate * p, 1.0 - rate), np.append(rate * q, 1.0 - rate))


def randomized_response_with_delta(epsilon: float, delta: float) -> Outcomes:
    """Either answer is given away with probability delta: what (epsilon, delta) allows at most."""
    kept = np.array([math.exp(epsilon), 1.0]) / (math.exp(epsilon) + 1.0) * (1.0 - delta)
    return Outcomes(np.append(kept, [delta, 0.0]), np.append(kept[::-1], [0.0, delta]))


def random_pair(rng: np.random.Generator, outcomes: int) -> Outcomes:
    """Any masses, not too far from each other."""
    q = rng.dirichlet(np.full(outcomes, 2.0)) + 1e-6
    p = q * np.exp(rng.normal(0.0, rng.uniform(0.1, 1.5), outcomes))
    return Outcomes(p / p.sum(), q / q.sum())
