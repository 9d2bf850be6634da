"""Adaptive budgets: releases whose noise is chosen as one goes, refused before they exceed a mu.

    budget = gdpnum.Budget(mu=1.0)
    while budget.can_spend(step):
        budget.spend(step)       # first, then release
        ...

An accountant adds up what was fixed in advance. Where each release is chosen after seeing the ones
before, that sum is a random number, and only a rule that stops in time (a *filter*) bounds it. For
releases that are mu_t-GDP without slack, mu_t chosen before the release, stopping before
sum mu_t^2 exceeds mu^2 leaves the whole mu-GDP. Sources: Smith and Thakurta 2022; Koskela et al.
2022; docs/proofs_person.md. No such rule holds for curves in general (arXiv 2602.06756).
"""

from __future__ import annotations

import json
import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, ParamSpec, TypeVar, final

import numpy as np

from gdpnum import _validate
from gdpnum.errors import GdpnumError, InvalidArgument, UnsupportedMechanism
from gdpnum.loss.dominating import gaussian_mu, infinite_mass
from gdpnum.measures.closed_form import mu_of_release
from gdpnum.measures.renyi import renyi_epsilons
from gdpnum.mechanisms import BestOf, Composed, Gaussian, Mechanism, PoissonSampled
from gdpnum.mechanisms.composition import repeat
from gdpnum.mechanisms.mechanism import checked
from gdpnum.person_charges import budget_root_down, budget_root_up, budget_total_up
from gdpnum.representations import GDP, KnownCurve
from gdpnum.statements.description import parts_of, run_of

__all__ = ["Budget", "OverBudget", "RenyiBudget"]

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

# Costs that are kept for the next time.
_MOST_KNOWN = 1024


class OverBudget(GdpnumError, RuntimeError):
    """A release would exceed the privacy budget; nothing was spent."""


