"""What cannot be answered is refused: the error says which argument, which value, what to do."""

import math

import numpy as np
import pytest

import gdpnum
from gdpnum import (
    DPSGD,
    ApproxDP,
    BudgetExceeded,
    Composed,
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

RUN = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=100)
NOT_POSITIVE = [0, 0.0, -0.0, -1.0, math.nan, math.inf, -math.inf]


def refused(error, build, *words):
    """`build` raises the library's own error, also the built-in one, and the message has words."""
    with pytest.raises(error) as caught:
        build()
    assert isinstance(caught.value, GdpnumError)
    assert isinstance(caught.value, ValueError if error is InvalidArgument else TypeError)
    for word in words:
        assert word in str(caught.value)
    assert "pass" in str(caught.value)


# --- mechanisms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("value", NOT_POSITIVE)
@pytest.mark.parametrize(
    ("family", "name"),
    [
        (Gaussian, "sigma"),
        (DiscreteGaussian, "sigma"),
        (Laplace, "scale"),
        (DiscreteLaplace, "scale"),
    ],
)
def test_noise_must_be_positive_and_finite(family, name, value):
    shown = repr(float(value) + 0.0) if math.isfinite(value) else repr(value)
    refused(InvalidArgument, lambda: family(**{name: value}), f"{name}={shown}")


@pytest.mark.parametrize("value", NOT_POSITIVE)
def test_a_noise_multiplier_must_be_positive_and_finite(value):
    refused(
        InvalidArgument,
        lambda: DPSGD(noise_multiplier=value, sample_rate=0.1, steps=1),
        "noise_multiplier=",
    )


@pytest.mark.parametrize("value", [-1e-9, 1.0001, 2, math.nan, math.inf])
def test_a_rate_must_be_a_probability(value):
    refused(
        InvalidArgument, lambda: PoissonSampled(Gaussian(sigma=1.0), rate=value), f"rate={value}"
    )
    refused(
        InvalidArgument,
        lambda: DPSGD(noise_multiplier=1.0, sample_rate=value, steps=1),
        f"sample_rate={value}",
    )


@pytest.mark.parametrize("value", [-1, -(10**9)])
def test_steps_must_not_be_negative(value):
    for build in (
        lambda: DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=value),
        lambda: Gaussian(sigma=1.0) * value,
    ):
        refused(InvalidArgument, build, f"={value}")


@pytest.mark.parametrize("value", [0.5, 100.0, math.nan, "100", None, True])
def test_steps_must_be_whole(value):
    for build in (
        lambda: DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=value),
        lambda: Gaussian(sigma=1.0) * value,
    ):
        refused(InvalidType, build, f"={value!r}")


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf])
@pytest.mark.parametrize("family", [PureDP, RandomizedResponse])
def test_epsilon_must_not_be_negative(family, value):
    refused(InvalidArgument, lambda: family(epsilon=value), f"epsilon={value}")


@pytest.mark.parametrize("value", [-1e-12, 1.5, math.nan])
def test_delta_must_be_a_probability(value):
    refused(InvalidArgument, lambda: ApproxDP(epsilon=1.0, delta=value), f"delta={value}")


def test_a_composition_of_no_mechanisms_is_refused():
    refused(InvalidArgument, lambda: Composed([]), "mechanisms is empty")


@pytest.mark.parametrize("value", [[1], [Gaussian(sigma=1.0), None], ["Gaussian"]])
def test_a_composition_of_something_else_is_refused(value):
    refused(InvalidType, lambda: Composed(value), f"mechanisms[{len(value) - 1}]={value[-1]!r}")


def test_neighbouring_relations_do_not_mix():
    with pytest.raises(InvalidArgument, match="mix neighbouring relations"):
        Gaussian(sigma=1.0) + Gaussian(sigma=1.0, neighbouring="replace")


# --- questions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [-1e-10, 1.0, 1.5, math.nan, math.inf])
def test_slack_must_be_a_fraction(value):
    refused(InvalidArgument, lambda: fit_gdp(RUN, slack=value), f"slack={value}")


@pytest.mark.parametrize("value", NOT_POSITIVE)
def test_tolerance_must_be_positive(value):
    for ask in (fit_gdp, tradeoff_curve):
        refused(InvalidArgument, lambda ask=ask: ask(RUN, tolerance=value), "tolerance=")


@pytest.mark.parametrize("value", NOT_POSITIVE)
def test_grid_step_must_be_positive(value):
    for ask in (fit_gdp, tradeoff_curve):
        refused(InvalidArgument, lambda ask=ask: ask(RUN, grid_step=value), "grid_step=")


