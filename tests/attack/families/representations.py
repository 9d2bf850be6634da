"""Representations: a guarantee, attacked through a mechanism that keeps it."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

import gdpnum as g
from tests.attack.families import laws
from tests.attack.families.batches import _gaussian_tests
from tests.attack.families.noise import _log_uniform
from tests.attack.tests_that_exist import Outcomes, Tests, best_tests


def pure(rng):
    """(epsilon, delta)-DP, composed: randomised response is the worst of its kind."""
    epsilon, times = _log_uniform(rng, 0.01, 4.0), int(rng.integers(1, 8))
    delta = float(rng.choice([0.0, _log_uniform(rng, 1e-9, 0.1)]))
    if delta == 0.0:
        outcomes = laws.randomized_response(epsilon, 2)
        return g.PureDP(epsilon=epsilon) * times, best_tests([(outcomes, times)])
    outcomes = laws.randomized_response_with_delta(epsilon, delta)
    return g.ApproxDP(epsilon=epsilon, delta=delta) * times, best_tests([(outcomes, times)])


def concentrated(rng):
    """GDP and concentrated DP: a Gaussian keeps them."""
    mu, times = _log_uniform(rng, 0.02, 3.0), int(rng.integers(1, 4))
    rho, kind = 0.5 * mu**2, rng.integers(4)
    if kind == 0:
        run = g.GDP(mu=mu)
    elif kind == 1:
        run = g.ZCDP(rho=rho)
    elif kind == 2:
        run = g.TruncatedCDP(rho=rho, cap=float(rng.uniform(1.5, 50.0)))
    else:
        orders = np.unique(np.round(rng.uniform(1.1, 40.0, int(rng.integers(1, 8))), 3))
        run = g.RDP(orders=orders.tolist(), epsilons=(orders * rho).tolist())
    return run * times, _gaussian_tests(mu * math.sqrt(times))


def renyi(rng):
    """Renyi divergences of any pair of masses, claimed for that pair."""
    pair = laws.random_pair(rng, int(rng.integers(2, 7)))
    orders = np.unique(np.round(rng.uniform(1.05, 30.0, int(rng.integers(1, 6))), 3))
    both = [
        np.log((a[None, :] ** orders[:, None] * b[None, :] ** (1 - orders[:, None])).sum(axis=1))
        / (orders - 1.0)
        for a, b in ((pair.p, pair.q), (pair.q, pair.p))
    ]
    claimed = np.maximum(*both) * (1.0 + 1e-12) + 1e-15
    tests = best_tests([(pair, 1)])
    return g.RDP(orders=orders.tolist(), epsilons=claimed.tolist()), tests._replace(complete=False)


def known(rng):
    """Any curve of few vertices, composed."""
    pair = laws.random_pair(rng, int(rng.integers(2, 6)))
    times = int(rng.integers(1, 5))
    order = np.argsort(-pair.p / pair.q)
    alphas = np.append(0.0, np.minimum(np.cumsum(pair.q[order]), 1.0))
    betas = np.append(1.0, np.maximum(1.0 - np.cumsum(pair.p[order]), 0.0))
    alphas[-1], betas[-1] = 1.0, 0.0
    curve = g.TradeoffCurve.from_vertices(alphas, betas)
    read = Outcomes(-np.diff(betas), np.diff(alphas))
    return g.KnownCurve(curve) * times, best_tests([(read, times)])


def with_slack(rng):
    """(mu, slack)-GDP: a Gaussian that gives itself away now and then."""
    mu, slack = _log_uniform(rng, 0.05, 3.0), _log_uniform(rng, 1e-9, 0.2)
    t = np.linspace(-8.0, 8.0, 200) + 0.5 * mu
    # Either dataset is given away with probability slack, the one or the other.
    tests = Tests((1 - slack) * ndtr(-t), slack + (1 - slack) * ndtr(mu - t))
    return g.GDP(mu=mu, slack=slack), tests
