"""Audits written out term by term, as their sources have them."""

import math

import numpy as np
from scipy.special import gammaln, ndtr, ndtri


def masses(trials, rate):
    """Of a binomial count: 0 ... trials."""
    counts = np.arange(trials + 1)
    if rate in (0.0, 1.0):
        return (counts == trials * rate).astype(float)
    logs = gammaln(trials + 1) - gammaln(counts + 1) - gammaln(trials - counts + 1)
    return np.exp(logs + counts * math.log(rate) + (trials - counts) * math.log1p(-rate))


def one_run_sum(m, g, c, level, inverse):
    """r + h of Mahloujifar et al. (2024), Algorithm 3; refuted if it exceeds g / m."""
    r, h = level * c / m, level * (g - c) / m
    for i in range(c - 1, -1, -1):
        raised = max(h, inverse(r))
        r = min(1.0, r + i / (g - i) * (raised - h))
        h = raised
    return r + h


def gaussian_inverse(mu, slack=0.0):
    return lambda x: float(ndtr(ndtri(x - slack) - mu)) if x > slack else 0.0


def one_run_mu(m, g, c, level, slack=0.0):
    """The largest mu refuted, by halving."""
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if one_run_sum(m, g, c, level, gaussian_inverse(middle, slack)) > g / m:
            low = middle
        else:
            high = middle
    return low


def one_run_p(m, g, c, epsilon, delta):
    """The p-value of Steinke et al. (2023), Theorem 5.2, term by term."""
    rate = 1.0 / (1.0 + math.exp(-epsilon))
    mass = masses(g, rate)
    largest = max((mass[c - i : c].sum() / i for i in range(1, c + 1)), default=0.0)
    return float(mass[c:].sum() + 2 * m * delta * largest)


def hull(in_scores, out_scores):
    """(guesses, right ones) at the vertices of the concave hull of the ROC curve of the scores."""
    thresholds = np.append(np.union1d(in_scores, out_scores), np.inf)
    missed = np.searchsorted(np.sort(in_scores), thresholds)
    spared = np.searchsorted(np.sort(out_scores), thresholds)
    kept = []
    for point in zip(missed.tolist(), spared.tolist(), strict=True):
        while len(kept) > 1:
            (x0, y0), (x1, y1) = kept[-2:]
            if (y1 - y0) * (point[0] - x1) > (point[1] - y1) * (x1 - x0):
                break
            kept.pop()
        kept.append(point)
    n_in, n_out = len(in_scores), len(out_scores)
    return [(n_in - fn + n_out - tn, n_in - fn) for fn, tn in kept]
