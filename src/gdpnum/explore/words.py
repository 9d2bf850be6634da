"""Numbers and runs in words, as the statements have them: all that explore borrows from there."""

from gdpnum.report.reading import rate_bound, rate_shown
from gdpnum.statements.description import parts_of, run_of
from gdpnum.statements.numbers import delta_shown, fpr_shown, lower, upper
from gdpnum.statements.record import COMPLETE_REGRET, HEAVY_TAIL
from gdpnum.statements.words import one_line, run_in_words

__all__ = [
    "COMPLETE_REGRET",
    "HEAVY_TAIL",
    "delta_shown",
    "fpr_said",
    "fpr_shown",
    "lower",
    "one_line",
    "parts_of",
    "run_in_words",
    "run_of",
    "tpr_said",
    "upper",
]


def fpr_said(fpr: float) -> str:
    """An FPR at which something is told, as a share: rounded down if at all."""
    return rate_shown(fpr_shown(fpr))


def tpr_said(tpr: float) -> str:
    """A bound on a TPR, as a share: rounded up."""
    return rate_bound(tpr)
