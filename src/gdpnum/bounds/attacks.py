"""Attacks: tests that exist, which bound a profile from below."""

from __future__ import annotations

from dataclasses import dataclass

from gdpnum.floats import Floats


@dataclass(frozen=True, eq=False)
class Attacks:
    """Tests that exist: for each loss w_i, one with TPR at least ``tpr`` and FPR at most alpha.

    They reject when a rounded loss is at least w_i, so (alpha_i, beta_i) lies on or above the true
    trade-off curve; ``beta`` is 1 - tpr, but keeps its digits where it is small. ``step`` is that
    of the rounding, so the i-th is the best of all such tests at the epsilons in (w_i - step, w_i].
    """

    losses: Floats
    step: float
    tpr: Floats
    beta: Floats
    log_alpha: Floats
