"""The profile of composed sampled Gaussians as an integral, in ball arithmetic.

The integral is summed with so many frequencies and nodes that what the sums leave out is far below
1e-40: the same sums with twice as many agree to that. Rounding is in the balls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import acb, arb, ctx

_BITS = 400

Loss = Callable[[arb], tuple[arb, arb]]
"""(log P/Q, log Q/N) at a point of the standard normal line."""


def poisson(sigma: float, rate: float) -> Loss:
    def at(u: arb) -> tuple[arb, arb]:
        c = 1 / arb(sigma)
        return (1 - arb(rate) + arb(rate) * (c * u - c * c / 2).exp()).log(), arb(0)

    return at


def replaced(sigma: float, rate: float) -> Loss:
    one = poisson(sigma, rate)

    def at(u: arb) -> tuple[arb, arb]:
        below = one(-u)[0]
        return one(u)[0] - below, below

    return at


def mixture(sigma: float, weights: Sequence[float]) -> Loss:
    def at(u: arb) -> tuple[arb, arb]:
        c = 1 / arb(sigma)
        rest = 1 - sum((arb(w) for w in weights[1:]), arb(0))
        total = rest
        for j, w in enumerate(weights[1:], start=1):
            total += arb(w) * (j * c * u - j * j * c * c / 2).exp()
        return total.log(), arb(0)

    return at


class BallProfile:
    """delta(eps) of removing (``tilt`` above one) or of adding (below zero)."""

    def __init__(
        self,
        steps: Sequence[tuple[Loss, int]],
        *,
        tilt: float,
        spacing: float,
        reach: float,
        step: float = 0.06,
        ends: tuple[float, float] = (-17.0, 26.0),
    ) -> None:
        self.tilt, self.adding = tilt, tilt < 0.0
        with ctx.workprec(_BITS):
            s, h = arb(tilt), arb(spacing)
            number = int(reach / spacing)
            first, last = int(ends[0] / step), int(ends[1] / step)
            values = [acb(1)] * number
            self.spacing = h
            for loss, count in steps:
                nodes = [loss(arb(step) * j) for j in range(first, last + 1)]
                points = [arb(step) * j for j in range(first, last + 1)]
                weights = [
                    (s * x + c - u * u / 2).exp() * arb(step) / (2 * arb.pi()).sqrt()
                    for (x, c), u in zip(nodes, points, strict=True)
                ]
                turns = [acb(0, h * x).exp() for x, _ in nodes]
                halves = [acb(0, h * x / 2).exp() for x, _ in nodes]
                now = [acb(w) * e for e, w in zip(halves, weights, strict=True)]
                for m in range(number):
                    values[m] *= sum(now, acb(0)) ** count
                    now = [a * b for a, b in zip(now, turns, strict=True)]
            self.values = values

    def delta(self, epsilon: float) -> arb:
        with ctx.workprec(_BITS):
            total = arb(0)
            for m, value in enumerate(self.values):
                theta = self.spacing * (2 * m + 1) / 2
                z = acb(-arb(self.tilt), -theta) if self.adding else acb(arb(self.tilt) - 1, theta)
                total += (value * (-z * arb(epsilon)).exp() / (z * (z + 1))).real
            return total * self.spacing / arb.pi()
