import copy
import dataclasses
import math
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdpnum
from gdpnum import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    GdpnumError,
    InvalidArgument,
    InvalidType,
    Laplace,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    UnsupportedMechanism,
    fit_gdp,
    tradeoff_curve,
)
from gdpnum.mechanisms import Neighbouring

EXAMPLES = [
    Gaussian(sigma=2.0),
    Gaussian(sigma=2.0, neighbouring="replace"),
    Laplace(scale=0.1),
    DiscreteGaussian(sigma=3.5),
    DiscreteLaplace(scale=1e-3),
    RandomizedResponse(epsilon=1.0),
    RandomizedResponse(epsilon=0.0, categories=10),
    PureDP(epsilon=0.0),
    ApproxDP(epsilon=1.0, delta=1e-6),
]
WITH_SIGMA = [Gaussian, DiscreteGaussian]
WITH_SCALE = [Laplace, DiscreteLaplace]
WITH_EPSILON = [RandomizedResponse, PureDP, lambda epsilon: ApproxDP(epsilon=epsilon, delta=0.0)]


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=repr)
def test_a_repr_evaluates_to_an_equal_mechanism(mechanism):
    twin = eval(repr(mechanism), vars(gdpnum).copy())
    assert twin == mechanism
    assert hash(twin) == hash(mechanism)
    assert repr(twin) == repr(mechanism)


@given(st.floats(min_value=0.0, exclude_min=True, allow_infinity=False))
def test_a_repr_keeps_every_digit(sigma):
    mechanism = Gaussian(sigma=sigma)
    assert eval(repr(mechanism), {"Gaussian": Gaussian}) == mechanism


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=repr)
@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_a_mechanism_crosses_a_process_boundary(mechanism, again):
    assert again(mechanism) == mechanism


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=repr)
def test_a_mechanism_is_frozen(mechanism):
    name = dataclasses.fields(mechanism)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(mechanism, name, 1.0)
    with pytest.raises((AttributeError, TypeError)):
        mechanism.surprise = 1.0


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=repr)
def test_a_leaf_is_its_own_only_part(mechanism):
    assert mechanism.parts == ((mechanism, 1),)


def test_all_examples_differ():
    assert len(set(EXAMPLES)) == len(EXAMPLES)


def test_equal_parameters_in_different_mechanisms_are_not_equal():
    assert Gaussian(sigma=1.0) != DiscreteGaussian(sigma=1.0)
    assert Laplace(scale=1.0) != DiscreteLaplace(scale=1.0)


@pytest.mark.parametrize("half", [np.float64(0.5), np.float32(0.5), Fraction(1, 2), Decimal("0.5")])
def test_parameters_are_plain_floats_whatever_came(half):
    mechanism = Gaussian(sigma=half)
    assert type(mechanism.sigma) is float
    assert repr(mechanism) == "Gaussian(sigma=0.5)"


def test_parameters_are_named():
    with pytest.raises(TypeError):
        Gaussian(1.0)


@pytest.mark.parametrize("bad", [0, -1.0, math.nan, math.inf, -math.inf])
def test_noise_is_positive_and_finite(bad):
    for mechanism in WITH_SIGMA:
        with pytest.raises(InvalidArgument, match=r"sigma=.*pass the standard deviation"):
            mechanism(sigma=bad)
    for mechanism in WITH_SCALE:
        with pytest.raises(InvalidArgument, match=r"scale=.*pass the scale"):
            mechanism(scale=bad)


@pytest.mark.parametrize("bad", ["1", None, True, 1j, [1.0], np.ones(2)])
def test_noise_is_a_number(bad):
    with pytest.raises(InvalidType, match="sigma="):
        Gaussian(sigma=bad)
    with pytest.raises(InvalidType, match="scale="):
        Laplace(scale=bad)


