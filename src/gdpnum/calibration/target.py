"""Target: the privacy that a calibration is to meet."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar, final

from gdpnum import _validate
from gdpnum.account import as_curve, coarsened
from gdpnum.calibration.formula import formula_curves
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import BudgetExceeded, InvalidArgument
from gdpnum.formulas.conversions import mu_from_advantage, mu_from_epsilon_delta, mu_from_tpr
from gdpnum.measures.gdp import fit_gdp
from gdpnum.measures.unslacked import mu_without_slack
from gdpnum.mechanisms.mechanism import Mechanism

__all__ = ["Kind", "Target", "stated"]

T = TypeVar("T")

Kind = Literal["mu", "epsilon", "advantage", "tpr"]

_CONDITION = {"mu": "slack", "epsilon": "delta", "tpr": "fpr"}

# Where the engine cannot keep a tolerance it is asked for coarser ones, until about this.
_COARSEST = 0.01

# An epsilon below this, or below this share of delta, is sought as 0: beside the delta it hardly
# counts, and a curve's rounding hides it.
_SMALLEST_EPSILON, _SMALLEST_SHARE = 1e-9, 1e-6

# From this mu on a curve's misses are too few to be told from its TPR; the fit itself can.
_LARGE_MU = 4.0


@final
@dataclass(frozen=True)
class Target:
    """A bound that a mechanism is to meet: ``kind`` at most ``value``.

    ``at`` is the slack of a mu, the delta of an epsilon, the FPR of a TPR, and None for an
    advantage.

    >>> Target("epsilon", 2.0, at=1e-5)
    Target(epsilon <= 2.0 at delta=1e-05)
    """

    kind: Kind
    value: float
    at: float | None = None

    def __repr__(self) -> str:
        return f"Target({self})"

    def __str__(self) -> str:
        condition = "" if self.at is None else f" at {_CONDITION[self.kind]}={self.at!r}"
        return f"{self.kind} <= {self.value!r}{condition}"

    @property
    def mu(self) -> float:
        """The mu of the Gaussian mechanism that just meets the target."""
        return self.strength(self.value)

    @property
    def sought(self) -> Target:
        """What a search is to meet in its place: never weaker, and within reach of floats.

        For an epsilon next to nothing it is epsilon 0 at the same delta, a bound on the advantage.
        """
        if self.kind != "epsilon" or not self.at:
            return self
        is_tiny = self.value < max(_SMALLEST_EPSILON, _SMALLEST_SHARE * self.at)
        return Target("epsilon", 0.0, at=self.at) if is_tiny else self

    def strength(self, value: float) -> float:
        """The mu of the Gaussian mechanism with that value; for a pure epsilon, epsilon itself.

        In it a search runs: for DP-SGD it is nearly a power of the noise, the rate and the steps,
        where an epsilon or a TPR is not.
        """
        if self.kind == "mu" or math.isinf(value) or self.at == 0.0:
            return value
        if self.kind == "advantage":
            return mu_from_advantage(value)
        if self.kind == "tpr":
            return mu_from_tpr(value, self._place)
        return mu_from_epsilon_delta(value, self._place)

    @property
    def _place(self) -> float:
        """What the value holds at: a slack, a delta or an FPR."""
        if self.at is None:
            name = _CONDITION[self.kind]
            raise InvalidArgument(f"{self.kind} is given without {name}; pass both")
        return self.at

    def read(self, curve: TradeoffCurve) -> float:
        """What a curve achieves, in the target's own unit."""
        if self.kind == "advantage":
            return curve.advantage
        if self.kind == "epsilon":
            return curve.epsilon(self._place)
        if self.kind == "tpr":
            return curve.tpr(self._place)
        return fit_gdp(curve, slack=self._place).mu

    def measured(self, mechanism: Mechanism, *, tolerance: float) -> tuple[float, float]:
        """An upper bound on what a mechanism achieves, and its strength.

        The better of the engine's and of those by formula. Where the engine cannot keep the
        tolerance, a coarser one will do.
        """
        formula = self._by_formula(mechanism)
        if self.kind == "mu":
            mu = min(formula, self._mu(mechanism, tolerance))
            return mu, mu
        curve = _kept(lambda one: as_curve("mechanism", mechanism, tolerance=one), tolerance)
        value = math.inf if curve is None else self.read(curve)
        if curve is not None and value == 0.0 and self.kind == "epsilon" and self.at:
            # From here on a smaller loss shows in delta(0) only.
            return value, mu_from_advantage(min(curve.advantage, self.at))
        value = min(value, formula)
        return value, self.strength(value)

    def has_bound(self, mechanism: Mechanism, *, tolerance: float) -> bool:
        """Whether the engine has a bound on what a mechanism achieves, and not only a formula."""
        if self.kind == "mu":
            return math.isfinite(self._mu(mechanism, tolerance))
        return (
            _kept(lambda one: as_curve("mechanism", mechanism, tolerance=one), tolerance)
            is not None
        )

    def confirmed(self, mechanism: Mechanism, value: float, *, tolerance: float) -> float:
        """A value so close to the target that the bound of `fit_gdp`, a little looser, decides.

        Either is valid. But whoever asks for the mu of the answer is to find that it is met.
        """
        if self.kind != "mu" or not self.at:
            return value
        try:
            return max(value, fit_gdp(mechanism, slack=self.at, tolerance=tolerance).mu)
        except BudgetExceeded:
            return value

    def _mu(self, mechanism: Mechanism, tolerance: float) -> float:
        slack = self._place
        if slack == 0.0:
            return mu_without_slack(mechanism)

        def mu(tolerance: float) -> float:
            if self.value > _LARGE_MU:
                return fit_gdp(mechanism, slack=slack, tolerance=tolerance).mu
            return self.read(as_curve("mechanism", mechanism, tolerance=tolerance))

        found = _kept(mu, tolerance)
        return math.inf if found is None else found

    def _by_formula(self, mechanism: Mechanism) -> float:
        return min(self.read(curve) for curve in formula_curves(mechanism))


