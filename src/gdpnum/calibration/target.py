"""Targets: the privacy that a calibration is to meet, a class for each way of saying it.

A new target is a new class: it names itself, reads its number off a trade-off curve, and says which
Gaussian mechanism has a number. The search knows nothing else of it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, NamedTuple, final

from gdpnum import _validate
from gdpnum.account import as_curve, coarsened, estimated
from gdpnum.calibration.formula import formula_curves
from gdpnum.contour.estimate import about_epsilon, about_mu, about_tpr
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import BudgetExceeded, InvalidArgument
from gdpnum.formulas.conversions import mu_from_advantage, mu_from_epsilon_delta, mu_from_tpr
from gdpnum.measures.gdp import fit_gdp
from gdpnum.mechanisms.mechanism import Mechanism
from gdpnum.representations import ApproxDP

# Where the engine cannot keep a tolerance it is asked for coarser ones, until about this.
_COARSEST = 0.01

# An epsilon below this, or below this share of delta, is sought as 0: beside the delta it hardly
# counts, and a curve's rounding hides it.
_SMALLEST_EPSILON, _SMALLEST_SHARE = 1e-9, 1e-6


class Measured(NamedTuple):
    """An upper bound on what a mechanism achieves, its strength, and whether the engine has it."""

    value: float
    strength: float
    is_engines: bool


class Target(ABC):
    """A bound that a mechanism is to meet: ``kind`` at most ``value``, ``at`` a condition if any.

    ``at`` is the slack of a mu, the delta of an epsilon, the FPR of a TPR, None for an advantage.
    """

    kind: ClassVar[str]
    condition: ClassVar[str | None] = None
    value: float

    @property
    def at(self) -> float | None:
        """What the value holds at, if it needs one."""
        return None if self.condition is None else float(getattr(self, self.condition))

    def __str__(self) -> str:
        condition = "" if self.condition is None else f" at {self.condition}={self.at!r}"
        return f"{self.kind} <= {self.value!r}{condition}"

    @abstractmethod
    def read(self, curve: TradeoffCurve) -> float:
        """What a curve achieves, in the target's own unit."""

    @abstractmethod
    def strength(self, value: float) -> float:
        """The mu of the Gaussian mechanism with that value.

        In it a search runs: for DP-SGD it is nearly a power of the noise, the rate and the steps,
        where an epsilon or a TPR is not.
        """

    def allows(self, revealed: float) -> bool:
        """Whether a record may be revealed with that probability, nothing of it being seen else."""
        return self.read(ApproxDP(epsilon=0.0, delta=revealed).curve()) <= self.value

    @cached_property
    def mu(self) -> float:
        """The mu of the Gaussian mechanism that just meets the target."""
        return self.strength(self.value)

    @property
    def sought(self) -> Target:
        """What a search is to meet in its place: never weaker, and within reach of floats."""
        return self

    @property
    def counts_sampling(self) -> bool:
        """Whether a mechanism comes nearer the target by sampling."""
        return True

    def measured(self, mechanism: Mechanism, *, tolerance: float) -> Measured:
        """What a mechanism achieves, from above: by the engine or, failing that, by formula.

        Where the engine cannot keep the tolerance, a coarser one will do.
        """
        with suppress(BudgetExceeded):
            found = coarsened(
                lambda one: self._asked(mechanism, one), tolerance=tolerance, coarsest=_COARSEST
            )
            if math.isfinite(found.value):
                return found
        value = min(self.read(curve) for curve in formula_curves(mechanism))
        return Measured(value, self.strength(value), is_engines=False)

    def estimated(
        self,
        mechanisms: Sequence[Mechanism],  # noqa: ARG002
    ) -> list[tuple[float, bool]]:
        """About the strength of each, and whether that is to 1e-3 or so; none where unknown.

        Only where to look: what meets the target is measured.
        """
        return []

    def _asked(self, mechanism: Mechanism, tolerance: float) -> Measured:
        """What the engine says."""
        value = self.read(as_curve("mechanism", mechanism, tolerance=tolerance))
        return Measured(value, self.strength(value), is_engines=True)


