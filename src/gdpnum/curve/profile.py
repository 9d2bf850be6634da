"""Profile: a privacy profile, delta as a function of epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final, overload

from numpy.typing import ArrayLike

from gdpnum.floats import Floats

if TYPE_CHECKING:
    from gdpnum.curve.tradeoff import TradeoffCurve

__all__ = ["Profile"]


@final
@dataclass(frozen=True)
class Profile:
    """The privacy profile of a trade-off curve, to be called.

    >>> from gdpnum import GDP
    >>> profile = GDP(mu=1.0).profile()
    >>> f"{profile(1.0):.4f}, {profile.epsilon(1e-5):.3f}"
    '0.1269, 4.377'
    """

    curve: TradeoffCurve

    @overload
    def __call__(self, epsilon: float) -> float: ...
    @overload
    def __call__(self, epsilon: ArrayLike) -> float | Floats: ...
    def __call__(self, epsilon: ArrayLike) -> float | Floats:
        """Smallest delta for which the mechanism is (epsilon, delta)-DP, for any real epsilon."""
        return self.curve.delta(epsilon)

    delta = __call__

    @overload
    def epsilon(self, delta: float) -> float: ...
    @overload
    def epsilon(self, delta: ArrayLike) -> float | Floats: ...
    def epsilon(self, delta: ArrayLike) -> float | Floats:
        """Smallest epsilon >= 0 for which the mechanism is (epsilon, delta)-DP."""
        return self.curve.epsilon(delta)
