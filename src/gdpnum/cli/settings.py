"""Settings of a sweep: all combinations of some values, or the lines of a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from gdpnum.cli.files import InFile, read_text
from gdpnum.cli.quantities import fraction_of, whole_of
from gdpnum.errors import InvalidArgument
from gdpnum.score_columns import rows_of
from gdpnum.strict_json import parsed
from gdpnum.training import ARGUMENTS, Argument, as_option, is_poisson

_ADVICE = "pass numbers such as 1,2,3, or FROM:TO:COUNT such as 0.001:0.9:60"


def grid_of(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All combinations of what the options of `DPSGD` hold, the last fastest.

    >>> grid_of({"noise_multiplier": "1,2", "sample_rate": "1%", "epochs": "3"})[1]
    {'noise_multiplier': 2.0, 'sample_rate': 0.01, 'epochs': 3.0}
    """
    columns = {
        one.name: _column(one, values[one.name])
        for one in ARGUMENTS
        if values.get(one.name) not in (None, False)
    }
    has_rate = "sample_rate" in columns or {"batch_size", "dataset_size"} <= columns.keys()
    is_sampled = any(map(is_poisson, ({"batches": one} for one in columns.get("batches", [None]))))
    has_steps = ("steps" in columns) != ("epochs" in columns)
    if "noise_multiplier" not in columns or (is_sampled and not (has_rate and has_steps)):
        raise InvalidArgument(
            "pass --noise-multiplier, --sample-rate (or --batch-size and --dataset-size) and one "
            "of --steps and --epochs, or --settings"
        )
    return [dict(zip(columns, row, strict=True)) for row in product(*columns.values())]


def _column(argument: Argument, text: Any) -> list[Any]:
    option = as_option(argument.name)
    if argument.kind == "number":
        return numbers(option, text)
    if argument.kind == "whole":
        return list(dict.fromkeys(_whole(option, text)))
    return [text] if argument.kind == "flag" else [one.strip() for one in text.split(",")]


# Of one option; a sweep of more would not end.
_MOST_VALUES = 1_000_000


def numbers(option: str, text: str) -> list[float]:
    """Numbers separated by commas, in which FROM:TO:COUNT is a geometric progression.

    >>> numbers("--sample-rate", "50%,0.001:0.1:3")
    [0.5, 0.001, 0.01, 0.1]
    """
    found: list[float] = []
    for item in text.split(","):
        first, *others = item.split(":")
        try:
            if not others:
                found.append(float(fraction_of(first, name=option)))
                continue
            last, count = others
            low, high = (float(fraction_of(end, name=option)) for end in (first, last))
            found += _progression(low, high, int(count))
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
        if ":" in item:
            found += map(round, numbers(option, item))
            continue
        try:
            found.append(whole_of(item, name=option))
        except InvalidArgument:
            raise InvalidArgument(
                f"{option} holds {item!r}, which is no whole number; {_ADVICE}"
            ) from None
    return found


def _progression(first: float, last: float, count: int) -> list[float]:
    if not (first > 0.0 and last > 0.0 and 2 <= count <= _MOST_VALUES):
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
        raise InFile(f"{label} holds no settings; pass one a line")
    return found


def _json_lines(content: str, label: str) -> list[dict[str, Any]]:
    found = []
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            setting = parsed(line)
        except ValueError as error:
            raise InFile(f"{label}, line {number} is not JSON ({error})") from None
        if not isinstance(setting, dict):
            raise InFile(f"{label}, line {number} is not an object; pass one a line")
        where = f"{label}, line {number}"
        found.append({name: _typed(name, value, where) for name, value in setting.items()})
    return found


def _csv(content: str, label: str) -> list[dict[str, Any]]:
    rows = csv.reader(io.StringIO(content))
    lines = rows_of(rows, label)
    header = [name.strip() for name in next(lines, [])]
    found = []
    for row in lines:
        if not row:
            continue
        where = f"{label}, line {rows.line_num}"
        if len(row) != len(header):
            raise InFile(
                f"{where} has {len(row)} cells where the header has {len(header)}; mend it there"
            )
        cells = zip(header, row, strict=True)
        found.append({name: _typed(name, cell.strip(), where) for name, cell in cells})
    return found


_READERS: dict[str, Callable[[str, str], Any]] = {
    "number": lambda cell, name: float(fraction_of(cell, name=name)),
    "whole": lambda cell, name: whole_of(cell, name=name),
    "flag": lambda cell, _: {"true": True, "1": True, "false": False, "0": False}[cell.lower()],
    "word": lambda cell, _: cell,
}
_KINDS = {one.name: one.kind for one in ARGUMENTS}


def _typed(name: str, value: Any, where: str) -> Any:
    """What a text in a file stands for, if `DPSGD` takes it; labels stay as they are."""
    if name not in _KINDS or not isinstance(value, str):
        return value
    try:
        return _READERS[_KINDS[name]](value, name)
    except (InvalidArgument, KeyError):
        what = {"whole": "a whole number", "flag": "true or false"}.get(_KINDS[name], "a number")
        raise InFile(f"{where}: {name} is {value!r}, not {what}; mend it there") from None
