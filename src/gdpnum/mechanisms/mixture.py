"""Gaussian noise on a query that one record moves by an amount drawn at random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from gdpnum import _validate
from gdpnum.errors import InvalidArgument
from gdpnum.mechanisms.mechanism import Leaf, Neighbouring

# Weights sum to one but for this much.
_ROUNDING = 1e-9

# More than any batch has.
_MOST_SHIFTS = 100_000


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureOfGaussians(Leaf):
    """Gaussian noise of a query that one record moves by ``shifts[i]`` with probability weights[i].

    sum_i w_i N(s_i, sigma^2) against N(0, sigma^2), all shifts on one line and none negative: a
    person of whom several records may be in a batch, a record that may be in it several times.
    Equal shifts are gathered, and the weights divided by their sum. Source: Choquette-Choo, Ganesh,
    Steinke and Thakurta, "Privacy Amplification for Matrix Mechanisms" (2024).

    >>> MixtureOfGaussians(sigma=2.0, shifts=[0, 1, 2], weights=[0.81, 0.18, 0.01])
    MixtureOfGaussians(sigma=2.0, shifts=(0.0, 1.0, 2.0), weights=(0.81, 0.18, 0.01), \
neighbouring='add_remove')
    """

    sigma: float
    shifts: Sequence[float]
    weights: Sequence[float]
    neighbouring: Neighbouring = "add_remove"

    def __post_init__(self) -> None:
        sigma = _validate.positive("sigma", self.sigma)
        advice = "pass a list of numbers"
        listed = _validate.items("shifts", self.shifts, advice=advice, most=_MOST_SHIFTS)
        shifts = [_validate.non_negative("shifts", one) for one in listed]
        given = _validate.items("weights", self.weights, advice=advice, most=_MOST_SHIFTS)
        weights = [_validate.probability("weights", one) for one in given]
        total = math.fsum(weights)
        if len(shifts) != len(weights) or not shifts or abs(total - 1.0) > _ROUNDING:
            raise InvalidArgument(
                f"{len(shifts)} shifts with {len(weights)} weights of sum {total!r}; pass one "
                "weight for each shift, of sum 1"
            )
        _validate.choice("neighbouring", self.neighbouring, ("add_remove", "zero_out"))
        gathered: dict[float, list[float]] = {shift: [] for shift in sorted(set(shifts))}
        for shift, weight in zip(shifts, weights, strict=True):
            gathered[shift].append(weight)
        sums = {shift: math.fsum(each) / total for shift, each in gathered.items()}
        kept = {shift: weight for shift, weight in sums.items() if weight > 0.0}
        _validate.settle(self, sigma=sigma, shifts=tuple(kept), weights=tuple(kept.values()))
