"""Time the paper's regret sweep (Figure 3) beside the published gdpnum: one run, in turns.

    python benchmarks/sweep/run.py [--repeats 3] [--sample 24] [--out FOLDER]

12 curves (sigma 1 to 4, T 400, 1000 and 2000) of 60 sampling rates each, 720 settings. Ours sweeps
them all, on all cores; the published package, which knows no cores, is timed on an evenly spread
sample, and its time for all is estimated from that. Its time per setting varies little within a
curve. Writes RESULTS.md into this folder.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from cases import ROOT  # noqa: E402
from environments import python_of  # noqa: E402
from peer import Peer  # noqa: E402


def settings() -> list[list[float]]:
    """(sigma, rate, steps) of Figure 3, rates evenly spread on a log scale from 1e-3 to 0.9."""
    rates = [1e-3 * 900.0 ** (place / 59) for place in range(60)]
    return [
        [float(sigma), rate, steps]
        for sigma in (1, 2, 3, 4)
        for steps in (400, 1000, 2000)
        for rate in rates
    ]


def spread(values: list[float]) -> str:
    """Median and range."""
    return f"{statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sample", type=int, default=24)
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args()
    every = settings()
    # Evenly spread over curves and over the rates of each.
    sample = [
        every[(number * len(every)) // options.sample + 7 * number % 30]
        for number in range(options.sample)
    ]
    ours = python_of("ours", ["--editable", str(ROOT)])
    theirs = Peer(
        "gdpnum 0.1.2",
        python_of("gdpnum-0.1.2", ["gdpnum==0.1.2", "dp-accounting==0.6.0"]),
        "worker_gdpnum_published.py",
    )
    sweeps, estimates, memories = [], [], []
    for _ in range(options.repeats):
        found = subprocess.run(
            [ours, HERE / "ours.py"],
            input=json.dumps(every),
            capture_output=True,
            text=True,
            check=True,
        )
        one = json.loads(found.stdout)
        sweeps.append(one["seconds"])
        memories.append(one["megabytes"])
        answers = [theirs.ask([setting]) for setting in sample]
        seconds = [answer["seconds"] for answer in answers if "error" not in answer]
        estimates.append(statistics.mean(seconds) * len(every))
        print(f"ours {sweeps[-1]:.2f} s, gdpnum 0.1.2 about {estimates[-1]:.0f} s", flush=True)
    theirs.stop()
    ratios = [theirs_ / ours_ for theirs_, ours_ in zip(estimates, sweeps, strict=True)]
    text = "\n".join(
        [
            "# The regret sweep of Figure 3, 720 settings",
            "",
            f"{options.repeats} repeats in turns on {os.cpu_count()} cores; gdpnum 0.1.2 estimated "
            f"from {options.sample} settings.",
            "",
            "| | for all | peak memory of a process |",
            "|---|---|---|",
            f"| this library, on all cores | {spread(sweeps)} s | {max(memories):.0f} MB |",
            f"| gdpnum 0.1.2, one by one | {spread(estimates)} s | |",
            f"| ratio | {spread(ratios)} | |",
            "",
        ]
    )
    (options.out / "RESULTS.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
