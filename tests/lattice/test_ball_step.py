"""One step put on a lattice, against the exact masses of the pair in ball arithmetic."""

import numpy as np
import pytest
from flint import arb, ctx

from gdpnum import Gaussian, PoissonSampled, charges
from gdpnum.lattice.discretize import lattice, pessimistic
from gdpnum.releases import releases
from tests.oracles import ball_step

BITS = 256
SETTINGS = [
    (1.0, 0.01, 0.002, -0.02, 2.0),
    (0.5, 0.3, 0.02, -1.0, 12.0),
    (9.4, 0.32768, 0.003, -0.4, 0.4),
    (0.6, 1e-5, 1e-5, -4e-5, 1e-2),
    (40.0, 0.9, 1e-3, -0.3, 0.3),
]
settings = pytest.mark.parametrize(("sigma", "rate", "step", "low", "high"), SETTINGS)


def tail_sums(balls):
    total, sums = arb(0), []
    for one in reversed(balls):
        total += one
        sums.append(total)
    return sums[::-1]


def profiles(sigma, rate, step, low, high, direction):
    """At each node w: (w, profile of the lattice masses, profile of the pair), all balls."""
    ((pair, _),) = releases(PoissonSampled(Gaussian(sigma=sigma), rate=rate)).above
    pair = pair if direction == "remove" else pair.reversed()
    nodes = lattice(step, low, high)
    loss = pessimistic(pair, nodes, step)
    with ctx.workprec(BITS):
        lowest, h = ball_step.exact(loss.lowest), ball_step.exact(step)
        exact_nodes = [lowest + i * h for i in range(loss.masses.size)]
        if direction == "remove":
            cells = ball_step.sampled_gaussian_cells(sigma, rate, exact_nodes, bits=BITS)
            p, q = [cell.p for cell in cells], [cell.q for cell in cells]
        else:  # the loss of (Q, P) is the negative one, its cells come in reverse
            reverse = [-w for w in reversed(exact_nodes)]
            cells = ball_step.sampled_gaussian_cells(sigma, rate, reverse, bits=BITS)
            p, q = [cell.q for cell in reversed(cells)], [cell.p for cell in reversed(cells)]
        true_p, true_q = tail_sums(p)[1:], tail_sums(q)[1:]
        masses = [ball_step.exact(float(mass)) for mass in loss.masses]
        weights = [(-w).exp() * mass for w, mass in zip(exact_nodes, masses, strict=True)]
        found_p, found_q = tail_sums(masses), tail_sums(weights)
        infinite = ball_step.exact(loss.mass_at_infinity)
        for i, w in enumerate(exact_nodes):
            growth = w.exp()
            found = found_p[i] - growth * found_q[i] + infinite
            yield w, found, true_p[i] - growth * true_q[i]


@pytest.mark.parametrize("direction", ["remove", "add"])
@settings
def test_the_lattice_profile_is_nowhere_below_the_true_one(sigma, rate, step, low, high, direction):
    """And so nowhere at all: between nodes the one is a chord of the other, convex in exp(eps).

    Below 1e-30 special functions lose digits, and then all; that is far below any slack.
    """
    for w, found, true in profiles(sigma, rate, step, low, high, direction):
        assert not found + arb("1e-30") * (true < 1e-30) < true, f"at the loss {float(w):.6g}"


@settings
def test_the_lattice_profile_meets_the_true_one_at_its_nodes(sigma, rate, step, low, high):
    """To 1e-9, relative, or what a finer lattice needs against rounding, twice growth / h."""
    excess = [
        float((found - true) / true)
        for _, found, true in profiles(sigma, rate, step, low, high, "remove")
        if true > 1e-20
    ]
    assert np.max(excess[:-1]) < max(1e-9, 2.0 * charges.growth() / step)
