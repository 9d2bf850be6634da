r"""Region: which pairs of error rates an attack's counts leave possible.

At a threshold the attack has an FPR x and an FNR y, unknown both. Of so many canaries left out it
accused FP, of so many included it missed FN. With p1(x) = P[Bin(n_out, x) <= FP] and p2(y) =
P[Bin(n_in, y) <= FN], which are independent and at least as large as uniforms, the pair (x, y) is
excluded at a level a

- ``clopper_pearson``: if p1(x) <= a/2 or p2(y) <= a/2, which leaves a rectangle;
- ``joint``: if p1(x) p2(y) <= t with t (1 - ln t) = a (Fisher's product), which cuts its corner off
  and so, where both errors matter, proves more from the same counts.

Both rules exclude (x, y) with a probability of at most a if it is the truth, and with it every
larger pair. So what is left lies below a staircase of corners, and whatever no corner attains is
refuted: everything read off a region holds together, at the one level.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from gdpnum.auditing.binomial import few, product_below, upper_rate
from gdpnum.auditing.claim import Claim
from gdpnum.floats import Floats

Method = Literal["joint", "clopper_pearson"]

# Corners of a staircase, which costs a factor of level**(1/corners) in the level.
_CORNERS = 128

# Twice what the quantile function may err by, for quantiles below 40.
_QUANTILE_ERROR = 80.0 * 2.0**-50

_SMALLEST_P = 1e-300


class Counts(NamedTuple):
    """How often an attack erred, at one threshold."""

    false_positives: int
    out: int
    false_negatives: int
    included: int


class Region(NamedTuple):
    """Corners of the staircase below which the error rates (FPR, FNR) lie."""

    fprs: Floats
    fnrs: Floats

    def mu(self, slack: float) -> float:
        """The largest mu of which no (mu, slack)-GDP mechanism allows such rates."""
        x, y = self.fprs, self.fnrs
        with np.errstate(all="ignore"):
            one = -ndtri(x) - ndtri(np.minimum(y + slack, 1.0))
            # Neighbours may change places, so the errors may too.
            other = -ndtri(np.minimum(x + slack, 1.0)) - ndtri(y)
            least = float(np.maximum(one, other).min())
        return max(0.0, least - _QUANTILE_ERROR)

    def epsilon(self, delta: float) -> float:
        """The largest epsilon of which no (epsilon, delta)-DP mechanism allows such rates."""
        x, y = self.fprs, self.fnrs
        with np.errstate(all="ignore"):
            ratio = np.maximum((1.0 - delta - y) / x, (1.0 - delta - x) / y).min()
            return max(0.0, float(np.log(max(ratio, 1.0))) * (1.0 - 1e-12) - 1e-15)

    def advantage(self) -> float:
        """The least TPR - FPR."""
        return max(0.0, float((1.0 - self.fprs - self.fnrs).min()) - 1e-15)

    def tpr(self, fpr: float) -> float:
        """The least TPR of this test at an FPR, mixed with accusing nobody or everybody."""
        x, y = self.fprs, self.fnrs
        with np.errstate(all="ignore"):
            below = (1.0 - y) * fpr / x
            above = (1.0 - y) + np.where(x < 1.0, (fpr - x) / (1.0 - x), 0.0) * y
        least = float(np.where(x > fpr, below, above).min()) * (1.0 - 1e-12)
        return min(1.0, max(fpr, least))

    def refutes(self, claim: Claim) -> bool:
        """Whether the claim allows none of these rates."""
        return bool((self.fnrs < claim.betas(self.fprs)).all())


def region(counts: Counts, level: float, method: Method) -> Region:
    """What the counts leave possible at a level."""
    if method == "clopper_pearson":
        half = np.array([0.5 * level])
        return Region(
            upper_rate(counts.false_positives, counts.out, half),
            upper_rate(counts.false_negatives, counts.included, half),
        )
    product = product_below(level)
    # Where p1 is between two neighbours of this grid, x is below that of the first, and
    # p2 > t / p1 is at least t / (the second).
    grid = np.geomspace(product, 1.0, _CORNERS + 1)
    return Region(
        upper_rate(counts.false_positives, counts.out, grid[:-1]),
        upper_rate(counts.false_negatives, counts.included, product / grid[1:]),
    )


def p_value(counts: Counts, claim: Claim, method: Method) -> float:
    """The largest p-value of any error rates that the claim allows, from above.

    At the boundary (x, f(x)), as both p1 and p2 fall. On a cell [x, x'] of a grid it is at most
    that of p1(x) and p2(f(x')); cells are halved until that is as good as sharp.
    """
    fp, out, fn, included = counts

    def level(at: Floats, to: Floats) -> Floats:
        first, second = few(fp, out, at), few(fn, included, claim.betas(to))
        if method == "clopper_pearson":
            return 2.0 * np.minimum(first, second)
        product = np.maximum(first * second, _SMALLEST_P)
        return product * (1.0 - np.log(product))

    levels = np.geomspace(1e-18, 1.0, 64)
    xs = np.concatenate([[0.0, 1.0], upper_rate(fp, out, levels[:-1]), [fp / out]])
    xs = np.unique(np.append(xs, 0.5 * (xs[1:] + xs[:-1])))
    above = level(xs[:-1], xs[1:])
    for _ in range(40):
        attained = float(level(xs, xs).max())
        worth = above > 1.001 * attained
        if not worth.any():
            break
        middles = np.sqrt(xs[:-1][worth] * xs[1:][worth])
        middles = np.where(xs[:-1][worth] > 0.0, middles, 0.5 * xs[1:][worth])
        xs = np.unique(np.concatenate([xs, middles]))
        above = level(xs[:-1], xs[1:])
    return min(1.0, max(_SMALLEST_P, float(above.max())))
