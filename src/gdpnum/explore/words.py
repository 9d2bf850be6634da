"""Rates in words."""

from __future__ import annotations

from gdpnum.rounding import one_in

__all__ = ["fpr_said", "tpr_said"]


def fpr_said(fpr: float) -> str:
    """An FPR at which something is told, as a share: rounded down if at all."""
    return one_in(fpr, condition=True)


def tpr_said(tpr: float) -> str:
    """A bound on a TPR, as a share: rounded up."""
    return one_in(tpr)
