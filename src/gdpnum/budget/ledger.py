"""The ledger of a budget: spend or refuse, read what is left, keep the state."""

from __future__ import annotations

import json
import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar

from gdpnum import _validate
from gdpnum.errors import GdpnumError, InvalidArgument
from gdpnum.mechanisms import Composed, Mechanism
from gdpnum.mechanisms.mechanism import checked, composed, repeat
from gdpnum.statements.description import parts_of, run_of
from gdpnum.strict_json import parsed

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

# Exact sums get longer with every new denominator; beyond so many bits they are rounded up.
_LONGEST = 4096

# Costs that are kept for the next time.
_MOST_KNOWN = 1024


class OverBudget(GdpnumError, RuntimeError):
    """A release would exceed the privacy budget; nothing was spent."""


class Ledger(ABC):
    """What was spent so far, exactly, and the rule that refuses what would be too much.

    The base of `Budget` and `RenyiBudget`; threads may share one.
    """

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

    _ARGUMENTS: ClassVar[tuple[str, ...]]
    """What makes a budget of this kind, which keeps each as a field with _ in front."""

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
            self._spent = shortened(self._spent + cost)
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
        return composed(terms) if terms else None

    def __len__(self) -> int:
        """How many releases were spent for."""
        with self._lock:
            return sum(self._parts.values())

    # --- around a loop --------------------------------------------------------------------------

    def guard(self, release: Callable[P, R], *, mechanism: Mechanism) -> Callable[P, R]:
        """The function that charges for a release, then makes it; `OverBudget` comes before it.

        >>> from gdpnum import Budget, Gaussian
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

        >>> from gdpnum import Budget, Gaussian
        >>> budget = Budget(mu=1.0)
        >>> len(list(budget.steps(range(100), mechanism=Gaussian(sigma=5.0))))
        25
        """
        for batch in _validate.iterable("batches", batches, advice="pass those of a loop"):
            try:
                self.spend(mechanism)
            except OverBudget:
                return
            yield batch

    @property
    def terms(self) -> dict[str, Any]:
        """What the budget is for, spent or not."""
        given = {name: getattr(self, f"_{name}") for name in self._ARGUMENTS}
        return {"budget": type(self).__name__, **given}

    # --- JSON -----------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The state: the terms, what was spent (exactly) and for what."""
        with self._lock:
            history = self.history
            state = {
                **self.terms,
                "spent": str(self._spent),
                "history": [] if history is None else parts_of(history),
            }
        return json.dumps(state, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The budget that `to_json` wrote."""
        try:
            state = parsed(text)
        except ValueError as error:
            raise InvalidArgument(
                f"text is no state of a budget ({error}); pass what to_json wrote"
            ) from None
        if not isinstance(state, dict) or state.get("budget") != cls.__name__:
            raise _not_a_state()
        budget = cls(**{name: state.get(name, math.nan) for name in cls._ARGUMENTS})
        budget._restore(state)
        return budget

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


def _not_a_state() -> InvalidArgument:
    return InvalidArgument("text is not the JSON state of such a budget; pass what to_json wrote")


def shortened(total: Fraction) -> Fraction:
    """An exact sum, rounded up to a multiple of 2^-1024 once it has grown long."""
    if total.denominator.bit_length() <= _LONGEST:
        return total
    return Fraction(-((-total.numerator << 1024) // total.denominator), 1 << 1024)
