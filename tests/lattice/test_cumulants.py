"""Cumulants, which plan a window: edges by Chernoff, at any of the tilts looked at."""

import numpy as np
import pytest
from scipy.special import ndtr

from gdpnum.lattice.cumulants import Atoms, Cumulants


def loss(scale):
    """Nine normal losses of that deviation, on points."""
    points = np.linspace(-6.0, 6.0, 241)
    weights = np.exp(-0.5 * points**2)
    return Cumulants([Atoms(scale * points, weights / weights.sum(), 9)])


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
def test_edges_are_the_best_of_all_tilts_on_their_side(scale):
    found = loss(scale)
    starts, masses = np.array([5, found.zero, found.tilts.size - 3]), np.log([1e-3, 1e-10, 1e-20])
    for sign in (1.0, -1.0):
        edges = found.edges(starts, masses, sign)
        for edge, start, mass in zip(edges, starts, masses, strict=True):
            others = sign * (found.tilts - found.tilts[start]) > 0.0
            distances = np.abs(found.tilts - found.tilts[start])[others]
            reach = ((found.values - found.values[start])[others] - mass) / distances
            assert edge.loss == pytest.approx(sign * reach.min(), rel=1e-12)
            assert edge == found.edge(int(start), float(mass), sign)


@pytest.mark.parametrize("scale", [0.01, 0.3, 30.0])
def test_no_more_than_the_mass_lies_beyond_an_edge(scale):
    """Of a normal sum Chernoff puts it at sqrt(2 log 1/mass) deviations; tilts cost little more."""
    found = loss(scale)
    for mass in (1e-4, 1e-12):
        edge = found.edge(found.zero, float(np.log(mass)), 1.0).loss / (3.0 * scale)
        best = float(np.sqrt(-2.0 * np.log(mass)))
        # On points up to six deviations tails are a little less than a normal's.
        assert ndtr(-edge) <= mass
        assert 0.97 * best <= edge <= 1.02 * best


@pytest.mark.parametrize("scale", [0.01, 30.0])
def test_tilts_up_to_a_hundred_over_the_deviation_are_close_together(scale):
    """There plans are made: a tilt a fourth larger meets many more of the rare jumps."""
    found = loss(scale)
    near = found.tilts[
        (found.tilts >= 0.01 / found.deviation) & (found.tilts < 99.0 / found.deviation)
    ]
    assert near.size >= 54
    assert (near[1:] / near[:-1]).max() <= 1.2