@pytest.mark.parametrize("name", ["slack", "tolerance", "grid_step"])
@pytest.mark.parametrize("value", ["1e-3", 1j, np.array([0.1]), True])
def test_numbers_must_be_numbers(name, value):
    refused(InvalidType, lambda: fit_gdp(RUN, **{name: value}), f"{name}=")


@pytest.mark.parametrize("value", [None, 1.0, "DPSGD", Gaussian, [Gaussian(sigma=1.0)]])
def test_what_is_no_mechanism_is_refused(value):
    for ask in (fit_gdp, tradeoff_curve):
        refused(InvalidType, lambda ask=ask: ask(value), "mechanism=", "pass a mechanism")


@pytest.mark.usefixtures("three_gigabytes")
@pytest.mark.parametrize("grid_step", [1e-9, 1e-12, 1e-300])
@pytest.mark.parametrize("mechanism", [RUN, Laplace(scale=1.0), Laplace(scale=1.0) * 3], ids=repr)
def test_a_lattice_too_fine_for_memory_is_refused_before_it_is_built(mechanism, grid_step):
    for ask in (fit_gdp, tradeoff_curve):
        with pytest.raises(GdpnumError, match="grid_step") as caught:
            ask(mechanism, grid_step=grid_step)
        assert isinstance(caught.value, (ValueError, ArithmeticError))


@pytest.mark.slow
@pytest.mark.usefixtures("three_gigabytes")
def test_a_tolerance_out_of_reach_is_refused_with_advice():
    with pytest.raises(BudgetExceeded, match="tolerance"):
        fit_gdp(RUN, tolerance=1e-12)


def test_a_discrete_gaussian_at_slack_zero_has_no_known_mu():
    with pytest.raises(UnsupportedMechanism, match="pass a positive slack"):
        fit_gdp(DiscreteGaussian(sigma=1.0), slack=0.0)


def test_every_error_is_one_of_the_librarys():
    for error in (InvalidArgument, InvalidType, UnsupportedMechanism, BudgetExceeded):
        assert issubclass(error, gdpnum.GdpnumError)


@pytest.mark.parametrize("fpr", [-0.1, 1.1, math.nan])
def test_the_fpr_of_a_fit_must_be_a_probability(fpr):
    refused(InvalidArgument, lambda: fit_gdp(Gaussian(sigma=1.0)).tpr(fpr), f"fpr={fpr}")


# --- numbers beyond all sense -------------------------------------------------------------------

HUGE = 10**5000  # Python refuses to write out more than 4,300 digits


@pytest.mark.parametrize("value", [1e7, 1e150, 1e300, 1.7e308])
def test_a_lattice_wider_than_any_loss_is_refused(value):
    for ask in (fit_gdp, tradeoff_curve):
        refused(InvalidArgument, lambda ask=ask: ask(RUN, grid_step=value), f"grid_step={value!r}")


@pytest.mark.parametrize("value", [10**400, HUGE], ids=["400 digits", "5000"])
@pytest.mark.parametrize(
    "build",
    [
        lambda value: RandomizedResponse(epsilon=1.0, categories=value),
        lambda value: DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=value),
        lambda value: Gaussian(sigma=1.0) * value,
        lambda value: Gaussian(sigma=value),
        lambda value: gdpnum.statement(Gaussian(sigma=1.0), dataset_size=value),
        lambda value: gdpnum.calibrate(lambda s: Gaussian(sigma=s), between=(1, value), mu=1.0),
    ],
)
def test_a_whole_number_beyond_all_floats_is_refused(build, value):
    refused(InvalidArgument, lambda: build(value), "is not a finite float")


@pytest.mark.parametrize(
    "build",
    [
        fit_gdp,
        lambda value: Composed([value]),
        lambda value: gdpnum.compare(value, RUN),
        lambda value: gdpnum.sweep([value]),
        lambda value: gdpnum.calibrate(Gaussian, between=value, mu=1.0),
    ],
)
def test_a_number_that_python_does_not_write_out_is_named_by_its_length(build):
    refused(InvalidType, lambda: build(HUGE), "an int of some 5000 digits")
    refused(InvalidType, lambda: build([HUGE]))


@pytest.mark.parametrize("sigma", [1e155, 1e200, 1e308])
def test_noise_beyond_all_sense_has_a_statement(sigma):
    assert gdpnum.statement(Gaussian(sigma=sigma)).mu == pytest.approx(1.0 / sigma, rel=1e-15)
