"""Plots of statements, curves and runs, on a given Axes; needs matplotlib, the extra ``plot``.

Each function draws, returns the Axes it drew on, and computes nothing but points of a curve.
Without ``ax`` it makes one the width of a paper column. Lines differ in their style, not in colour
alone, and are labelled where they are; no global setting of matplotlib is changed::

    found = gdpnum.statement(run)
    gdpnum.plot.tradeoff(found).figure.savefig("tradeoff.pdf")

"Subject" below is a statement, which has its mu, or anything that has a curve: a mechanism, a
representation, a fit, a trade-off curve; it is drawn with the mu that is passed, if any. Every
curve is drawn as the most TPR at each FPR, on even or on logarithmic axes.
"""

from gdpnum.plot.charts import (
    audit,
    column_axes,
    comparison,
    difference,
    profile,
    regret_sweep,
    roc,
    tradeoff,
)
from gdpnum.subject import Subject

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


def __dir__() -> list[str]:
    return sorted(__all__)
