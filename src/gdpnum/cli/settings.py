"""Settings of a sweep: all combinations of some values, or the lines of a file."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from decimal import Decimal
from itertools import product
from typing import Any

from gdpnum.cli.files import read_text
from gdpnum.training import rate_of, steps_of
from gdpnum.errors import InvalidArgument

__all__ = ["grid_of", "numbers", "settings_in"]

_ADVICE = "pass numbers such as 1,2,3, or FROM:TO:COUNT such as 0.001:0.9:60"


def grid_of(
    noise_multiplier: str | None, sample_rate: str | None, steps: str | None, epochs: str | None
) -> list[dict[str, Any]]:
    """All combinations of the values that options hold, the last fastest."""
    if noise_multiplier is None or sample_rate is None or (steps is None) == (epochs is None):
        raise InvalidArgument(
            "pass --noise-multiplier, --sample-rate and one of --steps and --epochs, or --settings"
        )
    noises = numbers("--noise-multiplier", noise_multiplier)
    rates = numbers("--sample-rate", sample_rate)
    if steps is not None:
        counts = list(dict.fromkeys(_whole("--steps", steps)))
        return [
            {"noise_multiplier": noise, "sample_rate": rate, "steps": count}
            for noise, rate, count in product(noises, rates, counts)
        ]
    assert epochs is not None
    return [
        {
            "noise_multiplier": noise,
            "sample_rate": rate,
            "steps": steps_of(None, passes, rate_of(rate, None, None)),
            "epochs": passes,
        }
        for noise, rate, passes in product(noises, rates, numbers("--epochs", epochs))
    ]


def numbers(option: str, text: str) -> list[float]:
    """Numbers separated by commas, in which FROM:TO:COUNT is a geometric progression.

    >>> numbers("--sample-rate", "0.5,0.001:0.1:3")
    [0.5, 0.001, 0.01, 0.1]
    """
    found: list[float] = []
    for item in text.split(","):
        first, *others = item.split(":")
        try:
            if not others:
                found.append(_finite(first))
                continue
            last, count = others
            found += _progression(_finite(first), _finite(last), int(count))
        except (ValueError, ZeroDivisionError, OverflowError):
            raise InvalidArgument(
                f"{option} holds {item!r}, which is no number and no range of positive ones; "
                f"{_ADVICE}"
            ) from None
    return found


def _whole(option: str, text: str) -> list[int]:
    """Whole numbers; those written out must be, as 1000 and 1e3 are, and a range is rounded."""
    found: list[int] = []
    for item in text.split(","):
        values = numbers(option, item)
        if ":" in item:
            found += map(round, values)
            continue
        if not values[0].is_integer():
            raise InvalidArgument(f"{option} holds {item!r}, which is no whole number; {_ADVICE}")
        # By way of the decimal: a float has no odd numbers above 2^53.
        found.append(int(Decimal(item.strip())))
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _progression(first: float, last: float, count: int) -> list[float]:
    if not (first > 0.0 and last > 0.0 and count >= 2):
        raise ValueError
    ratio = last / first
    # Twelve digits are enough, and keep 0.01 from being 0.010000000000000002.
    between = [
        float(f"{first * ratio ** (number / (count - 1)):.12g}") for number in range(1, count - 1)
    ]
    return [first, *between, last]


def settings_in(path: str) -> list[dict[str, Any]]:
    """The settings in a file of CSV or of JSON lines."""
    content = read_text(path)
    label = "standard input" if path == "-" else path
    read = _json_lines if content.lstrip().startswith("{") else _csv
    found = read(content, label)
    if not found:
        raise InvalidArgument(f"{label} holds no settings; pass one a line")
    return found


def _json_lines(content: str, label: str) -> list[dict[str, Any]]:
    found = []
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            setting = json.loads(line, parse_constant=_finite)
        except (ValueError, RecursionError) as error:
            raise InvalidArgument(f"{label}, line {number} is not JSON ({error})") from None
        if not isinstance(setting, dict):
            raise InvalidArgument(f"{label}, line {number} is not an object; pass one a line")
        found.append(setting)
    return found


def _csv(content: str, label: str) -> list[dict[str, Any]]:
    rows = csv.reader(io.StringIO(content))
    header = [name.strip() for name in next(rows, [])]
    found = []
    for row in rows:
        if not row:
            continue
        where = f"{label}, line {rows.line_num}"
        if len(row) != len(header):
            raise InvalidArgument(
                f"{where} has {len(row)} cells where the header has {len(header)}; mend it there"
            )
        cells = zip(header, row, strict=True)
        found.append({name: _cell(name, cell.strip(), where) for name, cell in cells})
    return found


def _cell(name: str, cell: str, where: str) -> Any:
    kinds: dict[str, Callable[[str], Any]] = {
        "noise_multiplier": _finite,
        "sample_rate": _finite,
        "steps": int,
    }
    kind = kinds.get(name, str)
    try:
        return kind(cell)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise InvalidArgument(f"{where}: {name} is {cell!r}, not {what}; mend it there") from None
