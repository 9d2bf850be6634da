"""The base of every representation."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from numpy.typing import ArrayLike

from gdpnum import charges
from gdpnum.curve.curve_pair import pair_of_curve
from gdpnum.curve.tradeoff import Profile, TradeoffCurve
from gdpnum.floats import Floats
from gdpnum.kind import Kind
from gdpnum.mechanisms.mechanism import AnyRelation, Mechanism
from gdpnum.pairs.pair import Pair
from gdpnum.renyi.concentration import by_pair
from gdpnum.rounding import times


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


def representation_kind(example: Mechanism, **parts: Any) -> Kind:
    """The record of a representation: what it does not say follows from its curve.

    ``squared_mu`` and ``knob`` are needed; the pair is that of the curve unless it is said, and the
    divergences are those of the pair.
    """
    pair = parts.setdefault("pair", _own_pair)
    found = {"curve": lambda leaf: leaf.curve(), "words": _words, **by_pair(pair), **parts}
    is_gaussian = parts.get("is_gaussian")
    if is_gaussian is None:
        return Kind(description=type(example), example=example, **found)
    of_pair = found["concentration"]

    def concentration(leaf: Representation, order: float) -> float:
        if is_gaussian(leaf):
            return 0.5 * float(parts["squared_mu"](leaf)) * (1.0 + charges.chord())
        return float(of_pair(leaf, order))

    found |= {"concentration": concentration, "is_tight": is_gaussian}
    return Kind(description=type(example), example=example, **found)


def _own_pair(leaf: Representation) -> Pair | None:
    curve = leaf.curve()
    return pair_of_curve(curve) if curve.advantage > 0.0 else None


def _words(leaf: Representation, count: int | None) -> str:
    said = repr(leaf)
    cut = said if len(said) <= 120 else f"{said[:117]}..."
    return f"a mechanism of which only {cut} is known{times(count)}"
