"""Records of an audit as what JSON knows, and back, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from gdpnum.auditing.cuts import Cut
from gdpnum.auditing.region import Counts
from gdpnum.auditing.roc import Band
from gdpnum.errors import InvalidArgument
from gdpnum.strict_json import parsed

__all__ = ["SCHEMA", "band_of", "cut_of", "document", "row_of"]

#: What the key "schema" holds; it changes when keys do.
SCHEMA = "gdpnum-audit-1"


def document(text: str) -> Any:
    """What a JSON text holds."""
    try:
        return parsed(text)
    except ValueError as error:
        raise InvalidArgument(
            f"text is not JSON ({error}); pass what to_json returned, unchanged"
        ) from None


def row_of(cut: Cut) -> dict[str, Any]:
    """A cut as an object; JSON has no infinity, which a score may be."""
    threshold = cut.threshold if math.isfinite(cut.threshold) else str(cut.threshold)
    return {"threshold": threshold, "strict": cut.strict, **cut.counts._asdict()}


def cut_of(row: dict[str, Any]) -> Cut:
    """The cut that `row_of` wrote."""
    counts = Counts(**{name: _count(name, row[name]) for name in Counts._fields})
    if not (counts.false_positives <= counts.out and counts.false_negatives <= counts.included):
        raise ValueError("more errors than canaries")
    return Cut(float(row["threshold"]), bool(row["strict"]), counts)


def band_of(rows: Iterable[dict[str, Any]]) -> tuple[Band, ...]:
    """The rows of a ROC curve."""
    return tuple(Band(**{name: float(row[name]) for name in Band._fields}) for row in rows)


def _count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} is no count")
    return value
