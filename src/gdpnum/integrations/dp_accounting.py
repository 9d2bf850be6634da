"""dp-accounting, and what describes its runs by it, such as JAX-Privacy.

``from_dp_event`` and ``from_dp_accountant`` give the mechanism that was run, ``from_pld`` the
trade-off curve of a privacy loss distribution. `GdpnumAccountant` is a ``PrivacyAccountant``, with
which dp-accounting's own helpers calibrate to our bounds::

    import dp_accounting
    from gdpnum.integrations.dp_accounting import GdpnumAccountant

    sigma = dp_accounting.calibrate_dp_mechanism(
        GdpnumAccountant, dp_accounting.GaussianDpEvent, target_epsilon=1.0, target_delta=1e-5
    )
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from gdpnum import _validate
from gdpnum._optional import imported
from gdpnum.account import coarsened, tradeoff_curve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import BudgetExceeded, GdpnumError, InvalidArgument, InvalidType
from gdpnum.floats import Floats
from gdpnum.integrations.dp_event_leaves import REVEALS
from gdpnum.integrations.dp_events import (
    described,
    from_dp_event,
    is_read,
    refused_event,
    relation_of,
)
from gdpnum.integrations.pld import from_pld
from gdpnum.measures.gdp import fit_gdp
from gdpnum.mechanisms import Mechanism

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "CurveAccountant",
    "GdpnumAccountant",
    "IgnoredSetting",
    "from_dp_accountant",
    "from_dp_event",
    "from_pld",
]

T = TypeVar("T")


class IgnoredSetting(UserWarning):
    """A setting of another accountant was given, for which ours has no use."""


def from_dp_accountant(accountant: object) -> Mechanism:
    """What an accountant of dp-accounting has composed so far, for its neighbouring relation.

    It is read from the ``ledger``, so how the accountant itself accounts for it does not matter.

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
    return described(ledger, relation_of(source.neighboring_relation))


