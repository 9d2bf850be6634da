"""PureDP: epsilon-DP."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from gdpnum import _validate
from gdpnum.curve.hull import lines_of_claims
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.randomized_response import randomized_response_mu
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import UnsupportedMechanism
from gdpnum.loss.atomic import randomized_response_pair
from gdpnum.loss.dominating import pair, releases
from gdpnum.loss.pair import Pair
from gdpnum.measures.closed_form import mu_of_release
from gdpnum.mechanisms.mechanism import Mechanism, checked
from gdpnum.representations.representation import Representation

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
        epsilon = _validate.non_negative("epsilon", self.epsilon, advice=EPSILON_ADVICE)
        object.__setattr__(self, "epsilon", epsilon)

    def curve(self) -> TradeoffCurve:
        return PiecewiseCurve(lines_of_claims(np.array([self.epsilon]), np.zeros(1)))

    @classmethod
    def fit(cls, subject: Mechanism | TradeoffCurve) -> PureDP:
        """The smallest epsilon for which a mechanism, or a curve, is epsilon-DP.

        >>> from gdpnum import Laplace
        >>> PureDP.fit(Laplace(scale=2.0) * 3)
        PureDP(epsilon=1.5)
        """
        if isinstance(subject, TradeoffCurve):
            epsilon = max(subject.epsilon(0.0), subject.inverse().epsilon(0.0))
        else:
            found = releases(checked("subject", subject))
            epsilon = sum(
                math.inf if _may_reveal(one) else times * max(one.highest, -one.lowest)
                for one, times in found
            )
        if math.isinf(epsilon):
            raise UnsupportedMechanism(
                f"{subject!r} is not epsilon-DP for any finite epsilon: its privacy loss is "
                "unbounded; fit ApproxDP, GDP or RDP"
            )
        return cls(epsilon=epsilon)


def _may_reveal(one: Pair) -> bool:
    return max(one.infinite, one.infinite_below) > 0.0


@pair.register
def _(leaf: PureDP) -> Pair | None:
    return randomized_response_pair(leaf.epsilon, 2) if leaf.epsilon > 0.0 else None


@mu_of_release.register
def _(leaf: PureDP) -> float:
    return randomized_response_mu(leaf.epsilon, 2)
