"""Drawings as plain trees ``[tag, attributes, child, ...]``, which the page turns into SVG.

The page sets attributes and texts of what is there already, so that nothing flickers while one
drags; and what is a text stays one, whatever it contains.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

Node = list[Any]
Named = tuple[Node | str, ...]


def node(tag: str, *children: Node | str, **attributes: object) -> Node:
    """An element; the attribute ``class_`` is class, ``data_x`` is data-x."""
    named = {
        key.rstrip("_").replace("_", "-"): value if isinstance(value, str) else _short(value)
        for key, value in attributes.items()
        if value is not None
    }
    return [tag, named, *children]


def path(points: Iterable[tuple[float, float]]) -> str:
    """Straight lines from point to point."""
    said = "L".join(f"{_short(x)} {_short(y)}" for x, y in points)
    return f"M{said}" if said else ""


def table(caption: str, head: Iterable[str], rows: Iterable[tuple[Named, Iterable[str]]]) -> Node:
    """A table of texts; each row has what names it, then its cells."""
    body = (
        node("tr", node("th", *named, scope="row"), *(node("td", cell) for cell in cells))
        for named, cells in rows
    )
    return node(
        "table",
        node("caption", caption),
        node("thead", node("tr", *(node("th", name, scope="col") for name in head))),
        node("tbody", *body),
    )


def markup(tree: Node | str) -> str:
    """The tree as text, for a file."""
    if isinstance(tree, str):
        return escape(tree)
    tag, attributes, *children = tree
    named = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{tag}{named}>{''.join(map(markup, children))}</{tag}>"


@dataclass(frozen=True)
class Axis:
    """A scale from ``low`` to ``high``, logarithmic or even, with marked values and their names."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    name: str
    log: bool = True

    def share(self, value: float) -> float:
        """How far along the axis a value is, from 0 to 1; beyond the ends, the end."""
        value = min(max(value, self.low), self.high)
        if not self.log:
            return (value - self.low) / (self.high - self.low)
        return math.log(value / self.low) / math.log(self.high / self.low)

    def holds(self, value: float) -> bool:
        """Whether a value is on the axis."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Frame:
    """Two axes and where they are drawn."""

    across: Axis
    up: Axis
    width: float = 460.0
    height: float = 352.0
    left: float = 72.0
    right: float = 438.0
    top: float = 14.0
    bottom: float = 300.0

    def x(self, value: float) -> float:
        """Where a value is drawn across."""
        return self.left + (self.right - self.left) * self.across.share(value)

    def y(self, value: float) -> float:
        """Where a value is drawn up."""
        return self.bottom - (self.bottom - self.top) * self.up.share(value)

    def path(self, xs: Sequence[float], ys: Sequence[float]) -> str:
        """Straight lines through values."""
        return path((self.x(x), self.y(y)) for x, y in zip(xs, ys, strict=True))

    def dot(self, kind: str, x: float, y: float) -> Node:
        """A mark at a value."""
        return node("circle", class_=kind, cx=self.x(x), cy=self.y(y), r=5)

    def axes(self) -> Node:
        """Grid, ticks and names."""
        drawn = []
        for value, name in self.across.ticks:
            x = self.x(value)
            drawn.append(node("path", class_="grid", d=path([(x, self.top), (x, self.bottom)])))
            at = {"x": x, "y": self.bottom + 18, "text_anchor": "middle"}
            drawn.append(node("text", name, class_="tick", **at))
        for value, name in self.up.ticks:
            y = self.y(value)
            drawn.append(node("path", class_="grid", d=path([(self.left, y), (self.right, y)])))
            drawn.append(
                node("text", name, class_="tick", x=self.left - 8, y=y + 4, text_anchor="end")
            )
        middle = 0.5 * (self.left + self.right)
        half = 0.5 * (self.top + self.bottom)
        drawn.append(
            node(
                "text",
                self.across.name,
                class_="name",
                x=middle,
                y=self.bottom + 42,
                text_anchor="middle",
            )
        )
        drawn.append(
            node(
                "text",
                self.up.name,
                class_="name",
                text_anchor="middle",
                transform=f"translate(13 {_short(half)}) rotate(-90)",
            )
        )
        return node("g", *drawn)

    def drawing(self, title: str, *parts: Node) -> Node:
        """The whole, which a screen reader calls by its title."""
        return node(
            "svg",
            *parts,
            viewBox=f"0 0 {_short(self.width)} {_short(self.height)}",
            role="img",
            aria_label=title,
        )


def _short(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
