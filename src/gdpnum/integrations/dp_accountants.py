"""Accountants of dp-accounting: what theirs have composed, and one of ours among them."""

from __future__ import annotations

from functools import cache
from typing import Any

from gdpnum import _validate
from gdpnum._optional import imported
from gdpnum.account import tradeoff_curve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import BudgetExceeded, GdpnumError, InvalidArgument, InvalidType
from gdpnum.integrations.dp_event_leaves import REVEALS
from gdpnum.integrations.dp_events import described, relation_of, warn_if_relabelled
from gdpnum.mechanisms import Mechanism

__all__ = ["CurveAccountant", "accountant_class", "from_dp_accountant"]


def from_dp_accountant(accountant: object) -> Mechanism:
    """What an accountant of dp-accounting has composed so far, for its neighbouring relation.

    It is read from the ``ledger``, so how the accountant itself accounts for it does not matter.
    Of "replace_special" it warns as `from_dp_event` does.

    >>> from collections import namedtuple
    >>> from types import SimpleNamespace
    >>> Noise = namedtuple("Noise", "class_name noise_multiplier")
    >>> accountant = SimpleNamespace(
    ...     ledger=Noise("GaussianDpEvent", 2.0),
    ...     neighboring_relation=SimpleNamespace(name="REPLACE_ONE"),
    ... )
    >>> from_dp_accountant(accountant)
    Gaussian(sigma=2.0, neighbouring='replace')
    """
    source: Any = accountant
    if not (hasattr(source, "ledger") and hasattr(source, "neighboring_relation")):
        raise InvalidType(
            f"accountant={_validate.brief(accountant)} has no ledger and neighboring_relation; "
            "pass a PrivacyAccountant of dp-accounting, or an event to from_dp_event"
        )
    ledger = source.ledger
    if type(ledger).__name__ == "NoOpDpEvent":
        raise InvalidArgument(
            "the accountant's ledger is empty; compose the events of the run first"
        )
    relation = relation_of(source.neighboring_relation)
    run = described(ledger, relation)
    warn_if_relabelled(run, relation)
    return run


class CurveAccountant:
    """What makes a ``PrivacyAccountant`` account by trade-off curves.

    ``get_epsilon`` and ``get_delta`` are upper bounds that hold as printed, to a relative
    ``tolerance`` in mu; where doubles cannot tell the loss from everything, they are infinity and
    one. ``mechanism`` is what was composed, for `fit_gdp` and all else.
    """

    ledger: Any
    CompositionErrorDetails: Any
    neighboring_relation: Any

    def __init__(self, neighboring_relation: Any = None, *, tolerance: float = 1e-3) -> None:
        if neighboring_relation is None:
            package = imported("dp_accounting", extra="dp-accounting")
            neighboring_relation = package.NeighboringRelation.ADD_OR_REMOVE_ONE
        base: Any = super()
        base.__init__(neighboring_relation)
        self._tolerance = tolerance
        self._known: TradeoffCurve | None = None

    @property
    def mechanism(self) -> Mechanism:
        """What was composed so far; ``PureDP(epsilon=0.0)`` if nothing was."""
        relation = relation_of(self.neighboring_relation)
        run = described(self.ledger, relation)
        warn_if_relabelled(run, relation)
        return run

    def get_epsilon(self, target_delta: float) -> float:
        """The smallest epsilon at that delta, from above; infinite for a non-private event."""
        return self._curve().epsilon(target_delta)

    def get_delta(self, target_epsilon: float) -> float:
        """The smallest delta at that epsilon, from above."""
        return self._curve().delta(target_epsilon)

    def _curve(self) -> TradeoffCurve:
        if self._known is None:
            try:
                # Numbers have no label, so nothing is to be warned of.
                run = described(self.ledger, relation_of(self.neighboring_relation))
                self._known = tradeoff_curve(run, tolerance=self._tolerance)
            except BudgetExceeded:
                # With next to no noise; a search for enough of it must be able to go on.
                self._known = REVEALS.curve()
        return self._known

    def _maybe_compose(self, event: object, count: int, do_compose: bool) -> Any:  # noqa: ARG002
        # The base keeps the ledger, from which all else is read.
        if do_compose:
            self._known = None
            return None
        try:
            described(event, relation_of(self.neighboring_relation))
        except GdpnumError as error:
            return self.CompositionErrorDetails(invalid_event=event, error_message=str(error))
        return None


@cache
def accountant_class() -> type[CurveAccountant]:
    """A ``CurveAccountant`` that is a ``PrivacyAccountant``, made once dp-accounting is needed."""
    base = imported("dp_accounting", extra="dp-accounting").PrivacyAccountant
    members = {
        # Where it is found by that name, to be pickled.
        "__module__": "gdpnum.integrations.dp_accounting",
        "__doc__": CurveAccountant.__doc__,
    }
    return type("GdpnumAccountant", (CurveAccountant, base), members)
