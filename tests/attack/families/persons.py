"""Neighbours other than one record more or less: replaced, moved further, persons of several."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

import gdpnum as g
from tests.attack.families import laws
from tests.attack.families.batches import _gaussian_tests
from tests.attack.families.noise import _log_uniform, binomial
from tests.attack.judge import exact_regret, fit_judged, smallest_mu
from tests.attack.tests_that_exist import Outcomes, Tests, best_tests


def replaced(rng):
    """Noise on a query that a record moves by two, being replaced, or by a sensitivity."""
    times, kind = int(rng.choice([1, 1, 2, 5, 30])), rng.integers(4)
    relation = str(rng.choice(["replace", "zero_out", "add_remove"]))
    moved = 2 if relation == "replace" else 1
    if kind == 0:
        sigma = _log_uniform(rng, 0.5, 20.0)
        run = g.Gaussian(sigma=sigma, neighbouring=relation)
        return run * times, best_tests([(laws.gaussian_mixture(sigma, [(1.0, moved)]), times)])
    if kind == 1:
        scale = _log_uniform(rng, 0.4, 30.0)
        run = g.Laplace(scale=scale, neighbouring=relation)
        return run * times, best_tests([(laws.laplace(scale / moved), times)])
    sensitivity = int(rng.choice([1, 1, 2, 5]))
    moved *= sensitivity
    scale = _log_uniform(rng, 0.4 * sensitivity, 10.0 * sensitivity)
    if kind == 2:
        run = g.DiscreteGaussian(sigma=scale, sensitivity=sensitivity, neighbouring=relation)
        outcomes = laws.moved_integers(lambda k: -0.5 * (k / scale) ** 2, 12.0 * scale + 3, moved)
    else:
        run = g.DiscreteLaplace(scale=scale, sensitivity=sensitivity, neighbouring=relation)
        outcomes = laws.moved_integers(lambda k: -k / scale, 35.0 * scale + 3, moved)
    # The furthest outcomes are left out: better tests exist, by next to nothing.
    return run * times, best_tests([(outcomes._replace(merged=True), times)])


def mixtures(rng):
    """A record that moves the query by an amount drawn at random."""
    sigma, times = _log_uniform(rng, 0.6, 10.0), int(_log_uniform(rng, 1, 60))
    number = int(rng.integers(1, 6))
    shifts = rng.choice([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, rng.uniform(0, 3)], number, replace=False)
    weights = rng.dirichlet(np.ones(number))
    relation = str(rng.choice(["add_remove", "zero_out"]))
    run = g.MixtureOfGaussians(
        sigma=sigma, shifts=shifts.tolist(), weights=weights.tolist(), neighbouring=relation
    )
    law = list(zip(weights.tolist(), shifts.tolist(), strict=True))
    return run * times, best_tests([(laws.gaussian_mixture(sigma, law), times)])


def phases(rng):
    """DP-SGD whose noise and rate change, besides other releases."""
    releases, parts = [], []
    for _ in range(int(rng.integers(2, 5))):
        sigma, rate = _log_uniform(rng, 0.6, 12.0), _log_uniform(rng, 1e-3, 0.9)
        records, steps = int(rng.choice([1, 1, 3])), int(_log_uniform(rng, 1, 60))
        parts.append(
            g.DPSGD(
                noise_multiplier=sigma, sample_rate=rate, steps=steps, records_per_person=records
            )
        )
        law = binomial(records, rate)
        releases.append((laws.gaussian_mixture(sigma, law, cells=200), steps))
    one = releases[0]
    # A person's records are the same in every phase, or a guarantee is for none.
    if len({part.records_per_person for part in parts}) > 1:
        return parts[0], best_tests([one])
    return g.Composed(parts), best_tests(releases)


def of_several_records(rng):
    """A person's records all move the same query: as if one moved it so much further."""
    records, times = int(rng.integers(2, 6)), int(rng.choice([1, 1, 2, 4]))
    scale, kind = _log_uniform(rng, 1.0, 25.0), rng.integers(4)
    if kind == 0:
        run, outcomes = g.Laplace(scale=scale), laws.laplace(scale / records)
    elif kind == 1:
        run = g.Gaussian(sigma=scale)
        outcomes = laws.gaussian_mixture(scale, [(1.0, float(records))])
    elif kind == 2:
        run = g.DiscreteLaplace(scale=scale)
        outcomes = laws.moved_integers(lambda k: -k / scale, 35.0 * scale + 3, records)
        outcomes = outcomes._replace(merged=True)
    else:
        # Discrete Laplace noise is a mechanism of that epsilon.
        run = g.PureDP(epsilon=1.0 / scale)
        outcomes = laws.moved_integers(lambda k: -k / scale, 35.0 * scale + 3, records)
        outcomes = outcomes._replace(merged=True)
    person = g.per_person(run * times, records_per_person=records)
    tests = best_tests([(outcomes, times)])
    return person, tests._replace(complete=False)