class _Ledger(ABC):
    """What was spent so far, exactly, and the rule that refuses what would be too much."""

    def __init__(self, total: Fraction) -> None:
        self._total = total
        self._spent = Fraction(0)
        self._parts: dict[Mechanism, int] = {}
        self._costs: dict[Mechanism, Fraction] = {}
        self._lock = threading.RLock()

    # --- what each kind of budget provides ------------------------------------------------------

    @abstractmethod
    def _cost(self, leaf: Mechanism) -> Fraction:
        """What one release of a leaf costs, from above; raises where no rule holds for it."""

    @abstractmethod
    def _refusal(self, mechanism: Mechanism) -> str: ...

    @abstractmethod
    def _terms(self) -> dict[str, Any]:
        """What makes a budget of this kind, for its JSON state."""

    # --- spending -------------------------------------------------------------------------------

    def can_spend(self, mechanism: Mechanism) -> bool:
        """Whether the budget covers this release besides all before."""
        cost = self._price(mechanism)
        with self._lock:
            return self._spent + cost <= self._total

    def spend(self, mechanism: Mechanism) -> None:
        """Charge for a release, before it is made.

        Raises `OverBudget` where that would exceed the budget; then nothing is charged, nothing may
        be released, and a smaller release may still be covered.
        """
        cost = self._price(mechanism)
        with self._lock:
            if self._spent + cost > self._total:
                raise OverBudget(self._refusal(mechanism))
            self._spent = budget_total_up(self._spent + cost)
            for leaf, count in mechanism.parts:
                self._parts[leaf] = self._parts.get(leaf, 0) + count

    def _price(self, mechanism: Mechanism) -> Fraction:
        checked("mechanism", mechanism)
        self._check_relation(mechanism)
        return sum((count * self._known(leaf) for leaf, count in mechanism.parts), Fraction(0))

    def _known(self, leaf: Mechanism) -> Fraction:
        """The cost of a leaf; a training loop asks for the same one every step."""
        with self._lock:
            if len(self._costs) > _MOST_KNOWN:
                self._costs.clear()
            if leaf not in self._costs:
                self._costs[leaf] = self._cost(leaf)
            return self._costs[leaf]

    def _check_relation(self, mechanism: Mechanism) -> None:
        with self._lock:
            named = [leaf for leaf in self._parts if leaf.neighbouring is not None][:1]
        if named and mechanism.parts:
            Composed([*named, mechanism])  # refuses to mix relations or units

    # --- reading --------------------------------------------------------------------------------

    @property
    def history(self) -> Mechanism | None:
        """All that was spent for, as one mechanism, equal releases merged; None before the first.

        A description, not an account: its releases were chosen as one went, so the numbers of a
        fixed composition are not its guarantee. The budget is.
        """
        with self._lock:
            terms = [repeat(leaf, count) for leaf, count in self._parts.items()]
        if not terms:
            return None
        return terms[0] if len(terms) == 1 else Composed(terms)

    def __len__(self) -> int:
        """How many releases were spent for."""
        with self._lock:
            return sum(self._parts.values())

    # --- around a loop --------------------------------------------------------------------------

    def guard(self, release: Callable[P, R], *, mechanism: Mechanism) -> Callable[P, R]:
        """The function that charges for a release, then makes it; `OverBudget` comes before it.

        >>> noisy = Budget(mu=1.0).guard(lambda x: x, mechanism=Gaussian(sigma=1.0))
        >>> noisy(3)
        3
        """
        checked("mechanism", mechanism)

        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            self.spend(mechanism)
            return release(*args, **kwargs)

        return guarded

    def steps(self, batches: Iterable[T], *, mechanism: Mechanism) -> Iterator[T]:
        """The batches of a training loop, each charged before it is handed out, while they last.

        >>> budget = Budget(mu=1.0)
        >>> len(list(budget.steps(range(100), mechanism=Gaussian(sigma=5.0))))
        25
        """
        for batch in batches:
            try:
                self.spend(mechanism)
            except OverBudget:
                return
            yield batch

    @property
    def terms(self) -> dict[str, Any]:
        """What the budget is for, spent or not."""
        return self._terms()

    # --- JSON -----------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The state: the terms, what was spent (exactly) and for what."""
        with self._lock:
            history = self.history
            state = {
                **self._terms(),
                "spent": str(self._spent),
                "history": [] if history is None else parts_of(history),
            }
        return json.dumps(state, allow_nan=False)

    def _restore(self, state: dict[str, Any]) -> None:
        try:
            spent = Fraction(state["spent"])
            history = state["history"]
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise _not_a_state() from None
        if not 0 <= spent <= self._total or not isinstance(history, list):
            raise _not_a_state()
        run = run_of(history) if history else None
        owed = self._price(run) if run is not None else Fraction(0)
        # A state that claims less than its own history cost was tampered with.
        self._spent = max(spent, owed)
        self._parts = dict(run.parts) if run is not None else {}


@final
class Budget(_Ledger):
    """A filter and an odometer for releases that are mu_t-GDP without slack.

    Guarantee: however the releases were chosen, each after seeing the outcomes of those before, all
    that was released is mu-GDP for the relation and the unit of the releases, provided that each
    was spent for before it was made.

    Takes Gaussian noise, correlated noise, and whatever has a mu at slack 0 (Laplace noise, pure
    DP, ``GDP(mu=...)``). Refuses what is known with slack or by a curve, for which stopping rules
    are invalid (arXiv 2602.06756), and sampled steps, whose mu without slack ignores the sampling:
    `RenyiBudget` is for those. Sums are exact; threads may share a budget.

    >>> budget = Budget(mu=1.0)
    >>> for mu in (0.6, 0.6, 0.5):
    ...     budget.spend(GDP(mu=mu))
    >>> budget.can_spend(GDP(mu=0.17)), budget.can_spend(GDP(mu=0.18))
    (True, False)
    >>> f"{budget.spent:.4f} {budget.remaining:.4f}"
    '0.9849 0.1732'
    """

    def __init__(self, *, mu: float) -> None:
        self._mu = _validate.non_negative("mu", mu, advice="pass the mu of the whole")
        super().__init__(Fraction(self._mu) ** 2)

    @property
    def mu(self) -> float:
        """The mu of the whole."""
        return self._mu

    @property
    def spent(self) -> float:
        """The mu of what was released so far, from above."""
        with self._lock:
            return budget_root_up(self._spent)

    @property
    def remaining(self) -> float:
        """The mu of the largest release that is still covered, from below."""
        with self._lock:
            return budget_root_down(self._total - self._spent)

    def __repr__(self) -> str:
        return f"Budget(mu={self._mu!r}, spent={self.spent!r})"

    @classmethod
    def from_json(cls, text: str) -> Budget:
        """The budget that `to_json` wrote."""
        state = _state(text, "Budget")
        budget = cls(mu=state.get("mu", math.nan))
        budget._restore(state)
        return budget

    def _terms(self) -> dict[str, Any]:
        return {"budget": "Budget", "mu": self._mu}

    def _cost(self, leaf: Mechanism) -> Fraction:
        _refuse_unfilterable(leaf)
        if isinstance(leaf, Gaussian):
            # Exactly: twenty-five releases at sigma 5 fill a budget of one.
            return (4 if leaf.neighbouring == "replace" else 1) / Fraction(leaf.sigma) ** 2
        if isinstance(leaf, PoissonSampled) and isinstance(leaf.inner, Gaussian):
            return self._cost(leaf.inner) * leaf.records_per_person**2 if leaf.rate else Fraction(0)
        mu = gaussian_mu(leaf)
        mu = mu_of_release(leaf) if mu is None else mu
        if math.isinf(mu):
            raise UnsupportedMechanism(f"{leaf!r} has no finite mu without slack")
        return Fraction(mu) ** 2

    def _refusal(self, mechanism: Mechanism) -> str:
        return (
            f"{mechanism!r} would exceed the budget mu={self._mu!r}: what remains is "
            f"mu={self.remaining!r}; release it with more noise, or not at all"
        )


