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
from paper.claim import Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Cell",
    "Finding",
    "Listing",
    "Number",
    "Picture",
    "Section",
    "Source",
    "Table",
    "bound",
    "chosen",
    "plain",
    "printed",
]

Source = Literal["paper", "reference"]
"""What a number is held against: what the paper prints, or a computation of it elsewhere."""


@dataclass(frozen=True)
class Number:
    """A number computed here, as it is shown, and the one it is held against, as printed there."""

    value: float
    shown: str
    beside: str | None = None
    source: Source = "paper"

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
    source: Source = "paper",
) -> Number:
    """An upper bound, shown rounded up."""
    shown = rounded_up(value, digits=digits) if math.isfinite(value) else "infinite"
    return Number(value, shown, beside, source)


def plain(value: float) -> Number:
    """A number that was chosen, not computed."""
    return Number(value, f"{value:g}")


def chosen(value: float) -> str:
    """A number that was chosen, such as a delta, as it is written in a sentence.

    >>> chosen(1e-5), chosen(0.25)
    ('1e-5', '0.25')
    """
    return f"{value:g}".replace("e-0", "e-")


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
    """A figure with its caption; ``described`` tells it to who cannot see it.

    Its parts, by the names of their files, stand side by side where there is room.
    """

    parts: dict[str, Figure]
    caption: str
    described: str

    @cached_property
    def pngs(self) -> dict[str, bytes]:
        """The parts as images."""
        found = {}
        for slug, figure in self.parts.items():
            content = io.BytesIO()
            figure.savefig(content, format="png")
            found[slug] = content.getvalue()
        return found


@dataclass(frozen=True)
class Listing:
    """A program that was run, and what it printed."""

    code: str
    output: str


@dataclass(frozen=True)
class Finding:
    """Where the paper and this library differ: what is claimed, and the evidence."""

    claim: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """One table or group of figures of the paper, computed again.

    ``claims`` go into the ledger; ``attachments`` are tables that are written, but too long to
    show.
    """

    slug: str
    title: str
    lead: str
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    listings: tuple[Listing, ...] = ()
    claims: tuple[Claim, ...] = ()
    attachments: tuple[Table, ...] = ()
