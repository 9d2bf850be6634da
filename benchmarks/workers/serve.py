"""The answering side of a benchmark: one request per line on stdin, one answer per line on stdout.

Imports the standard library only, since it runs in every package's environment.
"""

import contextlib
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

Task = Callable[..., dict[str, Any]]


def serve(tasks: Mapping[str, Task], packages: list[str]) -> None:
    """Say hello with the versions, then time the task that each request names."""
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # a package that prints must not garble answers
        versions = {name: version(name) for name in packages}
        hello = {"versions": {"python": platform.python_version(), **versions}}
        print(json.dumps(hello), file=out, flush=True)
        for line in sys.stdin:
            request = json.loads(line)
            answer = timed(tasks[request.pop("task")], request)
            print(json.dumps(answer), file=out, flush=True)


def stepping(accountant: Callable[[], Any]) -> Task:
    """The task of many calls of an accountant's step()."""

    def step(calls: int) -> dict[str, Any]:
        one = accountant()
        for _ in range(calls):
            one.step(noise_multiplier=1.0, sample_rate=0.01)
        return {}

    return step


# For how long a short task is asked again and again, in seconds.
_AGAIN = 0.05


def timed(task: Task, request: dict[str, Any]) -> dict[str, Any]:
    """The answer and its seconds, or what was raised.

    What takes milliseconds is asked several times in a row, as ``timeit`` does; the median counts.
    One call alone would mostly measure what another package's turn left in the processor's caches.
    """
    seconds: list[float] = []
    while not seconds or sum(seconds) + seconds[-1] < _AGAIN:
        start = time.perf_counter()
        try:
            found = task(**request)
        except Exception as error:  # whatever a package raises is its result
            return {"error": f"{type(error).__name__}: {error}"[:200].rstrip(": \n")}
        seconds.append(time.perf_counter() - start)
    return {"seconds": statistics.median(seconds), **found}
