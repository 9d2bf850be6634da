"""Cases with known answers, for tests to run the library against.

Two kinds. `REFERENCE` are DP-SGD runs whose numbers were computed elsewhere, to high precision,
in the limit of zero lattice step; every number comes with a bound on its error
(reference/dpsgd.json). `CLOSED_FORM` are mechanisms whose answer has a formula, written out to
all digits. test_catalogue.py checks both against the oracles.

Nothing here imports gdpnum: a case names its mechanism by class and arguments, so that
`getattr(gdpnum, case.family)(**case.arguments)` builds it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

SLACKS = (1e-6, 1e-8, 1e-10, 1e-12)
DELTAS = (1e-5, 1e-6)


class Known(NamedTuple):
    """A value and a bound on its error: the truth lies in [value - err, value + err]."""

    value: float
    err: float

    @property
    def lower(self) -> float:
        return self.value - self.err

    @property
    def upper(self) -> float:
        return self.value + self.err


class Segment(NamedTuple):
    """Equal DP-SGD steps: noise multiplier, sample rate, how many."""

    sigma: float
    rate: float
    steps: int


@dataclass(frozen=True)
class ReferenceRun:
    """A DP-SGD run (add/remove neighbours) with reference values."""

    segments: tuple[Segment, ...]
    record: Mapping[str, float] = field(repr=False)

    @property
    def name(self) -> str:
        """For a test's id: sigma-rate-steps, phases joined by +."""
        return "+".join(f"{s.sigma:g}-{s.rate:g}-{s.steps}" for s in self.segments)

    def mu(self, slack: float = 1e-10) -> Known:
        """Smallest mu with which the run is (mu, slack)-GDP; slack is one of SLACKS."""
        return self._known(f"mu@{slack:.0e}")

    def epsilon(self, delta: float) -> Known:
        """Smallest eps with delta(eps) <= delta; delta is one of DELTAS."""
        return self._known(f"eps@{delta:.0e}")

    @property
    def advantage(self) -> Known:
        """delta(0)."""
        return self._known("advantage")

    @property
    def regret(self) -> Known:
        """Regret of mu at slack 1e-10."""
        return self._known("regret@1e-10")

    def _known(self, key: str) -> Known:
        if key not in self.record:
            raise KeyError(f"{key} is not tabulated; {sorted(self.record)} are")
        return Known(self.record[key], self.record[f"{key}_err"])


@dataclass(frozen=True)
class ClosedFormCase:
    """A mechanism (add/remove neighbours) with a formula for its curve."""

    family: str
    """Class in the gdpnum namespace."""
    arguments: Mapping[str, float]
    mu: float
    """Smallest mu at slack zero."""
    advantage: float
    """delta(0)."""
    regret: float
    """Regret of that mu."""

    @property
    def name(self) -> str:
        """For a test's id."""
        return "-".join([self.family, *(f"{value:g}" for value in self.arguments.values())])


def _reference() -> tuple[ReferenceRun, ...]:
    path = Path(__file__).parent / "reference" / "dpsgd.json"
    runs = []
    for entry in json.loads(path.read_text()):
        steps = entry.pop("steps")
        segments = tuple(
            Segment(s["noise_multiplier"], s["sample_rate"], s["num_steps"]) for s in steps
        )
        runs.append(ReferenceRun(segments, MappingProxyType(entry)))
    return tuple(runs)


REFERENCE = _reference()
PAPER = REFERENCE[0]
"""The setting of the paper's main table: sigma = 9.4, q = 0.32768, 2000 steps."""


CLOSED_FORM = (
    # Gaussian: mu = 1/sigma, eta = 2 Phi(mu/2) - 1, and mu says it all.
    ClosedFormCase("Gaussian", {"sigma": 0.3}, 1 / 0.3, 0.9044192954543706, 0.0),
    ClosedFormCase("Gaussian", {"sigma": 1.0}, 1.0, 0.3829249225480262, 0.0),
    ClosedFormCase("Gaussian", {"sigma": 2.5}, 0.4, 0.15851941887820603, 0.0),
    ClosedFormCase("Gaussian", {"sigma": 40.0}, 0.025, 0.009973297288075944, 0.0),
    # Laplace: eta = 1 - exp(-1/(2 scale)); mu from the curve's middle, -2 Phi^-1((1 - eta)/2).
    ClosedFormCase(
        "Laplace", {"scale": 0.5}, 1.8009051932755806, 0.6321205588285577, 0.03016253476068954
    ),
    ClosedFormCase(
        "Laplace", {"scale": 1.0}, 1.030063997624434, 0.3934693402873666, 0.037016111322171356
    ),
    ClosedFormCase(
        "Laplace", {"scale": 4.0}, 0.295609393498889, 0.1175030974154046, 0.016146639532646754
    ),
    # Pure eps-DP: mu = -2 Phi^-1(1/(e^eps + 1)), eta = tanh(eps/2).
    ClosedFormCase(
        "PureDP", {"epsilon": 0.1}, 0.1253090122116076, 0.04995837495787998, 0.007539581150155765
    ),
    ClosedFormCase(
        "PureDP", {"epsilon": 1.0}, 1.2320353853449009, 0.46211715726000974, 0.05754639605009339
    ),
    ClosedFormCase(
        "PureDP", {"epsilon": 5.0}, 4.9466784455956585, 0.9866142981514303, 0.005967116876035897
    ),
    ClosedFormCase(
        "RandomizedResponse",
        {"epsilon": 1.0, "categories": 2},
        1.2320353853449009,
        0.46211715726000974,
        0.05754639605009339,
    ),
    ClosedFormCase(
        "RandomizedResponse",
        {"epsilon": 1.0, "categories": 10},
        0.6376662106314497,
        0.14663257409341549,
        0.051757176483894406,
    ),
    # Integer noise and a unit shift leave two losses only, +-1/scale: pure 1/scale-DP.
    ClosedFormCase(
        "DiscreteLaplace",
        {"scale": 2.0},
        0.6238925920985082,
        0.24491866240370913,
        0.03524088195732503,
    ),
)
