"""Noise on a Poisson sample."""

from __future__ import annotations

import math
from fractions import Fraction

from gdpnum.directed import root_above
from gdpnum.errors import BudgetExceeded
from gdpnum.floats import Floats
from gdpnum.formulas.randomized_response import randomized_response_mu, sampled_answer_mu
from gdpnum.kind import Kind, Missing, kind_of
from gdpnum.mechanisms.noise import (
    DiscreteGaussian,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Skellam,
)
from gdpnum.mechanisms.sampling import PoissonSampled
from gdpnum.pairs.atomic import AtomicPair, approx_dp_pair, sampled_answer_pair, sampled_atoms
from gdpnum.pairs.gaussian import GaussianPair, ReplacedGaussianPair, SampledGaussianPair
from gdpnum.pairs.mixture import person_pair
from gdpnum.pairs.pair import Bracket, Divergences, Pair, SampledPair
from gdpnum.pairs.skellam import skellam_outcomes
from gdpnum.renyi.divergences import SMALLEST_RATE, Outcomes, bumps, pair_divergences
from gdpnum.rounding import as_given, times

# At smaller sampling rates the loss of a step is lost in the rounding of its masses.
_SMALLEST_RATE = 1e-13

# With less noise the loss of a sampled step is beyond what doubles hold, thousands of times over.
_SMALLEST_SIGMA = 1e-3


def _pair(leaf: PoissonSampled) -> Pair | Bracket | None:
    if leaf.rate == 0.0:
        return None
    if _is_gaussian(leaf):
        # Who is in every step moves it by as much as all their records together.
        square = _squared_mu(leaf)
        return GaussianPair(root_above(square)) if isinstance(square, Fraction) else None
    if leaf.rate == 1.0:
        return kind_of(leaf.inner).pair(leaf.inner)
    if leaf.rate < _SMALLEST_RATE:
        # No less private than to reveal everything with that probability; that is no attack.
        joins = math.nextafter(leaf.records_per_person * leaf.rate, math.inf)
        return Bracket(approx_dp_pair(0.0, joins), None)
    return _sampled_pair(leaf, leaf.rate)


def _sampled_pair(leaf: PoissonSampled, rate: float) -> Pair | Bracket | None:
    """The pair at a rate inside (0, 1)."""
    if isinstance(leaf.inner, RandomizedResponse):
        epsilon, categories = leaf.inner.epsilon, leaf.inner.categories
        return sampled_answer_pair(epsilon, categories, rate) if epsilon > 0.0 else None
    if isinstance(leaf.inner, Gaussian) and leaf.inner.sigma < _SMALLEST_SIGMA:
        raise BudgetExceeded(
            f"sigma={leaf.inner.sigma!r} is so little noise that a sampled record is as good as "
            "revealed, and doubles cannot tell by how much it is not; mu is at most "
            "sqrt(steps) / sigma, without amplification by sampling"
        )
    if isinstance(leaf.inner, Gaussian) and leaf.inner.neighbouring == "replace":
        return ReplacedGaussianPair(leaf.inner.sigma, rate)
    if isinstance(leaf.inner, Gaussian) and leaf.records_per_person > 1:
        return person_pair(leaf.inner.sigma, rate, leaf.records_per_person)
    if isinstance(leaf.inner, Gaussian):
        return SampledGaussianPair(leaf.inner.sigma, rate)
    inner = kind_of(leaf.inner).pair(leaf.inner)
    if isinstance(inner, AtomicPair):
        return sampled_atoms(inner, rate)
    return SampledPair(inner, rate) if isinstance(inner, Pair) else inner


def _is_gaussian(leaf: PoissonSampled) -> bool:
    return leaf.rate == 1.0 and kind_of(leaf.inner).is_gaussian(leaf.inner)


