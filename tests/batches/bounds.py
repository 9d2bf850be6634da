"""Both ends of a bracket: epsilon from above, and from below by attacks that exist."""

import numpy as np

from gdpnum import _validate, tradeoff_curve
from gdpnum.account import account


def epsilon_above(run, delta):
    return tradeoff_curve(run).epsilon(delta)


def epsilon_below(run, delta):
    """The largest epsilon that some attack refutes: tpr - e^eps alpha > delta."""
    found = account(run, _validate.accuracy(1e-3))
    largest = 0.0
    for tests in found.attacks:
        hit = tests.tpr > delta
        refuted = np.log(tests.tpr[hit] - delta) - tests.log_alpha[hit]
        largest = max(largest, float(refuted.max(initial=0.0)))
    return largest


def delta_of_atoms(pair, epsilon, *, reverse=False):
    """The profile of an atomic pair at one epsilon, outcome by outcome."""
    losses, p, q, infinite = pair.losses, pair.p, pair.q, pair.mass_at_infinity
    if reverse:
        losses, p, q, infinite = -losses, q, p, pair.mass_at_minus_infinity
    above = losses > epsilon
    return float((p[above] - np.exp(epsilon) * q[above]).sum()) + infinite
