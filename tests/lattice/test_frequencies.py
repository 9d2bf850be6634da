"""The frequencies at which a power of a transform lasts, and sums over them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdpnum.lattice.frequencies import lasting
from gdpnum.lattice.spectrum import Spectrum, product

masses = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=60).filter(lambda m: sum(m) > 0.1)


def transform(one, size):
    """F at every frequency up to 1/2, from its definition."""
    turns = np.outer(np.arange(size // 2 + 1), np.arange(one.size))
    return (one * np.exp(-2j * math.pi * (turns % size) / size)).sum(axis=1)


@given(masses, st.integers(1, 5000), st.integers(40, 3000))
def test_no_frequency_that_lasts_is_left_out(one, count, size):
    one = np.array(one) / np.sum(one)
    kept = lasting(one, count, size, -100.0)
    assert (np.diff(kept) > 0).all()
    assert kept[0] == 0
    assert kept[-1] <= size // 2
    left_out = np.ones(size // 2 + 1, bool)
    left_out[kept] = False
    size_of_f = np.abs(transform(one, size))[left_out]
    assert (count * np.log(np.maximum(size_of_f, 1e-300)) <= -100.0).all()


def test_few_last_on_a_long_circle():
    """A Gaussian of deviation s lasts up to the frequency sqrt(2 * 100 / T) / (2 pi s)."""
    deviation, count, size = 9.0, 10_000, 60_000
    one = np.exp(-0.5 * (np.arange(-80, 81) / deviation) ** 2)
    kept = lasting(one / one.sum(), count, size, -100.0)
    last = size * math.sqrt(200.0 / count) / (2.0 * math.pi * deviation)
    assert last <= kept.size <= 2.0 * last + 16.0


@pytest.mark.parametrize("stride", [2, 5, 16])
@pytest.mark.parametrize("offset", [0, 3, 700])
def test_coarse_masses_are_sums_of_the_entries(stride, offset):
    """By a shorter circle and by adding up: the same but for rounding."""
    one = np.exp(-0.5 * (np.arange(-40, 41) / 6.0) ** 2)
    spectrum = Spectrum(stride * 1000)
    spectrum.multiply(one / one.sum(), 600)
    assert spectrum.is_narrow(stride)
    weights = np.linspace(0.2, 1.0, 2 * stride)
    fine = range(600 * 40 + offset, 600 * 40 + offset + 50 * stride)
    found, norm = spectrum.coarse_masses(fine, stride, weights)
    entries, _ = spectrum.masses(range(fine.start, fine.stop + stride))
    expected = [entries[b * stride :][: 2 * stride] @ weights for b in range(50)]
    assert found.size == 50
    assert np.abs(found - expected).max() <= 2.0 * norm * np.linalg.norm(weights)
    assert norm < 1e-13


def test_wide_spectra_are_not_narrow():
    spectrum = Spectrum(1000)
    spectrum.multiply(np.array([0.5, 0.5]), 2)
    assert not spectrum.is_narrow(5)
    assert not spectrum.is_narrow(1)


def test_the_order_of_powers_does_not_matter():
    """Bit for bit; and each factor is at the frequencies that the most spread of them leaves."""
    wide = np.exp(-0.5 * (np.arange(-60, 61) / 15.0) ** 2)
    # Longer, but all in one place except for rare jumps.
    rare = np.concatenate([[0.999], np.full(400, 1e-3 / 400)])
    powers = [(wide / wide.sum(), 3000), (rare, 20)]
    one, other = (product(each, 200_000, extended=False) for each in (powers, powers[::-1]))
    places = range(3000 * 60, 3000 * 60 + 500)
    (entries, norm), (again, _) = one.masses(places), other.masses(places)
    assert np.array_equal(entries, again)
    alone = Spectrum(200_000)
    for masses, count in reversed(powers):
        alone.multiply(masses, count)
    assert np.abs(entries - alone.masses(places)[0]).max() <= 2.0 * norm
    assert norm < 1e-13
