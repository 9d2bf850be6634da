"""Journal: the rows of a sweep on disk, line by line, so that an interrupted one goes on."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from gdpnum import _validate
from gdpnum.errors import InvalidArgument
from gdpnum.strict_json import parsed
from gdpnum.sweeps.row import Wanted


def fingerprint(settings: list[object], wanted: Wanted, version: str) -> str:
    """What tells one sweep from another: its settings, what is wanted of them, and the version."""
    text = json.dumps(
        [settings, wanted.columns, wanted.slack, wanted.tolerance, version],
        sort_keys=True,
        default=_plain,
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    """A number of numpy as one of Python's."""
    item = getattr(value, "item", None)
    return item() if item is not None else repr(value)


def _is_number(value: object) -> bool:
    """Whether it is a bound as a row has it: no NaN, infinity as a text."""
    return value == "inf" or (
        type(value) in (int, float) and 0.0 <= cast("float", value) < math.inf
    )


class Journal:
    """A JSON lines file: the sweep's fingerprint first, then a row with its number a line.

    A line cut short by a crash is dropped; the file of another sweep is refused, and left alone.
    """

    def __init__(self, path: str | Path, sweep: str, *, count: int, columns: Sequence[str]) -> None:
        self._path = _validate.path("resume", path)
        self._count, self._columns = count, columns
        self.rows: dict[int, dict[str, Any]] = {}
        kept = self._read(sweep)
        try:
            if kept is None:
                self._path.write_text(json.dumps({"sweep": sweep}) + "\n", encoding="utf-8")
            else:
                # Without a line that was never finished.
                with self._path.open("r+b") as file:
                    file.truncate(kept)
            self._file = self._path.open("a", encoding="utf-8")
        except OSError as error:
            raise InvalidArgument(
                f"resume={_validate.brief(str(path))} cannot be written ({error.strerror}); "
                "pass another path"
            ) from None

    def _read(self, sweep: str) -> int | None:
        """Take in the rows that are there; the length of what is sound, None without a file."""
        try:
            # A pipe would be waited for, and a device never ends.
            if self._path.exists() and not self._path.is_file():
                raise OSError(None, "it is no file")
            content = self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InvalidArgument(
                f"resume={_validate.brief(str(self._path))} cannot be read ({error.strerror}); "
                "pass another path"
            ) from None
        if not content:
            return None
        *lines, _ = content.split(b"\n")
        try:
            found = parsed(lines[0])["sweep"] if lines else None
        except (ValueError, KeyError, TypeError):
            found = None
        if found != sweep:
            what = "is of another sweep" if found is not None else "is no file of a sweep"
            raise InvalidArgument(
                f"resume={_validate.brief(str(self._path))} {what}: its settings, columns, slack, "
                "tolerance or version differ; pass another path, or remove it"
            )
        kept = len(lines[0]) + 1
        for line in lines[1:]:
            try:
                entry = parsed(line)
                number, row = entry["number"], entry["row"]
            except (ValueError, KeyError, TypeError):
                break
            if not self._is_row(number, row):
                break
            self.rows[number] = row
            kept += len(line) + 1
        return kept

    def _is_row(self, number: object, row: object) -> bool:
        """Whether a sweep like this one may have written it: another is computed again."""
        if type(number) is not int or not 0 <= number < self._count or not isinstance(row, dict):
            return False
        if set(row) != {*self._columns, "error"}:
            return False
        if row["error"] is not None:
            return isinstance(row["error"], str) and set(row.values()) <= {None, row["error"]}
        return all(_is_number(row[name]) for name in self._columns)

    def add(self, rows: list[tuple[int, dict[str, Any]]]) -> None:
        """Keep rows, on disk before this returns."""
        for number, row in rows:
            self.rows[number] = row
            self._file.write(json.dumps({"number": number, "row": row}, allow_nan=False) + "\n")
        self._file.flush()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
