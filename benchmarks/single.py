"""One setting in a fresh process: seconds of the first call, and the peak memory of it all."""

import json
import resource
import sys
import time

from worker_gdpnum import answer


def main() -> None:
    segments = json.loads(sys.argv[1])
    start = time.perf_counter()
    found = answer(segments)
    seconds = time.perf_counter() - start
    # Kilobytes on Linux, bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(json.dumps({"seconds": seconds, "peak_mb": peak / 2**20, **found}))


if __name__ == "__main__":
    main()
