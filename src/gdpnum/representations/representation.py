"""The base of every representation."""

from __future__ import annotations

from abc import abstractmethod

from numpy.typing import ArrayLike

from gdpnum.curve.curve_pair import pair_of_curve
from gdpnum.curve.profile import Profile
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.loss.dominating import pair
from gdpnum.loss.pair import Floats, Pair
from gdpnum.mechanisms.mechanism import AnyRelation

__all__ = ["Representation"]


class Representation(AnyRelation):
    """A guarantee in a few numbers; as a mechanism, any one of which only this is known."""

    __slots__ = ()

    @abstractmethod
    def curve(self) -> TradeoffCurve:
        """The trade-off curve that the guarantee implies: no attack does better."""

    def profile(self) -> Profile:
        """The privacy profile of that curve, delta as a function of epsilon."""
        return self.curve().profile()

    @property
    def advantage(self) -> float:
        """Largest TPR - FPR that the guarantee allows any attack."""
        return self.curve().advantage

    def tpr(self, fpr: ArrayLike) -> float | Floats:
        """Largest TPR that the guarantee allows an attack with that FPR."""
        return self.curve().tpr(fpr)


@pair.register
def _(leaf: Representation) -> Pair | None:
    curve = leaf.curve()
    return pair_of_curve(curve) if curve.advantage > 0.0 else None
