"""Time this library beside its peers, and say of every answer whether it is right.

    python benchmarks/run.py [--repeats 5] [--only mu epsilon ...] [--out FOLDER]
    python benchmarks/run.py --quick      # few cases, once: does everything work?
    python benchmarks/run.py --render     # the report again, from results.json

Writes results.json, after every section, then RESULTS.md and plots/. README.md says how to read
them.
"""

import argparse
import datetime
import json
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from bench import Bench
from machine import machine
from packages import HERE
from page import write
from record import text
from sections import SECTIONS


def measured(bench: Bench, names: list[str], results: dict[str, Any], file: Path) -> list[str]:
    """The sections that failed; the others are in ``results``, and in the file at once."""
    failed = []
    for name in names:
        start = time.perf_counter()
        try:
            result = SECTIONS[name].measure(bench)
        except Exception:  # a bug in one section is no reason to lose the others
            traceback.print_exc()
            failed.append(name)
            continue
        seconds = time.perf_counter() - start
        date = datetime.date.today().isoformat()
        results["sections"][name] = {"date": date, "took": round(seconds, 1), **result}
        results["versions"].update(bench.versions())
        file.write_text(text(results), encoding="utf-8")
        print(f"{name} took {seconds:.0f} s", flush=True)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), default=list(SECTIONS))
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the results")
    parser.add_argument("--quick", action="store_true", help="few cases, once")
    parser.add_argument("--render", action="store_true", help="measure nothing")
    options = parser.parse_args()

    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "results.json"
    results: dict[str, Any] = {"sections": {}, "versions": {}}
    # A part of a run replaces that part of what is there.
    if file.exists() and (options.render or len(options.only) < len(SECTIONS)):
        results |= json.loads(file.read_text(encoding="utf-8"))
    failed: list[str] = []
    if not options.render:
        bench = Bench(repeats=options.repeats, quick=options.quick)
        results |= {"machine": machine(), "repeats": bench.repeats, "quick": bench.quick}
        try:
            failed = measured(bench, options.only, results, file)
        except KeyboardInterrupt:
            # Pressed twice, it must not leave processes behind.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            failed = ["what came after the interrupt"]
        finally:
            bench.close()
    if results["sections"]:
        file.write_text(text(results), encoding="utf-8")
        write(json.loads(file.read_text(encoding="utf-8")), options.out)
        print(f"report: {options.out / 'RESULTS.md'}")
    if failed:
        print(f"not measured: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
