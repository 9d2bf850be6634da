"""Time this library beside the published packages: one run, one machine, in turns.

    python benchmarks/run.py [--repeats 5] [--skip NAME ...] [--only TEXT]

Writes results.json and RESULTS.md next to this file. README.md says how to read them.
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

from cases import EXTREME, ROOT, Case, reference, schedule
from environments import python_of
from peer import HERE, Peer
from report import markdown

PACKAGES = {
    # "ours" is installed from this checkout, in place.
    "ours": (["--editable", str(ROOT)], "worker_gdpnum.py"),
    "gdpnum 0.1.2": (["gdpnum==0.1.2", "dp-accounting==0.6.0"], "worker_gdpnum_published.py"),
    "riskcal": (["riskcal==1.5.1", "dp-accounting==0.6.0"], "worker_riskcal.py"),
}


def environment(name: str) -> Path:
    """The interpreter of one of PACKAGES."""
    return python_of(name.replace(" ", "-"), PACKAGES[name][0])


def timed_cases(cases: list[Case], peers: list[Peer], repeats: int) -> list[dict[str, Any]]:
    """Every case on every peer, `repeats` times, the peers taking turns."""
    rows: list[dict[str, Any]] = []
    for case in cases:
        answers: dict[str, list[dict[str, Any]]] = {peer.name: [] for peer in peers}
        for _ in range(repeats):
            for peer in peers:
                before = answers[peer.name]
                # What failed once is not waited for again.
                again = before and "error" in before[-1]
                answers[peer.name].append(before[-1] if again else peer.ask(case.segments))
        wrong = {
            name: any("mu" in one and case.is_wrong(one["mu"]) for one in found)
            for name, found in answers.items()
        }
        rows.append(
            {"name": case.name, "true_mu": case.true_mu, "answers": answers, "wrong": wrong}
        )
        print(case.name, {name: found[-1] for name, found in answers.items()}, flush=True)
    return rows


def single(case: Case, python: Path, limit: float = 300.0) -> dict[str, Any]:
    """A case in a fresh process, with its peak memory."""
    command = [python, HERE / "single.py", json.dumps(case.segments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"name": case.name, "error": f"over {limit:g} s"}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["died"])[-1]
        return {"name": case.name, "error": last[:200]}
    return {"name": case.name, **json.loads(done.stdout)}


def import_times(python: Path, repeats: int) -> dict[str, list[float]]:
    """Seconds of a whole process that imports gdpnum, or only what it stands on."""
    statements = ["import numpy, scipy.special", "import gdpnum"]
    seconds: dict[str, list[float]] = {statement: [] for statement in statements}
    for _ in range(repeats + 1):
        for statement in statements:
            start = time.perf_counter()
            subprocess.run([python, "-c", statement], check=True)
            seconds[statement].append(time.perf_counter() - start)
    # The first round reads the files from disk.
    return {statement: found[1:] for statement, found in seconds.items()}


def machine() -> str:
    """Processor, cores and system."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":")[1].strip()
            for line in info.read_text().splitlines()
            if line.startswith("model name")
        ]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--skip", nargs="*", default=[], choices=list(PACKAGES))
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the two result files")
    options = parser.parse_args()

    names = [name for name in PACKAGES if name not in options.skip]
    peers = [Peer(name, environment(name), PACKAGES[name][1]) for name in names]
    cases = [case for case in reference() if options.only in case.name]
    try:
        rows = timed_cases(cases, peers, options.repeats)
    finally:
        for peer in peers:
            peer.stop()
    singles, imports = [], {}
    if "ours" in names and not options.only:
        python = environment("ours")
        singles = [single(case, python) for case in [*EXTREME, schedule()]]
        imports = import_times(python, options.repeats)

    results = {
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "repeats": options.repeats,
        "peers": names,
        "versions": {peer.name: peer.versions for peer in peers},
        "cases": rows,
        "singles": singles,
        "imports": imports,
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "RESULTS.md").write_text(markdown(results))
    print(markdown(results))


if __name__ == "__main__":
    main()
