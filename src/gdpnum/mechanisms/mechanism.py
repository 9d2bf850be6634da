"""The base of every description of what was run, and compositions of several.

A mechanism holds no arrays and computes nothing: it says what was released, and the layers to its
right (``loss``, ``curve``, ``measures``) read its ``parts``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, is_dataclass
from typing import Any, Literal, final

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, InvalidType

Parts = tuple[tuple["Mechanism", int], ...]
"""Leaves, each with how often it is released."""

Neighbouring = Literal["add_remove", "replace", "zero_out"]
"""How two neighbouring datasets differ.

One record more or less; one record exchanged for another; or one record's contribution blanked
out, the size of the dataset and the batches of everybody else unchanged.
"""


# What the records of a person have to be.
RECORDS: dict[str, Any] = {"minimum": 1, "advice": "pass the most records that one person has"}


class Mechanism(ABC):
    """A randomised release, described by frozen values and composed with ``*`` and ``+``.

    ``m * n`` releases ``m`` n times with fresh noise; ``a + b`` releases both. Each release may
    depend on the outcomes before it (adaptive composition), its parameters may not. Two mechanisms
    are equal when they have the same parts in the same order.

    >>> from gdpnum import Gaussian, Laplace
    >>> run = Gaussian(sigma=2.0) * 10 + Laplace(scale=5.0)
    >>> run
    Gaussian(sigma=2.0) * 10 + Laplace(scale=5.0)
    >>> run.parts
    ((Gaussian(sigma=2.0), 10), (Laplace(scale=5.0), 1))
    """

    __slots__ = ()

    # Makes numpy scalars and arrays on the left of * defer to __rmul__ instead of wrapping us.
    __array_ufunc__ = None

    @property
    @abstractmethod
    def neighbouring(self) -> Neighbouring | None:
        """The relation the guarantee is for; None when it is for whichever the caller means."""

    @property
    @abstractmethod
    def parts(self) -> Parts:
        """The distinct leaves, each with how often it is released, in order of appearance."""

    @property
    def records_per_person(self) -> int | None:
        """How many records of one person are protected together; None where that is left open."""
        return 1

    def __mul__(self, count: int) -> Mechanism:
        return repeat(self, count)

    __rmul__ = __mul__

    def __add__(self, other: Mechanism) -> Mechanism:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return composed((self, other))

    def __radd__(self, other: object) -> Mechanism:
        """What ``sum`` begins with: zero, which reveals nothing."""
        return self if other == 0 else NotImplemented


class Leaf(Mechanism):
    """A mechanism that is not a composition: a single release."""

    __slots__ = ()

    @property
    def parts(self) -> Parts:
        """The leaf itself, once."""
        return ((self, 1),)

    def __repr__(self) -> str:
        """The fields that say something; a dataclass with ``repr=False`` has this one."""
        leaf: Any = self
        said = [
            f"{one.name}={value!r}" if one.kw_only else repr(value)
            for one in (fields(leaf) if is_dataclass(leaf) else ())
            if (value := getattr(leaf, one.name)) != one.default
        ]
        return f"{type(self).__name__}({', '.join(said)})"


class AnyRelation(Leaf):
    """A leaf whose guarantee holds for whichever relation, and unit, the caller means."""

    __slots__ = ()
    neighbouring = None
    records_per_person = None


def checked_records(value: object) -> int:
    """How many records one person has at most."""
    return _validate.count("records_per_person", value, **RECORDS)


def checked(name: str, value: object) -> Mechanism:
    """Return the value when it is a mechanism; raise InvalidType when it is not."""
    if not isinstance(value, Mechanism):
        raise InvalidType(
            f"{_validate.shown(name, value)}, not a mechanism; pass one, as in Gaussian(sigma=1.0)"
        )
    return value


# --- several releases together: m * n and a + b --------------------------------------------------


class Composition(Mechanism):
    """A mechanism made of others; it equals any mechanism with the same parts.

    These are found when it is made, as is the relation that they share, and kept.
    """

    __slots__ = ()
    parts: Parts
    neighbouring: Neighbouring | None

    @property
    def records_per_person(self) -> int | None:
        """The unit that the parts share; None when no part names one."""
        units = (leaf.records_per_person for leaf, _ in self.parts)
        return next((unit for unit in units if unit is not None), None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return self.parts == other.parts

    def __hash__(self) -> int:
        parts = self.parts
        # A leaf released once equals the bare leaf, so it must hash like it.
        return hash(parts[0][0]) if len(parts) == 1 and parts[0][1] == 1 else hash(parts)


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Repeated(Composition):
    """The same mechanism released ``count`` times with fresh noise; 0 times releases nothing.

    >>> from gdpnum import Gaussian
    >>> Repeated(Gaussian(sigma=2.0) * 10, count=3)
    Gaussian(sigma=2.0) * 30
    """

    mechanism: Mechanism
    _: KW_ONLY
    count: int
    parts: Parts = field(init=False)
    neighbouring: Neighbouring | None = field(init=False)

    def __post_init__(self) -> None:
        mechanism = checked("mechanism", self.mechanism)
        count = _validate.count("count", self.count, advice="pass the number of releases")
        _validate.settle(self, **_repeated(mechanism, count))

    def __repr__(self) -> str:
        inner = f"({self.mechanism!r})" if isinstance(self.mechanism, Composed) else self.mechanism
        return f"{inner} * {self.count}"


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Composed(Composition):
    """Several mechanisms released together, equal leaves merged.

    Takes any iterable, in linear time, and keeps one entry per distinct leaf however the
    mechanisms were nested.

    >>> from gdpnum import Gaussian, Laplace
    >>> steps = [Gaussian(sigma=2.0), Laplace(scale=5.0), Gaussian(sigma=2.0) * 9]
    >>> Composed(steps)
    Gaussian(sigma=2.0) * 10 + Laplace(scale=5.0)
    """

    mechanisms: Iterable[Mechanism]
    parts: Parts = field(init=False)
    neighbouring: Neighbouring | None = field(init=False)

    def __post_init__(self) -> None:
        given = _all_checked(self.mechanisms)
        counts: dict[Mechanism, int] = {}
        for mechanism in given:
            for leaf, count in mechanism.parts:
                counts[leaf] = counts.get(leaf, 0) + count
        relation = _shared_relation(counts)
        _check_unit(counts)
        # A term that stands as it was given is kept.
        repeated = [one for one in given if isinstance(one, Repeated) and one.count > 1]
        kept = {one.parts: one for one in repeated if isinstance(one.mechanism, Leaf)}
        terms = tuple(kept.get((part,)) or released(*part) for part in counts.items())
        _validate.settle(
            self,
            # Where nothing is released, one empty term is kept: it gives the repr something to say.
            mechanisms=terms or given[:1],
            parts=tuple(counts.items()),
            neighbouring=relation,
        )

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.mechanisms))


def repeat(mechanism: Mechanism, count: int) -> Mechanism:
    """Return what ``mechanism * count`` stands for: the mechanism itself when released once."""
    return released(
        mechanism, _validate.count("count", count, advice="pass the number of releases")
    )


def released(mechanism: Mechanism, count: int) -> Mechanism:
    """The same of a mechanism and a count that are checked already."""
    if count == 1:
        return mechanism
    return _validate.settled(Repeated, **_repeated(mechanism, count))


def _repeated(mechanism: Mechanism, count: int) -> dict[str, Any]:
    """The fields of a repetition, one of a repetition flattened."""
    if isinstance(mechanism, Repeated):
        count *= mechanism.count
        mechanism = mechanism.mechanism
    parts = tuple((leaf, count * times) for leaf, times in mechanism.parts) if count else ()
    relation = mechanism.neighbouring if parts else None
    return {"mechanism": mechanism, "count": count, "parts": parts, "neighbouring": relation}


def composed(mechanisms: Sequence[Mechanism]) -> Mechanism:
    """What the sum of mechanisms stands for: one flat composition, or its only term."""
    if len(mechanisms) == 1:
        return mechanisms[0]
    together = Composed(mechanisms)
    found = tuple(together.mechanisms)
    return found[0] if len(found) == 1 else together


def terms(run: Mechanism) -> tuple[tuple[Mechanism, int], ...]:
    """The parts of a run; of one that releases nothing, the leaf that it releases 0 times."""
    found, inner = run.parts, run
    while not found and isinstance(inner, Repeated | Composed):
        inner = inner.mechanism if isinstance(inner, Repeated) else next(iter(inner.mechanisms))
    return found or ((inner, 0),)


def flat(run: Mechanism) -> Mechanism:
    """The same run as one flat composition, or its only term; what its JSON reads back as.

    >>> from gdpnum import Gaussian
    >>> flat(Repeated(Composed([Gaussian(sigma=2.0)]), count=3))
    Gaussian(sigma=2.0) * 3
    """
    inner = run.mechanism if isinstance(run, Repeated) else run
    if type(inner).parts is Leaf.parts:
        return run
    return composed([repeat(leaf, count) for leaf, count in terms(run)])


def _all_checked(mechanisms: object) -> tuple[Mechanism, ...]:
    listed = _validate.items(
        "mechanisms", mechanisms, advice="pass a list of mechanisms, or use a + b"
    )
    given = tuple(checked(f"mechanisms[{index}]", item) for index, item in enumerate(listed))
    if not given:
        raise InvalidArgument(
            "mechanisms is empty; pass at least one, or mechanism * 0 where nothing is released"
        )
    return given


def _shared_relation(leaves: Iterable[Mechanism]) -> Any:
    """The relation that leaves share, None when none of them names one; raises if there are two."""
    first = _first_of_each(leaves, lambda leaf: leaf.neighbouring)
    if len(first) > 1:
        shown = " and ".join(f"{leaf!r} is for {relation!r}" for relation, leaf in first.items())
        raise InvalidArgument(
            f"the mechanisms mix neighbouring relations: {shown}; describe all for one relation"
        )
    return next(iter(first), None)


def _check_unit(leaves: Iterable[Mechanism]) -> None:
    first = _first_of_each(leaves, lambda leaf: leaf.records_per_person)
    if len(first) > 1:
        shown = " and ".join(f"{leaf!r} protects {unit}" for unit, leaf in first.items())
        raise InvalidArgument(
            f"the mechanisms mix protected units, in records a person: {shown}; describe all for "
            "one, as in per_person(run, records_per_person=k)"
        )


def _first_of_each(
    leaves: Iterable[Mechanism], trait: Callable[[Mechanism], object]
) -> dict[object, Mechanism]:
    """The first leaf of each trait; those without one fit any."""
    first: dict[object, Mechanism] = {}
    for leaf in leaves:
        found = trait(leaf)
        if found is not None and found not in first:
            first[found] = leaf
    return first