def several_sampled(rng) -> tuple[str, Callable[[], Iterable[str]]]:
    """A person whose records are sampled one by one: known by a group's bound only."""
    records, rate = int(rng.integers(2, 5)), _log_uniform(rng, 1e-2, 0.9)
    scale, slack = _log_uniform(rng, 1.0, 6.0), float(rng.choice([1e-6, 1e-3]))
    run = g.PoissonSampled(g.DiscreteLaplace(scale=scale), rate=rate)
    said = f"{records} records of {run}"
    return said, lambda: _several_sampled(run, records, rate, scale, slack)


def _several_sampled(
    run: g.Mechanism, records: int, rate: float, scale: float, slack: float
) -> Iterator[str]:
    every = [
        (weight, laws.moved_integers(lambda k: -k / scale, 40.0 * scale + 9, records, int(moved)))
        for weight, moved in binomial(records, rate)
    ]
    outcomes = Outcomes(sum(weight * one.p for weight, one in every), every[0][1].q)
    tests = best_tests([(outcomes, 1)])
    fit = g.fit_gdp(g.per_person(run, records_per_person=records), slack=slack)
    yield from fit_judged(fit, tests._replace(complete=False))
    exact = smallest_mu(tests, slack)
    if fit.mu_lower > exact * (1.0 + 1e-7) + 1e-7:
        yield f"UNSOUND: mu_lower {fit.mu_lower:.10g}, but {exact:.10g} holds"
    given_away = exact_regret(tests, fit)
    if fit.regret < given_away - 1e-9:
        yield f"UNSOUND: regret {fit.regret:.10g}, but it is {given_away:.10g}"


def fixed_size(rng):
    """Several records of a person in a batch of a fixed size, by how many are drawn."""
    size = int(_log_uniform(rng, 8, 400))
    batch, records = int(rng.integers(1, size + 1)), int(rng.integers(2, min(size, 5) + 1))
    sigma, steps = _log_uniform(rng, 0.8, 10.0), int(_log_uniform(rng, 1, 30))
    relation = str(rng.choice(["replace", "zero_out"]))
    run = g.FixedSize(
        g.Gaussian(sigma=sigma, neighbouring=relation),
        batch_size=batch,
        dataset_size=size,
        records_per_person=records,
    )
    law = [
        (
            math.comb(records, j) * math.comb(size - records, batch - j) / math.comb(size, batch),
            float(j),
        )
        for j in range(max(0, batch - size + records), min(records, batch) + 1)
    ]
    law = [(float(w), s) for w, s in law]
    other = [(w, -s) for w, s in law] if relation == "replace" else [(1.0, 0.0)]
    return run * steps, best_tests([(laws.gaussian_mixture(sigma, law, other), steps)])


def fixed_bins(rng):
    """Allocated batches of a replaced record, over epochs: their sum is one Gaussian test."""
    sigma, bins = _log_uniform(rng, 0.6, 8.0), int(rng.integers(1, 30))
    times, epochs = int(rng.integers(1, min(bins, 3) + 1)), int(_log_uniform(rng, 1, 12))
    relation = str(rng.choice(["replace", "zero_out", "add_remove"]))
    run = g.Allocated(g.Gaussian(sigma=sigma, neighbouring=relation), bins=bins, times=times)
    moved = 2.0 if relation == "replace" else 1.0
    mu = moved * times * math.sqrt(epochs / bins) / sigma
    tests = _gaussian_tests(mu)
    kept = tests.fpr > 1e-10
    return run * epochs, Tests(tests.fpr[kept], tests.tpr[kept])
