"""The search for the least private setting that meets a target: a bracketed secant method.

Parameter and strength are both taken as logarithms: for noise, rate and steps alike the one is then
nearly linear in the other, and a secant step from a good guess lands within a few percent. Where it
leaves the bracket, or has not ended soon, the bracket is halved, so that it always ends. What is
returned lies on the side that meets the target, as its own bound says.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

from gdpnum.calibration.meter import FAR, Meter, Reading
from gdpnum.calibration.start import Start, estimated_start
from gdpnum.errors import BudgetExceeded, InvalidArgument

# The engine's tolerance on the way, unless a coarser one is asked for.
_ROUGH = 1e-3

# By about so much of its tolerance the engine's bound exceeds the exact value.
_BIAS = 0.65

# Of the room that the tolerance leaves below the target, the share to stay away from it.
_MARGIN = 0.3

# No step is to change the strength by more than this, in logs.
_STRIDE = 1.5

# From this call on every third halves the bracket: what defies interpolation ends, too.
_PATIENCE = 9

# Most end by six. One that has not by this call never would: the bound has no more digits.
_MOST_CALLS = 100


@final
@dataclass(frozen=True)
class Answer:
    """The setting found, and whether the range, or what has a bound, ends before the target."""

    reading: Reading
    at_limit: bool


def searched(meter: Meter, start: Start, *, name: str, tolerance: float) -> Answer:
    """The least private setting that meets the meter's target.

    First roughly, up to a few percent, from where estimates have it; then with a tenth of the
    ``tolerance``, unless the first has come close enough already: its bounds hold as well.
    """
    target = meter.target
    # How far its strength may stay below the target's.
    lowest = target.strength((1.0 - tolerance) * target.value) / target.mu
    room = min(tolerance, -math.log(lowest)) if 0.0 < lowest < 1.0 else tolerance
    rough, fine = max(tolerance, _ROUGH), 0.1 * tolerance

    def is_near(reading: Reading) -> bool:
        enough = reading.achieved >= (1.0 - tolerance) * target.value
        return enough and reading.excess >= -tolerance

    def is_enough(reading: Reading) -> bool:
        # Of few whole numbers the very last; of many, one within the tolerance.
        is_last_wanted = start.integer and reading.parameter * tolerance < 1.0
        return reading.excess <= 0.0 and is_near(reading) and not is_last_wanted

    aim = -_MARGIN * room
    begin = estimated_start(meter, start, aim)
    way = _Secant(meter, begin or start, tolerance=rough, aim=aim)
    way.search(lambda reading: abs(reading.excess) <= max(0.02, 5.0 * room))
    # A rough bound that is close enough is as good as a fine one.
    if way.safe is not None and is_enough(way.safe):
        return Answer(way.safe, at_limit=False)
    # A finer bound is lower by what it gains on a rough one; where estimates are, both are fine.
    gain = _BIAS * (rough - fine) if begin is None else 0.0
    last = _Secant(meter, way.restart(gain), tolerance=fine, aim=aim)
    last.search(is_enough)
    safe, missed = last.safe, last.missed
    if safe is None and missed is not None and missed.parameter == start.private:
        raise InvalidArgument(
            f"{target} cannot be met: with {name}={missed.parameter:.6g}, the most private setting "
            f"in the range, {target.kind} is {missed.achieved:.6g}; "
            "pass a weaker target, more noise or a wider range"
        )
    if safe is None:
        raise BudgetExceeded(
            f"after {meter.calls} engine calls no setting was found to meet {target}; "
            "pass a larger tolerance or a weaker target"
        )
    # What varies continuously stays away from its target only where a bound ends, and so do whole
    # numbers if the next has none.
    is_end = safe.parameter == start.open_ or not start.integer
    at_limit = is_end or (missed is not None and not missed.is_engines)
    return Answer(safe, at_limit and not is_near(safe))


@final
class _Secant:
    """Readings at one tolerance, from which the next place follows.

    A place is the log of a parameter, signed so that it rises towards less privacy.
    """

    def __init__(self, meter: Meter, start: Start, *, tolerance: float, aim: float) -> None:
        self._meter, self._start, self._tolerance, self._aim = meter, start, tolerance, aim
        self._sign = 1.0 if start.open_ >= start.private else -1.0
        self._slope = start.slope
        self._calls = 0
        self._next = self._place(start.first)
        self._last: Reading | None = None
        self.safe: Reading | None = None
        self.missed: Reading | None = None

    def search(self, is_enough: Callable[[Reading], bool]) -> None:
        """Read until a reading is enough, or nothing is left to read."""
        while self._calls < _MOST_CALLS:
            reading = self._meter.read(self._parameter(), self._tolerance)
            self._calls += 1
            self._learn(reading)
            if reading.excess <= 0.0:
                self.safe = reading
            else:
                self.missed = reading
            if is_enough(reading) or self._is_closed():
                return
            self._next = self._foretold(reading, self._aim)

    def restart(self, gain: float) -> Start:
        """Where to begin with finer bounds, expected to be lower by ``gain``."""
        last = self._last
        if last is None:
            return self._start
        # One that is met as closely as was aimed at will do; an exact one is met as closely again.
        if self._aim <= last.excess <= 0.0:
            return replace(self._start, first=last.parameter, slope=self._slope)
        place = self._sign * self._foretold(last, self._aim + gain)
        first = math.exp(max(math.log(1e-300), min(place, math.log(1e300))))
        return replace(self._start, first=first, slope=self._slope)

    def _foretold(self, last: Reading, excess: float) -> float:
        """The place of that excess, on a line through the last reading."""
        stride = max(-_STRIDE, min(_STRIDE, excess - last.excess))
        return self._place(last.parameter) + stride / self._slope

    def _learn(self, reading: Reading) -> None:
        """Take the slope from two readings in a row."""
        last, self._last = self._last, reading
        if last is None or max(abs(last.excess), abs(reading.excess)) >= FAR:
            return
        rise = reading.excess - last.excess
        run = self._place(reading.parameter) - self._place(last.parameter)
        if abs(rise) > 0.1 * self._tolerance and rise * run > 0.0:
            self._slope = rise / run

    def _place(self, parameter: float) -> float:
        return self._sign * math.log(parameter)

    def _is_closed(self) -> bool:
        start, safe, missed = self._start, self.safe, self.missed
        if safe is not None and safe.parameter == start.open_:
            return True
        if missed is not None and missed.parameter == start.private:
            return True
        if safe is None or missed is None:
            return False
        if start.integer:
            return abs(missed.parameter - safe.parameter) <= 1.0
        return self._place(missed.parameter) - self._place(safe.parameter) <= 0.1 * self._tolerance

    def _parameter(self) -> float:
        """The next place as a parameter, inside the bracket as far as that is known."""
        start, place = self._start, self._next
        low = start.private if self.safe is None else self.safe.parameter
        high = start.open_ if self.missed is None else self.missed.parameter
        is_known = self.safe is not None and self.missed is not None
        is_halving = self._calls >= _PATIENCE and self._calls % 3 == 0
        is_inside = self._place(low) < place < self._place(high)
        if is_known and (is_halving or not is_inside):
            parameter = math.sqrt(low) * math.sqrt(high)
        elif is_inside:
            parameter = math.exp(self._sign * place)
        elif place >= self._place(high):
            return high
        elif self.safe is None:
            return low
        else:
            # The last met the target by less than was aimed at, yet is not enough: go on.
            parameter = math.exp(self._sign * (self._place(low) + self._tolerance / self._slope))
        return self._whole(parameter, low, high) if start.integer else parameter

    def _whole(self, parameter: float, low: float, high: float) -> float:
        """A whole number on the private side of the parameter, none that has been read."""
        sign = self._sign
        least = sign * low + (0.0 if self.safe is None else 1.0)
        most = sign * high - (0.0 if self.missed is None else 1.0)
        return sign * max(least, min(most, float(math.floor(sign * parameter))))
