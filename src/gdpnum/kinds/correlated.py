"""Correlated noise: a matrix mechanism, by its sensitivity.

Rotated to the lower-triangular C of the same Gram matrix it is one Gaussian release, also where a
step depends on earlier outcomes (Denisov et al. 2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from gdpnum.directed import root_above
from gdpnum.kind import Kind, Knob
from gdpnum.mechanisms.correlated import MatrixMechanism
from gdpnum.pairs.gaussian import GaussianPair
from gdpnum.pairs.pair import Bracket, Pair, Release
from gdpnum.pairs.sensitivity import sensitivity
from gdpnum.releases import gaussian_release
from gdpnum.renyi.divergences import pair_divergences
from gdpnum.rounding import as_given, times


def _square(leaf: MatrixMechanism, moved: float) -> Fraction:
    """(moved / sigma)^2, for all records of a person, whose contributions may be exchanged."""
    times = leaf.records_per_person * (2 if leaf.neighbouring == "replace" else 1)
    return (times * Fraction(moved) / Fraction(leaf.noise_multiplier)) ** 2


def _squared_mu(leaf: MatrixMechanism) -> Fraction:
    return _square(leaf, sensitivity(leaf).value)


def _mu(leaf: MatrixMechanism) -> float:
    return root_above(_squared_mu(leaf))


def _attained(leaf: MatrixMechanism) -> float:
    """The mu of a pattern of participation that can be, from below."""
    return root_above(_square(leaf, sensitivity(leaf).lower)) * (1.0 - 2.0**-50)


def _is_gaussian(leaf: MatrixMechanism) -> bool:
    return sensitivity(leaf).exact


def _pair(leaf: MatrixMechanism) -> Pair | Bracket:
    if _is_gaussian(leaf):
        return GaussianPair(_mu(leaf))
    return Bracket(GaussianPair(_mu(leaf)), GaussianPair(_attained(leaf)))


def _together(leaf: MatrixMechanism, count: int) -> Sequence[tuple[Pair | Bracket, int]]:
    """In pieces that keep exp(loss) in range, as Gaussians are."""
    above, below = gaussian_release(_mu(leaf)), gaussian_release(_attained(leaf))
    if below.pair.mass_at_infinity > 0.0:
        # That is how a bound is rounded up, and no attack.
        below = Release(GaussianPair(1.0), 1)
    return [
        (Bracket(above.pair, None), count * above.times),
        (Bracket(None, below.pair), count * below.times),
    ]


def _words(leaf: MatrixMechanism, count: int | None) -> str:
    said = (
        f"Gaussian noise correlated over {leaf.size} steps with noise multiplier "
        f"{as_given(leaf.noise_multiplier)}{times(count)}; a record takes part "
    )
    if leaf.epochs is not None:
        return f"{said}once in each of {leaf.epochs} epochs, at the same place"
    if leaf.max_participations == 1:
        return f"{said}in one step"
    return f"{said}in at most {leaf.max_participations} steps, at least {leaf.min_separation} apart"


MATRIX_MECHANISM = Kind(
    description=MatrixMechanism,
    example=MatrixMechanism(strategy=(1.0, -0.5, 0.25), steps=6, noise_multiplier=2.0),
    pair=_pair,
    squared_mu=_squared_mu,
    is_gaussian=_is_gaussian,
    is_tight=_is_gaussian,
    divergences=lambda leaf, orders: pair_divergences(GaussianPair(_mu(leaf)), orders),
    concentration=lambda leaf, _: 0.5 * _mu(leaf) ** 2,
    knob=Knob("noise_multiplier", is_noise=True, between=(1e-3, 1e6)),
    words=_words,
    together=_together,
    is_several=lambda _: True,
)
