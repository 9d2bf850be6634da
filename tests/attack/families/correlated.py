"""Matrix mechanisms: the largest shift over all ways to take part, tried one by one."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np

import gdpnum as g
from tests.attack.families import laws
from tests.attack.families.batches import _gaussian_tests
from tests.attack.families.noise import _log_uniform
from tests.attack.tests_that_exist import best_tests


def matrix(rng):
    """A strategy of a few steps, dense, Toeplitz or a tree."""
    steps, sigma = int(rng.integers(1, 9)), _log_uniform(rng, 0.5, 10.0)
    shape = rng.integers(3)
    if shape == 0:
        dense = np.tril(rng.normal(0.0, 1.0, (steps, steps)))
        dense[np.diag_indices(steps)] = rng.uniform(0.3, 2.0, steps)
        said, full = {"strategy": dense.tolist()}, dense
    elif shape == 1:
        first = np.append(1.0, rng.normal(0.0, 0.6, int(rng.integers(0, steps))))
        full = _toeplitz(first, steps)
        said = {"strategy": first.tolist(), "steps": steps}
    else:
        said, full = {"strategy": "tree", "steps": steps}, _tree(steps)
    apart = int(rng.integers(1, steps + 1))
    most = int(rng.integers(1, -(-steps // apart) + 1))
    relation = str(rng.choice(["zero_out", "replace"]))
    records = int(rng.choice([1, 1, 2]))
    run = g.MatrixMechanism(
        **said,
        noise_multiplier=sigma,
        min_separation=apart,
        max_participations=most,
        neighbouring=relation,
        records_per_person=records,
    )
    shift = max(
        float(np.linalg.norm(full @ np.array(signs)))
        for signs in product((-1.0, 0.0, 1.0), repeat=steps)
        if _allowed(signs, apart, most)
    )
    moved = (2.0 if relation == "replace" else 1.0) * records
    return run, _gaussian_tests(moved * shift / sigma)


def _allowed(signs: tuple[float, ...], apart: int, most: int) -> bool:
    places = [i for i, sign in enumerate(signs) if sign]
    return len(places) <= most and all(b - a >= apart for a, b in pairwise(places))


def _tree(steps: int) -> np.ndarray:
    """The sums of all blocks of 2^k steps that are complete."""
    rows, width = [], 1
    while width <= steps:
        rows += [
            [1.0 if start <= i < start + width else 0.0 for i in range(steps)]
            for start in range(0, steps - width + 1, width)
        ]
        width *= 2
    return np.array(rows)


def epochs(rng):
    """A record in the same place of each epoch: all signs and places tried."""
    times, apart = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    steps, sigma = times * apart, _log_uniform(rng, 0.5, 10.0)
    first = np.append(1.0, rng.normal(0.0, 0.6, int(rng.integers(0, steps))))
    full = _toeplitz(first, steps)
    relation = str(rng.choice(["zero_out", "replace"]))
    run = g.MatrixMechanism(
        strategy=first.tolist(),
        steps=steps,
        noise_multiplier=sigma,
        epochs=times,
        neighbouring=relation,
    )
    columns = [full[:, place::apart] for place in range(apart)]
    shift = max(
        float(np.linalg.norm(some @ np.array(signs)))
        for some in columns
        for signs in product((-1.0, 1.0), repeat=times)
    )
    moved = 2.0 if relation == "replace" else 1.0
    return run, _gaussian_tests(moved * shift / sigma)


def sampled(rng):
    """Bands with cyclic Poisson sampling: in each cycle the record joins one column, or not."""
    bands, sigma = int(rng.integers(1, 6)), _log_uniform(rng, 0.8, 10.0)
    steps, rate = int(rng.integers(bands, 40)), _log_uniform(rng, 1e-2, 1.0 / bands)
    rate = min(rate, float(np.nextafter(1.0 / bands, 0.0)))
    first = np.append(1.0, rng.uniform(0.0, 1.0, bands - 1))
    first /= np.linalg.norm(first)
    if bands > 1:
        first[-1] = max(first[-1], 1e-3)
    run = g.MatrixMechanism(
        strategy=first.tolist(),
        steps=steps,
        noise_multiplier=sigma,
        sample_rate=rate,
        neighbouring=str(rng.choice(["zero_out", "add_remove"])),
    )
    # Full columns only, which do not overlap: a test that looks at each along its own direction.
    law = [(1.0 - rate * bands, 0.0), (rate * bands, float(np.linalg.norm(first)))]
    cycles = max(1, steps // bands)
    return run, best_tests([(laws.gaussian_mixture(sigma, law), cycles)])


def _toeplitz(first: np.ndarray, steps: int) -> np.ndarray:
    return np.array(
        [
            [first[i - j] if 0 <= i - j < first.size else 0.0 for j in range(steps)]
            for i in range(steps)
        ]
    )
