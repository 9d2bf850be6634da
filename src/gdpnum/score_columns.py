"""Scores in CSV: a line for each, with whether its canary was included."""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterable, Iterator

from gdpnum.errors import InvalidArgument

_FLAGS = {
    **dict.fromkeys(("1", "true", "in", "1.0"), True),
    **dict.fromkeys(("0", "false", "out", "0.0"), False),
}


def rows_of(lines: Iterable[list[str]], label: str) -> Iterator[list[str]]:
    """The rows of a table, or a word on why it is none."""
    try:
        yield from lines
    except csv.Error as error:
        raise InvalidArgument(f"{label} is no table ({error}); pass one") from None


def scores_in_csv(text: str, label: str) -> tuple[array[float], list[bool]]:
    r"""The scores, and which are of included canaries; a first line may name the columns.

    >>> scores_in_csv("included,score\n1,2.5\n0,0.5", "scores.csv")
    (array('d', [2.5, 0.5]), [True, False])
    """
    lines = csv.reader(io.StringIO(text))
    # A million scores as plain objects would take the memory of forty.
    scores, included, places = array("d"), [], (0, 1)
    for row in rows_of(lines, label):
        if not "".join(row).strip():
            continue
        if not scores and "score" in _spelled(row):
            places = _places(row, label)
            continue
        try:
            scores.append(float(row[places[0]]))
            included.append(_FLAGS[row[places[1]].strip().lower()])
        except (LookupError, ValueError):
            raise InvalidArgument(
                f"{label}, line {lines.line_num}: {','.join(row)!r} is no score and 1 or 0; mend "
                "it there, or name the columns score and included in the first line"
            ) from None
    return scores, included


def has_names(text: str) -> bool:
    """Whether the first line names both columns."""
    return {"score", "included"} <= {*_spelled(text.partition("\n")[0].split(","))}


def _places(names: list[str], label: str) -> tuple[int, int]:
    spelled = _spelled(names)
    if "included" not in spelled:
        raise InvalidArgument(
            f"{label} has no column 'included', but {', '.join(names)}; name two columns score and "
            "included"
        )
    return spelled.index("score"), spelled.index("included")


def _spelled(names: list[str]) -> list[str]:
    return [name.strip().lower() for name in names]
