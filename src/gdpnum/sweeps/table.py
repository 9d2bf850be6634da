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
from gdpnum.measures.printed import printed_mu
from gdpnum.rounding import as_given, lower, upper

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
        shown = self._shown(self[:_SHOWN])
        left = len(self) - len(shown)
        rows = tuple(tuple(map(Given, row)) for row in shown)
        table = Table(f"{self!r}", tuple(self.columns), rows)
        return html([table, *[Sentence((f"and {left} more",), role="note")] * (left > 0)])

    def texts(self) -> list[list[str]]:
        """The records as they are printed, by column: bounds rounded to their safe side.

        Mu has five digits, and the regret beside it is that of the mu so printed.
        """
        return self._shown(self.records)

    def _shown(self, records: Sequence[Record]) -> list[list[str]]:
        names = self.columns
        return [[_text(name, record) for name in names] for record in records]

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


# What is no bound but a setting is printed as it was given.
_BOUNDS = ("regret", "tail_ratio", "advantage", "epsilon", "delta", "tpr")


def _text(name: str, record: Record) -> str:
    value = record.get(name)
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    shown, mu, regret = as_given(value), record.get("mu"), record.get("regret")
    if record.get("error") is not None:
        pass
    elif name == "mu":
        shown = printed_mu(value, 0.0 if regret is None else regret)[0]
    elif name == "regret" and mu is not None:
        shown = printed_mu(mu, value)[1]
    elif name == "mu_lower":
        shown = lower(value, digits=5)
    elif name.partition("@")[0] in _BOUNDS:
        shown = upper(value)
    return shown


def _standard(record: Record) -> Record:
    """The record with infinities as strings."""
    infinite = (float("inf"), float("-inf"))
    return {name: str(one) if one in infinite else one for name, one in record.items()}


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        _validate.path("path", path).write_text(text, encoding="utf-8")
    return text
