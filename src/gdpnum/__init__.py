"""Differential privacy accounting in Gaussian DP, where every number is a guarantee.

Describe what was run, then ask::

    run = gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
    fit = gdpnum.fit_gdp(run)            # fit.mu, with its slack, its bracket and its regret
    curve = gdpnum.tradeoff_curve(run)   # curve.tpr(fpr), curve.epsilon(delta), ...

Everything public is a name in this module. Names that compute are loaded when first used, so that
describing a mechanism costs no import of numpy or scipy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from gdpnum.errors import (
    BudgetExceeded,
    GdpnumError,
    InvalidArgument,
    InvalidType,
    UnsupportedMechanism,
)
from gdpnum.mechanisms import (
    DPSGD,
    ApproxDP,
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    Repeated,
)

if TYPE_CHECKING:
    from gdpnum.curve.mechanism_curve import tradeoff_curve
    from gdpnum.curve.tradeoff import TradeoffCurve
    from gdpnum.measures.gdp import GDPFit, fit_gdp

__version__ = "0.2.0"

__all__ = [
    "DPSGD",
    "ApproxDP",
    "BudgetExceeded",
    "Composed",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "GDPFit",
    "Gaussian",
    "GdpnumError",
    "InvalidArgument",
    "InvalidType",
    "Laplace",
    "Mechanism",
    "PoissonSampled",
    "PureDP",
    "RandomizedResponse",
    "Repeated",
    "TradeoffCurve",
    "UnsupportedMechanism",
    "__version__",
    "fit_gdp",
    "tradeoff_curve",
]

_LAZY = {
    "GDPFit": "gdpnum.measures.gdp",
    "TradeoffCurve": "gdpnum.curve.tradeoff",
    "fit_gdp": "gdpnum.measures.gdp",
    "tradeoff_curve": "gdpnum.curve.mechanism_curve",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value  # found directly from now on
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
