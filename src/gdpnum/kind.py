"""Kind: everything the library knows of one kind of release, in one record.

A description in ``mechanisms`` says what was run and holds no numerics. Its kind says what that
means: which pair of laws an attacker has to tell apart, and all that is read off without it. The
records are in ``kinds`` and, for what is known only by a guarantee, beside their class in
``representations``; `register` takes one from outside the package.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gdpnum.errors import InvalidType, UnsupportedMechanism
from gdpnum.floats import Floats
from gdpnum.mechanisms.mechanism import Mechanism
from gdpnum.pairs.pair import Bracket, Divergences, Pair


@dataclass(frozen=True)
class Missing:
    """A part that a kind does not have, and why; calling it says so."""

    reason: str

    def __call__(self, leaf: Mechanism, *_: object) -> Any:
        """Raise `UnsupportedMechanism` with the reason."""
        raise UnsupportedMechanism(f"{leaf!r}: {self.reason}")


def no_mu(leaf: Mechanism) -> Fraction:
    """Of what is known by a curve alone no mu without slack is."""
    raise UnsupportedMechanism(f"no mu at slack=0 is known for {leaf!r}; pass a positive slack")


@dataclass(frozen=True)
class Knob:
    """How calibration moves a kind: a field, whether more of it is more private, and its range."""

    field: str
    is_noise: bool
    between: tuple[float, float] | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The range in which a calibration looks for it."""
        return self.between or ((1e-2, 1e6) if self.is_noise else (1e-6, 1e2))


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One record a mechanism; every part takes the description (the leaf) first.

    - ``pair``: the pair that dominates one release in one direction, the other being its reverse; a
      ``Bracket`` where the release's own pair is unknown; None where nothing is revealed.
    - ``squared_mu``: the square of a mu that holds without slack, as squares add up; exactly, as a
      fraction, or infinity. ``is_gaussian``: whether the release is exactly of that mu;
      ``is_tight``: whether no smaller mu holds without slack.
    - ``mass_at_infinity``: the probability with which, as far as is known, it reveals everything;
      zero unless said.
    - ``divergences``: Renyi divergences at orders, None where nothing is revealed;
      ``concentration``: a bound on D_t / t at all orders t from one on.
    - ``curve``: the trade-off curve, for what is known by one, not by a pair.
    - ``knob``: what calibration turns.
    - ``words``: how a report says so many releases, or with None the thing alone.
    - ``readers``: names of the descriptions in other packages that become it.
    - ``example``: a leaf, on which the catalogue is tested.
    - ``is_several``: whether a leaf is several releases even alone: those of ``together``.
    - ``is_by_divergences``: whether it is known by Renyi divergences, which add up, order by order.
    - ``together``: the pairs of so many releases of a leaf in company, each with how often, where
      they are others than its own pair that many times.

    A part that there is none of is `Missing`, with the reason.
    """

    description: type[Mechanism]
    example: Mechanism
    pair: Callable[[Any], Pair | Bracket | None]
    squared_mu: Callable[[Any], Fraction | float]
    divergences: Callable[[Any, Floats], Divergences | None]
    concentration: Callable[[Any, float], float]
    knob: Knob | Missing
    words: Callable[[Any, int | None], str]
    is_gaussian: Callable[[Any], bool] = lambda _: False
    is_tight: Callable[[Any], bool] = lambda _: False
    mass_at_infinity: Callable[[Any], float] = lambda _: 0.0
    curve: Callable[[Any], Any] | Missing = Missing("its curve is computed, from its pair")
    readers: tuple[str, ...] = ()
    is_by_divergences: bool = False
    together: Callable[[Any, int], Sequence[tuple[Pair | Bracket, int]]] | None = None
    is_several: Callable[[Any], bool] = lambda _: False

    @property
    def name(self) -> str:
        """The name of its class, by which JSON and the command line know it."""
        return self.description.__name__


#: All kinds known, by the class of their descriptions, in the order in which they were made so.
KINDS: dict[type[Mechanism], Kind] = {}


def register(*records: Kind) -> None:
    """Make kinds known; the last record of a class counts."""
    for record in records:
        KINDS[record.description] = record


def kind_of(leaf: Mechanism) -> Kind:
    """The record of a leaf's class, or of the nearest base that has one."""
    found = next((KINDS[base] for base in type(leaf).__mro__ if base in KINDS), None)
    if found is None:
        raise UnsupportedMechanism(
            f"no privacy loss is known for {leaf!r}; describe it as PureDP or ApproxDP, through "
            "its privacy profile, or register its kind"
        )
    return found


def kind_named(name: str) -> Kind | None:
    """The record of the class of that name, None if there is none."""
    if not isinstance(name, str):
        raise InvalidType(f"name={name!r} is not text; pass the name of a mechanism's class")
    return next((one for one in KINDS.values() if one.name == name), None)
