"""What gdpnum raises.

Every error derives from one base class and from the built-in it refines, so both
``except gdpnum.GdpnumError`` and ``except ValueError`` do what a reader expects::

    GdpnumError
    ├── InvalidArgument       (ValueError)           the value is outside what is allowed
    │   └── Contradiction                            a statement's numbers disagree
    ├── InvalidType           (TypeError)            the value is of the wrong kind
    ├── UnsupportedMechanism  (NotImplementedError)  no sound bound is known here
    └── BudgetExceeded        (ArithmeticError)      the numerical error does not fit its budget

A message says what came, what is allowed and what to do. gdpnum raises rather than return a number
it cannot guarantee.
"""

from __future__ import annotations

__all__ = [
    "BudgetExceeded",
    "Contradiction",
    "GdpnumError",
    "InvalidArgument",
    "InvalidType",
    "UnsupportedMechanism",
]


class GdpnumError(Exception):
    """Base of every error that gdpnum raises on purpose."""


class InvalidArgument(GdpnumError, ValueError):
    """An argument of the right kind has a value outside what is allowed."""


class Contradiction(InvalidArgument):
    """A statement that can be read, but whose numbers do not agree with one another."""


class InvalidType(GdpnumError, TypeError):
    """An argument is of the wrong kind, such as a string where a number belongs."""


class UnsupportedMechanism(GdpnumError, NotImplementedError):
    """gdpnum has no sound bound for this mechanism or this combination of mechanisms."""


class BudgetExceeded(GdpnumError, ArithmeticError):
    """The numerical error cannot be kept within its budget; the message says what to change."""
