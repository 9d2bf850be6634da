"""Mixtures of Gaussian shifts."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from gdpnum import (
    Gaussian,
    InvalidArgument,
    InvalidType,
    MixtureOfGaussians,
    PoissonSampled,
    fit_gdp,
    tradeoff_curve,
)


def test_binomial_weights_are_those_of_a_person():
    run = MixtureOfGaussians(sigma=2.0, shifts=[0, 1, 2], weights=[0.81, 0.18, 0.01]) * 20
    person = PoissonSampled(Gaussian(sigma=2.0), rate=0.1, records_per_person=2) * 20
    # By two engines: the brackets overlap, and are as narrow as the tolerance says.
    mixed, persons = fit_gdp(run), fit_gdp(person)
    assert max(mixed.mu_lower, persons.mu_lower) <= min(mixed.mu, persons.mu)
    assert mixed.mu == pytest.approx(persons.mu, rel=2e-3)
    assert tradeoff_curve(run).epsilon(1e-5) == pytest.approx(
        tradeoff_curve(person).epsilon(1e-5), rel=2e-3
    )


def test_one_release_has_the_profile_of_its_pair():
    shifts, weights = np.array([0.0, 1.0, 1.7]), np.array([0.6, 0.3, 0.1])
    curve = tradeoff_curve(MixtureOfGaussians(sigma=1.3, shifts=shifts, weights=weights))
    x = np.linspace(-12.0, 14.0, 400_001)
    p = (weights[:, None] * np.exp(-0.5 * ((x - shifts[:, None]) / 1.3) ** 2)).sum(axis=0)
    q = np.exp(-0.5 * (x / 1.3) ** 2)
    p, q = p / p.sum(), q / q.sum()
    for epsilon in (0.0, 0.3, 0.8):
        sides = [np.maximum(a - math.exp(epsilon) * b, 0.0).sum() for a, b in ((p, q), (q, p))]
        assert curve.delta(epsilon) == pytest.approx(max(sides), rel=3e-3)
        assert curve.delta(epsilon) >= max(sides) * (1.0 - 1e-7)


def test_without_slack_it_is_the_largest_shift():
    run = MixtureOfGaussians(sigma=2.0, shifts=[0, 1, 3], weights=[0.5, 0.3, 0.2])
    assert fit_gdp(run, slack=0.0).mu == pytest.approx(1.5)
    alone = MixtureOfGaussians(sigma=2.0, shifts=[3], weights=[1.0])
    assert tradeoff_curve(alone).advantage == pytest.approx(2.0 * ndtr(0.75) - 1.0)


def test_equal_shifts_are_gathered():
    run = MixtureOfGaussians(sigma=1.0, shifts=[1, 0, 1, 2], weights=[0.25, 0.5, 0.25, 0.0])
    assert run.shifts == (0.0, 1.0)
    assert run.weights == (0.5, 0.5)
    nothing = MixtureOfGaussians(sigma=1.0, shifts=[0], weights=[1.0])
    assert fit_gdp(nothing).mu == 0.0


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"shifts": [0, 1], "weights": [0.5]}, InvalidArgument, "2 shifts with 1 weights"),
        ({"shifts": [0, 1], "weights": [0.5, 0.1]}, InvalidArgument, "of sum 0.6"),
        ({"shifts": [], "weights": []}, InvalidArgument, "0 shifts"),
        ({"shifts": [0, -1], "weights": [0.5, 0.5]}, InvalidArgument, "negative"),
        ({"shifts": "01", "weights": [0.5, 0.5]}, InvalidType, "not a list"),
        (
            {"shifts": [0, 1], "weights": [0.5, 0.5], "neighbouring": "replace"},
            InvalidArgument,
            "neighbouring",
        ),
    ],
)
def test_what_is_no_mixture_is_refused(given, error, message):
    with pytest.raises(error, match=message):
        MixtureOfGaussians(sigma=1.0, **given)
