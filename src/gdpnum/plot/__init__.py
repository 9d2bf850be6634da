"""Plots of finished statements and curves, on a given Axes; needs matplotlib, the extra ``plot``.

Each function draws, returns the Axes it drew on, and computes nothing but points of a curve.
Without ``ax`` it makes one the width of a paper column. Lines differ in their style, not in colour
alone, and are labelled where they are; no global setting of matplotlib is changed::

    found = gdpnum.statement(run)
    gdpnum.plot.tradeoff(found).figure.savefig("tradeoff.pdf")

"Subject" below is a statement, which has its mu, or a trade-off curve, which is drawn with the mu
that is passed, if any.
"""

from gdpnum.plot.audits import audit
from gdpnum.plot.charts import (
    Subject,
    column_axes,
    comparison,
    difference,
    profile,
    regret_sweep,
    roc,
    tradeoff,
)

__all__ = [
    "Subject",
    "audit",
    "column_axes",
    "comparison",
    "difference",
    "profile",
    "regret_sweep",
    "roc",
    "tradeoff",
]
