"""Our sweep of the settings on stdin; seconds and peak memory on stdout."""

import json
import resource
import sys
import time

import gdpnum

if __name__ == "__main__":
    names = ("noise_multiplier", "sample_rate", "steps")
    settings = [
        dict(zip(names, (sigma, rate, int(steps)), strict=True))
        for sigma, rate, steps in json.load(sys.stdin)
    ]
    gdpnum.sweep(settings[:2], columns=["mu", "regret"], workers=1)
    start = time.perf_counter()
    table = gdpnum.sweep(settings, columns=["mu", "regret"])
    seconds = time.perf_counter() - start
    assert not table.errors
    own, others = (
        resource.getrusage(who).ru_maxrss / 1024
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(json.dumps({"seconds": seconds, "megabytes": max(own, others)}))
