import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdpnum.rounding import rounded_down, rounded_up

finite = st.floats(min_value=0.0, allow_infinity=False)


@given(finite, st.integers(1, 12))
def test_a_printed_bound_is_still_a_bound(value, digits):
    assert float(rounded_down(value, digits=digits)) <= value
    assert float(rounded_up(value, digits=digits)) >= value


@given(st.floats(min_value=1e-300, max_value=1e300), st.integers(2, 12))
def test_a_printed_bound_is_tight_to_its_digits(value, digits):
    assert float(rounded_up(value, digits=digits)) <= value * (1 + 10.0 ** (1 - digits)) * (
        1 + 1e-15
    )
    assert float(rounded_down(value, digits=digits)) >= value * (1 - 10.0 ** (1 - digits)) * (
        1 - 1e-15
    )


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        (0.0, "0", "0"),
        (0.1, "0.1000", "0.1000"),
        (1.0, "1.000", "1.000"),
        (0.99999, "1.000", "0.9999"),
        (12345.6, "1.235e+4", "1.234e+4"),
        (1.23451e-9, "1.235e-9", "1.234e-9"),
        (math.inf, "inf", "inf"),
    ],
)
def test_numbers_print_with_four_digits(value, up, down):
    assert rounded_up(value) == up
    assert rounded_down(value) == down