@final
@dataclass(frozen=True)
class Mu(Target):
    """At most this mu, at a slack.

    >>> print(Mu(1.0, slack=1e-10))
    mu <= 1.0 at slack=1e-10
    """

    kind: ClassVar[str] = "mu"
    condition: ClassVar[str | None] = "slack"

    value: float
    slack: float = 1e-10

    def __post_init__(self) -> None:
        advice = "pass a mu above 0: only silence has mu = 0"
        _validate.settle(self, value=_validate.positive("mu", self.value, advice=advice))
        advice = "pass an allowance such as 1e-10"
        _validate.settle(self, slack=_validate.fraction("slack", self.slack, advice=advice))

    def read(self, curve: TradeoffCurve) -> float:
        return fit_gdp(curve, slack=self.slack).mu

    def strength(self, value: float) -> float:
        return value

    def allows(self, revealed: float) -> bool:
        # Mu is zero then, or infinite.
        return revealed <= self.slack

    @property
    def counts_sampling(self) -> bool:
        return self.slack > 0.0

    def estimated(self, mechanisms: Sequence[Mechanism]) -> list[tuple[float, bool]]:
        if self.slack == 0.0:
            return []
        return estimated(mechanisms, partial(about_mu, slack=self.slack))

    def _asked(self, mechanism: Mechanism, tolerance: float) -> Measured:
        # The fit itself: whoever asks for the mu of the answer is to find this one.
        mu = fit_gdp(mechanism, slack=self.slack, tolerance=tolerance).mu
        return Measured(mu, mu, is_engines=True)


@final
@dataclass(frozen=True)
class Epsilon(Target):
    """At most this epsilon, at a delta.

    >>> print(Epsilon(2.0, delta=1e-5))
    epsilon <= 2.0 at delta=1e-05
    """

    kind: ClassVar[str] = "epsilon"
    condition: ClassVar[str | None] = "delta"

    value: float
    delta: float

    def __post_init__(self) -> None:
        epsilon = _validate.non_negative("epsilon", self.value)
        delta = _validate.fraction("delta", self.delta, advice="pass a delta such as 1e-5")
        if epsilon == delta == 0.0:
            raise InvalidArgument(
                "epsilon=0.0 with delta=0.0 allows no release at all; pass a larger one"
            )
        _validate.settle(self, value=epsilon, delta=delta)

    def read(self, curve: TradeoffCurve) -> float:
        return curve.epsilon(self.delta)

    def strength(self, value: float) -> float:
        # Gaussians have no pure epsilon; it is as good a scale as any.
        if self.delta == 0.0 or math.isinf(value):
            return value
        return mu_from_epsilon_delta(value, self.delta)

    @property
    def sought(self) -> Target:
        """For an epsilon next to nothing, epsilon 0 at the same delta: a bound on the advantage."""
        is_tiny = self.value < max(_SMALLEST_EPSILON, _SMALLEST_SHARE * self.delta)
        return Epsilon(0.0, self.delta) if self.delta and is_tiny else self

    def estimated(self, mechanisms: Sequence[Mechanism]) -> list[tuple[float, bool]]:
        if self.value == 0.0 or self.delta == 0.0:
            return []
        # A strength takes long to compute: a power of epsilon that is right at the target will do.
        power = math.log(self.strength(0.999 * self.value) / self.mu) / math.log(0.999)
        found = estimated(mechanisms, partial(about_epsilon, delta=self.delta))
        return [(self.mu * (value / self.value) ** power, is_close) for value, is_close in found]

    def _asked(self, mechanism: Mechanism, tolerance: float) -> Measured:
        curve = as_curve("mechanism", mechanism, tolerance=tolerance)
        value = self.read(curve)
        if value == 0.0 and self.delta:
            # From here on a smaller loss shows in delta(0) only.
            strength = mu_from_advantage(min(curve.advantage, self.delta))
            return Measured(value, strength, is_engines=True)
        return Measured(value, self.strength(value), is_engines=True)


