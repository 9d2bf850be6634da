"""GDP: mu, with its slack."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from gdpnum import _validate
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.kind import Knob, register
from gdpnum.measures.gdp import fit_gdp
from gdpnum.representations.representation import Representation, representation_kind
from gdpnum.subject import Subject, plain

# Squares of mu must not overflow.
_LARGEST_MU = 1e100


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GDP(Representation):
    """Any mechanism of which only (mu, slack)-GDP is known: f(alpha) >= f_mu(alpha) - slack.

    f_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu) is the curve of telling N(0, 1) from N(mu, 1).

    >>> gdp = GDP(mu=1.0)
    >>> f"{gdp.advantage:.4f}, {gdp.tpr(0.1):.4f}"
    '0.3829, 0.3891'
    """

    mu: float
    slack: float = 0.0

    def __post_init__(self) -> None:
        advice = "pass a separation of 0 or more"
        mu = _validate.field(self, "mu", _validate.non_negative, advice=advice)
        if mu > _LARGEST_MU:
            raise InvalidArgument(f"mu={mu!r} is above {_LARGEST_MU:g}; that is no privacy at all")
        _validate.field(self, "slack", _validate.fraction, advice="pass an allowance such as 1e-10")

    def curve(self) -> TradeoffCurve:
        return GaussianCurve(self.mu, self.slack)

    @classmethod
    def fit(
        cls,
        subject: Subject,
        *,
        slack: float = 1e-10,
        tolerance: float = 1e-3,
    ) -> GDP:
        """The smallest mu, from above, for which a mechanism or curve is (mu, slack)-GDP.

        `fit_gdp` tells more: the bracket of mu, its regret, and why it is infinite if it is.

        >>> from gdpnum import Gaussian
        >>> GDP.fit(Gaussian(sigma=0.5) * 4, slack=0.0)
        GDP(mu=4.0)
        """
        fit = fit_gdp(plain("subject", subject), slack=slack, tolerance=tolerance)
        if math.isinf(fit.mu):
            raise UnsupportedMechanism(f"no finite mu holds: {fit.reason}")
        return cls(mu=fit.mu, slack=fit.slack)


register(
    representation_kind(
        GDP(mu=1.0),
        is_gaussian=lambda leaf: leaf.slack == 0.0,
        squared_mu=lambda leaf: Fraction(leaf.mu) ** 2 if leaf.slack == 0.0 else math.inf,
        mass_at_infinity=lambda leaf: leaf.slack,
        knob=Knob("mu", is_noise=False),
    )
)