def stated(
    *,
    mu: float | None,
    epsilon: float | None,
    delta: float | None,
    advantage: float | None,
    tpr: float | None,
    fpr: float | None,
    slack: float,
) -> Target:
    """The one target among the arguments, checked."""
    kinds = {"mu": mu, "epsilon": epsilon, "advantage": advantage, "tpr": tpr}
    given = [kind for kind, value in kinds.items() if value is not None]
    if len(given) != 1:
        came = " and ".join(given) + " are given" if given else "no target is given"
        raise InvalidArgument(
            f"{came}; pass one of mu, epsilon with delta, advantage, or tpr with fpr"
        )
    _refuse_stray("delta", delta, "epsilon", epsilon)
    _refuse_stray("fpr", fpr, "tpr", tpr)
    if mu is not None:
        mu = _validate.positive("mu", mu, advice="pass a mu above 0: only silence has mu = 0")
        slack = _validate.fraction("slack", slack, advice="pass an allowance such as 1e-10")
        return Target("mu", mu, at=slack)
    if advantage is not None:
        return Target("advantage", _strictly_between("advantage", advantage))
    if tpr is not None:
        fpr = _strictly_between("fpr", fpr)
        tpr = _strictly_between("tpr", tpr)
        if tpr <= fpr:
            raise InvalidArgument(
                f"tpr={tpr!r} is not above fpr={fpr!r}: guessing at random reaches that; "
                "pass a larger tpr"
            )
        return Target("tpr", tpr, at=fpr)
    epsilon = _validate.non_negative("epsilon", epsilon)
    delta = _validate.fraction("delta", delta, advice="pass a delta such as 1e-5")
    if epsilon == delta == 0.0:
        raise InvalidArgument(
            "epsilon=0.0 with delta=0.0 allows no release at all; pass a larger one"
        )
    return Target("epsilon", epsilon, at=delta)


def _refuse_stray(name: str, value: float | None, owner: str, owned: float | None) -> None:
    if (value is None) != (owned is None):
        missing, present = (name, owner) if value is None else (owner, name)
        raise InvalidArgument(f"{present} is given without {missing}; pass both")


def _strictly_between(name: str, value: object) -> float:
    number = _validate.real(name, value, advice="pass a probability")
    if not 0.0 < number < 1.0:
        raise InvalidArgument(
            f"{name}={number!r} is outside (0, 1); pass a rate that some mechanisms meet "
            "and others do not"
        )
    return number


def _kept(ask: Callable[[float], T], tolerance: float) -> T | None:
    """The answer at this tolerance or a coarser one that the engine can keep, if there is one."""
    try:
        return coarsened(ask, tolerance=tolerance, coarsest=_COARSEST)
    except BudgetExceeded:
        return None
