"""What is asked: runs as segments (sigma, rate, steps), and what is known of them."""

import json
import math
from dataclasses import dataclass, field

from packages import ROOT

Segments = list[tuple[float, ...]]

DELTA = 1e-6
FPR = 1e-4

#: What a task needs beside the segments.
ASKED: dict[str, dict[str, float]] = {"mu": {}, "epsilon": {"delta": DELTA}, "tpr": {"fpr": FPR}}

#: A small request per task, made once in each process before the first that counts.
_SMALL = {"segments": [[5.0, 0.1, 10]]}
_SMALL_EPOCH = {
    "batches": "allocated",
    "noise_multiplier": 5.0,
    "steps_per_epoch": 10,
    "epochs": 1,
}
WARM_UPS = {
    **{task: {**_SMALL, **asked} for task, asked in ASKED.items()},
    "bracket": {**_SMALL, "delta": DELTA, "fpr": FPR, "accuracy": 1e-3},
    "calibration": {"rate": 0.1, "steps": 10, "epsilon": 1.0, "delta": 1e-5},
    "achieved": {"noise": 5.0, "rate": 0.1, "steps": 10, "mu": 1.0},
    "breakdown": {**_SMALL, "accuracy": 1e-3, "calls": 1},
    "step": {"calls": 10},
    "batches": {"run": _SMALL_EPOCH, "delta": 1e-5},
    "attacked": {"run": _SMALL_EPOCH, "delta": 1e-5},
}


@dataclass(frozen=True)
class Case:
    """What was run, and what is known of it: quantity -> (lower, upper)."""

    segments: Segments
    true: dict[str, tuple[float, float]] = field(default_factory=dict)
    title: str = ""

    @property
    def name(self) -> str:
        if self.title:
            return self.title
        if len(self.segments) > 3:
            return f"{len(self.segments)} distinct segments"
        return " + ".join(f"({s:g}, {q:g}, {t})" for s, q, t in self.segments)


def reference() -> list[Case]:
    """The tabulated runs; the paper's setting comes first."""
    table = json.loads((ROOT / "tests" / "reference" / "dpsgd.json").read_text())
    return [
        Case(
            [(s["noise_multiplier"], s["sample_rate"], s["num_steps"]) for s in entry["steps"]],
            {
                name: (entry[key] - entry[f"{key}_err"], entry[key] + entry[f"{key}_err"])
                for name, key in (
                    ("mu", "mu@1e-10"),
                    ("regret", "regret@1e-10"),
                    ("epsilon", "eps@1e-06"),
                )
            },
        )
        for entry in table
    ]


def paper() -> Case:
    """The run of the paper's Figure 1."""
    return reference()[0]


def schedule(count: int = 1000) -> Case:
    """A noise schedule: sigma from 0.8 to 2, rate 0.01, one to twenty steps at each level."""
    sigmas = [0.8 + 1.2 * i / max(1, count - 1) for i in range(count)]
    return Case([(sigma, 0.01, 1 + i % 20) for i, sigma in enumerate(sigmas)])


def topdown() -> Case:
    """The 2020 US census: ten discrete Gaussian queries (sigma, times) a level, rho 3.65 in all."""
    shares = (2.0, 27.4, 8.5, 13.1, 13.1, 23.8, 11.8, 0.3)
    sigmas = [math.sqrt(10 / (2.0 * share / 100.0 * 3.65)) for share in shares]
    return Case([(sigma, 10) for sigma in sigmas], title="TopDown")


def figure_3() -> list[list[float]]:
    """12 curves (sigma 1 to 4, T 400, 1000, 2000) of 60 rates on a log scale from 1e-3 to 0.9."""
    rates = [1e-3 * 900.0 ** (place / 59) for place in range(60)]
    return [
        [float(sigma), rate, steps]
        for sigma in (1, 2, 3, 4)
        for steps in (400, 1000, 2000)
        for rate in rates
    ]


#: Noise for a target: sampling rate, steps, and what is to be met.
TARGETS: list[dict[str, float]] = [
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