@final
@dataclass(frozen=True)
class Advantage(Target):
    """At most this advantage: TPR - FPR at any FPR.

    >>> print(Advantage(0.1))
    advantage <= 0.1
    """

    kind: ClassVar[str] = "advantage"

    value: float

    def __post_init__(self) -> None:
        _validate.settle(self, value=_strictly_between("advantage", self.value))

    def read(self, curve: TradeoffCurve) -> float:
        return curve.advantage

    def strength(self, value: float) -> float:
        return mu_from_advantage(value)


@final
@dataclass(frozen=True)
class TPR(Target):
    """At most this TPR, at an FPR.

    >>> print(TPR(0.1, fpr=0.01))
    tpr <= 0.1 at fpr=0.01
    """

    kind: ClassVar[str] = "tpr"
    condition: ClassVar[str | None] = "fpr"

    value: float
    fpr: float

    def __post_init__(self) -> None:
        fpr = _strictly_between("fpr", self.fpr)
        tpr = _strictly_between("tpr", self.value)
        if tpr <= fpr:
            raise InvalidArgument(
                f"tpr={tpr!r} is not above fpr={fpr!r}: guessing at random reaches that; "
                "pass a larger tpr, or exchange the two"
            )
        _validate.settle(self, value=tpr, fpr=fpr)

    def read(self, curve: TradeoffCurve) -> float:
        return curve.tpr(self.fpr)

    def strength(self, value: float) -> float:
        return mu_from_tpr(value, self.fpr) if value > self.fpr else 0.0

    def estimated(self, mechanisms: Sequence[Mechanism]) -> list[tuple[float, bool]]:
        found = estimated(mechanisms, partial(about_tpr, fpr=self.fpr))
        return [(self.strength(value), is_close) for value, is_close in found]


def stated(
    *,
    mu: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    advantage: float | None = None,
    tpr: float | None = None,
    fpr: float | None = None,
    slack: float = 1e-10,
    spelled: Callable[[str], str] = str,
) -> Target:
    """The one target among the arguments; ``spelled`` says what their user calls them."""
    kinds = {"mu": mu, "epsilon": epsilon, "advantage": advantage, "tpr": tpr}
    given = [spelled(kind) for kind, value in kinds.items() if value is not None]
    came = " and ".join(given) + " are given" if given else "no target is given"
    one, two, three, four, five, six = map(
        spelled, ("mu", "epsilon", "delta", "advantage", "tpr", "fpr")
    )
    not_one = InvalidArgument(
        f"{came}; pass one of {one}, {two} with {three}, {four}, or {five} with {six}"
    )
    if len(given) != 1:
        raise not_one
    for owner, owned, name, value in (
        ("epsilon", epsilon, "delta", delta),
        ("tpr", tpr, "fpr", fpr),
    ):
        if (value is None) != (owned is None):
            missing, present = (name, owner) if value is None else (owner, name)
            raise InvalidArgument(
                f"{spelled(present)} is given without {spelled(missing)}; pass both"
            )
    if mu is not None:
        return Mu(mu, slack)
    if advantage is not None:
        return Advantage(advantage)
    if tpr is not None and fpr is not None:
        return TPR(tpr, fpr)
    if epsilon is not None and delta is not None:
        return Epsilon(epsilon, delta)
    raise not_one


def _strictly_between(name: str, value: object) -> float:
    number = _validate.real(name, value, advice="pass a probability")
    if not 0.0 < number < 1.0:
        raise InvalidArgument(
            f"{name}={number!r} is outside (0, 1); pass a rate that some mechanisms meet "
            "and others do not"
        )
    return number
