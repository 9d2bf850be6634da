"""What a section returns: numbers beside the paper's, figures, and what to say of them."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from gdpnum.rounding import rounded_up

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Cell", "Finding", "Number", "Picture", "Section", "Table", "bound", "plain", "printed"]


@dataclass(frozen=True)
class Number:
    """A number computed here, as it is shown, and the one it is held against, as printed there."""

    value: float
    shown: str
    beside: str | None = None
    source: Literal["paper", "reference"] = "paper"

    @property
    def difference(self) -> float | None:
        """How far it is above what it is held against."""
        return None if self.beside is None else self.value - float(self.beside)

    @property
    def agrees(self) -> bool:
        """Whether it rounds to what it is held against, to the digits printed there."""
        return self.beside is None or printed(self.value, self.beside) == Decimal(self.beside)


def printed(value: float, like: str) -> Decimal:
    """A value to the nearest at as many decimals as a printed number has.

    >>> printed(0.24690, "0.21"), printed(1.0, ".0399")
    (Decimal('0.25'), Decimal('1.0000'))
    """
    return Decimal(repr(float(value))).quantize(Decimal(like))


def bound(
    value: float,
    beside: str | None = None,
    *,
    digits: int = 4,
    source: Literal["paper", "reference"] = "paper",
) -> Number:
    """An upper bound, shown rounded up."""
    shown = rounded_up(value, digits=digits) if math.isfinite(value) else "infinite"
    return Number(value, shown, beside, source)


def plain(value: float) -> Number:
    """A number that was chosen, not computed."""
    return Number(value, f"{value:g}")


Cell = Number | str


@dataclass(frozen=True)
class Table:
    """A table; the first cell of a row names it. ``slug`` is the name of its file."""

    slug: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def numbers(self) -> Iterable[Number]:
        """The numbers in it that are held against others."""
        return (
            cell
            for row in self.rows
            for cell in row
            if isinstance(cell, Number) and cell.beside is not None
        )


@dataclass(frozen=True)
class Picture:
    """A figure with its caption; ``described`` tells it to who cannot see it."""

    slug: str
    figure: Figure
    caption: str
    described: str

    @cached_property
    def png(self) -> bytes:
        """The figure as an image."""
        content = io.BytesIO()
        self.figure.savefig(content, format="png")
        return content.getvalue()


@dataclass(frozen=True)
class Finding:
    """Where the paper and this library differ: what is claimed, and the evidence."""

    claim: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """One table or group of figures of the paper, computed again.

    ``attachments`` are tables that are written, but too long to show.
    """

    slug: str
    title: str
    lead: str
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    attachments: tuple[Table, ...] = ()
