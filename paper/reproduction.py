"""`reproduce`: all of the paper, into a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gdpnum import plot
from paper.contents import contents
from paper.files import write_section
from paper.ledger import ledger, ledger_markdown
from paper.page import page
from paper.result import Section

__all__ = ["Progress", "reproduce"]

Progress = Callable[[int, int, str], object]
"""Told how many sections are done, of how many, and what is being done."""


def reproduce(out: Path | str, *, progress: Progress | None = None) -> Path:
    """Compute every table, figure and claim of the paper again; return the index page.

    Into the folder ``out``, which is made if need be, go ``index.html``, ``ledger.md``, a CSV file
    for each table, a PNG and a PDF for each figure; files of the same names are replaced. It takes
    about half a minute on two cores.

    Raises ImportError without matplotlib, which is the extra ``gdpnum[plot]``.
    """
    plot.column_axes()  # refuses now, not after half a minute, if matplotlib is missing
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)

    def tell(done: int, doing: str) -> None:
        if progress is not None:
            progress(done, len(parts), doing)

    def swept(done: int, total: int) -> None:
        tell(len(sections), f"Figure 4: {done} of {total} settings")

    sections: list[Section] = []
    parts = contents(swept)
    for name, compute in parts.items():
        tell(len(sections), name)
        section = compute()
        write_section(section, folder)
        sections.append(section)
    (folder / "ledger.md").write_text(ledger_markdown(sections), encoding="utf-8")
    sections.append(ledger(sections))
    write_section(sections[-1], folder)
    index = folder / "index.html"
    index.write_text(page(sections), encoding="utf-8")
    tell(len(parts), f"{index}")
    return index
