"""Noise on batches as people draw them: fixed sizes, shuffles, allocation, truncation, cycles."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import bdtrc, logsumexp

from gdpnum import charges
from gdpnum.directed import root_above
from gdpnum.errors import BudgetExceeded
from gdpnum.floats import Floats
from gdpnum.kind import Kind, Missing
from gdpnum.kinds.batch_words import words
from gdpnum.kinds.poisson import POISSON_SAMPLED
from gdpnum.mechanisms.batches import (
    Allocated,
    Batches,
    CyclicPoisson,
    FixedSize,
    Shuffled,
    TruncatedPoisson,
)
from gdpnum.mechanisms.noise import Gaussian
from gdpnum.mechanisms.sampling import PoissonSampled
from gdpnum.pairs.allocated import AllocatedPair
from gdpnum.pairs.clustered import blanked_pair, truncated_pair
from gdpnum.pairs.drawn import binomial_weights, drawn_pairs, hypergeometric_weights
from gdpnum.pairs.gaussian import GaussianPair, ReplacedGaussianPair
from gdpnum.pairs.hull import HullPair, MixedPair
from gdpnum.pairs.pair import Bracket, Divergences, Pair, SampledPair
from gdpnum.renyi.divergences import pair_divergences

# With less noise the loss of a step is beyond what doubles hold.
_SMALLEST_SIGMA = 0.05

# Allocation to more steps than this has not been tried.
_MOST_BINS = 10**8

# Batches that are cut less often hide who gave way in them.
_OFTEN_CUT = 0.5

_KNOB = Missing("turn the noise: calibrate a function of the noise multiplier")


def _moved(leaf: FixedSize | Shuffled | Allocated) -> int:
    """How far one record moves a sum: exchanged for another twice as far as blanked out."""
    return 2 if leaf.neighbouring == "replace" else 1


def _square(mu_times_sigma: Fraction | int, sigma: float) -> Fraction:
    return Fraction(mu_times_sigma) ** 2 / Fraction(sigma) ** 2


def _kind(
    example: Batches,
    *,
    squared_mu: Callable[[Any], Fraction],
    pair: Callable[[Any], Pair | Bracket | None],
    **more: Any,
) -> Kind:
    """The record of batches that are (mu, 0)-GDP: no divergence exceeds that of the Gaussian."""

    def divergences(leaf: Batches, orders: Floats) -> Divergences | None:
        square = squared_mu(leaf)
        return pair_divergences(GaussianPair(root_above(square)), orders) if square > 0 else None

    return Kind(
        description=type(example),
        example=example,
        pair=pair,
        squared_mu=squared_mu,
        divergences=divergences,
        concentration=lambda leaf, _: 0.5 * root_above(squared_mu(leaf)) ** 2,
        knob=_KNOB,
        words=words,
        **more,
    )


def _noisy(sigma: float) -> float:
    if sigma < _SMALLEST_SIGMA:
        raise BudgetExceeded(
            f"sigma={sigma!r} is so little noise that a record in a batch is as good as revealed, "
            f"and doubles cannot tell by how much it is not; describe at least {_SMALLEST_SIGMA:g}"
        )
    return sigma


# --- fixed sizes --------------------------------------------------------------------------------


def _most_drawn(leaf: FixedSize) -> int:
    """How often a person's records can be in a batch."""
    return (
        leaf.batch_size if leaf.with_replacement else min(leaf.batch_size, leaf.records_per_person)
    )


def _least_drawn(leaf: FixedSize) -> int:
    """How often they must be."""
    spare = leaf.dataset_size - leaf.records_per_person
    if leaf.with_replacement:
        return leaf.batch_size if spare == 0 else 0
    return max(0, leaf.batch_size - spare)


def _fixed_pair(leaf: FixedSize) -> Bracket:
    """Above for a record exchanged, below as the relation allows.

    Without replacement, of one record: C_q(G_{2/sigma}), the hull of the Poisson step's curve and
    its inverse (Dong, Roth, Su 2022); below, the Poisson step with a shift of 2: all others at -1,
    as they are where a record is blanked out (`blanked_pair`).
    """
    sigma, size = _noisy(leaf.inner.sigma), leaf.dataset_size
    # Blanked out, a record moves the sum by one for sure, whatever the others are.
    shift = float(_moved(leaf))
    least = _least_drawn(leaf)
    if least > 0:
        above = GaussianPair(2.0 * _most_drawn(leaf) / sigma)
        return Bracket(above, GaussianPair(shift * least / sigma))
    if leaf.with_replacement:
        weights = binomial_weights(leaf.batch_size, leaf.records_per_person / size)
    else:
        weights = hypergeometric_weights(leaf.batch_size, size, leaf.records_per_person)
    if not leaf.with_replacement and leaf.records_per_person == 1:
        sampled = SampledPair(GaussianPair(2.0 / sigma), leaf.batch_size / size)
        found = Bracket(HullPair(sampled), sampled)
    else:
        found = drawn_pairs(weights, sigma)
    # Blanked out, a record leaves the others where they were: in other places of the batch.
    return found if shift == 2.0 else Bracket(found.above, blanked_pair(weights, sigma))


