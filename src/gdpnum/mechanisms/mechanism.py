"""The base of every description of what was run.

A mechanism holds no arrays and computes nothing: it says what was released, and the layers to its
right (``loss``, ``curve``, ``measures``) read its ``parts``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

from gdpnum import _validate
from gdpnum.errors import InvalidType

__all__ = ["AnyRelation", "Leaf", "Mechanism", "Neighbouring", "checked"]

Neighbouring = Literal["add_remove", "replace", "zero_out"]
"""How two neighbouring datasets differ.

One record more or less; one record exchanged for another; or one record's contribution blanked
out, the size of the dataset and the batches of everybody else unchanged.
"""


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
    def parts(self) -> tuple[tuple[Mechanism, int], ...]:
        """The distinct leaves, each with how often it is released, in order of appearance."""

    def __mul__(self, count: int) -> Mechanism:
        # Imported late, here and below: a composition is itself a Mechanism, the module needs ours.
        from gdpnum.mechanisms.composition import repeat  # noqa: PLC0415

        return repeat(self, count)

    __rmul__ = __mul__

    def __add__(self, other: Mechanism) -> Mechanism:
        if not isinstance(other, Mechanism):
            return NotImplemented
        from gdpnum.mechanisms.composition import join  # noqa: PLC0415

        return join(self, other)


class Leaf(Mechanism):
    """A mechanism that is not a composition: a single release."""

    __slots__ = ()

    @property
    def parts(self) -> tuple[tuple[Mechanism, int], ...]:
        """The leaf itself, once."""
        return ((self, 1),)


class AnyRelation(Leaf):
    """A leaf whose guarantee holds for whichever neighbouring relation the caller means."""

    __slots__ = ()

    @property
    def neighbouring(self) -> None:
        """Always None."""
        return None


def checked(name: str, value: object) -> Mechanism:
    """Return the value when it is a mechanism; raise InvalidType when it is not."""
    if not isinstance(value, Mechanism):
        raise InvalidType(
            f"{_validate.shown(name, value)}, not a mechanism; pass one, as in Gaussian(sigma=1.0)"
        )
    return value
