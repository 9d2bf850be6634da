"""Statements of the first schema, raised to the second.

It had neither ``stated`` nor ``audit``, its regret did not charge the slack, and it called a mu
complete whatever its slack. Nothing is computed again: by the triangle inequality
Delta(f, f_mu - slack) <= Delta(f, f_mu) + Delta(f_mu, f_mu - slack), so the old regret raised by
what the slack alone gives away is still a bound.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from gdpnum import _validate
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.errors import InvalidArgument
from gdpnum.measures.divergence import delta_divergence
from gdpnum.statements.check import tpr_by_mu
from gdpnum.statements.rows import Fallback, ProfilePoints, ProfileRow, Stated

#: Keys that follow from the others, in other words than now.
FOLLOWING = ("verdict", "warnings", "assumptions", "fallback")

# Rows of the profile that stand for the table that an incomplete statement must have.
_ROWS = 8


def raised(document: dict[str, Any], schema: str) -> dict[str, Any]:
    """The document as the second schema has it; what follows from the rest is left to be filled."""
    mu, slack = float(document["mu"]), _validate.fraction("slack", document["slack"])
    regret = _validate.probability("regret", document["regret"])
    if not (mu >= 0.0 and isinstance(document["tpr"], list)):
        raise InvalidArgument("'mu' or 'tpr' is not what to_json returned; pass that")
    points = document["curve_points"]
    with np.errstate(all="ignore"):
        quantiles = ndtri(np.array(points["fpr"], dtype=np.float64))
        old = 1.0 if math.isinf(mu) else np.minimum(ndtr(quantiles + mu) + slack, 1.0)
        is_old = np.allclose(points["tpr_gdp"], old, rtol=1e-9, atol=0.0)
    if not is_old:
        raise InvalidArgument("the key 'tpr_gdp' is not what mu and slack allow")
    by_mu = dict(zip(points["fpr"], tpr_by_mu(mu, slack, points["fpr"]), strict=True))
    spent = delta_divergence(GaussianCurve(mu), GaussianCurve(mu, slack)).value
    return {
        **document,
        "schema": schema,
        "regret": min(1.0, regret + spent),
        "curve_points": {**points, "tpr_gdp": list(by_mu.values())},
        "tpr": [{**row, "tpr_gdp": by_mu[row["fpr"]]} for row in document["tpr"]],
        "stated": Stated()._asdict(),
        "audit": None,
    }


def profile_table(points: ProfilePoints) -> Fallback:
    """The table that a statement must have which is no longer complete."""
    rows = list(map(ProfileRow, *points))
    return Fallback(tuple(rows[:: max(1, len(rows) // _ROWS)]), None)