class CurveAccountant:
    """What makes a ``PrivacyAccountant`` account by trade-off curves.

    ``get_epsilon`` and ``get_delta`` are upper bounds that hold as printed, to a relative
    ``tolerance`` in mu; where doubles cannot tell the loss from everything, they are infinity and
    one. ``mechanism`` is what was composed, for `fit_gdp` and all else.

    It stands in for ``PLDAccountant`` and ``RdpAccountant``: what they are set by,
    ``value_discretization_interval`` and ``orders``, is taken and ignored, with a warning
    (`IgnoredSetting`).
    """

    ledger: Any
    CompositionErrorDetails: Any
    neighboring_relation: Any

    if TYPE_CHECKING:  # what the base has

        def compose(self, event: Any, count: int = 1) -> Self:
            """Add an event, so many times."""

        def supports(self, event: Any) -> bool:
            """Whether an event has a bound."""

    def __init__(
        self,
        *settings: Any,
        neighboring_relation: Any = None,
        value_discretization_interval: float | None = None,
        orders: Sequence[float] | None = None,
        tolerance: float = 1e-5,
    ) -> None:
        package = imported("dp_accounting", extra="dp-accounting")
        # By place the others have the relation first or second, beside a number or a list.
        relations = [one for one in settings if isinstance(one, package.NeighboringRelation)]
        ignored = [one for one in settings if not isinstance(one, package.NeighboringRelation)]
        relation = neighboring_relation or next(iter(relations), None)
        if relation is None:
            relation = package.NeighboringRelation.ADD_OR_REMOVE_ONE
        if not isinstance(relation, package.NeighboringRelation):
            raise InvalidType(
                f"neighboring_relation={relation!r} is not a NeighboringRelation; pass one of "
                "dp_accounting, as in NeighboringRelation.REPLACE_ONE"
            )
        if any(isinstance(one, str) for one in ignored) or len(settings) > 2:
            raise InvalidType(f"{settings!r} is not a relation and a setting; pass them by name")
        names = ["orders" if np.ndim(one) else "value_discretization_interval" for one in ignored]
        names += ["orders"] if orders is not None else []
        if value_discretization_interval is not None:
            names.append("value_discretization_interval")
        for name in names:
            warnings.warn(
                f"{name} is not used: GdpnumAccountant has no such setting, and is accurate to "
                "tolerance=...",
                IgnoredSetting,
                stacklevel=2,
            )
        base: Any = super()
        base.__init__(relation)
        self._tolerance = tolerance
        self._run: Mechanism | None = None
        self._known: TradeoffCurve | None = None

    @property
    def mechanism(self) -> Mechanism:
        """What was composed so far; ``PureDP(epsilon=0.0)`` if nothing was."""
        if self._run is None:
            self._run = described(self.ledger, relation_of(self.neighboring_relation))
        return self._run

    def get_epsilon(self, target_delta: float) -> float:
        """The smallest epsilon at that delta, from above; infinite for a non-private event."""
        return math.inf if self._is_revealed else self._curve().epsilon(target_delta)

    def get_delta(self, target_epsilon: float) -> float:
        """The smallest delta at that epsilon, from above."""
        return 1.0 if self._is_revealed else self._curve().delta(target_epsilon)

    def get_true_positive_rates(
        self,
        false_positive_rates: ArrayLike,
        deltas: object = None,  # noqa: ARG002  (all of them are used)
    ) -> float | Floats:
        """The largest TPR of any attack with that FPR, from above, in either direction.

        It is read off the whole curve, not off a list of ``deltas``.
        """
        if self._is_revealed:
            everywhere = np.ones_like(np.asarray(false_positive_rates, dtype=np.float64))
            return 1.0 if everywhere.ndim == 0 else everywhere
        return self._curve().tpr(false_positive_rates)

    def get_gdp_parameter_estimate(
        self, false_positive_rates: ArrayLike | None = None, deltas: object = None
    ) -> float:
        """The smallest mu, from above, for which all that was composed is (mu, slack)-GDP.

        A bound, not an estimate: that of `fit_gdp`, over all FPRs. Its slack is 1e-10 or, if it is
        smaller, the smallest of ``false_positive_rates``.
        """
        del deltas  # all of them are used
        slack = 1e-10
        if false_positive_rates is not None:
            slack = min(slack, float(np.min(np.asarray(false_positive_rates, dtype=np.float64))))
        if self._is_revealed:
            return math.inf
        with suppress(BudgetExceeded):
            return self._as_asked(
                lambda one: fit_gdp(self.mechanism, slack=slack, tolerance=one)
            ).mu
        return math.inf

    def _as_asked(self, ask: Callable[[float], T]) -> T:
        """The answer at the tolerance or, out of reach of that, at what most runs are known to."""
        return coarsened(ask, tolerance=self._tolerance, coarsest=1e-3)

    @property
    def _is_revealed(self) -> bool:
        return self.mechanism == REVEALS

    def _curve(self) -> TradeoffCurve:
        if self._known is None:
            try:
                self._known = self._as_asked(
                    lambda one: tradeoff_curve(self.mechanism, tolerance=one)
                )
            except BudgetExceeded:
                # With next to no noise; a search for enough of it must be able to go on.
                self._known = REVEALS.curve()
        return self._known

    def _maybe_compose(self, event: object, count: int, do_compose: bool) -> Any:  # noqa: ARG002
        # The base keeps the ledger, from which all else is read.
        if do_compose:
            self._run = self._known = None
            return None
        relation = relation_of(self.neighboring_relation)
        try:
            described(event, relation)
        except GdpnumError as error:
            invalid = refused_event(event, relation)
            # In the words of theirs, which callers may look for.
            others = [
                f"`{one.name}`"
                for one in type(self.neighboring_relation)
                if is_read(invalid, relation_of(one))
            ]
            advice = f"neighboring_relation must be {' or '.join(others)}: " if others else ""
            return self.CompositionErrorDetails(
                invalid_event=invalid, error_message=f"{advice}{error}"
            )
        return None


if TYPE_CHECKING:
    GdpnumAccountant = CurveAccountant


def __getattr__(name: str) -> object:
    if name == "GdpnumAccountant":
        return _accountant_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _accountant_class() -> type[CurveAccountant]:
    """A ``CurveAccountant`` that is a ``PrivacyAccountant``, made once dp-accounting is needed."""
    base = imported("dp_accounting", extra="dp-accounting").PrivacyAccountant
    # In this module it is found by that name, to be pickled.
    members = {"__module__": __name__, "__doc__": CurveAccountant.__doc__}
    return type("GdpnumAccountant", (CurveAccountant, base), members)
