"""The Gaussian's pairs: its own, and those of a sampled step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from gdpnum.directed import quotient_above
from gdpnum.floats import Floats
from gdpnum.pairs.pair import Ends, MonotonePair, Quadrature, Sampled

#: Reach of the quadrature in standard deviations (the tail beyond is below 1e-22) and its spacing:
#: a trapezoid of a Gaussian converges faster than any power of it.
REACH, SPACING = 10.0, 1 / 6


def _deviates(reach: float) -> Floats:
    """Equally spaced points from -reach to reach."""
    return np.linspace(-reach, reach, 2 * int(np.ceil(reach / SPACING)) + 1)


def bell(z: Floats) -> Floats:
    """Weights of a normal density at equally spaced points."""
    weights: Floats = np.exp(-0.5 * z**2)
    return weights / float(weights.sum())


@dataclass(frozen=True)
class GaussianPair(MonotonePair):
    """N(mu, 1) against N(0, 1): the loss is N(mu^2 / 2, mu^2) under P, N(-mu^2 / 2, ..) under Q."""

    mu: float
    symmetric = True

    def tails(self, loss: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        z = loss / self.mu
        p, q = z - 0.5 * self.mu, z + 0.5 * self.mu
        return ndtr(p), ndtr(-p), ndtr(q), ndtr(-q)

    def points(self) -> Quadrature:
        half = 0.5 * self.mu
        z = _deviates(REACH + half)
        return Quadrature(self.mu * z, bell(z - half), bell(z + half))


@dataclass(frozen=True)
class SampledGaussianPair(Sampled):
    """(1 - rate) N(0) + rate N(1) against N(0), of standard deviation sigma.

    The contour takes sigma as it is; ``inner``, for the lattice, dominates: its mu is rounded up.
    """

    sigma: float
    rate: float

    @cached_property
    def inner(self) -> GaussianPair:  # type: ignore[override]
        return GaussianPair(quotient_above(1.0, self.sigma))


@dataclass(frozen=True)
class SlackGaussianPair(MonotonePair):
    """The pair whose curve is f_mu - slack down to the diagonal, and the mirror image of that.

    The Gaussian pair without the losses in (-kink, kink), and with the slack at infinity. The
    curve meets the diagonal at ``diagonal``, with slope -exp(kink).
    """

    mu: float
    slack: float
    kink: float
    diagonal: float
    symmetric = True

    @property
    def ends(self) -> Ends:
        return Ends(mass_at_infinity=self.slack, mass_at_minus_infinity=self.slack)

    def tails(self, loss: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        half, z = 0.5 * self.mu, np.abs(loss) / self.mu
        # Beyond a loss on its own side: likely under one of the two, unlikely under the other.
        likely, unlikely = ndtr(half - z) + self.slack, ndtr(-half - z)
        inside = np.abs(loss) < self.kink
        likely = np.where(inside, 1.0 - self.diagonal, likely)
        unlikely = np.where(inside, self.diagonal, unlikely)
        up = (loss >= 0.0) | inside
        return (
            np.where(up, 1.0 - likely, unlikely),
            np.where(up, likely, 1.0 - unlikely),
            np.where(up, 1.0 - unlikely, likely),
            np.where(up, unlikely, 1.0 - likely),
        )

    def points(self) -> Quadrature:
        losses, p, q = GaussianPair(self.mu).points()
        outer = np.abs(losses) >= self.kink
        return Quadrature(losses[outer], p[outer], q[outer])


@dataclass(frozen=True)
class ReplacedGaussianPair(MonotonePair):
    """(1 - q) N(0) + q N(1) against (1 - q) N(0) + q N(-1), all of variance s^2.

    A Poisson-sampled step with one record replaced by another. The loss is odd and increasing in
    the outcome x; with A = 1 - q and B = q exp(-1 / (2 s^2)) it inverts in closed form,
    x = s^2 (w / 2 + asinh(A / B sinh(w / 2))).
    """

    sigma: float
    rate: float
    symmetric = True

    @property
    def _log_a(self) -> float:
        return float(np.log1p(-self.rate))

    @property
    def _log_b(self) -> float:
        return float(np.log(self.rate)) - 0.5 / self.sigma**2

    def _outcome(self, loss: Floats) -> Floats:
        half = 0.5 * np.abs(loss)
        # In logs, as sinh overflows: sinh(t) = exp(t) (1 - exp(-2t)) / 2, and asinh(y) is
        # log(2y) with a correction once y is large.
        with np.errstate(divide="ignore"):
            log_y = self._log_a - self._log_b + half + np.log(-0.5 * np.expm1(-2.0 * half))
        small = np.arcsinh(np.exp(np.minimum(log_y, 1.0)))
        large = log_y + np.log1p(np.sqrt(1.0 + np.exp(-2.0 * np.maximum(log_y, 1.0))))
        return np.copysign(self.sigma**2 * (half + np.where(log_y < 1.0, small, large)), loss)

    def tails(self, loss: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        x = self._outcome(loss)
        still, up, down = x / self.sigma, (x - 1.0) / self.sigma, (x + 1.0) / self.sigma
        below, above = (1.0 - self.rate) * ndtr(still), (1.0 - self.rate) * ndtr(-still)
        return (
            below + self.rate * ndtr(up),
            above + self.rate * ndtr(-up),
            below + self.rate * ndtr(down),
            above + self.rate * ndtr(-down),
        )

    def points(self) -> Quadrature:
        shift = 1.0 / self.sigma
        z = _deviates(REACH + shift)
        still = (1.0 - self.rate) * bell(z)
        tilt = z / self.sigma
        losses = np.logaddexp(self._log_a, self._log_b + tilt) - np.logaddexp(
            self._log_a, self._log_b - tilt
        )
        return Quadrature(
            losses, still + self.rate * bell(z - shift), still + self.rate * bell(z + shift)
        )
