"""Gaussian noise on a query that one record moves by an amount drawn at random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.mechanisms.mechanism import Leaf, Neighbouring

__all__ = ["MixtureOfGaussians"]

# Weights sum to one but for this much.
_ROUNDING = 1e-9


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
        shifts = [_validate.non_negative("shifts", one) for one in _listed("shifts", self.shifts)]
        given = _listed("weights", self.weights)
        weights = [_validate.probability("weights", one) for one in given]
        total = math.fsum(weights)
        if len(shifts) != len(weights) or not shifts or abs(total - 1.0) > _ROUNDING:
            raise InvalidArgument(
                f"{len(shifts)} shifts with {len(weights)} weights of sum {total!r}; pass one "
                "weight for each shift, of sum 1"
            )
        _validate.choice("neighbouring", self.neighbouring, ("add_remove", "zero_out"))
        gathered = {
            shift: math.fsum(w for s, w in zip(shifts, weights, strict=True) if s == shift) / total
            for shift in sorted(set(shifts))
        }
        kept = {shift: weight for shift, weight in gathered.items() if weight > 0.0}
        _validate.settle(self, sigma=sigma, shifts=tuple(kept), weights=tuple(kept.values()))


def _listed(name: str, value: object) -> Sequence[float]:
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, Sequence) and not isinstance(plain, str):
        return plain
    raise InvalidType(f"{_validate.shown(name, value)}, not a list of numbers; pass one")
