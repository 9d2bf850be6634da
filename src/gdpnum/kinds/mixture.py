"""Gaussian noise on a query that one record moves by an amount drawn at random."""

from __future__ import annotations

import math
from fractions import Fraction

from gdpnum.directed import quotient_above
from gdpnum.errors import BudgetExceeded
from gdpnum.kind import Kind, Missing
from gdpnum.mechanisms.mixture import MixtureOfGaussians
from gdpnum.pairs.gaussian import GaussianPair
from gdpnum.pairs.mixture import MixturePair, WholeShiftsPair
from gdpnum.pairs.pair import Pair, SampledPair
from gdpnum.renyi.concentration import by_pair
from gdpnum.rounding import as_given, times

# With less noise the loss of a shift is beyond what doubles hold.
_LARGEST_SHIFT = 1e3

# Whole shifts up to this are integrated, others put on a lattice.
_MOST_WHOLE = 64.0


def _pair(leaf: MixtureOfGaussians) -> Pair | None:
    """The shifts that are not nothing, sampled by the probability of any of them."""
    moved = [(s, w) for s, w in zip(leaf.shifts, leaf.weights, strict=True) if s > 0.0]
    if not moved:
        return None
    if moved[-1][0] > _LARGEST_SHIFT * leaf.sigma:
        raise BudgetExceeded(
            f"a shift of {moved[-1][0]!r} with sigma={leaf.sigma!r} is as good as revealed, and "
            "doubles cannot tell by how much it is not; describe more noise"
        )
    centres = tuple(quotient_above(shift, leaf.sigma) for shift, _ in moved)
    rate = math.fsum(weight for _, weight in moved)
    shares = tuple(weight / rate for _, weight in moved)
    inner = GaussianPair(centres[0]) if len(centres) == 1 else MixturePair(shares, centres)
    if len(moved) == len(leaf.shifts):
        return inner
    rate = math.nextafter(rate, 1.0)
    whole = _whole_shares(leaf)
    return WholeShiftsPair(inner, rate, leaf.sigma, whole) if whole else SampledPair(inner, rate)


def _whole_shares(leaf: MixtureOfGaussians) -> tuple[float, ...] | None:
    """The weights of the shifts 0, 1, 2, ..., if these and not too many are all that there are."""
    if leaf.shifts[-1] > _MOST_WHOLE or not all(shift.is_integer() for shift in leaf.shifts):
        return None
    weights = dict(zip(leaf.shifts, leaf.weights, strict=True))
    return tuple(weights.get(float(j), 0.0) for j in range(int(leaf.shifts[-1]) + 1))


def _squared_mu(leaf: MixtureOfGaussians) -> Fraction:
    """That of the largest shift: no less is revealed by always being moved so far."""
    return Fraction(leaf.shifts[-1]) ** 2 / Fraction(leaf.sigma) ** 2


def _is_gaussian(leaf: MixtureOfGaussians) -> bool:
    return len(leaf.shifts) == 1


def _words(leaf: MixtureOfGaussians, count: int | None) -> str:
    moved = ", ".join(
        f"{as_given(shift)} with probability {as_given(weight)}"
        for shift, weight in zip(leaf.shifts, leaf.weights, strict=True)
    )
    return (
        f"Gaussian noise of standard deviation {as_given(leaf.sigma)} on a query that one record "
        f"moves by {moved}{times(count)}"
    )


MIXTURE_OF_GAUSSIANS = Kind(
    description=MixtureOfGaussians,
    example=MixtureOfGaussians(sigma=2.0, shifts=(0.0, 1.0, 2.0), weights=(0.81, 0.18, 0.01)),
    pair=_pair,
    squared_mu=_squared_mu,
    is_gaussian=_is_gaussian,
    is_tight=_is_gaussian,
    divergences=by_pair(_pair)["divergences"],
    concentration=lambda leaf, _: 0.5 * quotient_above(leaf.shifts[-1], leaf.sigma) ** 2,
    knob=Missing("turn the noise: calibrate a function of the standard deviation"),
    words=_words,
    readers=("MixtureOfGaussiansDpEvent",),
)
