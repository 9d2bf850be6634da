"""PureDP and ApproxDP: one epsilon, without a delta or with one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from gdpnum import _validate
from gdpnum.account import as_curve
from gdpnum.bounds.claims import lines_of_claims
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import UnsupportedMechanism
from gdpnum.formulas.randomized_response import randomized_response_mu
from gdpnum.kind import Knob, register
from gdpnum.pairs.atomic import approx_dp_pair, randomized_response_pair
from gdpnum.pairs.pair import Pair
from gdpnum.releases import largest_loss, releases
from gdpnum.representations.representation import Representation, representation_kind
from gdpnum.subject import Subject, plain

_EPSILON_ADVICE = "pass the bound on the log-likelihood ratio, 0 or more"
_DELTA_ADVICE = "pass the probability that epsilon does not bound the loss"


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
        _validate.field(self, "epsilon", _validate.non_negative, advice=_EPSILON_ADVICE)

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


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ApproxDP(Representation):
    """Any mechanism of which only one (epsilon, delta)-DP guarantee is known.

    f(alpha) = max(0, 1 - delta - exp(eps) alpha, exp(-eps) (1 - delta - alpha)). With probability
    delta such a mechanism may reveal everything, and its mu is infinite at any slack below delta.

    >>> ApproxDP(epsilon=1.0, delta=1e-06)
    ApproxDP(epsilon=1.0, delta=1e-06)
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        _validate.field(self, "epsilon", _validate.non_negative, advice=_EPSILON_ADVICE)
        _validate.field(self, "delta", _validate.probability, advice=_DELTA_ADVICE)

    def curve(self) -> TradeoffCurve:
        return PiecewiseCurve(lines_of_claims(np.array([self.epsilon]), np.array([self.delta])))

    @classmethod
    def fit(cls, subject: Subject, *, delta: float, tolerance: float = 1e-3) -> ApproxDP:
        """The smallest epsilon, from above, for which a mechanism or curve is (epsilon, delta)-DP.

        >>> from gdpnum import Gaussian
        >>> ApproxDP.fit(Gaussian(sigma=1.0), delta=1e-5).epsilon.__round__(3)
        4.377
        """
        delta = _validate.probability("delta", delta, advice=_DELTA_ADVICE)
        curve = as_curve("subject", subject, tolerance=tolerance)
        epsilon = max(curve.epsilon(delta), curve.inverse().epsilon(delta))
        if math.isinf(epsilon):
            raise UnsupportedMechanism(
                f"{subject!r} is not (epsilon, delta={delta!r})-DP for any finite epsilon; "
                "pass a larger delta"
            )
        return cls(epsilon=epsilon, delta=delta)


def _pair(leaf: PureDP) -> Pair | None:
    return randomized_response_pair(leaf.epsilon, 2) if leaf.epsilon > 0.0 else None


def _approx_pair(leaf: ApproxDP) -> Pair | None:
    if leaf.delta == 0.0 and leaf.epsilon == 0.0:
        return None
    return approx_dp_pair(leaf.epsilon, leaf.delta)


def _squared_mu(leaf: ApproxDP) -> Fraction | float:
    if leaf.delta > 0.0:
        return math.inf
    return Fraction(randomized_response_mu(leaf.epsilon, 2)) ** 2


register(
    representation_kind(
        PureDP(epsilon=0.5),
        pair=_pair,
        squared_mu=lambda leaf: Fraction(randomized_response_mu(leaf.epsilon, 2)) ** 2,
        knob=Knob("epsilon", is_noise=False),
    ),
    representation_kind(
        ApproxDP(epsilon=1.0, delta=1e-6),
        pair=_approx_pair,
        squared_mu=_squared_mu,
        mass_at_infinity=lambda leaf: leaf.delta,
        knob=Knob("epsilon", is_noise=False),
    ),
)
