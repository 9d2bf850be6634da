"""What may stand for a run: `plain`, the one conversion that every entry of the library uses.

A mechanism, a trade-off curve, a representation, a fit, a statement, or another package's object:
whatever a function is asked about comes down to a mechanism or to a curve.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

from gdpnum import _validate
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidType
from gdpnum.mechanisms.mechanism import Mechanism


class HasCurve(Protocol):
    """Whatever implies a trade-off curve, such as a fit."""

    def curve(self) -> TradeoffCurve:
        """The trade-off curve."""


class HasRun(Protocol):
    """Whatever knows what was run, such as an accountant or the check of an engine."""

    @property
    def run(self) -> Mechanism:
        """What was run."""


Subject: TypeAlias = Mechanism | TradeoffCurve | HasCurve | HasRun
"""What the library can be asked about."""


def plain(name: str, subject: object) -> Mechanism | TradeoffCurve:
    """The mechanism or the curve that a subject stands for.

    A statement stands for the run it is of, anything else that implies a curve for that curve.
    """
    if isinstance(subject, (Mechanism, TradeoffCurve)):
        return subject
    if not isinstance(subject, type):
        run = getattr(subject, "run", None)
        if isinstance(run, Mechanism):
            return run
        if hasattr(subject, "curve"):
            curve = subject.curve() if callable(subject.curve) else subject.curve
            if isinstance(curve, TradeoffCurve):
                return curve
    raise InvalidType(
        f"{name}={_validate.brief(subject)} has no trade-off curve; pass a mechanism, a curve, "
        "a representation, a fit or a statement"
    )
