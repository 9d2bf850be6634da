"""From what was run to the pairs that an engine composes: `releases`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from gdpnum.directed import root_above
from gdpnum.errors import InvalidArgument
from gdpnum.kind import KINDS, kind_of
from gdpnum.mechanisms.mechanism import Mechanism
from gdpnum.pairs.atomic import approx_dp_pair
from gdpnum.pairs.gaussian import GaussianPair
from gdpnum.pairs.pair import Bracket, Pair, Release

# A larger mu is no privacy at all, for all that doubles can tell.
_LARGEST_MU = 1e5

# More releases than this would need integers that doubles cannot hold.
_MOST_RELEASES = 10**12


class Releases(NamedTuple):
    """Pairs whose composition dominates what was run, and pairs that it dominates.

    The two are the same where every pair is known exactly. An empty list is perfect privacy:
    nothing is released, or, from below, nothing of which an attack is known. Releases that are
    exactly Gaussian are merged into one, the last.
    """

    above: list[Release]
    below: list[Release]
    are_exact: bool
    """Whether both are the same, so that what lies between them is numerical error alone."""
    gaussian_mu: float | None
    """The mu of it all, if all that reveals anything is exactly Gaussian."""
    by_divergences: int
    """How many leaves of several releases are known by their Renyi divergences."""

    @property
    def dominating_mu(self) -> float | None:
        """The mu of what dominates what was run, if that is Gaussian."""
        squares: list[tuple[Fraction | float, int]] = []
        for pair, times in self.above:
            if not isinstance(pair, GaussianPair):
                return None
            squares.append((Fraction(pair.mu) ** 2, times))
        return composed_mu(squares)


def releases(mechanism: Mechanism) -> Releases:
    """The releases of a mechanism."""
    parts = mechanism.parts
    total = sum(count for _, count in parts)
    if total > _MOST_RELEASES:
        raise InvalidArgument(
            f"{total} releases are more than {_MOST_RELEASES:g}; describe fewer steps"
        )
    above: list[Release] = []
    # The same, up to the first bracket.
    below = above
    gaussians: list[tuple[Fraction | float, int]] = []
    exact, by_divergences = True, 0
    pairs: Sequence[tuple[Pair | Bracket | None, int]]
    for leaf, count in parts:
        kind = KINDS.get(type(leaf)) or kind_of(leaf)
        by_divergences += kind.is_by_divergences and total > 1
        if kind.is_gaussian(leaf):
            gaussians.append((kind.squared_mu(leaf), count))
            continue
        if kind.together is not None and (total > 1 or kind.is_several(leaf)):
            pairs = kind.together(leaf, count)
        else:
            pairs = [(kind.pair(leaf), count)]
        for found, times in pairs:
            if isinstance(found, Bracket):
                below = [*above] if exact else below
                exact = False
                above += [] if found.above is None else [Release(found.above, times)]
                # To forget a release is a processing of the others: what is left is dominated.
                below += [] if found.below is None else [Release(found.below, times)]
            elif found is not None:
                above.append(Release(found, times))
                if not exact:
                    below.append(above[-1])
    mu = composed_mu(gaussians) if gaussians else 0.0
    alone = None if above else mu
    if mu > 0.0:
        above.append(gaussian_release(mu))
        if not exact:
            below.append(above[-1])
    above = _revealed(above)
    return Releases(above, above if exact else _revealed(below), exact, alone, by_divergences)


def _revealed(found: list[Release]) -> list[Release]:
    """Once everything is revealed, nothing else matters."""
    everything = [Release(one.pair, 1) for one in found if one.pair.mass_at_infinity >= 1.0]
    return everything[:1] or found


def composed_mu(parts: Iterable[tuple[Fraction | float, int]]) -> float:
    """sqrt(sum n_i mu_i^2) of squares, rounded up; exact squares are summed exactly."""
    total: Fraction | float = sum((count * square for square, count in parts), start=Fraction(0))
    if isinstance(total, float):
        return math.inf
    return root_above(total)


def exact_mu(mechanism: Mechanism) -> float | None:
    """sqrt(sum n_i mu_i^2) if every release that reveals anything is Gaussian, None otherwise."""
    return releases(mechanism).gaussian_mu


def gaussian_release(mu: float) -> Release:
    """The release of one Gaussian, in equal pieces of mu <= 1 that keep exp(loss) in range."""
    if mu > _LARGEST_MU:
        return Release(approx_dp_pair(0.0, 1.0), 1)
    pieces = max(1, math.ceil(mu**2))  # a square may underflow
    return Release(GaussianPair(mu / math.sqrt(pieces)), pieces)


def largest_loss(found: list[Release]) -> float:
    """The sum of the largest losses, rounded up; infinite if any may be."""
    total = Fraction(0)
    for one, times in found:
        largest = max(one.highest, -one.lowest)
        if math.isinf(largest) or max(one.mass_at_infinity, one.mass_at_minus_infinity) > 0.0:
            return math.inf
        total += times * Fraction(largest)
    epsilon = float(total)
    return epsilon if Fraction(epsilon) >= total else math.nextafter(epsilon, math.inf)
