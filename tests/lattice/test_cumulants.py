"""Cumulants, which plan a window: edges by Chernoff, at any of the tilts looked at."""

import numpy as np
import pytest

from gdpnum.lattice.cumulants import Atoms, Cumulants


def loss(scale):
    """A normal loss of that deviation, on points, as often as it takes to have 0.3 of it."""
    points = np.linspace(-6.0, 6.0, 241)
    weights = np.exp(-0.5 * points**2)
    return Cumulants([Atoms(scale * points, weights / weights.sum(), 9)])


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
def test_edges_are_the_best_of_all_tilts_on_their_side(scale):
    found = loss(scale)
    starts, masses = np.array([5, found.zero, found.tilts.size - 3]), np.log([1e-3, 1e-10, 1e-20])
    for sign in (1.0, -1.0):
        for edge, start, mass in zip(found.edges(starts, masses, sign), starts, masses, strict=True):
            others = sign * (found.tilts - found.tilts[start]) > 0.0
            distances = np.abs(found.tilts - found.tilts[start])[others]
            reach = ((found.values - found.values[start])[others] - mass) / distances
            assert edge.loss == pytest.approx(sign * reach.min(), rel=1e-12)
            assert edge == found.edge(int(start), float(mass), sign)


@pytest.mark.parametrize("scale", [0.01, 0.3, 30.0])
def test_no_more_than_the_mass_lies_beyond_an_edge(scale):
    """Of a sum of nine normal losses: Phi(-x / 3 scale), and a Chernoff bound is not far off it."""
    found = loss(scale)
    for mass in (1e-4, 1e-12):
        edge = found.edge(found.zero, float(np.log(mass)), 1.0).loss / (3.0 * scale)
        assert -float(np.sqrt(-2.0 * np.log(mass))) * 1.02 <= -edge
        assert edge >= float(np.sqrt(-2.0 * np.log(mass))) * 0.97
