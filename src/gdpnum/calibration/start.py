"""Where a search begins: a guess of its caller's, or where estimates have the target."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, final

from gdpnum.calibration.meter import Meter

# Parameters that are looked at together, as logs around a place: first far apart, then close.
_WIDE = (-0.6, -0.3, 0.0, 0.3, 0.6)
_NARROW = (-0.03, 0.0, 0.03)

# How often the wide ones are moved towards the target.
_MOVES = 4

# Of fewer whole numbers than this estimates tell nothing.
_FEWEST = 30.0


@final
@dataclass(frozen=True)
class Start:
    """Where a search begins: its ends, a first guess, and how steep the log of the strength is.

    ``private`` is the most private setting of the range and ``open_`` the least; ``slope`` is a
    guess of how the log of the strength rises with the log of the parameter, towards ``open_``.
    """

    private: float
    open_: float
    first: float
    slope: float
    integer: bool = False


def estimated_start(meter: Meter, start: Start, aim: float) -> Start | None:
    """The start moved to where estimates have that excess; None where they do not know it."""
    if start.integer and start.first < _FEWEST:
        return None
    for _ in range(_MOVES):
        seen = _seen(meter, start, _WIDE)
        if not seen:
            return None
        close = [one for one in seen if one.is_close]
        if len(close) > 2 and close[0].excess <= aim <= close[-1].excess:
            return _moved(start, close, aim)
        if seen[0].excess <= aim <= seen[-1].excess:
            nearest = sorted(seen, key=lambda one: abs(one.excess - aim))[:3]
            start = _moved(start, nearest, aim)
            seen = _seen(meter, start, _NARROW)
            return _moved(start, seen, aim) if seen else start
        end = seen[0] if seen[0].excess > aim else seen[-1]
        start = replace(start, first=math.exp(end.place))
    return None


class _Seen(NamedTuple):
    """The log of a parameter, about its excess, and whether that is close."""

    place: float
    excess: float
    is_close: bool


def _seen(meter: Meter, start: Start, offsets: tuple[float, ...]) -> list[_Seen]:
    """Parameters within the range, towards less privacy.

    None where estimates do not rise: they are no good then.
    """
    ends = sorted((start.private, start.open_))
    every = {min(max(start.first * math.exp(one), ends[0]), ends[1]) for one in offsets}
    if start.integer:
        every = {float(round(one)) for one in every}
    parameters = sorted(every, reverse=start.open_ < start.private)
    excesses = meter.foretold(parameters)
    rises = all(one < other for (one, _), (other, _) in pairwise(excesses))
    if len(parameters) < len(_NARROW) or len(excesses) < len(parameters) or not rises:
        return []
    return [_Seen(math.log(one), *known) for one, known in zip(parameters, excesses, strict=True)]


def _moved(start: Start, seen: list[_Seen], aim: float) -> Start:
    """The start at the place of that excess, on a polynomial through the places seen."""
    near = sorted(seen, key=lambda one: abs(one.excess - aim))
    excesses, differences = [one.excess for one in near], [one.place for one in near]
    slope = (near[1].excess - near[0].excess) / (near[1].place - near[0].place)
    # The inverse function, by Newton's differences.
    place, weight = 0.0, 1.0
    for order, excess in enumerate(excesses, start=1):
        place += weight * differences[0]
        weight *= aim - excess
        differences = [
            (after - before) / (excesses[order + i] - excesses[i])
            for i, (before, after) in enumerate(pairwise(differences))
        ]
    # No farther than they know of.
    low, high = min(one.place for one in near), max(one.place for one in near)
    place = max(2.0 * low - high, min(place, 2.0 * high - low))
    return replace(start, first=math.exp(place), slope=abs(slope))
