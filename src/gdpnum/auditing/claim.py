"""Claim: what an audit is held against, as one trade-off curve; the one place that makes it one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from gdpnum import _validate
from gdpnum.account import as_curve
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.floats import Floats

_LONGEST = 120


@dataclass(frozen=True)
class Claim:
    """A claim in words, its mu and slack where it names them, and the curve that it says holds."""

    words: str
    mu: float | None
    slack: float
    curve: TradeoffCurve

    def betas(self, alphas: Floats) -> Floats:
        """The least FNR that the claim allows at each FPR."""
        with np.errstate(all="ignore"):
            return np.asarray(self.curve.beta(alphas))

    def tprs(self, fprs: Floats) -> Floats:
        """The largest TPR that the claim allows at each FPR."""
        with np.errstate(all="ignore"):
            return np.asarray(self.curve.tpr(fprs))


def claimed(claim: object) -> Claim:
    """The claim that a number, a curve or whatever has one makes; a number is a mu.

    Symmetrised: neighbours may change places, so a claim holds in both directions or for neither.
    """
    if isinstance(claim, (Real, Decimal)):
        mu = _validate.non_negative("claim", claim, advice="pass the mu that is claimed")
        return Claim(f"{mu:g}-GDP", mu, 0.0, GaussianCurve(mu))
    # Underflow is harmless here, and no concern of a caller who has it raised.
    with np.errstate(all="ignore"):
        curve = as_curve("claim", claim).symmetrised()
    named = getattr(claim, "mu", None)
    finite = isinstance(named, float) and math.isfinite(named)
    slack = getattr(claim, "slack", 0.0)
    words = _validate.brief(claim, _LONGEST)
    if not finite or not isinstance(slack, float):
        return Claim(words, None, 0.0, curve)
    return Claim(words, named, slack, curve)


def judged(claim: Claim, confidence: float, *, refuted: bool, p_value: float) -> dict[str, Any]:
    """What a result says of a claim; a p-value from a grid of its own agrees with the verdict."""
    level = 1.0 - confidence
    agreed = min(p_value, level) if refuted else max(p_value, math.nextafter(level, 1.0))
    return {
        "claim": claim.words,
        "claim_mu": claim.mu,
        "p_value": min(1.0, agreed),
        "refuted": refuted,
    }


def compared_slack(slack: float | None, claim: Claim | None) -> float:
    """The slack of the mu that is bounded: the one asked for, or that of the claim's mu."""
    if slack is None:
        return 0.0 if claim is None else claim.slack
    return _validate.fraction("slack", slack, advice="pass an allowance such as 1e-10")