def _is_always_drawn(leaf: FixedSize) -> bool:
    return leaf.neighbouring == "replace" and _least_drawn(leaf) == _most_drawn(leaf)


FIXED_SIZE = _kind(
    FixedSize(Gaussian(sigma=2.0, neighbouring="replace"), batch_size=10, dataset_size=1000),
    pair=_fixed_pair,
    squared_mu=lambda leaf: _square(2 * _most_drawn(leaf), leaf.inner.sigma),
    is_gaussian=_is_always_drawn,
    is_tight=_is_always_drawn,
    readers=("SampledWithoutReplacementDpEvent", "SampledWithReplacementDpEvent"),
)


# --- shuffles -----------------------------------------------------------------------------------


def _shuffled_square(leaf: Shuffled) -> Fraction:
    return _square(_moved(leaf) * leaf.records_per_person, leaf.inner.sigma)


SHUFFLED = _kind(
    Shuffled(Gaussian(sigma=2.0, neighbouring="zero_out")),
    pair=lambda leaf: GaussianPair(root_above(_shuffled_square(leaf))),
    squared_mu=_shuffled_square,
    is_gaussian=lambda _: True,
    is_tight=lambda _: True,
)


# --- allocation ---------------------------------------------------------------------------------


def _blocks(leaf: Allocated, count: int) -> list[tuple[Bracket, int]]:
    """One bin each of as many blocks as bins are chosen; below, the sum of all, a Gaussian.

    Of t bins k: k - r blocks of floor(t / k) bins and r of one more, r = t mod k. Bins that are
    kept over epochs make for less noise (Lemma B0). Each small block gets its share of the mu of
    the sum.
    """
    small, rest = divmod(leaf.bins, leaf.times)
    noise = Gaussian(sigma=_kept_sigma(leaf), neighbouring=leaf.neighbouring)
    if leaf.times == 1:
        return [(_one_bin(noise, small), count)]
    fewer = leaf.times - rest
    mu = _moved(leaf) * leaf.times / (noise.sigma * math.sqrt(leaf.bins))
    found = [(_block(noise, small, GaussianPair(mu / math.sqrt(fewer))), fewer * count)]
    return found + ([(_block(noise, small + 1, None), rest * count)] if rest else [])


def _block(noise: Gaussian, bins: int, below: Pair | None) -> Bracket:
    if bins == 1:
        shift = 2.0 if noise.neighbouring == "replace" else 1.0
        return Bracket(GaussianPair(shift / noise.sigma), below)
    return Bracket(_one_bin(noise, bins).above, below)


def _kept_sigma(leaf: Allocated) -> float:
    return leaf.inner.sigma / math.sqrt(leaf.kept)


def _one_bin(noise: Gaussian, bins: int) -> Bracket:
    """One of at least two bins, see `AllocatedPair`."""
    if noise.sigma < _SMALLEST_SIGMA or bins > _MOST_BINS:
        raise BudgetExceeded(
            f"sigma={noise.sigma!r} with {bins} bins is out of reach; describe at least a noise of "
            f"{_SMALLEST_SIGMA:g} (over the square root of the epochs, if bins are kept) and at "
            f"most {_MOST_BINS:g} bins"
        )
    # A record exchanged for one that adds nothing is an attack on replacement, too.
    return Bracket(
        AllocatedPair(noise.sigma, bins, exchanged=noise.neighbouring == "replace"),
        AllocatedPair(noise.sigma, bins, merged=True),
    )


def _is_in_every_bin(leaf: Allocated) -> bool:
    return leaf.times == leaf.bins


ALLOCATED = _kind(
    Allocated(Gaussian(sigma=2.0), bins=10),
    # That of one bin; of several, which `_blocks` has, that of the first block.
    pair=lambda leaf: _blocks(leaf, 1)[0][0],
    together=_blocks,
    is_several=lambda leaf: leaf.times > 1,
    squared_mu=lambda leaf: _square(_moved(leaf), leaf.inner.sigma) * leaf.times * leaf.kept,
    is_gaussian=_is_in_every_bin,
    is_tight=_is_in_every_bin,
)


