"""From what was run to the pairs that dominate it: `releases`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import singledispatch
from typing import NamedTuple

from gdpnum.errors import BudgetExceeded, InvalidArgument, UnsupportedMechanism
from gdpnum.loss.atomic import (
    AtomicPair,
    approx_dp_pair,
    discrete_gaussian_pair,
    randomized_response_pair,
    sampled_atoms,
)
from gdpnum.loss.bounded_range import LogisticPair, block_pair, blocks, swap_epsilon
from gdpnum.loss.gaussian import GaussianPair, ReplacedGaussianPair
from gdpnum.loss.laplace import LaplacePair
from gdpnum.loss.pair import Pair, SampledPair
from gdpnum.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    RandomizedResponse,
    ReportNoisyMax,
)

__all__ = [
    "Release",
    "attacked",
    "composed_gaussian_mu",
    "gathered_mu",
    "gaussian_mu",
    "gaussian_release",
    "infinite_mass",
    "pair",
    "releases",
]

# Beyond this the support of the integer noise no longer fits in memory in comfort, and the
# continuous Gaussian of the same sigma is the same mechanism to a dozen digits.
_LARGEST_DISCRETE_SIGMA = 1e5


# At smaller sampling rates the loss of a step is lost in the rounding of its masses.
_SMALLEST_RATE = 1e-13

# A larger mu is no privacy at all, for all that doubles can tell.
_LARGEST_MU = 1e5

# With less noise the loss of a sampled step is beyond what doubles hold, thousands of times over.
_SMALLEST_SIGMA = 1e-3

# A smaller epsilon of a selection would be lost in underflow.
_SMALLEST_SELECTION = 1e-100

# More releases than this would need integers that doubles cannot hold.
_MOST_RELEASES = 10**12


class Release(NamedTuple):
    """A pair and how often it is released."""

    pair: Pair
    times: int


def releases(mechanism: Mechanism) -> list[Release]:
    """The pairs whose composition dominates the mechanism, Gaussians merged into one.

    An empty list is perfect privacy: nothing was released that depends on the data.
    """
    total = sum(count for _, count in mechanism.parts)
    if total > _MOST_RELEASES:
        raise InvalidArgument(
            f"{total} releases are more than {_MOST_RELEASES:g}; describe fewer steps"
        )
    found: list[Release] = []
    for leaf, count in mechanism.parts:
        if gaussian_mu(leaf) is None:
            found += released(leaf, count)
    mu = gathered_mu((gaussian_mu(leaf) or 0.0, count) for leaf, count in mechanism.parts)
    if mu > 0.0:
        found.append(gaussian_release(mu))
    # Once everything is revealed, nothing else matters.
    revealed = [Release(one.pair, 1) for one in found if one.pair.infinite >= 1.0]
    return revealed[:1] or found


def attacked(mechanism: Mechanism) -> list[Release] | None:
    """Pairs of neighbours that exist, where `releases` may be worse than any; None where it is not.

    Several selections have no worst neighbours, and neither has one with Laplace noise: the pairs
    of `releases` are a bound on all. Two candidates whose scores change places do exist.
    """
    several = sum(count for _, count in mechanism.parts) > 1
    selections = {
        leaf: leaf
        for leaf, _ in mechanism.parts
        if isinstance(leaf, ExponentialMechanism | ReportNoisyMax)
        and leaf.epsilon >= _SMALLEST_SELECTION
    }
    if not any(several or getattr(leaf, "noise", "") == "laplace" for leaf in selections):
        return None
    found: list[Release] = []
    for leaf, count in mechanism.parts:
        if leaf in selections:
            one = selections[leaf]
            odds = swap_epsilon(one.epsilon, getattr(one, "noise", "gumbel"))
            found.append(Release(randomized_response_pair(odds, 2), count))
        else:
            found += releases(leaf * count)
    return found


def gathered_mu(parts: Iterable[tuple[float, int]]) -> float:
    """sqrt(sum n_i mu_i^2), without overflow or underflow of the squares."""
    known = list(parts)
    largest = max((mu for mu, _ in known), default=0.0)
    if largest == 0.0 or math.isinf(largest):
        return largest
    return largest * math.sqrt(sum(count * (mu / largest) ** 2 for mu, count in known))


def gaussian_release(mu: float) -> Release:
    """The release of one Gaussian, in equal pieces of mu <= 1 that keep exp(loss) in range."""
    if mu > _LARGEST_MU:
        return Release(approx_dp_pair(0.0, 1.0), 1)
    pieces = math.ceil(mu**2)
    return Release(GaussianPair(mu / math.sqrt(pieces)), pieces)


def composed_gaussian_mu(mechanism: Mechanism) -> float | None:
    """sqrt(sum n_i mu_i^2) if every release that reveals anything is Gaussian, None otherwise."""
    found = []
    for leaf, count in mechanism.parts:
        mu = gaussian_mu(leaf)
        if mu is not None:
            found.append((mu, count))
        elif pair(leaf) is not None:
            return None
    return gathered_mu(found)


@singledispatch
def gaussian_mu(leaf: Mechanism) -> float | None:  # noqa: ARG001
    """The mu of a leaf that is exactly Gaussian, None for any other."""
    return None


@gaussian_mu.register
def _(leaf: Gaussian) -> float | None:
    # One record more moves the query by one; a replaced one from -1 to 1.
    return (2.0 if leaf.neighbouring == "replace" else 1.0) / leaf.sigma


@gaussian_mu.register
def _(leaf: PoissonSampled) -> float | None:
    return gaussian_mu(leaf.inner) if leaf.rate == 1.0 else None


@singledispatch
def pair(leaf: Mechanism) -> Pair | None:
    """The dominating pair of one release, None where nothing is revealed."""
    raise UnsupportedMechanism(
        f"no privacy loss is known for {leaf!r}; describe it as PureDP or ApproxDP, "
        "or through its privacy profile"
    )


@singledispatch
def released(leaf: Mechanism, count: int) -> list[Release]:
    """What dominates so many releases of a leaf: its pair, each time, unless less does."""
    one = pair(leaf)
    return [] if one is None else [Release(one, count)]


@released.register(ExponentialMechanism)
@released.register(ReportNoisyMax)
def _(leaf: ExponentialMechanism | ReportNoisyMax, count: int) -> list[Release]:
    one = pair(leaf)
    if not isinstance(one, LogisticPair):
        return [] if one is None else [Release(one, count)]
    return [
        Release(block_pair(one.epsilon, block), often)
        for block, often in blocks(one.epsilon, count)
    ]


@pair.register
def _(leaf: Gaussian) -> Pair:
    return GaussianPair(gaussian_mu(leaf) or 0.0)


@pair.register
def _(leaf: Laplace) -> Pair:
    return LaplacePair(1.0 / leaf.scale)


@pair.register
def _(leaf: DiscreteGaussian) -> Pair:
    if leaf.sigma > _LARGEST_DISCRETE_SIGMA:
        raise InvalidArgument(
            f"sigma={leaf.sigma!r} of DiscreteGaussian is above {_LARGEST_DISCRETE_SIGMA:g}; "
            "pass Gaussian(sigma=...), which is the same to a dozen digits there"
        )
    return discrete_gaussian_pair(leaf.sigma)


@pair.register
def _(leaf: DiscreteLaplace) -> Pair:
    # |k| - |k - 1| is 1 for k >= 1 and -1 for k <= 0: two losses only.
    return randomized_response_pair(1.0 / leaf.scale, 2)


@pair.register
def _(leaf: RandomizedResponse) -> Pair | None:
    return randomized_response_pair(leaf.epsilon, leaf.categories) if leaf.epsilon > 0.0 else None


@pair.register
def _(leaf: ExponentialMechanism) -> Pair | None:
    return _selection_pair(leaf.epsilon)


@pair.register
def _(leaf: ReportNoisyMax) -> Pair | None:
    return _selection_pair(leaf.epsilon) if leaf.noise == "gumbel" else LaplacePair(leaf.epsilon)


def _selection_pair(epsilon: float) -> Pair | None:
    if epsilon == 0.0:
        return None
    if epsilon < _SMALLEST_SELECTION:
        # No less private than to reveal everything with that probability.
        return approx_dp_pair(0.0, epsilon)
    return LogisticPair(epsilon)


@pair.register
def _(leaf: PoissonSampled) -> Pair | None:
    if leaf.rate == 0.0:
        return None
    if leaf.rate == 1.0:
        return pair(leaf.inner)
    if leaf.rate < _SMALLEST_RATE:
        # No less private than to reveal everything with that probability.
        return approx_dp_pair(0.0, leaf.rate)
    if isinstance(leaf.inner, Gaussian) and leaf.inner.sigma < _SMALLEST_SIGMA:
        raise BudgetExceeded(
            f"sigma={leaf.inner.sigma!r} is so little noise that a sampled record is as good as "
            "revealed, and doubles cannot tell by how much it is not; mu is at most "
            "sqrt(steps) / sigma, without amplification by sampling"
        )
    if isinstance(leaf.inner, Gaussian) and leaf.inner.neighbouring == "replace":
        return ReplacedGaussianPair(leaf.inner.sigma, leaf.rate)
    inner = pair(leaf.inner)
    if inner is None:
        return None
    return (
        sampled_atoms(inner, leaf.rate)
        if isinstance(inner, AtomicPair)
        else SampledPair(inner, leaf.rate)
    )


@singledispatch
def infinite_mass(leaf: Mechanism) -> float:  # noqa: ARG001
    """The probability with which a leaf, as far as is known, may reveal everything."""
    return 0.0
