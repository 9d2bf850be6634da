"""Tables and JSON as a command prints them: plain, so that they can be piped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gdpnum.rounding import finite


def as_table(rows: Iterable[Sequence[str]]) -> str:
    """Rows as lines, each column as wide as its widest cell.

    >>> print(as_table([("FPR", "TPR"), ("0.1", "0.6105")]))
    FPR  TPR
    0.1  0.6105
    """
    cells = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


def json_of(document: object) -> str:
    """A document as JSON; infinity is the text inf, as JSON has none."""
    return json.dumps(finite(document), indent=2, allow_nan=False)
