"""The search for the least private setting that meets a target.

Parameter and strength are both taken as logarithms: for noise, rate and steps alike the one is then
nearly linear in the other. The engine's bound exceeds the exact value by about a relative tolerance
t, so a coarse bound less a multiple of t, learnt on the way, foretells a fine one. Most calls are
coarse; one or two in the end are fine, and only those are trusted with the answer.
"""

from __future__ import annotations

import math
from typing import final

from gdpnum.calibration.meter import FAR, Meter, Reading
from gdpnum.errors import BudgetExceeded, InvalidArgument

__all__ = ["COARSE", "Search"]

#: The engine's tolerance while the answer is far.
COARSE = 1e-2

# An excess below this is near enough to leave the coarse tolerance.
_NEAR = 0.03

# Of the room that the tolerance leaves below the target, the share to stay away from it.
_MARGIN = 0.3

# Closer to the target than this share of the tolerance, a second opinion is asked for.
_CLOSE = 0.2

# No step is to change the strength by more than this, in logs.
_STRIDE = 1.5

# From this call on every third halves the bracket: what defies interpolation ends, too.
_PATIENCE = 9

# Most end by ten. One that has not by this call never would: the bound has no more digits.
_MOST_CALLS = 100


@final
class Search:
    """A search from the most ``private`` setting of a range to the most ``open`` one.

    A place is the log of a parameter, signed so that it rises towards less privacy; ``slope`` is a
    guess of how the log of the strength rises with it.
    """

    def __init__(
        self,
        meter: Meter,
        *,
        name: str,
        private: float,
        open_: float,
        slope: float,
        tolerance: float,
        integer: bool = False,
    ) -> None:
        self._meter, self._name = meter, name
        self._tolerance, self._integer = tolerance, integer
        self._private, self._open = private, open_
        self._sign = 1.0 if open_ >= private else -1.0
        coarse = [COARSE] if tolerance < COARSE else []
        self._levels = [*coarse, tolerance, 0.1 * tolerance]
        self._level = 0
        target = meter.target
        # How far its strength may stay below the target's.
        lowest = target.strength((1.0 - tolerance) * target.value) / target.mu
        self._room = min(tolerance, -math.log(lowest)) if 0.0 < lowest < 1.0 else tolerance
        self._slope, self._bias = slope, 1.0
        self._last: Reading | None = None
        self._safe: Reading | None = None
        self._missed: Reading | None = None

    def answer(self, first: float) -> Reading:
        """The setting that meets the target and comes as near to it as the tolerance asks."""
        parameter = first
        while True:
            reading = self._meter.read(parameter, self._levels[self._level])
            is_final = self._level == len(self._levels) - 1
            if is_final and -_CLOSE * self._tolerance < reading.excess <= 0.0:
                reading = self._meter.confirmed(reading)
            self._learn(reading)
            self.narrow(reading)
            if self._safe is not None and self._is_answer(self._safe):
                return self._safe
            if self._meter.calls >= _MOST_CALLS:
                return self._last_resort()
            parameter = self._next(reading)

    def is_at_limit(self, reading: Reading) -> bool:
        """Whether the range, or what can be computed of it, ends before the target is reached."""
        if self._is_near(reading):
            return False
        # What varies continuously stays away from its target only where a bound ends. Past the last
        # setting that the engine has one for, a formula far above it takes over.
        if reading.parameter == self._open or not self._integer:
            return True
        missed, tolerance = self._missed, self._levels[-1]
        return missed is not None and not self._meter.target.has_bound(
            missed.mechanism, tolerance=tolerance
        )

    def _last_resort(self) -> Reading:
        """What is known to meet the target, though not how near it is."""
        if self._safe is not None:
            return self._safe
        raise BudgetExceeded(
            f"after {self._meter.calls} engine calls no setting was found to meet "
            f"{self._meter.target}; pass a larger tolerance or a weaker target"
        )

    def narrow(self, reading: Reading) -> None:
        """Move an end of the bracket; refuse a target that the most private setting misses."""
        if reading.excess <= 0.0:
            safe = self._safe
            if safe is None or self._rank(reading) > self._rank(safe):
                self._safe = reading
            return
        # A coarse bound above the target may yet come down to it.
        if reading.excess <= 1.5 * (reading.tolerance - self._levels[-1]):
            return
        if self._missed is None or self._rank(reading) < self._rank(self._missed):
            self._missed = reading
        if self._safe is not None and self._place(self._safe.parameter) >= self._place(
            self._missed.parameter
        ):
            self._safe = None  # a finer call has taken back what a coarse one said
        if reading.parameter == self._private:
            target = self._meter.target
            raise InvalidArgument(
                f"{target} cannot be met: with {self._name}={reading.parameter:.6g}, the most "
                f"private setting in the range, {target.kind} is {reading.achieved:.6g}; "
                "pass a weaker target, more noise or a wider range"
            )

    # --- what a call tells ----------------------------------------------------------------------

    def _learn(self, reading: Reading) -> None:
        """Take the slope, or the bias, from two calls in a row."""
        last, self._last = self._last, reading
        if last is None or max(abs(last.excess), abs(reading.excess)) >= FAR:
            return
        rise = reading.excess - last.excess
        run = self._place(reading.parameter) - self._place(last.parameter)
        finer = reading.tolerance - last.tolerance
        if finer != 0.0:
            self._bias = max(0.0, min(2.0, (rise - self._slope * run) / finer))
        elif abs(rise) > 0.1 * reading.tolerance and rise * run > 0.0:
            self._slope = rise / run

    def _place(self, parameter: float) -> float:
        return self._sign * math.log(parameter)

    def _rank(self, reading: Reading) -> tuple[float, float]:
        """By place; of two at one place the finer."""
        return self._sign * reading.parameter, -reading.tolerance

    # --- whether it is enough -------------------------------------------------------------------

    def _is_answer(self, safe: Reading) -> bool:
        if safe.tolerance > self._levels[-1]:
            return False
        if safe.parameter == self._open or self._is_closed():
            return True
        # Of few whole numbers the very last; of many, one within the tolerance.
        is_whole = self._integer and safe.parameter * self._tolerance < 1.0
        return self._is_near(safe) and not is_whole

    def _is_near(self, reading: Reading) -> bool:
        enough = reading.achieved >= (1.0 - self._tolerance) * self._meter.target.value
        return enough and reading.excess >= -self._tolerance

    def _is_closed(self) -> bool:
        if self._safe is None or self._missed is None:
            return False
        safe, missed = self._safe.parameter, self._missed.parameter
        if self._integer:
            return self._sign * (missed - safe) <= 1.0
        return self._place(missed) - self._place(safe) <= 0.01 * self._tolerance

    # --- where to look next ---------------------------------------------------------------------

    def _next(self, reading: Reading) -> float:
        last = len(self._levels) - 1
        safe = self._safe
        if safe is not None and (self._is_closed() or safe.parameter == self._open):
            # Nothing is left to search: what a coarse call says of it is made sure.
            self._level = last
            return safe.parameter
        near = _NEAR if self._levels[self._level] == COARSE else 5.0 * self._room
        if self._level < last and abs(reading.excess) <= near:
            self._level += 1
        finer = self._levels[self._level] - reading.tolerance
        foretold = reading.excess + self._bias * finer
        stride = max(-_STRIDE, min(_STRIDE, -_MARGIN * self._room - foretold))
        place = self._place(reading.parameter) + stride / self._slope
        is_halving = self._meter.calls >= _PATIENCE and self._meter.calls % 3 == 0
        return self._whole(place, is_halving) if self._integer else self._inside(place, is_halving)

    def _inside(self, place: float, is_halving: bool) -> float:
        """The place as a parameter, within the bracket as far as it is known."""
        low = self._private if self._safe is None else self._safe.parameter
        high = self._open if self._missed is None else self._missed.parameter
        is_vague = self._safe is not None and self._safe.tolerance > self._levels[self._level]
        if is_vague and place <= self._place(low):
            return low  # once more, for a finer bound
        if self._place(low) < place < self._place(high) and not is_halving:
            return math.exp(self._sign * place)
        if self._safe is None or self._missed is None:
            return low if place <= self._place(low) else high
        return math.sqrt(low) * math.sqrt(high)

    def _whole(self, place: float, is_halving: bool) -> float:
        """The place as a whole number that is not known yet, on its private side."""
        safe, missed, sign = self._safe, self._missed, self._sign
        # Signed, so that the low end is the private one.
        low, high = sign * self._private, sign * self._open
        if safe is not None:
            is_known = safe.tolerance <= self._levels[self._level]
            low = sign * safe.parameter + (1.0 if is_known else 0.0)
        if missed is not None:
            high = sign * missed.parameter - 1.0
        wanted = float(math.floor(sign * math.exp(sign * place)))
        if is_halving and safe is not None and missed is not None:
            wanted = float(math.floor(sign * math.sqrt(low * high)))
        return sign * max(low, min(high, wanted))
