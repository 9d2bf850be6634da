"""Files of a section: a table as CSV, a figure as PNG and PDF."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from paper.result import Cell, Number, Section, Table

__all__ = ["as_csv", "write_section"]


def write_section(section: Section, out: Path) -> None:
    """Write all files of a section into a folder."""
    for table in (*section.tables, *section.attachments):
        (out / f"{table.slug}.csv").write_text(as_csv(table), encoding="utf-8")
    for picture in section.pictures:
        (out / f"{picture.slug}.png").write_bytes(picture.png)
        # No date: the same figure is the same file.
        picture.figure.savefig(
            out / f"{picture.slug}.pdf", metadata={"CreationDate": None, "Title": picture.caption}
        )


def as_csv(table: Table) -> str:
    """The table with every digit; a number held against another has two more columns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    sources = [_source(table, column) for column in range(len(table.head))]
    head: list[str] = []
    for name, source in zip(table.head, sources, strict=True):
        head += [name, *([f"{name} ({source})", f"{name} (difference)"] if source else [])]
    writer.writerow(head)
    for row in table.rows:
        cells: list[str] = []
        for cell, source in zip(row, sources, strict=True):
            cells += [_exact(cell), *(_beside(cell) if source else [])]
        writer.writerow(cells)
    return text.getvalue()


def _source(table: Table, column: int) -> str | None:
    """What the numbers of a column are held against, if any is."""
    cells = (row[column] for row in table.rows)
    found = (one.source for one in cells if isinstance(one, Number) and one.beside is not None)
    return next(found, None)


def _exact(cell: Cell) -> str:
    return repr(cell.value) if isinstance(cell, Number) else cell


def _beside(cell: Cell) -> list[str]:
    if isinstance(cell, Number) and cell.beside is not None:
        return [cell.beside, repr(cell.difference)]
    return ["", ""]
