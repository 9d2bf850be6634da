"""Selection: the best of several candidates by a score, chosen with noise.

Scores are measured in units of their sensitivity, the most that one record can move any of them.
If all scores move the same way, as counts do when a record is added, they are called monotonic;
half the noise then does as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final, get_args

from gdpnum import _validate
from gdpnum.mechanisms.mechanism import AnyRelation

SelectionNoise = Literal["gumbel", "exponential", "laplace"]
"""The noise added to each score before the largest is reported."""

_EPSILON_ADVICE = "pass the epsilon by which the candidates are weighted, 0 or more"
_SCALE_ADVICE = "pass the scale of the noise divided by the sensitivity of the scores"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialMechanism(AnyRelation):
    """A candidate drawn with probability proportional to exp(epsilon score / 2).

    With monotonic scores it may be exp(epsilon score). Either way it is epsilon-DP, and more than
    that: its losses for two neighbours lie in an interval of length epsilon (bounded range), so
    one release has the curve f(alpha) = (1 - alpha) / (1 + (exp(epsilon) - 1) alpha), attained
    for suitable scores. Source: McSherry and Talwar 2007; Dong, Durfee and Rogers, "Optimal
    Differential Privacy Composition for Exponential Mechanisms" (ICML 2020).

    >>> ExponentialMechanism(epsilon=0.5)
    ExponentialMechanism(epsilon=0.5)
    """

    epsilon: float

    def __post_init__(self) -> None:
        _validate.field(self, "epsilon", _validate.non_negative, advice=_EPSILON_ADVICE)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ReportNoisyMax(AnyRelation):
    """The candidate whose score plus noise is largest; nothing else is released.

    With Gumbel noise it is the exponential mechanism, with exponential noise permute-and-flip.
    With epsilon = 2 / scale, or 1 / scale for monotonic scores, it is epsilon-DP for each of the
    three; with exponential or Laplace noise its curve is nowhere below that of the Laplace
    mechanism of scale 1 / epsilon, whatever the number of candidates. Gaussian noise is not
    offered: its guarantee depends on how many candidates there are.

    >>> ReportNoisyMax(scale=4.0)
    ReportNoisyMax(scale=4.0, noise='gumbel', monotonic=False)
    >>> ReportNoisyMax(scale=4.0, monotonic=True).epsilon
    0.25
    """

    scale: float
    noise: SelectionNoise = "gumbel"
    monotonic: bool = False

    def __post_init__(self) -> None:
        _validate.field(self, "scale", _validate.positive, advice=_SCALE_ADVICE)
        _validate.field(self, "noise", _validate.choice, allowed=get_args(SelectionNoise))
        _validate.field(self, "monotonic", _validate.choice, allowed=(False, True))

    @property
    def epsilon(self) -> float:
        """The epsilon of its pure guarantee."""
        return (1.0 if self.monotonic else 2.0) / self.scale
