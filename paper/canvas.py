"""Figures of several panels, on which the charts of `gdpnum.plot` are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gdpnum import plot
from gdpnum.plot.labels import label_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FONT", "GREY", "ORANGE", "RUN", "figure_of", "panels", "relabelled", "titled"]

FONT = 8.0
GREY = "#777777"

# Of Okabe and Ito, told apart by the colour-blind: what was run, and what is said of it.
RUN, ORANGE = "#0072b2", "#d55e00"

# Inches: a panel, and the room for its ticks and labels.
_WIDE, _HIGH = 2.7, 2.2
_LEFT, _RIGHT, _BELOW = 0.68, 0.12, 0.48
_ABOVE, _FOR_TITLE = 0.1, 0.2


def panels(
    across: int,
    down: int = 1,
    *,
    square: bool = False,
    titles: bool = False,
    size: tuple[float, float] | None = None,
) -> list[Axes]:
    """A figure's Axes, row by row, each of a size in inches or of the usual one.

    Their places are fixed, not found by a layout engine: labels beside lines are placed while
    drawing, and must find the lines where they will be.
    """
    # Refuses where matplotlib is missing, naming the extra.
    figure_of(plot.column_axes()).clear()
    from matplotlib.figure import Figure  # noqa: PLC0415

    wide, high = size or (_WIDE, _WIDE if square else _HIGH)
    above = _ABOVE + _FOR_TITLE * titles
    width = across * (_LEFT + wide + _RIGHT)
    height = down * (_BELOW + high + above)
    figure = Figure(figsize=(width, height), dpi=200)
    return [
        figure.add_axes(
            (
                (column * (_LEFT + wide + _RIGHT) + _LEFT) / width,
                ((down - 1 - row) * (_BELOW + high + above) + _BELOW) / height,
                wide / width,
                high / height,
            )
        )
        for row in range(down)
        for column in range(across)
    ]


def titled(ax: Axes, title: str) -> Axes:
    """The Axes with a title in the size of its labels."""
    ax.set_title(title, fontsize=FONT, loc="left")
    return ax


def relabelled(ax: Axes, names: Mapping[str, str]) -> Axes:
    """The Axes with the lines whose labels begin so named anew, all of them where there is room."""
    for text in list(ax.texts):
        text.remove()
    lines = []
    for old, new in names.items():
        line = next(one for one in ax.get_lines() if str(one.get_label()).startswith(old))
        line.set_label(new)
        lines.append(line)
    label_lines(ax, lines, size=FONT)
    return ax


def figure_of(ax: Axes) -> Figure:
    """The whole figure an Axes belongs to."""
    found = ax.get_figure(root=True)
    if found is None:
        raise ValueError("the axes are on no figure")
    return found
