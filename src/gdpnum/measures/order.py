"""`blackwell_order`: which of two subjects is the more private, whatever the attack."""

from __future__ import annotations

from gdpnum.account import as_curve
from gdpnum.curve.order import BlackwellOrder, curve_order
from gdpnum.subject import Subject

__all__ = ["blackwell_order"]


def blackwell_order(first: Subject, second: Subject) -> BlackwellOrder:
    """The order of two curves, of anything that has one; see `BlackwellOrder`.

    Curves are told apart down to false positive rates of about 1e-300, and up to differences of a
    relative 1e-11; Gaussian curves at any rate. `compare` says more, and knows of tolerances.

    >>> from gdpnum import GDP, PureDP, blackwell_order
    >>> blackwell_order(GDP(mu=1.0).curve(), GDP(mu=2.0).curve()).relation
    'more private'
    >>> order = blackwell_order(GDP(mu=1.0).curve(), PureDP(epsilon=1.0).curve())
    >>> order.relation, order.lower.alpha < 0.1 < order.higher.alpha
    ('incomparable', True)
    """
    return curve_order(as_curve("first", first), as_curve("second", second))
