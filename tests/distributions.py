"""Privacy loss distributions as dp-accounting keeps them, without dp-accounting."""

from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st


def side(masses, *, infinite=0.0, step=0.1, pessimistic=True):
    """One direction: masses by number of the loss, or a list of them from a lowest number on."""
    common = {
        "_infinity_mass": infinite,
        "_discretization": step,
        "_pessimistic_estimate": pessimistic,
    }
    if isinstance(masses, dict):
        return SimpleNamespace(_loss_probs=masses, **common)
    lowest, probabilities = masses
    return SimpleNamespace(_lower_loss=lowest, _probs=np.array(probabilities), **common)


def distribution(remove, add=None):
    """Both directions; one that is its own reverse has no second."""
    return SimpleNamespace(
        _pmf_remove=remove, _pmf_add=remove if add is None else add, _symmetric=add is None
    )


def identity():
    return distribution(side({0: 1.0}))


def randomized_response(epsilon, step=None):
    step = epsilon if step is None else step
    kept = 1.0 / (1.0 + np.exp(-epsilon))
    number = round(epsilon / step)
    return distribution(side({number: kept, -number: 1.0 - kept}, step=step))


@st.composite
def sides(draw, *, largest_infinite=0.2):
    """A random direction with losses between -0.8 and 0.8, on the lattice or off it."""
    on_lattice = st.integers(-8, 8)
    numbers = draw(st.sampled_from([on_lattice, on_lattice | st.floats(-8.0, 8.0)]))
    chosen = draw(st.lists(numbers, min_size=1, max_size=8, unique=True))
    weights = [draw(st.floats(1e-6, 1.0)) for _ in chosen]
    infinite = draw(st.just(0.0) | st.floats(0.0, largest_infinite))
    share = (1.0 - infinite) / sum(weights)
    masses = {number: weight * share for number, weight in zip(chosen, weights, strict=True)}
    return side(masses, infinite=infinite)
