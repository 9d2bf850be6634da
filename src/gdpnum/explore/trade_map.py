"""Map: a number over two parameters, with the lines along which it is the same."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, final

import numpy as np
from contourpy import contour_generator
from scipy.interpolate import RectBivariateSpline

from gdpnum.blocks.drawing import Frame, Node, node, path, table
from gdpnum.errors import GdpnumError
from gdpnum.explore import accounts
from gdpnum.explore.fields import FIELDS, shown
from gdpnum.explore.state import AXES, MEASURES, State
from gdpnum.explore.trade import RANGES, map_frame
from gdpnum.rounding import delta_shown, one_in, upper

#: A map is drawn coarse at first, then fine; so many points across and up.
STAGES = {"coarse": (9, 7), "fine": (17, 13)}

_LEVELS = {
    "mu": (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
    "epsilon": (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0),
}
_RATES = (*(float(f"{m}e-{p}") for p in range(10, 0, -1) for m in (1, 1.5, 2, 3, 5, 7)), 0.9, 0.99)
_MOST_LEVELS = 9

# Between computed points, lines are drawn through a smooth surface with so many more.
_FINER = 5


@final
@dataclass(frozen=True)
class Map:
    """The map for a state at a stage, computed row by row so that it can be given up between."""

    state: State
    stage: str

    def rows(self) -> Iterator[list[float]]:
        """The numbers, from the lowest row up."""
        for y in self._points(1):
            yield [self._measured(x, y) for x in self._points(0)]

    def document(self, rows: list[list[float]]) -> dict[str, Any]:
        """The drawing, its caption and its table."""
        frame = map_frame(self.state)
        return {
            "drawing": node(
                "g", *self._bands(frame, rows), frame.axes(), *self._lines(frame, rows)
            ),
            "caption": self.caption,
            "table": self._table(rows),
        }

    @property
    def caption(self) -> str:
        """What is shown, for which other settings."""
        state = self.state
        others = [
            f"{FIELDS[name].label.lower()} {shown(getattr(state, name))}"
            for name in (*AXES, "records_per_person")
            if name not in (state.across, state.up)
            if name != "records_per_person" or state.records_per_person > 1
        ]
        at = {
            "mu": "mu, at most",
            "epsilon": f"epsilon at delta {delta_shown(state.delta)}, at most",
            "tpr": f"TPR at FPR {state.fpr_said}, at most",
        }[state.measure]
        return (
            f"{at}; {', '.join(others)}. Lines are drawn between computed points; the numbers of "
            "the marked run are bounds."
        )

    def _points(self, axis: int) -> list[float]:
        name, count = (self.state.across, self.state.up)[axis], STAGES[self.stage][axis]
        low, high, _ = RANGES[name]
        spread = np.geomspace(low, high, count).tolist()
        if FIELDS[name].kind == "count" or name == "epochs":
            return sorted({float(round(value)) for value in spread})
        return [float(f"{value:.6g}") for value in spread]

    def _measured(self, x: float, y: float) -> float:
        state, at = self.state, {"mu": 0.0, "epsilon": self.state.delta, "tpr": self.state.fpr}
        values: dict[str, Any] = {
            name: int(value) if FIELDS[name].kind == "count" else value
            for name, value in ((state.across, x), (state.up, y))
        }
        there = replace(state, **values)
        if there.batch_size > there.dataset_size:
            # All of the data in every batch; the map is hatched here.
            there = replace(there, batch_size=there.dataset_size)
        try:
            return accounts.measured(there.run, state.measure, at[state.measure])
        except GdpnumError:
            return math.nan

    def _levels(self) -> tuple[float, ...]:
        if self.state.measure != "tpr":
            return _LEVELS[self.state.measure]
        above = [rate for rate in _RATES if rate > 1.02 * self.state.fpr]
        step = math.ceil(len(above) / _MOST_LEVELS)
        return tuple(above[::-step][::-1])

    def _surface(self, frame: Frame, rows: list[list[float]]) -> tuple[Any, Any, Any]:
        """Places across and up, and logarithms of the numbers there, finer where all are known."""
        xs, ys = np.array(self._points(0)), np.array(self._points(1))
        with np.errstate(all="ignore"):
            logs = np.log(np.clip(np.array(rows), 1e-12, 1e6))
        if np.isfinite(logs).all():
            surface = RectBivariateSpline(np.log(ys), np.log(xs), logs, s=0)
            xs, ys = (np.geomspace(ends[0], ends[-1], _FINER * ends.size) for ends in (xs, ys))
            logs = surface(np.log(ys), np.log(xs))
        across, up = [frame.x(x) for x in xs], [frame.y(y) for y in ys]
        return across, up, np.ma.masked_invalid(logs)

    def _contours(self, frame: Frame, rows: list[list[float]]) -> Any:
        return contour_generator(*self._surface(frame, rows))

    def _bands(self, frame: Frame, rows: list[list[float]]) -> list[Node]:
        """Areas between levels, the darker the less private."""
        contours = self._contours(frame, rows)
        ends = [-100.0, *np.log(self._levels()).tolist(), 100.0]
        drawn = []
        for number, (low, high) in enumerate(pairwise(ends)):
            polygons, offsets = contours.filled(low, high)
            rings = (
                path(points[start:end].tolist()) + "Z"
                for points, cuts in zip(polygons, offsets, strict=True)
                for start, end in pairwise(cuts.tolist())
            )
            drawn.append(node("path", class_=f"band band-{number}", d="".join(rings)))
        return [*drawn, self._hatched(frame)]

    def _lines(self, frame: Frame, rows: list[list[float]]) -> list[Node]:
        contours = self._contours(frame, rows)
        lines, labels = [], []
        for level in self._levels():
            found = [line for line in contours.lines(math.log(level)) if len(line) > 1]
            lines.append(
                node("path", class_="contour", d="".join(path(line.tolist()) for line in found))
            )
            place = _label_place(frame, found)
            if place is not None:
                is_rate = self.state.measure == "tpr"
                said = one_in(level, condition=True) if is_rate else f"{level:g}"
                x, y = place
                labels.append(
                    node("text", said, class_="level", x=x, y=y + 4, text_anchor="middle")
                )
        return [*lines, *labels]

    def _hatched(self, frame: Frame) -> Node:
        """Where a batch would be larger than the dataset."""
        state, both = self.state, {"batch_size", "dataset_size"}
        along, edge = (state.across, frame.x) if state.across in both else (state.up, frame.y)
        if {state.across, state.up} == both:
            ends = (max(RANGES[name][0] for name in both), min(RANGES[name][1] for name in both))
            corner = (frame.right, frame.bottom)
            if state.across == "dataset_size":
                corner = (frame.left, frame.top)
            return _shaded([*((frame.x(end), frame.y(end)) for end in ends), corner])
        if along not in both:
            return _shaded([])
        # From the other's size on, to the end where batches are large or datasets small.
        other = state.dataset_size if along == "batch_size" else state.batch_size
        low, high, _ = RANGES[along]
        cut, end = edge(float(other)), edge(high if along == "batch_size" else low)
        if edge == frame.x:
            top, bottom = frame.top, frame.bottom
            return _shaded([(cut, top), (end, top), (end, bottom), (cut, bottom)])
        left, right = frame.left, frame.right
        return _shaded([(left, cut), (left, end), (right, end), (right, cut)])

    def _table(self, rows: list[list[float]]) -> Node:
        """The same for those who do not see the map: every other point."""
        xs, ys = (self._points(axis)[::2] for axis in (0, 1))
        across, up = (FIELDS[name].label for name in (self.state.across, self.state.up))
        return table(
            f"{MEASURES[self.state.measure]}, at most; {across.lower()} across, {up.lower()} down",
            ["", *(shown(_three(x)) for x in xs)],
            [
                ((shown(_three(y)),), map(self._said, row[::2]))
                for y, row in zip(ys, rows[::2], strict=True)
            ],
        )

    def _said(self, value: float) -> str:
        if math.isnan(value):
            return "not known"
        return one_in(value) if self.state.measure == "tpr" else upper(value, digits=3)


def _shaded(corners: list[tuple[float, float]]) -> Node:
    return node("path", class_="impossible", d=f"{path(corners)}Z" if corners else "")


def _label_place(frame: Frame, lines: list[Any]) -> tuple[float, float] | None:
    """The point of a level's lines that is furthest from the edges, if it is far enough."""
    best, most = None, 16.0
    for line in lines:
        for x, y in line.tolist():
            room = min(
                x - frame.left, frame.right - x, 1.3 * (y - frame.top), 1.3 * (frame.bottom - y)
            )
            if room > most:
                best, most = (x, y), room
    return best


def _three(value: float) -> float:
    return value if value == int(value) else float(f"{value:.3g}")
