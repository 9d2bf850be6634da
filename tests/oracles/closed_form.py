"""One step of additive noise, Poisson-sampled or not: exact profile, mu, advantage and regret.

A record moves the mean of the noise from 0 to 1, and joins the step with probability `rate`:

    remove:  P = (1 - rate) N(0) + rate N(1),  Q = N(0)
    add:     the same two, swapped

The loss is monotone in the output x, so every optimal test is a threshold: "x >= t" (remove) or
"x <= t" (add). Everything here is read off the two error rates of such a test.
"""

from dataclasses import dataclass
from typing import Literal

from mpmath import mp, mpf

from .gaussian_dp import gdp_delta, mu_at_point, normal_cdf
from .search import maximum

Direction = Literal["remove", "add"]
DIRECTIONS: tuple[Direction, Direction] = ("remove", "add")

# A beta close to 1 keeps 1 - beta - slack to thirty digits.
DIGITS = 50


@dataclass(frozen=True)
class GaussianNoise:
    """N(0, sigma^2)."""

    sigma: float

    def cdf(self, x) -> mpf:
        return normal_cdf(x / mpf(self.sigma))

    def threshold(self, loss) -> mpf:
        """The x where log N(1)/N(0) = (2x - 1)/(2 sigma^2) equals `loss`."""
        return mpf(self.sigma) ** 2 * loss + mpf(1) / 2

    def reach(self) -> mpf:
        """How far from 1/2 a threshold can matter: beyond it a tail is below 1e-300."""
        return 38 * mpf(self.sigma) + 1


@dataclass(frozen=True)
class LaplaceNoise:
    """Density exp(-|x|/scale) / (2 scale)."""

    scale: float

    def cdf(self, x) -> mpf:
        if x > 0:
            return 1 - mp.exp(-x / mpf(self.scale)) / 2
        return mp.exp(x / mpf(self.scale)) / 2

    def threshold(self, loss) -> mpf:
        """The x in [0, 1] where (|x| - |x - 1|)/scale = (2x - 1)/scale; infinite past the atoms."""
        x = (mpf(self.scale) * loss + 1) / 2
        if x < 0:
            return mp.ninf
        return x if x <= 1 else mp.inf

    def reach(self) -> mpf:
        """Thresholds outside [0, 1] split an atom of the loss, which no vertex does."""
        return mpf(1) / 2


@dataclass(frozen=True)
class Step:
    """One step: the noise, and the probability that the record takes part."""

    noise: GaussianNoise | LaplaceNoise
    rate: float = 1.0

    def errors(self, t, direction: Direction) -> tuple[mpf, mpf]:
        """(alpha, beta) of the test that says "P" for x >= t (remove) or x <= t (add)."""
        q = mpf(self.rate)
        below = (1 - q) * self.noise.cdf(t) + q * self.noise.cdf(t - 1)
        # The noise is symmetric, so the upper tail at t is the cdf at -t: no 1 - (1 - tiny).
        above_base = self.noise.cdf(-t)
        return (above_base, below) if direction == "remove" else (below, above_base)

    def tpr(self, t, direction: Direction) -> mpf:
        """1 - beta of the same test, without the subtraction."""
        q = mpf(self.rate)
        if direction == "remove":
            return (1 - q) * self.noise.cdf(-t) + q * self.noise.cdf(1 - t)
        return self.noise.cdf(t)

    def threshold(self, epsilon, direction: Direction) -> mpf:
        """The t whose test is "loss >= epsilon"; infinite where that is always or never."""
        q = mpf(self.rate)
        odds = mp.exp(epsilon if direction == "remove" else -epsilon) - (1 - q)
        return self.noise.threshold(mp.log(odds / q)) if odds > 0 else mp.ninf


def gaussian(sigma: float, rate: float = 1.0) -> Step:
    """One (Poisson-sampled) Gaussian step."""
    return Step(GaussianNoise(sigma), rate)


def laplace(scale: float, rate: float = 1.0) -> Step:
    """One (Poisson-sampled) Laplace step."""
    return Step(LaplaceNoise(scale), rate)


@mp.workdps(DIGITS)
def profile(step: Step, epsilon, direction: Direction) -> mpf:
    """delta(eps) = P(loss >= eps) - exp(eps) Q(loss >= eps), for every real eps."""
    epsilon = mpf(epsilon)
    if step.rate == 0:
        return max(mpf(0), -mp.expm1(epsilon))
    t = step.threshold(epsilon, direction)
    alpha, _ = step.errors(t, direction)
    return step.tpr(t, direction) - mp.exp(epsilon) * alpha


def symmetric_profile(step: Step, epsilon) -> mpf:
    """delta(eps) of add/remove neighbours: the larger of the two directions."""
    return max(profile(step, epsilon, direction) for direction in DIRECTIONS)


def advantage(step: Step) -> mpf:
    """eta = delta(0)."""
    return symmetric_profile(step, 0)


@mp.workdps(DIGITS)
def directed_mu(step: Step, slack, direction: Direction) -> mpf:
    """max over thresholds with loss >= 0 of -Phi^-1(alpha) - Phi^-1(beta + slack)."""
    if slack == 0 and isinstance(step.noise, GaussianNoise):
        # The supremum sits at an infinite threshold, where the record surely took part.
        return 1 / mpf(step.noise.sigma) if step.rate > 0 else mpf(0)
    # The loss is zero at x = 1/2 for any rate, and grows away from it.
    side = 1 if direction == "remove" else -1

    def score(distance: mpf) -> mpf:
        return mu_at_point(*step.errors(mpf(1) / 2 + side * distance, direction), slack)

    return max(mpf(0), maximum(score, 0, step.noise.reach()))


def mu(step: Step, slack) -> mpf:
    """Smallest mu with which the step, add/remove, is (mu, slack)-GDP."""
    return max(directed_mu(step, slack, direction) for direction in DIRECTIONS)


@mp.workdps(DIGITS)
def regret(step: Step, mu, largest_epsilon=30) -> mpf:
    """sup over eps in [0, largest_epsilon] of (delta_mu(eps) - delta(eps)) / (1 + exp(eps)).

    The rest of the half-line adds nothing above exp(-largest_epsilon).
    """

    def gap(epsilon: mpf) -> mpf:
        excess = gdp_delta(epsilon, mu) - symmetric_profile(step, epsilon)
        return excess / (1 + mp.exp(epsilon))

    # Crowded near 0, where the supremum of a small mu lies.
    return max(mpf(0), maximum(lambda root: gap(root**2), 0, mp.sqrt(largest_epsilon)))
