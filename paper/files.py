"""Files of a section: a table as CSV, Table 2 as Markdown and LaTeX too, a figure as PNG, PDF."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from paper.result import Cell, Number, Section, Table

__all__ = ["as_csv", "as_latex", "as_markdown", "write_section"]

# To be copied into a text. Once the library exports tables (gdpnum.table), use that instead.
_COPIED = ("table-2-before", "table-2-after")


def write_section(section: Section, out: Path) -> None:
    """Write all files of a section into a folder."""
    for table in (*section.tables, *section.attachments):
        (out / f"{table.slug}.csv").write_text(as_csv(table), encoding="utf-8")
        if table.slug in _COPIED:
            (out / f"{table.slug}.md").write_text(as_markdown(table), encoding="utf-8")
            (out / f"{table.slug}.tex").write_text(as_latex(table), encoding="utf-8")
    for picture in section.pictures:
        for slug, figure in picture.parts.items():
            (out / f"{slug}.png").write_bytes(picture.pngs[slug])
            # No date: the same figure is the same file.
            figure.savefig(
                out / f"{slug}.pdf", metadata={"CreationDate": None, "Title": picture.caption}
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


def as_markdown(table: Table) -> str:
    """The table as Markdown, its numbers as they are shown."""
    lines = [table.head, tuple("---" for _ in table.head), *table.rows]
    return "".join(
        "| " + " | ".join(re.sub(r"([|*<])", r"\\\1", _shown(cell)) for cell in line) + " |\n"
        for line in lines
    )


def as_latex(table: Table) -> str:
    """The table as LaTeX with the rules of booktabs."""

    def row(cells: tuple[Cell, ...]) -> str:
        escaped = (_shown(cell).replace("%", r"\%").replace("_", r"\_") for cell in cells)
        return " & ".join(escaped).replace("\N{EN DASH}", "--") + r" \\"

    lines = [
        r"\begin{tabular}{ll" + "c" * (len(table.head) - 2) + "}",
        *(r"\toprule", row(table.head), r"\midrule"),
        *map(row, table.rows),
        *(r"\bottomrule", r"\end{tabular}"),
    ]
    return "\n".join(lines) + "\n"


def _shown(cell: Cell) -> str:
    return cell.shown if isinstance(cell, Number) else cell


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
