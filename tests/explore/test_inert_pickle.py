"""Pickles are taken apart, not loaded: plain data comes through, nothing else happens."""

import io
import pickle
import struct
from collections import OrderedDict
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdpnum.integrations.inert_pickle import Inert, read_pickle

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
)
PLAIN = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers(), inner)
    ),
    max_leaves=12,
)


def read(content):
    return read_pickle(io.BytesIO(content))


@pytest.mark.parametrize("protocol", range(3, 6))
@given(value=PLAIN)
def test_plain_data_comes_as_it_is(protocol, value):
    assert read(pickle.dumps(value, protocol=protocol)) == value


@pytest.mark.parametrize("protocol", range(6))
def test_old_and_new_protocols_are_read(protocol):
    shared = [1.5, "two", None, True, 2**70, -3]
    value = {"a": shared, "b": (shared, {"c": ()}), "é": b"\x00\xff" if protocol >= 3 else "x"}
    assert read(pickle.dumps(value, protocol=protocol)) == value


@pytest.mark.parametrize("protocol", range(2, 6))
def test_ordered_dicts_and_numpy_numbers_are_plain(protocol):
    found = read(pickle.dumps(OrderedDict(a=np.float64(1.25), b=np.int64(7)), protocol=protocol))
    assert found == {"a": 1.25, "b": 7}
    assert type(found["a"]) is float


def test_anything_else_is_inert():
    found = read(pickle.dumps([print, ValueError("x"), {1, 2}, frozenset({3}), 1j]))
    assert all(isinstance(one, Inert) for one in found)
    assert repr(found[0]) == "<builtins.print, not loaded>"


def test_pickles_in_a_row_are_read_one_by_one():
    file = io.BytesIO(pickle.dumps(1) + pickle.dumps({"a": 2}) + b"rest")
    assert (read_pickle(file), read_pickle(file), file.read()) == (1, {"a": 2}, b"rest")


def test_a_huge_memo_takes_no_memory(three_gigabytes):
    # The C unpickler would allocate 64 GB for this number.
    assert read(b"\x80\x04K\x01r" + struct.pack("<I", 2**32 - 1) + b".") == 1


def test_keys_that_take_for_ever_to_hash_are_passed_over():
    # A tuple of a tuple twice, sixty deep: its hash takes 2^60 steps.
    tower = b"\x80\x04)" + b"2\x86" * 60
    assert read(b"\x80\x04}" + tower[2:] + b"K\x01s.") == {}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b".",
        b"\x80\x04",
        b"\x80\x04(.",
        b"\x80\x04]K\x01",
        b"a.",
        b"\x80\x04u.",
        b"\x80\x04h\x05.",
        b"\x80\x04\x93.",
        b"\xff",
    ],
)
def test_damage_is_told(content):
    with pytest.raises((pickle.UnpicklingError, ValueError)):
        read(content)


@given(st.binary(max_size=60))
def test_noise_ends_in_a_value_or_in_one_error(content):
    with suppress(pickle.UnpicklingError):
        read(b"\x80\x04" + content + b".")
