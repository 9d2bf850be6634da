"""How calibration moves a mechanism: by which parameter, and over which range.

One line for each kind of release. Whether privacy falls or grows with the parameter the search
finds out by itself, from the ends of the range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from gdpnum.errors import InvalidArgument
from gdpnum.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    MatrixMechanism,
    Mechanism,
    PoissonSampled,
    RandomizedResponse,
    Skellam,
)
from gdpnum.mechanisms.mechanism import repeat
from gdpnum.representations import GDP, ZCDP, ApproxDP, PureDP

__all__ = ["MOVES", "Move", "moved"]


class Move(NamedTuple):
    """A parameter and the range in which a calibration looks for it."""

    parameter: str
    between: tuple[float, float]


MOVES: dict[type, Move] = {
    Gaussian: Move("sigma", (1e-3, 1e6)),
    Laplace: Move("scale", (1e-2, 1e6)),
    DiscreteGaussian: Move("sigma", (1e-1, 1e4)),
    DiscreteLaplace: Move("scale", (1e-2, 1e6)),
    RandomizedResponse: Move("epsilon", (1e-6, 1e2)),
    Skellam: Move("sigma", (1e-1, 1e3)),
    MatrixMechanism: Move("noise_multiplier", (1e-3, 1e6)),
    PureDP: Move("epsilon", (1e-6, 1e2)),
    ApproxDP: Move("epsilon", (1e-6, 1e2)),
    ZCDP: Move("rho", (1e-9, 1e3)),
    GDP: Move("mu", (1e-6, 1e2)),
}


def moved(mechanism: Mechanism) -> tuple[Callable[[float], Mechanism], tuple[float, float]]:
    """The family that a mechanism of one kind of release belongs to, and its range.

    >>> family, between = moved(PoissonSampled(Gaussian(sigma=1.0), rate=0.1) * 10)
    >>> family(2.0)
    PoissonSampled(Gaussian(sigma=2.0), rate=0.1) * 10
    """
    parts = list(mechanism.parts)
    leaf: Any = parts[0][0]
    sampled = isinstance(leaf, PoissonSampled)
    noise = leaf.inner if sampled else leaf
    if len(parts) != 1 or type(noise) not in MOVES:
        raise InvalidArgument(
            f"family={mechanism!r} has no one parameter to find; pass a function of it, as in "
            "lambda sigma: Gaussian(sigma=sigma) * 10, and between"
        )
    name, between = MOVES[type(noise)]
    count = parts[0][1]

    def family(value: float) -> Mechanism:
        one = replace(noise, **{name: value})
        return repeat(replace(leaf, inner=one) if sampled else one, count)

    return family, between
