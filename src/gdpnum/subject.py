"""What may stand for a run: `plain`, the one conversion that every entry of the library uses.

A mechanism, a trade-off curve, a representation, a fit, a statement, or another package's object:
whatever a function is asked about comes down to a mechanism or to a curve.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from gdpnum import _validate
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidType
from gdpnum.mechanisms.mechanism import Mechanism

__all__ = ["HasCurve", "HasRun", "Subject", "plain", "register_reader"]


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

Reader = Callable[[object], "Mechanism | TradeoffCurve | None"]

_READERS: list[Reader] = []


def register_reader(reader: Reader) -> None:
    """Let every entry take what a function makes of other packages' objects, None if it cannot."""
    _READERS.append(reader)


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
        for reader in _READERS:
            found = reader(subject)
            if found is not None:
                return found
    raise InvalidType(
        f"{name}={_validate.brief(subject)} has no trade-off curve; pass a mechanism, a curve, "
        "a representation, a fit or a statement"
    )
