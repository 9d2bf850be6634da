"""The base of every representation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from gdpnum import charges
from gdpnum.curve.curve_pair import pair_of_curve
from gdpnum.curve.tradeoff import Profile, TradeoffCurve
from gdpnum.errors import UnsupportedMechanism
from gdpnum.floats import Floats
from gdpnum.kind import Kind, Knob, Missing
from gdpnum.mechanisms.mechanism import AnyRelation, Mechanism
from gdpnum.pairs.pair import Bracket, Divergences, Pair
from gdpnum.renyi.concentration import pair_concentration
from gdpnum.renyi.divergences import pair_divergences
from gdpnum.rounding import times

__all__ = ["Representation", "no_mu", "representation_kind"]


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


def _cut(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:117]}..."


def representation_kind(
    description: type[Mechanism],
    *,
    example: Mechanism,
    squared_mu: Callable[[Any], Fraction | float],
    pair: Callable[[Any], Pair | Bracket | None] | None = None,
    is_gaussian: Callable[[Any], bool] = lambda _: False,
    mass_at_infinity: Callable[[Any], float] = lambda _: 0.0,
    divergences: Callable[[Any, Floats], Divergences | None] | None = None,
    concentration: Callable[[Any, float], float] | None = None,
    curve: Callable[[Any], TradeoffCurve | None] = lambda leaf: leaf.curve(),
    knob: Knob | Missing,
    words: Callable[[Any, int | None], str] = lambda leaf, count: (
        f"a mechanism of which only {_cut(repr(leaf))} is known{times(count)}"
    ),
    readers: tuple[str, ...] = (),
    is_by_divergences: bool = False,
) -> Kind:
    """The record of a representation: what it does not say follows from its curve."""

    def own_pair(leaf: Representation) -> Pair | None:
        curve = leaf.curve()
        return pair_of_curve(curve) if curve.advantage > 0.0 else None

    chosen = pair or own_pair

    def own_divergences(leaf: Representation, orders: Floats) -> Divergences | None:
        found = chosen(leaf)
        one = found.above if isinstance(found, Bracket) else found
        return None if one is None else pair_divergences(one, orders)

    def own_concentration(leaf: Representation, order: float) -> float:
        if is_gaussian(leaf):
            return 0.5 * float(squared_mu(leaf)) * (1.0 + charges.chord())
        found = chosen(leaf)
        return pair_concentration(found.above if isinstance(found, Bracket) else found, order)

    return Kind(
        description=description,
        example=example,
        pair=chosen,
        squared_mu=squared_mu,
        is_gaussian=is_gaussian,
        is_tight=is_gaussian,
        mass_at_infinity=mass_at_infinity,
        divergences=divergences or own_divergences,
        concentration=concentration or own_concentration,
        curve=curve,
        knob=knob,
        words=words,
        readers=readers,
        is_by_divergences=is_by_divergences,
    )


def no_mu(leaf: Mechanism) -> Fraction:
    """Of what is known by a curve alone no mu without slack is."""
    raise UnsupportedMechanism(f"no mu at slack=0 is known for {leaf!r}; pass a positive slack")
