"""Points of the curve of a Renyi guarantee, one by one: what its lines are compared with."""

import numpy as np

from gdpnum.renyi.region import _coins, _logs, _on_tpr, _root, _telling


def region_beta(orders, epsilons, alphas):
    """f(alpha): least beta with D_t(1 - beta || alpha) and D_t(alpha || 1 - beta) at most eps_t.

    D_t is the Renyi divergence of two coins, for orders in [1/2, 1), one (Kullback-Leibler) and
    above; of several orders the largest beta holds. Pessimistic, and accurate relative to beta.
    """
    logits = _logits(orders, epsilons, alphas)
    beta = np.exp(_logs(logits)[1])
    # Next to one a float is coarser than the logit; where nothing is told, beta is one itself.
    return np.where(np.isneginf(logits), beta, beta * (1.0 - 2.0**-52))


def region_tpr(orders, epsilons, alphas):
    """1 - f(alpha) as `region_beta`, but accurate relative to the tpr."""
    # Next to one a float is coarser than the logit.
    return np.minimum(np.exp(_logs(_logits(orders, epsilons, alphas))[0]) * (1.0 + 2.0**-52), 1.0)


def _logits(orders, epsilons, alphas):
    """The logits of the tpr, rounded up."""
    with np.errstate(divide="ignore"):
        logit_alphas = np.log(alphas) - np.log1p(-alphas)
    if np.any(epsilons == 0.0):
        return logit_alphas
    orders, epsilons = _telling(orders, epsilons)
    logits = np.full(alphas.size, np.inf)
    inside = np.flatnonzero((alphas > 0.0) & (alphas < 1.0))
    for order, epsilon in zip(orders, epsilons, strict=True):
        fixed = logit_alphas[inside]
        both = np.full(inside.size, order), np.full(inside.size, epsilon)
        found = np.minimum(_root(_on_tpr, *both, fixed), _root(_on_beta, *both, fixed))
        found += 2.0**-48 * (1.0 + np.abs(found) + np.abs(fixed))
        logits[inside] = np.minimum(logits[inside], found)
        # At alpha = 0 only beta^t >= exp((t - 1) eps) is left, or beta = 1 for t >= 1.
        log_beta = min(1.0 - 1.0 / order, 0.0) * epsilon
        with np.errstate(divide="ignore"):
            at_zero = np.log(-np.expm1(log_beta)) - log_beta
        logits[alphas == 0.0] = np.minimum(logits[alphas == 0.0], at_zero)
    return logits


def _on_beta(orders, at, logit_alphas):
    """D_t(alpha || tpr), which is D_t(1 - alpha || beta), as logit(tpr) grows."""
    coins = _coins(orders, -logit_alphas, -at)
    return coins.divergence, coins.log_by_a
