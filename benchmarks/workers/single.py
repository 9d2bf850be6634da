"""One request in a fresh process: seconds of the first call, of later ones, and the peak memory.

python single.py WORKER TASK JSON
"""

import contextlib
import importlib
import json
import resource
import sys
from statistics import median

from serve import timed

# A first call above the one is not made again, since imports and caches hardly show in it; one
# below the other is made several times, since it is short enough for noise to show.
_LONG, _SHORT = 5.0, 0.5


def main() -> None:
    worker, name, text = sys.argv[1:]
    with contextlib.redirect_stdout(sys.stderr):
        task = importlib.import_module(worker).TASKS[name]
        request = json.loads(text)
        answer = timed(task, request)
        if "seconds" in answer:
            answer["first"] = answer["seconds"]
            if answer["first"] < _LONG:
                calls = 3 if answer["first"] < _SHORT else 1
                answer["seconds"] = median(timed(task, request)["seconds"] for _ in range(calls))
    # Kilobytes on Linux, bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    peaks = [
        resource.getrusage(who).ru_maxrss * unit / 2**20
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    print(json.dumps({**answer, "peak_mb": max(peaks)}))


if __name__ == "__main__":
    main()
