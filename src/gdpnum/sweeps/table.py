"""SweepTable: the result of a sweep, a sequence of records."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final, overload

from gdpnum import _validate
from gdpnum._optional import imported
from gdpnum.blocks.block import Given, Sentence, Table
from gdpnum.blocks.html import html
from gdpnum.rounding import rounded_down, rounded_up

Record = dict[str, Any]

# Rows that a notebook shows.
_SHOWN = 20


@final
@dataclass(frozen=True)
class SweepTable(Sequence[Record]):
    """Records, one for each setting and in their order: its values, the columns, and an error.

    Infinite values are floats here and in data frames, strings in JSON.
    """

    records: tuple[Record, ...]

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Record, ...]: ...
    def __getitem__(self, index: int | slice) -> Record | tuple[Record, ...]:
        return self.records[index]

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __repr__(self) -> str:
        return f"SweepTable({len(self)} records, {len(self.errors)} with an error)"

    def _repr_html_(self) -> str:
        shown = [
            [_cell(name, record.get(name)) for name in self.columns] for record in self[:_SHOWN]
        ]
        left = len(self) - len(shown)
        table = Table(f"{self!r}", tuple(self.columns), tuple(map(tuple, shown)))
        return html([table, *[Sentence((f"and {left} more",), role="note")] * (left > 0)])

    def to_dict(self) -> dict[str, list[Any]]:
        """Each column as a list, as ``pandas.DataFrame`` takes it."""
        return {name: [record.get(name) for record in self.records] for name in self.columns}

    @property
    def errors(self) -> tuple[Record, ...]:
        """The records of settings that failed."""
        return tuple(record for record in self.records if record["error"] is not None)

    @property
    def columns(self) -> list[str]:
        """All names that occur, the order of their first appearance; the error last."""
        names = dict.fromkeys(name for record in self.records for name in record)
        names.pop("error", None)
        return [*names, "error"]

    def to_csv(self, path: str | Path | None = None) -> str:
        """The table as CSV text; written to a path if one is given."""
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.records)
        return _written(text.getvalue(), path)

    def to_jsonl(self, path: str | Path | None = None) -> str:
        """The table as JSON lines; written to a path if one is given."""
        lines = (json.dumps(_standard(record), allow_nan=False) + "\n" for record in self.records)
        return _written("".join(lines), path)

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        return imported("pandas").DataFrame(list(self.records), columns=self.columns)

    def to_arrow(self) -> Any:
        """The table as a pyarrow Table."""
        return imported("pyarrow").table(self.to_dict())

    def to_parquet(self, path: str | Path) -> None:
        """Write the table as Parquet, through pyarrow."""
        imported("pyarrow.parquet").write_table(self.to_arrow(), str(_validate.path("path", path)))


def _cell(name: str, value: object) -> str:
    if isinstance(value, float) and float(f"{value:g}") != value:
        # A bound, to its safe side.
        return (rounded_down if name == "mu_lower" else rounded_up)(value, digits=6)
    return Given("" if value is None else f"{value:g}" if isinstance(value, float) else value)


def _standard(record: Record) -> Record:
    """The record with infinities as strings."""
    infinite = (float("inf"), float("-inf"))
    return {name: str(one) if one in infinite else one for name, one in record.items()}


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        _validate.path("path", path).write_text(text, encoding="utf-8")
    return text
