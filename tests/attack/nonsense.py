"""Values that no argument wants, or that few do, and how a message may write them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

import gdpnum as g

__all__ = ["NONSENSE", "forms", "made"]


class Unwilling:
    """Raises whatever it is asked."""

    def __repr__(self) -> str:
        raise ValueError("no repr")

    def __float__(self) -> float:
        raise ValueError("no float")

    def __len__(self) -> int:
        raise ValueError("no length")

    def __bool__(self) -> bool:
        raise ValueError("no truth")

    def __eq__(self, other: object) -> bool:
        raise ValueError("no equality")

    __hash__ = None  # type: ignore[assignment]


class Anything:
    """Has every attribute, each of which is itself and can be called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: object, **__: object) -> Any:
        return self


OF_ITSELF: list[Any] = []
OF_ITSELF.append(OF_ITSELF)

NONSENSE: dict[str, Any] = {
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "-1": -1,
    "-1e-300": -1e-300,
    "0": 0,
    "-0.0": -0.0,
    "5e-324": 5e-324,
    "1e-200": 1e-200,
    "1.7e308": 1.7e308,
    "2.5": 2.5,
    "10**400": 10**400,
    "-10**5000": -(10**5000),
    "2**63": 2**63,
    "text": "one",
    "digits": "1.0",
    "empty": "",
    "null byte": "a\x00b",
    "long text": "x" * 100_000,
    "bytes": b"1",
    "None": None,
    "True": True,
    "False": False,
    "complex": 1j,
    "list": [1.0],
    "nested": [[1.0, [2.0]]],
    "empty list": [],
    "of itself": OF_ITSELF,
    "dict": {},
    "set": {1.0},
    "range": range(10**12),
    "generator": None,  # made anew for each call
    "array": np.array([1.0, math.nan]),
    "0-d array": np.array(1.0),
    "empty array": np.array([]),
    "array of three dimensions": np.ones((2, 2, 2)),
    "objects": np.array([None, "a"], dtype=object),
    "texts": np.array(["a", "b"]),
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "fields": np.zeros(2, dtype=[("a", float), ("b", int)]),
    "masked": np.ma.masked,
    "float16": np.float16(0.5),
    "float32 nan": np.float32(math.nan),
    "longdouble": np.longdouble("1e400"),
    "int8": np.int8(3),
    "uint64": np.uint64(2**64 - 1),
    "bool_": np.bool_(True),
    "Decimal": Decimal("0.5"),
    "Decimal nan": Decimal("NaN"),
    "Decimal snan": Decimal("sNaN"),
    "Decimal 1e9999": Decimal("1e9999"),
    "Fraction": Fraction(1, 3),
    "Fraction huge": Fraction(10**5000, 3),
    "class": g.Gaussian,
    "function": abs,
    "object": object(),
    "unwilling": Unwilling(),
    "anything": Anything(),
    "mechanism": g.Gaussian(sigma=2.0),
    "curve": g.GDP(mu=1.0).curve(),
}


def made(name: str) -> Any:
    """The value of that name."""
    return (None for _ in range(3)) if name == "generator" else NONSENSE[name]


def forms(value: Any) -> list[str]:
    """How a message may write the value, shortly: by repr, by its beginning, or by its type."""
    found = [type(value).__name__]
    for form in (repr, str, lambda v: repr(float(v)), lambda v: repr(int(v)), lambda v: f"{v:g}"):
        with suppress(Exception):
            found += [form(value)[:10]]
    if isinstance(value, int) and abs(value) > 10**300:
        found += ["digits", "..."]
    if isinstance(value, int) or callable(value):
        found += ["'fixed'", "beside a function", "family(", "between="]  # what it is taken for
    if value is False:  # as good as left out
        found += ["None", "left out", "requires"]
    if value is None:
        found += ["requires", "missing", "left out", "not given", "no target", "without", "either"]
    if isinstance(value, str | bytes):
        found += ["JSONDecodeError", "not subscriptable", "(char 0)", "JSON"]  # words of the text
    if isinstance(value, range):
        found += ["=0 ", "=2.0", "=2 "]  # the first entry, or the first that is no probability
    if isinstance(value, Iterator):
        found += ["None"]
    with suppress(Exception):
        found += [f" {len(value)}"] if len(value) else ["empty", "0 ", "requires", "none with"]
    if not isinstance(value, str | bytes | range | Iterator):
        for parts in (lambda v: [*v], np.ravel, lambda v: np.asarray(v).tolist()):
            with suppress(Exception):  # or one of its parts
                found += [repr(one)[:10] for one in [*parts(value)][:9]]
        with suppress(Exception):
            found += [str(np.shape(value)), f"{np.ndim(value)} dimensions"]
    return found