def _squared_mu(leaf: PoissonSampled) -> Fraction | float:
    if leaf.rate == 0.0:
        return Fraction(0)
    # Sampling cannot hurt, so the inner mu is valid; for the Gaussian it is also the best.
    inner = kind_of(leaf.inner).squared_mu(leaf.inner)
    if isinstance(leaf.inner, (Gaussian, DiscreteGaussian, Skellam)):
        return leaf.records_per_person**2 * inner
    if isinstance(leaf.inner, RandomizedResponse):
        answered = sampled_answer_mu(leaf.inner.epsilon, leaf.inner.categories, leaf.rate)
        return min(inner, Fraction(answered) ** 2) if math.isfinite(answered) else inner
    epsilon = leaf.inner.moved / leaf.inner.scale
    amplified = math.log1p(leaf.rate * math.expm1(epsilon)) if epsilon < 700.0 else epsilon
    return min(inner, Fraction(randomized_response_mu(amplified, 2)) ** 2)


def _is_tight(leaf: PoissonSampled) -> bool:
    """Of DP-SGD, unless a record is replaced, the worst case is to be sampled always."""
    if leaf.rate == 1.0:
        return kind_of(leaf.inner).is_tight(leaf.inner)
    return isinstance(leaf.inner, Gaussian) and leaf.neighbouring != "replace"


def _divergences(  # noqa: PLR0911  (one a kind of noise)
    leaf: PoissonSampled, orders: Floats
) -> Divergences | None:
    if leaf.rate == 0.0:
        return None
    if _is_gaussian(leaf):
        one = _pair(leaf)
        return pair_divergences(one, orders) if isinstance(one, Pair) else None
    if leaf.rate == 1.0:
        return kind_of(leaf.inner).divergences(leaf.inner, orders)
    # Sampling more often reveals no less.
    rate = max(leaf.rate, SMALLEST_RATE)
    if isinstance(leaf.inner, DiscreteGaussian):
        step = 1.0 / leaf.inner.sigma
        return bumps(leaf.inner.moved * step, rate, orders, lattice=step)
    if isinstance(leaf.inner, Gaussian) and leaf.inner.neighbouring == "replace":
        return pair_divergences(ReplacedGaussianPair(leaf.inner.sigma, rate), orders)
    if isinstance(leaf.inner, Skellam):
        outcomes = skellam_outcomes(leaf.inner.sigma, float(orders.max()))
        return Outcomes(*outcomes).sampled(rate).divergences(orders)
    if isinstance(leaf.inner, RandomizedResponse) or leaf.records_per_person > 1:
        found = _sampled_pair(leaf, rate)
        return pair_divergences(found, orders) if isinstance(found, Pair) else None
    inner = kind_of(leaf.inner).pair(leaf.inner)
    return pair_divergences(SampledPair(inner, rate), orders) if isinstance(inner, Pair) else None


def _concentration(leaf: PoissonSampled, order: float) -> float:
    # Divergences are quasi-convex: sampling cannot raise them. Of a person, all records count.
    inner = kind_of(leaf.inner).concentration(leaf.inner, order)
    return leaf.records_per_person**2 * inner if leaf.rate > 0.0 else 0.0


def _words(leaf: PoissonSampled, count: int | None) -> str:
    sample = f"a random sample that every record joins with probability {as_given(leaf.rate)}"
    if leaf.rate == 1.0:
        sample = "all records"
    each = "on" if count in (1, None) else "each on"
    if isinstance(leaf.inner, Gaussian):
        steps, sigma = "1 step" if count in (1, None) else f"{count} steps", leaf.inner.sigma
        return f"{steps} of DP-SGD with noise multiplier {as_given(sigma)}, {each} {sample}"
    inner = kind_of(leaf.inner).words(leaf.inner, None)
    if isinstance(leaf.inner, RandomizedResponse):
        who = f"respondents who answer with probability {as_given(leaf.rate)}"
        return f"{inner}{times(count)}, of {who}"
    return f"{inner}{times(count)}, {each} {sample}"


POISSON_SAMPLED = Kind(
    description=PoissonSampled,
    example=PoissonSampled(Laplace(scale=1.0), rate=0.1),
    pair=_pair,
    squared_mu=_squared_mu,
    is_gaussian=_is_gaussian,
    is_tight=_is_tight,
    divergences=_divergences,
    concentration=_concentration,
    knob=Missing("what is turned is the noise within"),
    words=_words,
    readers=("PoissonSampledDpEvent",),
)
