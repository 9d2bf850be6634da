"""Labels beside the lines they name, so that no legend in colours is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gdpnum.floats import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# Candidates for a label: places along its line, and steps away from it, in points.
_ALONG = np.linspace(0.05, 0.95, 37)
_STEPS = (7.0, 14.0, 24.0, 36.0, 52.0)
_TURNS = np.radians(np.arange(0.0, 360.0, 30.0))

# Points by which a line is kept clear of.
_SAMPLES = 400


def label_lines(ax: Axes, lines: list[Line2D], *, size: float) -> Axes:
    """Write each line's label near it, with a thin leader, clear of lines and other labels.

    Of some thousand places each label takes the one that covers least and is nearest.
    """
    ax.apply_aspect()
    drawn = [line for line in ax.get_lines() if np.size(line.get_xdata()) > 0]
    lines = [line for line in lines if line in drawn]
    scale = ax.figure.dpi / 72.0
    paths = [_path(ax, line) for line in lines]
    others = [_path(ax, line) for line in drawn if line not in lines]
    frame = _Box(*ax.bbox.extents)
    taken: list[_Box] = []
    leaders: list[Floats] = []
    for number, (line, path) in enumerate(zip(lines, paths, strict=True)):
        text = str(line.get_label()).strip()
        # Letters are about half as wide as high; a little more leaves air.
        half = scale * size * np.array([0.29 * len(text) + 0.3, 0.65])
        crossed = [*paths[:number], *paths[number + 1 :], *others]
        anchor, middle = _best(path, [*crossed, *leaders], half, scale, frame, taken)
        taken.append(_Box.around(middle, half))
        leaders.append(np.linspace(anchor, middle, 30))
        ax.annotate(
            text,
            _data(ax, anchor),
            xytext=tuple((middle - anchor) / scale),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=size,
            color="#222222",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": line.get_color(),
                "linewidth": 0.5,
                "shrinkA": 0.0,
                "shrinkB": 0.0,
            },
        )
    return ax


class _Box(NamedTuple):
    left: float
    low: float
    right: float
    high: float

    @staticmethod
    def around(middle: Floats, half: Floats) -> _Box:
        (left, low), (right, high) = middle - half, middle + half
        return _Box(float(left), float(low), float(right), float(high))

    def overlaps(self, other: _Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.low < other.high
            and other.low < self.high
        )

    def within(self, other: _Box) -> bool:
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.low >= other.low
            and self.high <= other.high
        )

    def covered(self, points: Floats) -> int:
        x, y = points.T
        inside = (x > self.left) & (x < self.right) & (y > self.low) & (y < self.high)
        return int(inside.sum())


def _best(
    path: Floats, crossed: list[Floats], half: Floats, scale: float, frame: _Box, taken: list[_Box]
) -> tuple[Floats, Floats]:
    """The point of the line to touch and the middle of the label, in pixels."""
    everything = np.concatenate([path, *crossed])
    best, cost = (path[0], path[0]), np.inf
    for share in _ALONG:
        anchor = path[round(share * (len(path) - 1))]
        for step in _STEPS:
            for turn in _TURNS:
                direction = np.array([np.cos(turn), np.sin(turn)])
                # From the line to the near edge of the label, not to its middle.
                reach = float(np.min(half / np.maximum(np.abs(direction), 1e-9)))
                middle = anchor + (scale * step + reach) * direction
                box = _Box.around(middle, half)
                price = step + 4.0 * abs(share - 0.5)
                # The cheap tests first: most places fail one of them.
                if price >= cost or not box.within(frame):
                    continue
                if any(box.overlaps(other) for other in taken):
                    continue
                price += 20.0 * box.covered(everything)
                if price >= cost:
                    continue
                leader = anchor + np.outer(np.linspace(0.2, 1.0, 12), scale * step * direction)
                price += 30.0 * sum(_near(leader, other, 1.5 * scale) for other in crossed)
                price += 30.0 * sum(other.covered(leader) for other in taken)
                # Where lines run together, a leader does not tell which one it is for.
                price += 100.0 * any(_near(anchor[None], other, 4.0 * scale) for other in crossed)
                if price < cost:
                    best, cost = (anchor, middle), price
    return best


def _data(ax: Axes, pixels: Floats) -> tuple[float, float]:
    x, y = ax.transData.inverted().transform(pixels)
    return float(x), float(y)


def _near(leader: Floats, path: Floats, distance: float) -> int:
    """How many points of a leader touch another line."""
    apart = np.hypot(*(leader[:, None, :] - path[None, :, :]).transpose(2, 0, 1))
    return int((apart.min(axis=1) < distance).sum())


def _path(ax: Axes, line: Line2D) -> Floats:
    """What is seen of a line, as evenly spaced points in pixels."""
    data = np.column_stack([np.asarray(line.get_xdata()), np.asarray(line.get_ydata())])
    pixels = ax.transData.transform(data.astype(np.float64))
    pixels = pixels[np.isfinite(pixels).all(axis=1)]
    along = np.append(0.0, np.cumsum(np.hypot(*np.diff(pixels, axis=0).T)))
    even = np.linspace(0.0, along[-1], _SAMPLES)
    path = np.column_stack([np.interp(even, along, column) for column in pixels.T])
    left, low, right, high = ax.bbox.extents
    x, y = path.T
    seen = (x >= left - 1) & (x <= right + 1) & (y >= low - 1) & (y <= high + 1)
    return np.asarray(path[seen] if seen.any() else path[:1])
