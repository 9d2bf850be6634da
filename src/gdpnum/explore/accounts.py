"""The library asked once for each run: what a drag comes back to is not computed again.

Answers are functions of the run alone, so that keeping them shows nobody anything of anybody else.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import gdpnum
from gdpnum.account import coarsened
from gdpnum.comparison import Pairing, pairing
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import BudgetExceeded
from gdpnum.explore.curves import Line
from gdpnum.measures.gdp import GDPFit
from gdpnum.mechanisms import Mechanism
from gdpnum.statements import Statement

# Where an account cannot be as close as it should, up to this will do.
_COARSEST = 0.1


class Numbers(NamedTuple):
    """The TPR at an FPR, by the curve and by mu alone, and the epsilon at a delta."""

    tpr: float
    tpr_gdp: float
    epsilon: float


@lru_cache(maxsize=256)
def fit(run: Mechanism) -> GDPFit:
    """Mu of a run with all that is known about it, as near as the library gets."""
    return coarsened(
        lambda one: gdpnum.fit_gdp(run, tolerance=one), tolerance=1e-3, coarsest=_COARSEST
    )


@lru_cache(maxsize=64)
def curve(run: Mechanism) -> TradeoffCurve:
    """The curve of a run that holds in both directions."""
    if isinstance(run, gdpnum.Representation):
        # It implies its curve exactly.
        return run.curve().symmetrised()
    return gdpnum.tradeoff_curve(run, tolerance=fit(run).tolerance)


@lru_cache(maxsize=16)
def stated(run: Mechanism, dataset_size: int | None, name: str | None) -> Statement:
    """The whole statement of a run."""
    tolerance = fit(run).tolerance
    return gdpnum.statement(run, tolerance=tolerance, dataset_size=dataset_size, name=name)


@lru_cache(maxsize=256)
def numbers(run: Mechanism, fpr: float, delta: float) -> Numbers:
    """The numbers of a run that depend on a rate, read off once for all who write or draw them."""
    whole = curve(run)
    return Numbers(whole.tpr(fpr), fit(run).tpr(fpr), whole.epsilon(delta))


@lru_cache(maxsize=256)
def line(run: Mechanism, kind: str) -> Line:
    """The curve of a run as it is drawn."""
    return Line.of(kind, curve(run).tpr)


@lru_cache(maxsize=256)
def order(first: Mechanism, second: Mechanism) -> Pairing:
    """How two runs stand to each other, by the curves that are shown."""
    tolerance = max(fit(first).tolerance, fit(second).tolerance)
    return pairing((first, curve(first)), (second, curve(second)), tolerance)


@lru_cache(maxsize=16_384)
def measured(run: Mechanism, measure: str, at: float) -> float:
    """One number of a run, for a map: mu, epsilon at a delta, or the TPR at an FPR; or NaN.

    A map is read to a per cent, and so it is computed. NaN, which a map leaves blank, says that the
    library gave up.
    """

    def read(tolerance: float) -> float:
        if measure == "mu":
            return gdpnum.fit_gdp(run, tolerance=tolerance).mu
        found = gdpnum.tradeoff_curve(run, tolerance=tolerance)
        return found.epsilon(at) if measure == "epsilon" else found.tpr(at)

    try:
        return coarsened(read, tolerance=1e-2, coarsest=_COARSEST)
    except BudgetExceeded:
        return math.nan
