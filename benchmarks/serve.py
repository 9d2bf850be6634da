"""The answering side of a benchmark: one request per line on stdin, one answer per line on stdout.

Imports the standard library only, since it runs in every package's environment.
"""

import contextlib
import json
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

WARM_UP = [[5.0, 0.1, 10]]


def serve(answer: Callable[[list], dict[str, Any]], packages: list[str]) -> None:
    """Warm up, say hello with the versions, then time `answer(segments)` for each request."""
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # a package that prints must not garble answers
        hello = {"python": platform.python_version(), **{name: version(name) for name in packages}}
        warm_up = _timed(answer, WARM_UP)
        print(json.dumps({"versions": hello, "warm_up": warm_up}), file=out, flush=True)
        for line in sys.stdin:
            print(json.dumps(_timed(answer, json.loads(line))), file=out, flush=True)


def _timed(answer: Callable[[list], dict[str, Any]], segments: list) -> dict[str, Any]:
    start = time.perf_counter()
    try:
        found = answer(segments)
    except Exception as error:  # whatever a package raises is its result
        found = {"error": f"{type(error).__name__}: {error}"[:200]}
    return {"seconds": time.perf_counter() - start, **found}
