"""Representations: what is said about a mechanism by a few numbers, and the curve that implies.

Each is also a mechanism, any one of which no more is known: it can be composed with others, fitted
and compared. Each knows its trade-off curve, and how to be fitted to a mechanism or a curve.
"""

from gdpnum.representations.concentrated import ZCDP, TruncatedCDP
from gdpnum.representations.epsilon_dp import ApproxDP, PureDP
from gdpnum.representations.gdp import GDP
from gdpnum.representations.known_curve import KnownCurve
from gdpnum.representations.renyi import RDP
from gdpnum.representations.representation import Representation

__all__ = [
    "GDP",
    "RDP",
    "ZCDP",
    "ApproxDP",
    "KnownCurve",
    "PureDP",
    "Representation",
    "TruncatedCDP",
]
