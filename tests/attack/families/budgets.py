"""Budgets: what was spent, added up apart; what they refuse; and what they still promise."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

import gdpnum as g
from tests.attack.families import laws
from tests.attack.families.noise import _log_uniform
from tests.attack.tests_that_exist import best_tests


def gaussian(rng) -> tuple[str, object]:
    """mu adds in squares, exactly: no more is spent than was given, and nothing refused early."""
    mu = _log_uniform(rng, 0.05, 8.0)
    costs = [mu * float(x) for x in rng.uniform(0.05, 0.7, int(rng.integers(1, 25)))]
    kinds = rng.integers(0, 2, len(costs)).tolist()
    return f"Budget(mu={mu})", lambda: _filled(mu, costs, kinds)


def _filled(mu: float, costs: list[float], kinds: list[int]) -> Iterator[str]:
    budget, spent = g.Budget(mu=mu), Fraction(0)
    for cost, kind in zip(costs, kinds, strict=True):
        release = g.GDP(mu=cost) if kind else g.Gaussian(sigma=1.0 / cost)
        square = Fraction(cost) ** 2 if kind else 1 / Fraction(1.0 / cost) ** 2
        fits = spent + square <= Fraction(mu) ** 2
        if budget.can_spend(release) != fits:
            yield f"UNSOUND: {release} is said to fit: {not fits}, which is wrong"
        if fits:
            budget.spend(release)
            spent += square
        if Fraction(budget.spent) ** 2 < spent:
            yield f"UNSOUND: spent {budget.spent}, but its square is below {float(spent)}"
        if Fraction(budget.remaining) ** 2 > Fraction(mu) ** 2 - spent:
            yield f"UNSOUND: remaining {budget.remaining} is more than there is"
        again = g.Budget.from_json(budget.to_json())
        if (again.spent, again.remaining) != (budget.spent, budget.remaining):
            yield "NONSENSE: a budget written and read is another"


def renyi(rng) -> tuple[str, object]:
    """Sampled steps until the filter refuses: no test shows more than its epsilon and delta."""
    epsilon, delta = _log_uniform(rng, 0.3, 6.0), _log_uniform(rng, 1e-7, 1e-2)
    sigma, rate = _log_uniform(rng, 0.7, 5.0), _log_uniform(rng, 5e-3, 1.0)
    expected = bool(rng.random() < 0.5)
    said = f"RenyiBudget(epsilon={epsilon}, delta={delta}) of sigma {sigma}, rate {rate}"
    return said, lambda: _spent(epsilon, delta, sigma, rate, expected)


def _spent(
    epsilon: float, delta: float, sigma: float, rate: float, expected: bool
) -> Iterator[str]:
    step = g.PoissonSampled(g.Gaussian(sigma=sigma), rate=rate)
    budget = g.RenyiBudget(epsilon=epsilon, delta=delta, expected=step if expected else None)
    steps = 0
    while steps < 300 and budget.can_spend(step):
        budget.spend(step)
        steps += 1
    if steps == 0:
        return
    outcomes = laws.gaussian_mixture(sigma, [(1.0 - rate, 0.0), (rate, 1.0)])
    tests = best_tests([(outcomes, steps)])
    shown = float(tests.delta(np.array([epsilon]))[0])
    if shown > delta * (1 + 1e-9) + 1e-12:
        yield f"UNSOUND: after {steps} steps delta({epsilon}) is at least {shown}, not {delta}"
    for other in (1e-3, 1e-5):
        bound = budget.epsilon_at(other)
        shown = float(tests.delta(np.array([min(bound, 600.0)]))[0])
        if shown > other * (1 + 1e-9) + 1e-12:
            yield f"UNSOUND: epsilon_at({other}) = {bound}, but delta is at least {shown} there"
    again = g.RenyiBudget.from_json(budget.to_json())
    if again.can_spend(step) != budget.can_spend(step) or again.epsilon_at(1e-4) != (
        budget.epsilon_at(1e-4)
    ):
        yield "NONSENSE: a budget written and read is another"
