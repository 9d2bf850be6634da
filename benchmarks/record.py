"""results.json: what the report is made of, short enough to be kept and read.

A case is a line, and a number has the digits that mean something: four of a time, twelve of an
answer, which is compared with one known to nine or more.
"""

import json
from typing import Any

# sections, a section, its cases, a case
_DEPTH = 4

_DIGITS, _DIGITS_OF_TIMES = 12, 4
_TIMES = ("seconds", "first", "took", "whole", "fixed", "per_call", "estimates", "peak_mb")
_ALL_TIMES = ("stages", "imports", "ours", "steps")


def text(results: dict[str, Any]) -> str:
    """The results as JSON, a line a case."""
    return _lines(_short(results, _DIGITS), "", _DEPTH) + "\n"


def _short(value: Any, digits: int) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    if isinstance(value, dict):
        return {key: _short(item, _digits(key, digits)) for key, item in value.items()}
    return [_short(item, digits) for item in value] if isinstance(value, list) else value


def _digits(key: str, digits: int) -> int:
    return _DIGITS_OF_TIMES if key in (*_TIMES, *_ALL_TIMES) else digits


def _lines(value: Any, indent: str, depth: int) -> str:
    plain = json.dumps(value)
    if depth == 0 or len(plain) < 100 or not isinstance(value, (dict, list)):
        return plain
    inner = indent + " "
    if isinstance(value, dict):
        items = [
            f"{inner}{json.dumps(key)}: {_lines(item, inner, depth - 1)}"
            for key, item in value.items()
        ]
    else:
        items = [f"{inner}{_lines(item, inner, depth - 1)}" for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(items) + f"\n{indent}{closing}"