@pytest.mark.parametrize("bad", [-1e-9, math.nan, math.inf])
@pytest.mark.parametrize("mechanism", WITH_EPSILON)
def test_epsilon_is_non_negative_and_finite(mechanism, bad):
    with pytest.raises(InvalidArgument, match="epsilon="):
        mechanism(epsilon=bad)


@pytest.mark.parametrize("bad", [-1e-9, 1.0 + 1e-9, math.nan, math.inf])
def test_delta_is_a_probability(bad):
    with pytest.raises(InvalidArgument, match="delta="):
        ApproxDP(epsilon=1.0, delta=bad)


@pytest.mark.parametrize("bad", [1, 0, -2])
def test_a_response_has_two_categories_or_more(bad):
    with pytest.raises(InvalidArgument, match="categories="):
        RandomizedResponse(epsilon=1.0, categories=bad)


def test_categories_are_counted():
    with pytest.raises(InvalidType, match=r"categories=2\.0"):
        RandomizedResponse(epsilon=1.0, categories=2.0)


@pytest.mark.parametrize("bad", ["substitute", "Replace", None, 1])
def test_the_neighbouring_relation_is_one_of_two(bad):
    with pytest.raises(InvalidArgument, match="pass 'add_remove' or 'replace'"):
        Gaussian(sigma=1.0, neighbouring=bad)


def test_noise_is_for_add_remove_unless_said_otherwise():
    assert {m.neighbouring for m in EXAMPLES[2:5]} == {"add_remove"}
    assert Gaussian(sigma=1.0).neighbouring == "add_remove"


def test_a_stated_guarantee_is_for_any_relation():
    assert {m.neighbouring for m in EXAMPLES[7:]} == {None}


def test_randomised_response_is_about_two_values_of_one_respondent():
    response = RandomizedResponse(epsilon=1.0)
    assert response.neighbouring == "replace"
    with pytest.raises(InvalidArgument, match="mix neighbouring relations"):
        response + Gaussian(sigma=1.0)
    both = response + Gaussian(sigma=1.0, neighbouring="replace")
    assert both.neighbouring == "replace"


# --- how far a record moves the query ------------------------------------------------------------


@pytest.mark.parametrize("kind", [Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace])
def test_a_replaced_record_moves_the_query_twice_as_far(kind):
    name = "sigma" if kind in WITH_SIGMA else "scale"
    moved = [kind(**{name: 3.0}, neighbouring=one).moved for one in get_args(Neighbouring)]
    assert moved == [1, 2, 1]
    with pytest.raises(InvalidArgument, match="neighbouring"):
        kind(**{name: 3.0}, neighbouring="swap")


def test_replaced_under_laplace_noise_is_half_the_noise():
    one, other = Laplace(scale=2.0, neighbouring="replace") * 3, Laplace(scale=1.0) * 3
    assert tradeoff_curve(one).epsilon(1e-5) == tradeoff_curve(other).epsilon(1e-5)
    assert fit_gdp(one).mu == fit_gdp(other).mu


@pytest.mark.parametrize("wrong", [0, -1, 1.5, 10**7])
def test_the_sensitivity_of_whole_numbers_is_whole(wrong):
    with pytest.raises(GdpnumError, match="sensitivity"):
        DiscreteGaussian(sigma=1.0, sensitivity=wrong)


def test_only_what_is_said_is_shown():
    assert repr(DiscreteLaplace(scale=2.0)) == "DiscreteLaplace(scale=2.0)"
    shown = "DiscreteLaplace(scale=2.0, sensitivity=3, neighbouring='zero_out')"
    assert repr(DiscreteLaplace(scale=2.0, sensitivity=3, neighbouring="zero_out")) == shown


@pytest.mark.parametrize("noise", [Laplace(scale=1.0, neighbouring="replace")])
def test_of_a_sample_with_a_record_replaced_only_gaussian_noise_has_a_bound(noise):
    with pytest.raises(UnsupportedMechanism, match="record replaced"):
        PoissonSampled(noise, rate=0.1)