# --- truncated and cyclic Poisson samples -------------------------------------------------------


def _truncated_pair(leaf: TruncatedPoisson) -> Bracket | Pair | None:
    """A Poisson sample cut to a size: whether the others alone fill it is no secret.

    If they do not (probability 1 - p) it is the Poisson step. If they do, a batch of a fixed size
    which has the record with probability q' = Pr[Bin(n, q) > B] B / (p n): C_{q'}(G_{2/sigma})
    (Ganesh 2025, with the hull in place of the pair for a replaced record). Below, the better of
    two attacks: all others at zero, so that only whether the record is in matters; or all at -1,
    so that who gives way shows, as long as batches are seldom short of the limit.
    """
    sigma, rate, size, most = leaf.inner.sigma, leaf.rate, leaf.dataset_size, leaf.max_batch_size
    if rate == 0.0:
        return None
    _noisy(sigma)
    full = float(bdtrc(most - 1, size - 1, rate)) if most <= size - 1 else 0.0
    over = float(bdtrc(most, size, rate)) if most < size else 0.0
    cut_rate = over * most / (full * size) if full > 0.0 else 0.0
    grown = 1.0 + charges.binomial_tail(size)
    whole = _poisson_pair(leaf, rate)
    if full <= 0.0 or cut_rate <= 0.0:
        return whole
    hull = HullPair(SampledPair(GaussianPair(2.0 / sigma), min(cut_rate * grown, 1.0 - 1e-15)))
    above = MixedPair(((1.0 - full) * grown, full * grown), (whole, hull))
    included = ((1.0 - full) * rate + full * cut_rate) / grown
    alone = _poisson_pair(leaf, min(included, rate))
    if full < _OFTEN_CUT:
        return Bracket(above, alone)
    giving_way = truncated_pair(leaf.neighbouring, sigma, rate, size, most)
    return Bracket(above, _stronger(alone, giving_way) if giving_way else alone)


def _stronger(first: Pair, second: Pair) -> Pair:
    """The pair of larger Renyi divergence at order four: which of two attacks to compose."""
    logs = []
    for losses, p, _ in (first.points(), second.points()):
        with np.errstate(under="ignore"):
            logs.append(float(logsumexp(3.0 * losses, b=p)))
    return second if logs[1] > logs[0] else first


def _poisson_pair(leaf: TruncatedPoisson, rate: float) -> Pair:
    if leaf.neighbouring == "replace":
        if rate >= 1.0:
            return GaussianPair(2.0 / leaf.inner.sigma)
        return ReplacedGaussianPair(leaf.inner.sigma, rate)
    pair = GaussianPair(1.0 / leaf.inner.sigma)
    return pair if rate >= 1.0 else SampledPair(pair, rate)


TRUNCATED_POISSON = _kind(
    TruncatedPoisson(Gaussian(sigma=2.0), rate=0.05, dataset_size=1000, max_batch_size=60),
    pair=_truncated_pair,
    squared_mu=lambda leaf: _square(2 if leaf.rate > 0.0 else 0, leaf.inner.sigma),
    readers=("TruncatedSubsampledGaussianDpEvent",),
)


def _cycle(leaf: CyclicPoisson) -> PoissonSampled:
    """A step of Poisson sampling at ``rate * bands`` for each cycle (Lemma B0)."""
    return PoissonSampled(leaf.inner, rate=min(1.0, leaf.rate * leaf.bands))


CYCLIC_POISSON = Kind(
    description=CyclicPoisson,
    example=CyclicPoisson(Gaussian(sigma=2.0), rate=0.01, bands=4),
    pair=lambda leaf: POISSON_SAMPLED.pair(_cycle(leaf)),
    squared_mu=lambda leaf: POISSON_SAMPLED.squared_mu(_cycle(leaf)),
    is_gaussian=lambda leaf: POISSON_SAMPLED.is_gaussian(_cycle(leaf)),
    is_tight=lambda leaf: POISSON_SAMPLED.is_tight(_cycle(leaf)),
    mass_at_infinity=lambda leaf: POISSON_SAMPLED.mass_at_infinity(_cycle(leaf)),
    divergences=lambda leaf, orders: POISSON_SAMPLED.divergences(_cycle(leaf), orders),
    concentration=lambda leaf, order: POISSON_SAMPLED.concentration(_cycle(leaf), order),
    knob=_KNOB,
    words=words,
)
