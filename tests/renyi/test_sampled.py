"""Divergences on a random part of the data: above those of mechanisms written out in full."""

import numpy as np
import pytest
from scipy.special import logsumexp

from gdpnum.renyi.sampled import (
    WHOLE_ORDERS,
    between_whole_orders,
    drawn_epsilons,
    sampled_epsilons,
)

TRIED = 24  # orders 1 to 24


def laws(seed, outcomes=4, spread=1.0, count=2):
    random = np.random.default_rng(seed)
    weights = np.exp(spread * random.normal(size=(count, outcomes)))
    return weights / weights.sum(axis=1, keepdims=True)


def divergence(p, q, order):
    if order == 1.0:
        return float((p * np.log(p / q)).sum())
    return float(logsumexp(order * np.log(p) + (1.0 - order) * np.log(q))) / (order - 1.0)


def worst(one, other, orders=WHOLE_ORDERS[:TRIED]):
    """The larger of both directions."""
    return np.array([max(divergence(one, other, t), divergence(other, one, t)) for t in orders])


@pytest.mark.parametrize("rate", [1e-4, 0.01, 0.2, 0.9])
@pytest.mark.parametrize("spread", [0.05, 0.5, 1.5])
def test_of_a_poisson_sample(rate, spread):
    for seed in range(4):
        p, q = laws(seed, spread=spread)
        inner = worst(p, q)
        bound = sampled_epsilons(inner, rate)
        mixed = (1.0 - rate) * q + rate * p
        for place in range(TRIED):
            t = WHOLE_ORDERS[place]
            forward, backward = divergence(mixed, q, t), divergence(q, mixed, t)
            # Sums in doubles keep some 1e-14 of one; that much is allowed to the exact ones.
            assert bound[place] >= max(forward, backward) - 2e-14
        assert (bound <= inner).all()


def test_the_one_direction_is_exact():
    rate = 0.1
    p, q = laws(1)
    mixed = (1.0 - rate) * q + rate * p
    inner = np.array([divergence(p, q, t) for t in WHOLE_ORDERS[:TRIED]])
    exact = [divergence(mixed, q, t) for t in WHOLE_ORDERS[1:TRIED]]
    # Where that direction is the larger, there is nothing between the bound and the mechanism.
    bound = sampled_epsilons(inner, rate)[1:]
    assert (bound >= exact).all()
    assert bound[-1] == pytest.approx(exact[-1], rel=1e-9)


@pytest.mark.parametrize("rate", [0.01, 0.2, 0.7])
def test_of_a_batch_of_a_fixed_size(rate):
    for seed in range(6):
        p, q, other = laws(seed, count=3)
        inner = np.maximum.reduce([worst(p, q), worst(p, other), worst(q, other)])
        bound = drawn_epsilons(inner, rate)
        # The record's place is taken by another, whichever of the two it is.
        one, two = (rate * law + (1.0 - rate) * other for law in (p, q))
        for place in range(TRIED):
            assert bound[place] >= divergence(one, two, WHOLE_ORDERS[place]) - 2e-14
        assert (bound <= inner).all()


def test_between_whole_orders_they_are_above_too():
    p, q = laws(3)
    orders, stated = between_whole_orders(worst(p, q, WHOLE_ORDERS))
    kept = orders < TRIED
    exact = [max(divergence(p, q, t), divergence(q, p, t)) for t in orders[kept]]
    assert (stated[kept] >= exact).all()
    assert (stated[kept] <= np.array(exact) * 1.2).all()
