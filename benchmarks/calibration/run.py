"""Time the calibration of noise beside dp-accounting's and riskcal's: one run, in turns.

    python benchmarks/calibration/run.py [--repeats 3] [--out FOLDER]

Each package finds the noise multiplier for a target in a process of its own. Every answer is then
judged by this library at tolerance 1e-5: WRONG means that the noise does not meet the target.
Writes RESULTS.md into this folder.
"""

import argparse
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from cases import ROOT  # noqa: E402
from environments import python_of  # noqa: E402
from peer import Peer  # noqa: E402

RISKCAL = ["riskcal==1.5.1", "dp-accounting==0.6.0"]

CASES = [
    {"rate": 0.01, "steps": 1000, "mu": 1.0},
    {"rate": 0.01, "steps": 1000, "mu": 0.1},
    {"rate": 0.32768, "steps": 2000, "mu": 1.57},
    {"rate": 0.05, "steps": 20_000, "mu": 6.0},
    {"rate": 0.01, "steps": 1000, "epsilon": 2.0, "delta": 1e-5},
    {"rate": 0.001, "steps": 10_000, "epsilon": 1.0, "delta": 1e-5},
    {"rate": 0.01, "steps": 1000, "epsilon": 8.0, "delta": 1e-9},
    {"rate": 0.05, "steps": 500, "epsilon": 0.1, "delta": 1e-6},
    {"rate": 0.01, "steps": 5000, "advantage": 0.1},
    {"rate": 0.2, "steps": 100, "advantage": 0.9},
    {"rate": 0.01, "steps": 5000, "tpr": 0.05, "fpr": 0.01},
    {"rate": 0.1, "steps": 50, "tpr": 1e-3, "fpr": 1e-6},
]


def supports(package: str, case: dict) -> bool:
    if package == "dp-accounting":
        return "epsilon" in case
    return package == "gdpnum" or "advantage" in case or "tpr" in case


def cell(ours: Peer, case: dict, answers: list[dict]) -> str:
    """The median time, and the noise with what it achieves."""
    if not answers:
        return "-"
    if "error" in answers[-1]:
        return answers[-1]["error"]
    judged = ours.ask({**case, "judge": answers[-1]["noise"]})
    verdict = " WRONG" if judged["excess"] > 0.0 else ""
    seconds = statistics.median(one["seconds"] for one in answers)
    return (
        f"{1e3 * seconds:.0f} ms, {answers[-1]['noise']:.5f} ({100 * judged['excess']:+.3f} %)"
        + verdict
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args()
    ours = Peer("gdpnum", python_of("ours", ["--editable", str(ROOT)]), f"{HERE.name}/ours.py")
    other = python_of("riskcal", RISKCAL)
    peers = [
        ours,
        Peer("dp-accounting", other, f"{HERE.name}/dp_accounting_peer.py", limit=120.0),
        Peer("riskcal", other, f"{HERE.name}/riskcal_peer.py", limit=120.0),
    ]
    rows = [
        "| target | gdpnum | calls | over one fit | dp-accounting | riskcal | faster |",
        "|---|---|---|---|---|---|---|",
    ]
    try:
        for case in CASES:
            answers: dict[str, list[dict]] = {peer.name: [] for peer in peers}
            for _ in range(options.repeats):
                for peer in peers:
                    before = answers[peer.name]
                    # What failed once is not waited for again.
                    if supports(peer.name, case) and not (before and "error" in before[-1]):
                        before.append(peer.ask(case))
            fits = [
                ours.ask({**case, "fit": answers["gdpnum"][-1]["noise"]})["seconds"]
                for _ in range(options.repeats)
            ]
            own = statistics.median(one["seconds"] for one in answers["gdpnum"])
            theirs = [
                statistics.median(one["seconds"] for one in found) / own
                for name, found in answers.items()
                if name != "gdpnum" and found and "seconds" in found[-1]
            ]
            cells = [cell(ours, case, answers[peer.name]) for peer in peers]
            cells[1:1] = [
                str(answers["gdpnum"][-1]["calls"]),
                f"{own / statistics.median(fits):.1f}",
            ]
            faster = f"{max(theirs):.0f} times" if theirs else "-"
            name = ", ".join(f"{key}={value:g}" for key, value in case.items())
            rows.append(f"| {name} | {' | '.join(cells)} | {faster} |")
            print(rows[-1], flush=True)
    finally:
        for peer in peers:
            peer.stop()
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "RESULTS.md").write_text(
        "# Calibration of noise\n\nMedian time, noise multiplier, and how far the achieved value "
        "is above the target.\n\n" + "\n".join(rows) + "\n"
    )


if __name__ == "__main__":
    main()
