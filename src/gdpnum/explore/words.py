"""Numbers and runs in words, as the statements have them: all that explore borrows from there."""

from gdpnum.blocks.block import one_line
from gdpnum.statements.description import parts_of, run_of
from gdpnum.statements.numbers import delta_shown, fpr_shown, lower, one_in, upper
from gdpnum.statements.releases import in_words as run_in_words
from gdpnum.statements.rows import COMPLETE_REGRET, HEAVY_TAIL

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
    return one_in(fpr, condition=True)


def tpr_said(tpr: float) -> str:
    """A bound on a TPR, as a share: rounded up."""
    return one_in(tpr)
