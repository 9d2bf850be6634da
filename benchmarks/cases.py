"""What is timed: settings as (sigma, rate, steps) segments, and the true mu where it is known."""

import json
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

Segments = list[tuple[float, float, int]]


@dataclass(frozen=True)
class Case:
    """A DP-SGD run, with the bracket of its true mu at slack 1e-10 if that is tabulated."""

    segments: Segments
    true_mu: float | None = None
    true_mu_err: float = 0.0

    @property
    def name(self) -> str:
        if len(self.segments) > 3:
            return f"{len(self.segments)} distinct segments"
        return " + ".join(f"({s:g}, {q:g}, {t})" for s, q, t in self.segments)

    def is_wrong(self, mu: float) -> bool:
        """Whether mu claims more privacy than there is."""
        return self.true_mu is not None and mu < self.true_mu - self.true_mu_err


def reference() -> list[Case]:
    """The tabulated runs; the paper's setting comes first."""
    table = json.loads((ROOT / "tests" / "reference" / "dpsgd.json").read_text())
    return [
        Case(
            [(s["noise_multiplier"], s["sample_rate"], s["num_steps"]) for s in entry["steps"]],
            entry["mu@1e-10"],
            entry["mu@1e-10_err"],
        )
        for entry in table
    ]


#: Rare participation and many steps, where a lattice fit for the bulk is too long for the tail.
EXTREME = [
    Case([(0.614, 4e-5, 100_000)]),
    Case([(0.6, 1e-5, 100_000)]),
    Case([(1.0, 1e-5, 1_000_000)]),
    Case([(0.5, 1e-6, 1_000_000)]),
]


def schedule(count: int = 1000) -> Case:
    """A noise schedule: sigma from 0.8 to 2, rate 0.01, one to twenty steps at each level."""
    sigmas = [0.8 + 1.2 * i / (count - 1) for i in range(count)]
    return Case([(sigma, 0.01, 1 + i % 20) for i, sigma in enumerate(sigmas)])