@final
class RenyiBudget(_Ledger):
    """A filter for any releases with Renyi divergences, sampled steps among them.

    Guarantee: however the releases were chosen, all that was released is (epsilon, delta)-DP,
    provided that each was spent for before it was made. The divergences of one ``order``, fixed in
    advance, are added up and kept below what that order allows (Feldman and Zrnic 2021). This is
    looser than the curve of a fixed composition: the price of choosing as one goes. Without an
    order it is the one that covers most releases of the kind that is ``expected``, by default
    Gaussian noise; what is then released need not be of that kind.

    >>> step = PoissonSampled(Gaussian(sigma=1.0), rate=0.01)
    >>> budget = RenyiBudget(epsilon=2.0, delta=1e-5, expected=step)
    >>> sum(1 for _ in budget.steps(range(10_000), mechanism=step)) > 500
    True
    """

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        order: float | None = None,
        expected: Mechanism | None = None,
    ) -> None:
        self._epsilon = _validate.positive(
            "epsilon", epsilon, advice="pass the epsilon of the whole"
        )
        self._delta = _validate.probability("delta", delta, advice="pass the delta of the whole")
        if not 0.0 < self._delta < 1.0:
            raise InvalidArgument(
                f"delta={self._delta!r} is not inside (0, 1); pass one such as 1e-5"
            )
        if order is None:
            order = _best_order(self._epsilon, self._delta, expected)
        elif expected is not None:
            raise InvalidArgument(f"order={order!r} is given beside expected; pass one of the two")
        self._order = _validate.real("order", order, advice="pass a Renyi order above 1")
        if not 1.0 < self._order <= 1e6:
            raise InvalidArgument(f"order={self._order!r} is outside (1, 1e6]; pass one in it")
        allowed = _allowed(self._epsilon, self._delta, self._order)
        if allowed <= 0.0:
            raise InvalidArgument(
                f"order={self._order!r} allows nothing at epsilon={self._epsilon!r} and "
                f"delta={self._delta!r}; pass a larger order"
            )
        super().__init__(Fraction(allowed))

    @property
    def order(self) -> float:
        """The Renyi order that is kept."""
        return self._order

    def epsilon_at(self, delta: float) -> float:
        """The epsilon of the whole at another delta, from above."""
        delta = _validate.probability("delta", delta, advice="pass a delta such as 1e-5")
        if delta == 0.0:
            return math.inf
        # What the order allows for epsilon 0, taken from what is allowed in all.
        return max(0.0, float(self._total) - _allowed(0.0, min(delta, 1.0), self._order)) * (
            1.0 + 2.0**-40
        )

    @property
    def spent(self) -> float:
        """The divergence so far, from above."""
        with self._lock:
            return math.nextafter(float(self._spent), math.inf) if self._spent else 0.0

    @property
    def remaining(self) -> float:
        """The divergence that is still covered, from below."""
        with self._lock:
            left = self._total - self._spent
            return max(0.0, math.nextafter(float(left), -math.inf)) if left else 0.0

    def __repr__(self) -> str:
        return (
            f"RenyiBudget(epsilon={self._epsilon!r}, delta={self._delta!r}, "
            f"order={self._order!r}, spent={self.spent!r})"
        )

    @classmethod
    def from_json(cls, text: str) -> RenyiBudget:
        """The budget that `to_json` wrote."""
        state = _state(text, "RenyiBudget")
        budget = cls(**{key: state.get(key, math.nan) for key in ("epsilon", "delta", "order")})
        budget._restore(state)
        return budget

    def _terms(self) -> dict[str, Any]:
        return {
            "budget": "RenyiBudget",
            "epsilon": self._epsilon,
            "delta": self._delta,
            "order": self._order,
        }

    def _cost(self, leaf: Mechanism) -> Fraction:
        found = float(renyi_epsilons(leaf, np.array([self._order]))[0])
        if math.isinf(found):
            raise UnsupportedMechanism(
                f"{leaf!r} has an infinite Renyi divergence: it may reveal everything, and "
                "no filter holds for it (arXiv 2602.06756)"
            )
        return Fraction(found)

    def _refusal(self, mechanism: Mechanism) -> str:
        return (
            f"{mechanism!r} would exceed the budget of (epsilon, delta)="
            f"({self._epsilon!r}, {self._delta!r}): what remains is a divergence of "
            f"{self.remaining!r} at order {self._order!r}; release it with more "
            "noise, or not at all"
        )


