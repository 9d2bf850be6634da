"""Skellam noise: its pair, from Bessel ratios in decimal arithmetic."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.pairs.atomic import AtomicPair
from gdpnum.pairs.mixture import DIGITS

# Beyond this the ratios take seconds.
_LARGEST_SIGMA = 2e4

# Larger Renyi orders would need more integers than are worth it.
_LARGEST_ORDER = 1e4


def skellam_pair(sigma: float) -> AtomicPair:
    """Noise of probability exp(-v) I_k(v) at the integers k, v = sigma^2, shifted by one.

    The ratios r_k = I_k / I_(k-1) obey 1 / r_k = 2k / v + r_(k+1): backwards all terms are positive
    and errors shrink by r_k^2 a step, so that the start is forgotten. The loss at k is
    -log r_k for k >= 1 and log r_(1-k) for k <= 0, increasing in k. What lies beyond the last k
    kept counts as infinite loss.
    """
    if sigma > _LARGEST_SIGMA:
        raise InvalidArgument(
            f"sigma={sigma!r} of Skellam is above {_LARGEST_SIGMA:g}; describe it by its Renyi "
            "divergences, or use Gaussian noise"
        )
    last = math.ceil(13.0 * sigma) + 30
    ratios = _ratios(sigma, last)
    with localcontext(DIGITS):
        chances = [Decimal(1)]
        for ratio in ratios:
            chances.append(chances[-1] * ratio)
        total = chances[0] + 2 * sum(chances[1:])
        # The geometric series of the last ratio is more than all that is beyond.
        cut = chances[-1] / (1 - ratios[-1]) / total
        half = np.array([float(chance / total) for chance in chances])
        steps = np.array([float(-ratio.ln()) for ratio in ratios])
    k = np.arange(-last + 1, last + 1)
    q, p = half[np.abs(k)], half[np.abs(k - 1)]
    losses = np.concatenate([-steps[::-1], steps])
    # Outcome k has P mass at k - 1, so k = 1 - last .. last keeps every ratio once.
    beyond = math.nextafter(float(cut), math.inf)
    return AtomicPair(losses, p, q, beyond, beyond, symmetric=True)


def skellam_outcomes(
    sigma: float, order: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Log P, log Q and losses at as many integers as Renyi divergences up to an order need.

    p^t q^(1 - t) is largest near k = t or before it, and about as wide there as the noise is.
    """
    if order > _LARGEST_ORDER:
        raise UnsupportedMechanism(
            f"no Renyi divergences of order {order:g} are computed for Skellam noise; "
            f"pass orders up to {_LARGEST_ORDER:g}"
        )
    last = math.ceil(13.0 * math.sqrt(math.hypot(sigma**2, order)) + order) + 30
    steps = np.array([float(-ratio.ln()) for ratio in _ratios(sigma, last)])
    logs = np.append(0.0, -np.cumsum(steps))
    # Beyond the last the sum of all is what it was.
    with np.errstate(under="ignore"):
        logs -= np.log(2.0 * np.exp(logs).sum() - 1.0)
    k = np.arange(-last + 1, last + 1)
    losses = np.concatenate([-steps[::-1], steps])
    return logs[np.abs(k - 1)], logs[np.abs(k)], losses


def _ratios(sigma: float, last: int) -> list[Decimal]:
    """I_k / I_(k-1) for k = 1..last."""
    with localcontext(DIGITS):
        variance = Decimal(sigma) ** 2
        start = last + 6 * math.ceil(sigma) + 60
        # About the ratio there; whatever is wrong with it shrinks to nothing on the way down.
        ratio = variance / (start + (start * start + variance * variance).sqrt())
        found: list[Decimal] = []
        for k in range(start - 1, 0, -1):
            ratio = 1 / (2 * k / variance + ratio)
            if k <= last:
                found.append(ratio)
        return found[::-1]
