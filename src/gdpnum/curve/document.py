"""Curves read back from JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from gdpnum import _validate
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.lines import Lines
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument

__all__ = ["curve_from_document"]


def curve_from_document(text: str) -> TradeoffCurve:
    """The curve that a JSON text describes; see `TradeoffCurve.to_json`."""
    try:
        document = json.loads(text)
        kind = document["curve"]
        if kind == "gaussian":
            return _gaussian(document)
        if kind == "piecewise":
            flat = document["flat"]
            steep = _lines(document["steep"])
            return PiecewiseCurve(steep, None if flat is None else _lines(flat))
    except InvalidArgument:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidArgument(
            f"text is not a curve ({type(error).__name__}: {error}); pass what to_json returned"
        ) from None
    raise InvalidArgument(f"curve={kind!r} is of no known kind; pass what to_json returned")


def _gaussian(document: dict[str, Any]) -> GaussianCurve:
    mu = float(document["mu"])
    if not mu >= 0.0:
        raise InvalidArgument(f"mu={mu!r} is negative; pass what to_json returned")
    return GaussianCurve(mu, _validate.probability("slack", document["slack"]))


def _lines(columns: dict[str, Any]) -> Lines:
    epsilons, log_alphas, tprs = (
        np.array([float(x) for x in columns[name]]) for name in ("epsilons", "log_alphas", "tprs")
    )
    infinite = _validate.probability("mass_at_infinity", columns["mass_at_infinity"])
    sound = (
        epsilons.size == log_alphas.size == tprs.size > 0
        and bool((epsilons >= 0.0).all() and (np.diff(epsilons) >= 0.0).all())
        and bool(np.isfinite(epsilons).all() and np.isfinite(tprs).all())
        and bool((log_alphas <= 0.0).all() and (tprs >= 0.0).all())
    )
    if not sound:
        raise InvalidArgument("the lines are not those of a curve; pass what to_json returned")
    return Lines(epsilons, log_alphas, tprs, infinite)
