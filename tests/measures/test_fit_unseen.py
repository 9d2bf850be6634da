"""Random DP-SGD runs without a reference: brackets at two tolerances must agree."""

import numpy as np
import pytest

from gdpnum import fit_gdp
from tests.build import steps
from tests.catalogue import SLACKS


def unseen(number, seed):
    """Runs with q from 1e-4 to 0.5, sigma from 0.45 to 16, T from 2 to 16,000, in 1 or 2 phases."""
    rng = np.random.default_rng(seed)

    def phase():
        sigma, rate, count = np.exp(rng.uniform(np.log([0.45, 1e-4, 2]), np.log([16, 0.5, 16e3])))
        return float(f"{sigma:.3g}"), float(f"{rate:.3g}"), int(count)

    return [
        (tuple(phase() for _ in range(rng.integers(1, 3))), float(rng.choice(SLACKS)))
        for _ in range(number)
    ]


RUNS = [
    *unseen(60, seed=2026),
    *(pytest.param(*one, marks=pytest.mark.slow) for one in unseen(600, seed=2027)),
]


@pytest.mark.parametrize(("segments", "slack"), RUNS)
def test_brackets_at_two_tolerances_agree(segments, slack):
    """The smallest valid mu lies in both, so neither upper end is below the other's lower end."""
    run = steps(segments)
    coarse = fit_gdp(run, slack=slack, tolerance=1e-2)
    default = fit_gdp(run, slack=slack)
    assert default.mu >= coarse.mu_lower
    assert coarse.mu >= default.mu_lower
    assert default.mu - default.mu_lower <= 0.005 * default.mu
    assert coarse.mu <= default.mu * (1 + 2e-2)
