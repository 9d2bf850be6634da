"""The Laplace mechanism's pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gdpnum.floats import Floats
from gdpnum.pairs.pair import BoundedPair, Quadrature


@dataclass(frozen=True)
class LaplacePair(BoundedPair):
    """Laplace noise of scale 1 / epsilon around 1 against the same around 0.

    The loss lies in [-epsilon, epsilon], with P[L <= w] = exp((w - epsilon) / 2) / 2 inside and
    atoms at both ends.
    """

    def tails(self, loss: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        inside = np.clip(loss, -self.epsilon, self.epsilon)
        under, over = loss < -self.epsilon, loss >= self.epsilon
        p_below = 0.5 * np.exp(0.5 * (inside - self.epsilon))
        q_above = 0.5 * np.exp(-0.5 * (inside + self.epsilon))

        def outside(values: Floats, at_bottom: float) -> Floats:
            return np.where(under, at_bottom, np.where(over, 1.0 - at_bottom, values))

        return (
            outside(p_below, 0.0),
            outside(1.0 - p_below, 1.0),
            outside(1.0 - q_above, 0.0),
            outside(q_above, 1.0),
        )

    def points(self) -> Quadrature:
        edges = np.linspace(-self.epsilon, self.epsilon, 257)
        middles = 0.5 * (edges[:-1] + edges[1:])
        inner = np.exp(0.5 * (edges - self.epsilon))
        end = 0.5 * np.exp(-self.epsilon)
        p = np.concatenate([[end], 0.5 * np.diff(inner), [0.5]])
        return Quadrature(np.concatenate([edges[:1], middles, edges[-1:]]), p, p[::-1])
