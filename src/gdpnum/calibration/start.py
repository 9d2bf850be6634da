"""Where a search begins: a guess of its caller's, or where estimates have the target."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import final

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
        seen = _seen(meter, start, _WIDE, closely=False)
        if not seen:
            return None
        if seen[0][1] <= aim <= seen[-1][1]:
            start = _moved(start, seen, aim)
            seen = _seen(meter, start, _NARROW, closely=True)
            return _moved(start, seen, aim) if seen else None
        end, _ = seen[0] if seen[0][1] > aim else seen[-1]
        start = replace(start, first=math.exp(end))
    return None


def _seen(
    meter: Meter, start: Start, offsets: tuple[float, ...], *, closely: bool
) -> list[tuple[float, float]]:
    """Logs of parameters within the range, towards less privacy, with about their excess.

    None where estimates do not rise: they are no good then.
    """
    ends = sorted((start.private, start.open_))
    every = {min(max(start.first * math.exp(one), ends[0]), ends[1]) for one in offsets}
    if start.integer:
        every = {float(round(one)) for one in every}
    parameters = sorted(every, reverse=start.open_ < start.private)
    excesses = meter.foretold(parameters, closely=closely)
    rises = all(one < other for one, other in pairwise(excesses))
    if len(parameters) < len(_NARROW) or len(excesses) < len(parameters) or not rises:
        return []
    return [(math.log(one), excess) for one, excess in zip(parameters, excesses, strict=True)]


def _moved(start: Start, seen: list[tuple[float, float]], aim: float) -> Start:
    """The start at the place of that excess, on a parabola through the three places nearest."""
    near = sorted(seen, key=lambda one: abs(one[1] - aim))[:3]
    (x, f), (y, g), (z, h) = near
    # The inverse function, by Newton's differences.
    first, second = (y - x) / (g - f), (z - y) / (h - g)
    place = x + (aim - f) * (first + (aim - g) * (second - first) / (h - f))
    # No farther than they know of.
    wide = max(x, y, z) - min(x, y, z)
    place = max(min(x, y, z) - wide, min(place, max(x, y, z) + wide))
    return replace(start, first=math.exp(place), slope=abs(1.0 / first))
