"""n-fold Laplace composition as a finite sum, exact up to the working digits.

With a = 1/scale, one Laplace step's loss is distributed as exp(y/2) dM(y) under P and as
exp(-y/2) dM(y) under Q, with the symmetric measure

    M = exp(-a/2) * ( half an atom at a  +  half an atom at -a  +  density 1/4 on (-a, a) ).

Composition convolves M with itself: choose how many of the n steps fall on each atom, and the
remaining k are a k-fold convolution of boxes, the spline

    box^k (y) = sum_j (-1)^j C(k, j) (y + (k - 2j) a)_+^(k-1) / (k-1)!.

Each truncated power times an exponential has an elementary integral, so both tails are sums of
a few hundred terms. No quadrature, no lattice.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from mpmath import mp, mpf

from .gaussian_dp import mu_at_point
from .search import maximum

# Truncated powers cancel by about (2n)^n; forty digits remain at n = 10.
DIGITS = 60


class _Power(NamedTuple):
    """weight * (y - start)_+^degree / degree!; degree -1 is an atom at start."""

    weight: mpf
    start: mpf
    degree: int


def _measure(scale, count: int) -> Iterator[_Power]:
    """M convolved with itself `count` times."""
    a = 1 / mpf(scale)
    shrink = mp.exp(-a / 2) ** count
    for ups in range(count + 1):
        for downs in range(count + 1 - ups):
            boxes = count - ups - downs
            ways = mp.binomial(count, ups) * mp.binomial(count - ups, downs)
            weight = shrink * ways / (mpf(2) ** (ups + downs) * mpf(4) ** boxes)
            centre = (ups - downs) * a
            for j in range(boxes + 1):
                sign = (-1) ** j * mp.binomial(boxes, j)
                yield _Power(weight * sign, centre - (boxes - 2 * j) * a, boxes - 1)


def _integral(power: _Power, low, high, rate) -> mpf:
    """Integral over [low, high] of the term times exp(rate y); the atom counts at low."""
    if power.degree < 0:
        return power.weight * mp.exp(rate * power.start) if power.start >= low else mpf(0)
    low = max(low, power.start)
    if low >= high:
        return mpf(0)

    def primitive(y) -> mpf:
        terms = (
            (-1) ** r
            * (y - power.start) ** (power.degree - r)
            / mp.factorial(power.degree - r)
            / rate ** (r + 1)
            for r in range(power.degree + 1)
        )
        return mp.exp(rate * y) * mp.fsum(terms)

    return power.weight * (primitive(high) - primitive(low))


@mp.workdps(DIGITS)
def tails(scale: float, count: int, loss) -> tuple[mpf, mpf]:
    """(Pr[X >= loss], Pr[Y >= loss]): false and true positive rate of the test "loss >= ..."."""
    highest = count / mpf(scale)
    # An atom the caller aimed at must not slip below the threshold by a rounding.
    low = mpf(loss) - mp.ldexp(1, -120)
    powers = list(_measure(scale, count))
    half = mpf(1) / 2
    alpha = mp.fsum(_integral(power, low, highest, -half) for power in powers)
    tpr = mp.fsum(_integral(power, low, highest, half) for power in powers)
    return alpha, tpr


@mp.workdps(DIGITS)
def profile(scale: float, count: int, epsilon) -> mpf:
    """delta(eps) = Pr[Y >= eps] - exp(eps) Pr[X >= eps]. The same in both directions."""
    alpha, tpr = tails(scale, count, epsilon)
    return tpr - mp.exp(mpf(epsilon)) * alpha


@mp.workdps(DIGITS)
def mu(scale: float, count: int, slack=0) -> mpf:
    """Smallest mu with which `count` Laplace steps are (mu, slack)-GDP, to twenty digits."""
    a = 1 / mpf(scale)

    def score(loss) -> mpf:
        alpha, tpr = tails(scale, count, loss)
        return mu_at_point(alpha, 1 - tpr, slack)

    # Atoms sit at the multiples of a: the score jumps there and is smooth between.
    atoms = [(j * a, score(j * a)) for j in range(count + 1)]
    best = max(accuracy for _, accuracy in atoms)
    for (left, _), (right, _) in pairwise(atoms):
        # A piece far below the best atom at three places, being smooth, holds no maximum.
        inside = max(score(left + (right - left) * share) for share in (0.01, 0.5, 0.99))
        if inside > best - 0.1:
            with mp.workdps(20):
                best = max(best, maximum(score, left, right, points=12))
    return max(mpf(0), best)
