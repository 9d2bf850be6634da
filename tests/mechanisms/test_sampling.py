import math
import pickle

import pytest

import gdpnum
from gdpnum import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidArgument,
    InvalidType,
    Laplace,
    PoissonSampled,
    PureDP,
    UnsupportedMechanism,
)


@pytest.mark.parametrize(
    "inner",
    [
        Gaussian(sigma=1.0),
        Gaussian(sigma=1.0, neighbouring="replace"),
        Laplace(scale=1.0),
        DiscreteGaussian(sigma=1.0),
        DiscreteLaplace(scale=1.0),
    ],
    ids=repr,
)
def test_noise_can_be_sampled(inner):
    mechanism = PoissonSampled(inner, rate=0.25)
    assert mechanism.neighbouring == inner.neighbouring
    assert mechanism.parts == ((mechanism, 1),)
    assert eval(repr(mechanism), vars(gdpnum).copy()) == mechanism
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism


@pytest.mark.parametrize(
    ("inner", "advice"),
    [
        (PureDP(epsilon=1.0), "pass Gaussian"),
        (ApproxDP(epsilon=1.0, delta=0.1), "pass Gaussian"),
        (Gaussian(sigma=1.0) * 10, "sample each release by itself"),
        (Gaussian(sigma=1.0) + Laplace(scale=1.0), "sample each release by itself"),
        (PoissonSampled(Gaussian(sigma=1.0), rate=0.5), "product of the two rates"),
    ],
    ids=repr,
)
def test_what_has_no_sound_bound_is_refused_with_advice(inner, advice):
    with pytest.raises(UnsupportedMechanism, match=advice):
        PoissonSampled(inner, rate=0.5)


@pytest.mark.parametrize("bad", [1.0, "Gaussian", None, Gaussian])
def test_only_a_mechanism_can_be_sampled(bad):
    with pytest.raises(InvalidType, match="inner="):
        PoissonSampled(bad, rate=0.5)


@pytest.mark.parametrize("bad", [-0.1, 1.0000001, math.nan, math.inf])
def test_a_rate_is_a_probability(bad):
    with pytest.raises(InvalidArgument, match=r"rate=.*; pass the probability"):
        PoissonSampled(Gaussian(sigma=1.0), rate=bad)


@pytest.mark.parametrize("rate", [0, 1])
def test_a_rate_may_be_zero_or_one(rate):
    assert PoissonSampled(Gaussian(sigma=1.0), rate=rate).rate == float(rate)


def test_a_rate_is_named():
    with pytest.raises(TypeError):
        PoissonSampled(Gaussian(sigma=1.0), 0.5)
