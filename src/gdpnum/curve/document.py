"""Curves read back from JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gdpnum import _validate
from gdpnum.bounds.lines import Lines
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument
from gdpnum.strict_json import parsed


def curve_from_document(text: str) -> TradeoffCurve:
    """The curve that a JSON text describes; see `TradeoffCurve.to_json`."""
    try:
        document = parsed(text)
        kind = document["curve"]
        if kind == "gaussian":
            return _gaussian(document)
        if kind == "piecewise":
            return _piecewise(document)
    except InvalidArgument as error:
        raise InvalidArgument(f"{error}; pass what to_json returned") from None
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(
            f"text is not a curve ({type(error).__name__}: {error}); pass what to_json returned"
        ) from None
    raise InvalidArgument(f"curve={kind!r} is of no known kind; pass what to_json returned")


def _piecewise(document: dict[str, Any]) -> PiecewiseCurve:
    steep = _lines(document["steep"])
    if document["flat"] is None:
        return PiecewiseCurve(steep)
    flat = _lines(document["flat"])
    at_zero = np.zeros(1)
    if abs(float(steep.delta(at_zero)[0] - flat.delta(at_zero)[0])) > 1e-6:
        raise InvalidArgument("the halves do not meet: they have different advantages")
    return PiecewiseCurve(steep, flat)


def _gaussian(document: dict[str, Any]) -> GaussianCurve:
    mu = math.inf if document["mu"] == "inf" else _validate.non_negative("mu", document["mu"])
    return GaussianCurve(mu, _validate.fraction("slack", document["slack"]))


def _lines(columns: dict[str, Any]) -> Lines:
    epsilons, log_alphas, tprs = (
        np.array([_number(name, one) for one in _listed(name, columns[name])])
        for name in ("epsilons", "log_alphas", "tprs")
    )
    infinite = _validate.probability("mass_at_infinity", columns["mass_at_infinity"])
    sound = (
        epsilons.size == log_alphas.size == tprs.size > 0
        and bool((epsilons >= 0.0).all() and (np.diff(epsilons) >= 0.0).all())
        and bool(np.isfinite(epsilons).all() and np.isfinite(tprs).all())
        and bool((log_alphas <= 1e-9).all() and (log_alphas[1:] <= log_alphas[:-1] + 1e-9).all())
        and bool((np.diff(tprs) <= 1e-9).all() and (tprs >= infinite * (1.0 - 1e-9)).all())
    )
    if not sound:
        raise InvalidArgument("the lines are not those of a curve")
    return Lines(epsilons, log_alphas, tprs, infinite)


def _listed(name: str, column: object) -> list[Any]:
    if not isinstance(column, list):
        raise InvalidArgument(f"{name} is no list")
    return column


def _number(name: str, value: object) -> float:
    return -math.inf if value == "-inf" else _validate.real(name, value)
