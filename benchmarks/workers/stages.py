"""Where the time of one fit goes: seconds in each stage, without those of the stages inside it."""

import time
from contextlib import ExitStack
from functools import wraps
from unittest import mock

from gdpnum.contour import fit
from gdpnum.measures import gdp

#: Stage -> its functions, each in the module where the caller looks it up.
STAGES = {
    "description": [(gdp, "account")],
    "transform": [(fit, name) for name in ("ordinary", "jumpy", "ladder", "sought", "reading")],
    "mu": [(fit, "smallest")],
    "regret": [(fit, "regrets")],
    "rest": [(gdp, "fit_gdp")],
}


class Clock:
    """Seconds by stage; time goes to the stage that was entered last."""

    def __init__(self):
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self._entered, self._since = [], 0.0

    def watched(self, stage, function):
        """The function, with its time put down to a stage."""

        @wraps(function)
        def watching(*args, **options):
            self._switch()
            self._entered.append(stage)
            try:
                return function(*args, **options)
            finally:
                self._switch()
                self._entered.pop()

        return watching

    def _switch(self):
        now = time.perf_counter()
        if self._entered:
            self.seconds[self._entered[-1]] += now - self._since
        self._since = now


def stages(mechanism, *, calls, **options):
    """Seconds of a fit: of one that is not watched, and stage by stage of one that is."""
    whole = _seconds(mechanism, calls, options)
    clock = Clock()
    with ExitStack() as stack:
        for stage, places in STAGES.items():
            for module, name in places:
                function = clock.watched(stage, getattr(module, name))
                stack.enter_context(mock.patch.object(module, name, function))
        _seconds(mechanism, calls, options)
    return {"whole": whole, "stages": {name: one / calls for name, one in clock.seconds.items()}}


def _seconds(mechanism, calls, options):
    start = time.perf_counter()
    for _ in range(calls):
        gdp.fit_gdp(mechanism, **options)
    return (time.perf_counter() - start) / calls
