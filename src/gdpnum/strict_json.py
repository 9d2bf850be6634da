"""JSON read strictly: a text that two readers would read differently is none."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from gdpnum import _validate


def parsed(text: str | bytes) -> Any:
    """What a JSON text holds; raises `ValueError`, and nothing else, where it is none.

    A key that is there twice is refused, as some readers take the first and some the last; so are
    NaN and Infinity, which JSON does not have.

    >>> parsed('{"mu": 1.0, "mu": 0.1}')
    Traceback (most recent call last):
        ...
    ValueError: the key 'mu' is there twice
    """
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refused)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except TypeError:
        raise ValueError(f"it is of type {type(text).__name__}, not a text") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = Counter(key for key, _ in pairs)
        twice = next(key for key in names if names[key] > 1)
        raise ValueError(f"the key {_validate.brief(twice)} is there twice")
    return found


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no number")
