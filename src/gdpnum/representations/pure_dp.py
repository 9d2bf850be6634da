"""PureDP: epsilon-DP."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from gdpnum import _validate
from gdpnum.bounds.claims import lines_of_claims
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import UnsupportedMechanism
from gdpnum.formulas.randomized_response import randomized_response_mu
from gdpnum.kind import Knob, register
from gdpnum.pairs.atomic import randomized_response_pair
from gdpnum.pairs.pair import Pair
from gdpnum.releases import largest_loss, releases
from gdpnum.representations.representation import Representation, representation_kind
from gdpnum.subject import Subject, plain

__all__ = ["EPSILON_ADVICE", "PureDP"]

EPSILON_ADVICE = "pass the bound on the log-likelihood ratio, 0 or more"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PureDP(Representation):
    """Any mechanism of which only epsilon-DP is known.

    f(alpha) = max(0, 1 - exp(eps) alpha, exp(-eps) (1 - alpha)), the curve of randomised response.

    >>> PureDP(epsilon=0.5)
    PureDP(epsilon=0.5)
    """

    epsilon: float

    def __post_init__(self) -> None:
        _validate.settle(
            self, epsilon=_validate.non_negative("epsilon", self.epsilon, advice=EPSILON_ADVICE)
        )

    def curve(self) -> TradeoffCurve:
        return PiecewiseCurve(lines_of_claims(np.array([self.epsilon]), np.zeros(1)))

    @classmethod
    def fit(cls, subject: Subject) -> PureDP:
        """The smallest epsilon for which a mechanism, or a curve, is epsilon-DP.

        >>> from gdpnum import Laplace
        >>> PureDP.fit(Laplace(scale=2.0) * 3)
        PureDP(epsilon=1.5)
        """
        found = plain("subject", subject)
        if isinstance(found, TradeoffCurve):
            epsilon = max(found.epsilon(0.0), found.inverse().epsilon(0.0))
        else:
            epsilon = largest_loss(releases(found).above)
        if math.isinf(epsilon):
            raise UnsupportedMechanism(
                f"{subject!r} is not epsilon-DP for any finite epsilon: its privacy loss is "
                "unbounded; fit ApproxDP, GDP or RDP"
            )
        return cls(epsilon=epsilon)


def _pair(leaf: PureDP) -> Pair | None:
    return randomized_response_pair(leaf.epsilon, 2) if leaf.epsilon > 0.0 else None


register(
    representation_kind(
        PureDP(epsilon=0.5),
        pair=_pair,
        squared_mu=lambda leaf: Fraction(randomized_response_mu(leaf.epsilon, 2)) ** 2,
        knob=Knob("epsilon", is_noise=False),
    )
)