def _allowed(epsilon: float, delta: float, order: float) -> float:
    """The divergence at one order that gives (epsilon, delta)-DP, from below.

    Canonne, Kamath and Steinke 2020, Proposition 12, solved for the divergence.
    """
    gained = (math.log(delta * order) - (order - 1.0) * math.log1p(-1.0 / order)) / (order - 1.0)
    return epsilon + gained - 2.0**-44 * (epsilon + abs(gained))


def _best_order(epsilon: float, delta: float, expected: Mechanism | None) -> float:
    """The order at which most releases of a kind are allowed."""
    orders = 1.0 + np.geomspace(1e-2, 1e3, 400)
    costs = orders if expected is None else renyi_epsilons(checked("expected", expected), orders)
    allowed = np.array([_allowed(epsilon, delta, order) for order in orders.tolist()])
    return float(orders[int(np.argmax(allowed / np.maximum(costs, 1e-300)))])


def _refuse_unfilterable(leaf: Mechanism) -> None:
    if isinstance(leaf, PoissonSampled) and leaf.rate < 1.0:
        raise UnsupportedMechanism(
            f"{leaf!r} is a sampled step: without slack its mu ignores the sampling, and a "
            "stopping rule on curves is invalid (arXiv 2602.06756); use RenyiBudget, which is "
            "looser than a plan fixed in advance, or fix the plan and use fit_gdp"
        )
    known = isinstance(leaf, KnownCurve) and gaussian_mu(leaf) is None
    slack = isinstance(leaf, GDP) and leaf.slack > 0.0
    if known or slack or isinstance(leaf, BestOf) or infinite_mass(leaf) > 0.0:
        raise UnsupportedMechanism(
            f"{leaf!r} is known by a curve or with slack, and a rule that stops when composed "
            "curves cross a target does not keep it: which curve comes next may depend on the "
            "outcomes (arXiv 2602.06756); spend for what is mu-GDP without slack, or fix the plan "
            "in advance and use fit_gdp"
        )


def _state(text: str, kind: str) -> dict[str, Any]:
    try:
        state = json.loads(text)
    except (TypeError, ValueError):
        raise _not_a_state() from None
    if not isinstance(state, dict) or state.get("budget") != kind:
        raise _not_a_state()
    return state


def _not_a_state() -> InvalidArgument:
    return InvalidArgument(
        "the text is not the JSON state of such a budget; pass what to_json wrote"
    )
