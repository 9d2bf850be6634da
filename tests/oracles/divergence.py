"""Delta-divergence straight from its definition, on a dense grid."""

from collections.abc import Callable

import numpy as np

Curve = Callable[[np.ndarray], np.ndarray]


def delta_divergence(f: Curve, g: Curve, *, points: int = 200_001) -> float:
    """inf{k >= 0 : f(alpha + k) - k <= g(alpha) for all alpha}, with f = 0 beyond 1.

    Bisection on k; each k is tried at `points` values of alpha, evenly spread. Curves of
    slope s between grid points make the answer uncertain by at most about s / points.
    """
    alpha = np.linspace(0.0, 1.0, points)
    ceiling = g(alpha)

    def enough(k: float) -> bool:
        shifted = alpha + k
        lifted = np.where(shifted <= 1.0, f(np.minimum(shifted, 1.0)), 0.0)
        return bool(np.all(lifted - k <= ceiling))

    low, high = 0.0, 1.0
    if enough(low):
        return 0.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
