"""Small discrete losses, composed outcome by outcome: the definitions, spelled out.

A `Pair` lists the outcomes of a dominating pair (P, Q): each has a mass under P and one under Q,
and outcomes of equal loss log(p/q) are one. Composition multiplies every outcome with every
other. Nothing is rounded to a lattice; masses are mpf of `DIGITS` digits.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from mpmath import mp, mpf

from .gaussian_dp import gdp_delta, mu_at_point

DIGITS = 60

# Outcomes are told apart by their loss in units of 2^-130 (1e-39): products taken in another
# order differ in their last digits only, and still count as one outcome.
_RESOLUTION = 130


class Vertex(NamedTuple):
    """A corner of the trade-off curve: error rates of the test "loss >= this loss"."""

    loss: mpf
    alpha: mpf
    beta: mpf


@dataclass(frozen=True)
class Pair:
    """Outcomes by loss, as {key: (P mass, Q mass)}, with the masses of one side only."""

    outcomes: dict[int, tuple[mpf, mpf]]
    p_only: mpf = mpf(0)
    """P mass where Q has none: loss +inf."""
    q_only: mpf = mpf(0)
    """Q mass where P has none: loss -inf."""

    def losses(self) -> Iterator[tuple[mpf, mpf, mpf]]:
        """(loss, p, q), highest loss first."""
        for key in sorted(self.outcomes, reverse=True):
            p, q = self.outcomes[key]
            yield mp.log(p / q), p, q

    def reversed(self) -> "Pair":
        """(Q, P): the other direction of the neighbouring relation."""
        swapped = {-key: (q, p) for key, (p, q) in self.outcomes.items()}
        return Pair(swapped, p_only=self.q_only, q_only=self.p_only)


@mp.workdps(DIGITS)
def pair(masses: Iterable[tuple[mpf, mpf]]) -> Pair:
    """A pair from (P mass, Q mass) of each outcome, in any order."""
    outcomes: dict[int, tuple[mpf, mpf]] = {}
    p_only = q_only = mpf(0)
    for p, q in masses:
        if p > 0 and q > 0:
            key = int(mp.nint(mp.ldexp(mp.log(p / q), _RESOLUTION)))
            old_p, old_q = outcomes.get(key, (mpf(0), mpf(0)))
            outcomes[key] = (old_p + p, old_q + q)
        elif p > 0:
            p_only += p
        else:
            q_only += q
    return Pair(outcomes, p_only, q_only)


# --- mechanisms ---------------------------------------------------------------------------------


@mp.workdps(DIGITS)
def randomized_response(epsilon: float, categories: int = 2) -> Pair:
    """Tells the truth with probability exp(eps)/(exp(eps) + k - 1), else another category."""
    weight = mp.exp(mpf(epsilon))
    total = weight + categories - 1
    others = (categories - 2) / total
    return pair([(weight / total, 1 / total), (1 / total, weight / total), (others, others)])


def pure_dp(epsilon: float) -> Pair:
    """The worst eps-DP mechanism is binary randomised response."""
    return randomized_response(epsilon)


@mp.workdps(DIGITS)
def approx_dp(epsilon: float, delta: float) -> Pair:
    """The worst (eps, delta)-DP mechanism: reveals all with probability delta."""
    hidden = 1 - mpf(delta)
    inner = randomized_response(epsilon).outcomes.values()
    open_part = [(mpf(delta), mpf(0)), (mpf(0), mpf(delta))]
    return pair([(hidden * p, hidden * q) for p, q in inner] + open_part)


@mp.workdps(DIGITS)
def discrete_laplace(scale: float, sensitivity: int = 1) -> Pair:
    """Integer noise, mass proportional to exp(-|x|/scale), shifted by the sensitivity."""
    a = mp.exp(-1 / mpf(scale))

    def upper(x: int) -> mpf:
        """Pr[noise >= x] for x >= 1, and by symmetry below."""
        return a**x / (1 + a) if x >= 1 else 1 - a ** (1 - x) / (1 + a)

    def mass(x: int) -> mpf:
        return (1 - a) / (1 + a) * a ** abs(x)

    between = [(mass(x - sensitivity), mass(x)) for x in range(1, sensitivity)]
    lowest = (1 - upper(1 - sensitivity), 1 - upper(1))
    return pair([lowest, *between, (upper(0), upper(sensitivity))])


@mp.workdps(DIGITS)
def discrete_gaussian(sigma: float, *, tail: float = 1e-45, sensitivity: int = 1) -> Pair:
    """Integer noise, mass proportional to exp(-x^2/(2 sigma^2)), shifted by the sensitivity.

    Outputs that carry less than `tail` in all count as giving everything away (P mass to +inf,
    Q mass to -inf): pessimistic, and every error rate moves by less than `tail` per step.
    """
    variance = mpf(sigma) ** 2
    reach = int(mp.ceil(mp.sqrt(-2 * variance * mp.log(mpf(tail) / 8)))) + sensitivity

    def weight(x: int) -> mpf:
        return mp.exp(-(mpf(x) ** 2) / (2 * variance))

    # Terms beyond twice the reach are below tail^4: past the working digits.
    total = weight(0) + 2 * mp.fsum(weight(x) for x in range(1, 2 * reach))
    support = range(-reach, reach + sensitivity + 1)
    kept = [(weight(x - sensitivity) / total, weight(x) / total) for x in support]
    lost_p, lost_q = (1 - mp.fsum(masses) for masses in zip(*kept, strict=True))
    return pair([*kept, (max(lost_p, mpf(0)), mpf(0)), (mpf(0), max(lost_q, mpf(0)))])


@mp.workdps(DIGITS)
def poisson_sampled(inner: Pair, rate: float) -> Pair:
    """(1 - rate) Q + rate P against Q: the "remove" direction. `reversed()` gives "add"."""
    r = mpf(rate)
    both = [((1 - r) * q + r * p, q) for p, q in inner.outcomes.values()]
    return pair([*both, (r * inner.p_only, mpf(0)), ((1 - r) * inner.q_only, inner.q_only)])


# --- composition --------------------------------------------------------------------------------


@mp.workdps(DIGITS)
def composed(*pairs: Pair) -> Pair:
    """The product of the pairs: every outcome of one with every outcome of the next."""
    return reduce(_product, pairs, Pair({0: (mpf(1), mpf(1))}))


def repeated(pair: Pair, count: int) -> Pair:
    """`count` independent runs of the same pair."""
    return composed(*[pair] * count)


def _product(first: Pair, second: Pair) -> Pair:
    both = pair(
        (p_1 * p_2, q_1 * q_2)
        for p_1, q_1 in first.outcomes.values()
        for p_2, q_2 in second.outcomes.values()
    )
    return Pair(
        both.outcomes,
        p_only=1 - (1 - first.p_only) * (1 - second.p_only),
        q_only=1 - (1 - first.q_only) * (1 - second.q_only),
    )


# --- measures -----------------------------------------------------------------------------------


@mp.workdps(DIGITS)
def profile(pair: Pair, epsilon) -> mpf:
    """delta(eps) = sum of (p - exp(eps) q)+ over all outcomes, for every real eps."""
    growth = mp.exp(mpf(epsilon))
    gains = (p - growth * q for p, q in pair.outcomes.values())
    return pair.p_only + mp.fsum(gain for gain in gains if gain > 0)


def symmetric_profile(pair: Pair, epsilon) -> mpf:
    """The larger of delta(eps) in both directions."""
    return max(profile(pair, epsilon), profile(pair.reversed(), epsilon))


@mp.workdps(DIGITS)
def vertices(pair: Pair) -> list[Vertex]:
    """Corners of the trade-off curve of (P, Q), from alpha = 0 down to beta = 0."""
    alpha, tpr = mpf(0), pair.p_only
    corners = [Vertex(mp.inf, alpha, 1 - tpr)]
    for loss, p, q in pair.losses():
        alpha, tpr = alpha + q, tpr + p
        corners.append(Vertex(loss, alpha, max(mpf(0), 1 - tpr)))
    return corners


@mp.workdps(DIGITS)
def beta(pair: Pair, alpha) -> mpf:
    """f(alpha) of the ordered pair: the corners joined by straight lines."""
    alpha = mpf(alpha)
    corners = vertices(pair)
    for left, right in pairwise(corners):
        if left.alpha <= alpha <= right.alpha:
            share = (alpha - left.alpha) / (right.alpha - left.alpha)
            return left.beta + share * (right.beta - left.beta)
    return mpf(0)


@mp.workdps(DIGITS)
def mu(pair: Pair, slack=0) -> mpf:
    """Smallest mu with f >= f_mu - slack in both directions, by its definition at every corner.

    Infinite where an event of probability above slack under P never happens under Q.
    """
    # The corner at alpha = 0 is kept: -Phi^-1(0) = inf unless beta + slack >= 1 excuses it.
    corners = [v for one in (pair, pair.reversed()) for v in vertices(one) if v.loss >= -mp.eps]
    return max([mpf(0), *(mu_at_point(v.alpha, v.beta, slack) for v in corners)])


@mp.workdps(DIGITS)
def regret(pair: Pair, mu) -> mpf:
    """max over the kinks eps >= 0 of (delta_mu(eps) - delta(eps)) / (1 + exp(eps)).

    Between kinks delta is linear in exp(eps) and delta_mu convex, so the kinks are enough.
    """
    kinks = [mpf(0), *(abs(loss) for loss, _, _ in pair.losses())]
    gaps = (
        (gdp_delta(eps, mu) - symmetric_profile(pair, eps)) / (1 + mp.exp(eps)) for eps in kinks
    )
    return max([mpf(0), *gaps])
