"""Selection: the exponential mechanism, and report noisy max."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from gdpnum.floats import Floats
from gdpnum.formulas.randomized_response import randomized_response_mu
from gdpnum.kind import Kind, Knob, kind_of
from gdpnum.mechanisms.noise import Laplace
from gdpnum.mechanisms.selection import ExponentialMechanism, ReportNoisyMax
from gdpnum.pairs.atomic import approx_dp_pair, randomized_response_pair
from gdpnum.pairs.bounded_range import LogisticPair, block_pair, blocks, swap_epsilon
from gdpnum.pairs.laplace import LaplacePair
from gdpnum.pairs.pair import Bracket, Divergences, Pair
from gdpnum.rounding import as_given, times

Selection: TypeAlias = ExponentialMechanism | ReportNoisyMax

# A smaller epsilon of a selection would be lost in underflow.
_SMALLEST = 1e-100


def _noise(leaf: Selection) -> str:
    return leaf.noise if isinstance(leaf, ReportNoisyMax) else "gumbel"


def _attack(leaf: Selection) -> Pair:
    """Two candidates whose scores change places: neighbours that exist."""
    return randomized_response_pair(swap_epsilon(leaf.epsilon, _noise(leaf)), 2)


def _pair(leaf: Selection) -> Pair | Bracket | None:
    if leaf.epsilon == 0.0:
        return None
    if leaf.epsilon < _SMALLEST:
        # No less private than to reveal everything with that probability; that is no attack.
        return Bracket(approx_dp_pair(0.0, leaf.epsilon), None)
    if _noise(leaf) != "gumbel":
        return Bracket(LaplacePair(leaf.epsilon), _attack(leaf))
    return LogisticPair(leaf.epsilon)


def _together(leaf: Selection, count: int) -> Sequence[tuple[Pair | Bracket, int]]:
    """Of several releases no two neighbours are the worst: a bound on all, and an attack."""
    one = _pair(leaf)
    if one is None:
        return []
    if not isinstance(one, LogisticPair):
        return [(one, count)]
    found: list[tuple[Pair | Bracket, int]] = []
    for block, often in blocks(one.epsilon, count):
        found.append((Bracket(block_pair(one.epsilon, block), None), often))
    # What dominates comes in blocks; what is dominated, one by one.
    return [*found, (Bracket(None, _attack(leaf)), count)]


def _squared_mu(leaf: Selection) -> Fraction | float:
    if _noise(leaf) != "gumbel":
        laplace = Laplace(scale=1.0 / leaf.epsilon)
        return kind_of(laplace).squared_mu(laplace)
    # The largest mu is at the fixed point of the curve, as that of the advantage tanh(eps / 4):
    # docs/proofs_selection.md, Lemma S3. It is that of randomised response with half the epsilon.
    return Fraction(randomized_response_mu(0.5 * leaf.epsilon, 2)) ** 2


def _divergences(leaf: Selection, orders: Floats) -> Divergences:
    """Bounded range eps is eps^2 / 8-zCDP (Cesar and Rogers 2021), and eps-DP."""
    rho = leaf.epsilon**2 / (8.0 if _noise(leaf) == "gumbel" else 2.0)
    found = np.minimum(leaf.epsilon, rho * np.maximum(orders, 1.0))
    return Divergences(found, found)


def _concentration(leaf: Selection, order: float) -> float:
    rho = leaf.epsilon**2 / (8.0 if _noise(leaf) == "gumbel" else 2.0)
    return min(leaf.epsilon / order, rho)


def _words(leaf: Selection, count: int | None) -> str:
    if isinstance(leaf, ExponentialMechanism):
        said = f"the exponential mechanism with epsilon {as_given(leaf.epsilon)}"
    else:
        said = f"report noisy max with {leaf.noise} noise of scale {as_given(leaf.scale)}"
    return f"{said}{times(count)}"


def _kind(example: Selection, knob: Knob, reader: str) -> Kind:
    return Kind(
        description=type(example),
        example=example,
        pair=_pair,
        squared_mu=_squared_mu,
        divergences=_divergences,
        concentration=_concentration,
        knob=knob,
        words=_words,
        readers=(reader,),
        together=_together,
    )


EXPONENTIAL_MECHANISM = _kind(
    ExponentialMechanism(epsilon=1.0),
    Knob("epsilon", is_noise=False),
    "ExponentialMechanismDpEvent",
)

REPORT_NOISY_MAX = _kind(
    ReportNoisyMax(scale=2.0), Knob("scale", is_noise=True), "PermuteAndFlipDpEvent"
)
