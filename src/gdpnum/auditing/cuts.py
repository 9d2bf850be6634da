"""Cuts: thresholds that an audit may use, because they are fixed before the errors are counted.

- a number, known before the scores;
- ``"bonferroni"``: several ranks, fixed by the number of canaries alone. "Accuse whoever scores
  more than the (k+1)-th highest of the canaries left out" has an FPR of which the probability to
  exceed x is at most P[Bin(n_out, x) <= k], ties or not, and given that threshold the misses are
  binomial; the same from the other end, by ranks of the included. Each rank has its share of the
  level;
- ``"split"``: the threshold that does best on one half, used on the other.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from gdpnum.auditing.binomial import upper_rate
from gdpnum.auditing.claim import Claim
from gdpnum.auditing.region import Counts
from gdpnum.auditing.roc import Roc
from gdpnum.auditing.scores import Ints
from gdpnum.errors import InvalidArgument
from gdpnum.floats import Floats

Rule = Literal["fixed", "bonferroni", "split"]

#: The shares of the canaries left out, and of the included, at whose ranks thresholds are set.
RATES = (0.0, 0.01, 0.1, 0.3)

# Thresholds among which a split chooses.
_TRIED = 64
_LUCK = 0.1


class Cut(NamedTuple):
    """A threshold and the errors charged to it; ``strict``: only higher scores are accused."""

    threshold: float
    strict: bool
    counts: Counts


def fixed_cut(roc: Roc, threshold: float) -> Cut:
    """The errors of accusing whoever scores at least a threshold fixed in advance."""
    fp, fn = roc.errors_from(threshold)
    return Cut(threshold, False, Counts(int(fp), roc.out.size, int(fn), roc.included.size))


def rank_cuts(roc: Roc) -> tuple[Cut, ...]:
    """The errors at ranks that the numbers of canaries fix."""
    n_out, n_in = roc.out.size, roc.included.size
    cuts = []
    for rank in dict.fromkeys(int(rate * n_out) for rate in RATES):
        threshold = float(roc.out[n_out - 1 - rank])
        _, fn = roc.errors_above(threshold)
        cuts.append(Cut(threshold, True, Counts(rank, n_out, fn, n_in)))
    for rank in dict.fromkeys(int(rate * n_in) for rate in RATES):
        threshold = float(roc.included[rank])
        fp, _ = roc.errors_from(threshold)
        cuts.append(Cut(threshold, False, Counts(int(fp), n_out, rank, n_in)))
    return tuple(cuts)


def halves(scores: Floats, rng: np.random.Generator, name: str) -> tuple[Floats, Floats]:
    """The scores in two halves, by chance."""
    if scores.size < 2:
        raise InvalidArgument(
            f"{name} has one score, which cannot be split; pass more, or another threshold"
        )
    order = rng.permutation(scores.size)
    middle = scores.size // 2
    return scores[order[:middle]], scores[order[middle:]]


def split_cut(included: Floats, out: Floats, claim: Claim | None, level: float, seed: int) -> Cut:
    """The cut that does best on one half, with the errors of the other half.

    Best: the rectangle of error rates that is furthest, in quantiles, from the claim, or without
    one from guessing; at a level that leaves no room for the luck of the best of many.
    """
    rng = np.random.default_rng(seed)
    first_in, second_in = halves(included, rng, "scores_in")
    first_out, second_out = halves(out, rng, "scores_out")
    tried = Roc.of(first_in, first_out)
    # Ranks from the end where errors are rare: few false accusations, then few misses.
    top = tried.out[tried.out.size - 1 - _ranks(tried.out.size)]
    thresholds = np.unique(np.append(top, tried.included[_ranks(tried.included.size)]))
    fps, fns = tried.errors_from(thresholds)
    fprs = upper_rate(fps, tried.out.size, _LUCK * level)
    fnrs = upper_rate(fns, tried.included.size, _LUCK * level)
    with np.errstate(all="ignore"):
        allowed = 1.0 - fprs if claim is None else claim.betas(fprs)
        lead = np.nan_to_num(ndtri(allowed) - ndtri(fnrs), nan=-np.inf)
    best = float(thresholds[int(np.argmax(lead))])
    return fixed_cut(Roc.of(second_in, second_out), best)


def _ranks(size: int) -> Ints:
    """Ranks from 0 on, each a little further than the last."""
    return np.unique(np.geomspace(1, size, _TRIED // 2).astype(np.int64)) - 1
