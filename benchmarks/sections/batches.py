"""Batches as they are drawn: epsilon at delta 1e-5, and who claims more privacy than there is.

The runs of the guide "How were your batches drawn?". "True" is what an attack that exists shows,
from below; where theory has a gap, the error of a right answer contains it.
"""

from bench import Question, say
from packages import OURS
from report import above, duration, number, ratio, table

TITLE = "Batches as they are drawn"
DELTA = 1e-5
PEERS = ["dp-accounting", "PLD_accounting"]

#: Seconds that a peer may take for one answer.
LIMIT = 300.0

_FIXED = {"batches": "fixed", "dataset_size": 10_000}
_CUT = {"batches": "truncated", "neighbouring": "zero_out"}

#: Runs in the words of `gdpnum.DPSGD`; a peer's worker takes from them what it knows.
RUNS = {
    "100 of 10,000, sigma 1": {**_FIXED, "noise_multiplier": 1.0, "batch_size": 100, "steps": 1000},
    "1,000 of 10,000, sigma 5": {
        **_FIXED,
        "noise_multiplier": 5.0,
        "batch_size": 1000,
        "steps": 1000,
    },
    "100 of 10,000 with replacement, sigma 1": {
        **_FIXED,
        "noise_multiplier": 1.0,
        "batch_size": 100,
        "steps": 1000,
        "with_replacement": True,
    },
    "Poisson cut at 120, sigma 1": {
        **_CUT,
        "noise_multiplier": 1.0,
        "sample_rate": 0.01,
        "dataset_size": 10_000,
        "max_batch_size": 120,
        "steps": 1000,
    },
    "Poisson cut at 60, sigma 2": {
        **_CUT,
        "noise_multiplier": 2.0,
        "sample_rate": 0.05,
        "dataset_size": 1000,
        "max_batch_size": 60,
        "steps": 500,
    },
    **{
        f"one of {steps:,}, {epochs} epochs, sigma {sigma:g}": {
            "batches": "allocated",
            "noise_multiplier": sigma,
            "steps_per_epoch": steps,
            "epochs": epochs,
        }
        for sigma, steps, epochs in [
            (1.0, 100, 1),
            (1.0, 1000, 1),
            (0.6, 500, 1),
            (2.0, 100, 10),
            (1.5, 10, 10),
            (4.0, 50, 100),
        ]
    },
}


def measure(bench):
    return {"cases": [_row(bench, name) for name in bench.few(list(RUNS), every=4)]}


def _row(bench, name):
    request = {"run": RUNS[name], "delta": DELTA}
    asked = {package: Question(package, "batches", request) for package in (OURS, *PEERS)}
    answers = bench.turns(asked, limit=LIMIT)
    say("batches", name, answers)
    attack = bench.turns({OURS: Question(OURS, "attacked", request)}, repeats=1)[OURS]
    true = (attack["epsilon"], answers[OURS]["epsilon"])
    return {"name": name, "quantity": "epsilon", "true": true, "answers": answers}


def render(result):
    lines = []
    for row in result["cases"]:
        for label, one in row["answers"].items():
            compared = ratio(one, row["answers"][OURS]) if label != OURS else ""
            value = number(one.get("epsilon"))
            shown = row["name"] if label == OURS else ""
            low = number(row["true"][0]) if label == OURS else ""
            lines.append([shown, low, label, duration(one), compared, value, above(row, label)])
    return "\n\n".join(
        [
            f"Epsilon at delta {DELTA:g}; the first column of numbers is that of an attack. "
            "dp-accounting accounts for fixed sizes by RDP, for a record that moves the sum by one "
            "clipping norm where an exchanged one moves it by two, and for truncated batches by "
            "PLD; PLD_accounting for allocation. bis-mc-accountant, for allocation by simulation, "
            "is a folder of scripts and no package, and wants more than a million simulated runs "
            "for one answer at this delta: left out.",
            table(["run", "an attack has", "package", "time", "ratio", "epsilon", "error"], lines),
        ]
    )


def claims(result):
    """What must show: no answer of ours below an attack, and allocation known to half a percent."""
    rows = result["cases"]
    lowest = min(row["answers"][OURS]["epsilon"] / row["true"][0] for row in rows)
    widest = max(
        (row["true"][1] / row["true"][0] - 1.0 for row in rows if row["name"].startswith("one of")),
        default=0.0,
    )
    return [
        ("never below an attack", f"{lowest:.4f} times", lowest >= 1.0),
        ("allocation known to 0.5 %", f"{100.0 * widest:.2f} %", widest <= 0.005),
    ]
