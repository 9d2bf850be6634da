import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, InvalidType

NUMBERS = [
    _validate.real,
    _validate.positive,
    _validate.non_negative,
    _validate.probability,
    _validate.fraction,
]
HALVES = [0.5, np.float64(0.5), np.float32(0.5), np.longdouble(0.5), Fraction(1, 2), Decimal("0.5")]
NOT_NUMBERS = [True, np.True_, "0.5", b"0.5", None, 0.5j, np.array(0.5), np.array([0.5]), [0.5]]
NOT_FINITE = [
    math.nan,
    math.inf,
    -math.inf,
    np.float64("nan"),
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("Infinity"),
    10**400,
    Fraction(10**400),
]


@pytest.mark.parametrize("check", NUMBERS)
@pytest.mark.parametrize("value", HALVES, ids=lambda value: type(value).__name__)
def test_any_real_number_becomes_a_plain_float(check, value):
    assert type(check("x", value)) is float
    assert check("x", value) == 0.5


@pytest.mark.parametrize("check", NUMBERS)
@pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
def test_what_is_not_a_real_number_is_refused_by_name(check, value):
    with pytest.raises(InvalidType, match=r"^sigma=.*not a number; pass "):
        check("sigma", value)


@pytest.mark.parametrize("check", NUMBERS)
@pytest.mark.parametrize("value", NOT_FINITE, ids=lambda value: f"{type(value).__name__}")
def test_what_is_not_finite_is_refused_by_name(check, value):
    with pytest.raises(InvalidArgument, match=r"^sigma=.*not a finite float; pass "):
        check("sigma", value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_each_check_keeps_exactly_its_interval(value):
    inside = {
        _validate.real: True,
        _validate.positive: value > 0,
        _validate.non_negative: value >= 0,
        _validate.probability: 0 <= value <= 1,
        _validate.fraction: 0 <= value < 1,
    }
    for check, allowed in inside.items():
        if allowed:
            assert check("x", value) == value
        else:
            with pytest.raises(InvalidArgument, match=r"^x=.*; pass "):
                check("x", value)


def test_a_positive_number_that_underflows_is_not_positive():
    with pytest.raises(InvalidArgument, match=r"sigma=0\.0 is not positive"):
        _validate.positive("sigma", Decimal("1e-400"))


def test_negative_zero_is_zero():
    assert math.copysign(1.0, _validate.probability("delta", -0.0)) == 1.0


def test_advice_ends_the_message():
    with pytest.raises(InvalidArgument) as caught:
        _validate.probability(
            "sample_rate", 1.5, advice="pass the probability that a record joins a step"
        )
    assert str(caught.value) == (
        "sample_rate=1.5 is outside [0, 1]; pass the probability that a record joins a step"
    )


@pytest.mark.parametrize("value", [0, 7, np.int64(7), np.uint8(7), 10**30])
def test_any_whole_number_becomes_a_plain_int(value):
    assert type(_validate.count("steps", value)) is int
    assert _validate.count("steps", value) == value


@pytest.mark.parametrize("value", [1000.0, 0.5, np.float64(3.0), math.nan])
def test_a_float_is_no_count_and_the_message_says_how_to_make_it_one(value):
    with pytest.raises(InvalidType, match=r"steps=.*not an int; .*math\.ceil\(\)"):
        _validate.count("steps", value)


@pytest.mark.parametrize(
    "value", [True, np.True_, "3", None, 3j, Decimal(3), Fraction(3), np.array(3), np.float32(3)]
)
def test_what_is_not_an_int_is_no_count(value):
    with pytest.raises(InvalidType, match=r"steps=.*not an int"):
        _validate.count("steps", value)


def test_a_count_has_a_minimum():
    assert _validate.count("categories", 2, minimum=2) == 2
    with pytest.raises(InvalidArgument, match="categories=1 is below 2"):
        _validate.count("categories", 1, minimum=2)
    with pytest.raises(InvalidArgument, match="steps=-1 is below 0"):
        _validate.count("steps", -1)


def test_a_choice_is_one_of_the_options():
    assert _validate.choice("neighbouring", "replace", ("add_remove", "replace")) == "replace"


@pytest.mark.parametrize("value", ["Replace", "", None, 1, ["replace"], np.array(["replace"])])
def test_anything_but_the_options_is_refused(value):
    with pytest.raises(InvalidArgument, match="pass 'add_remove' or 'replace'"):
        _validate.choice("neighbouring", value, ("add_remove", "replace"))
