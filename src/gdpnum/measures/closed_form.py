"""mu where a formula exists: Gaussians, bounded losses, and everything at slack zero."""

from __future__ import annotations

import math
from functools import singledispatch

from scipy.special import ndtri_exp

from gdpnum.curve.gaussian_profile import mu_of_advantage
from gdpnum.curve.randomized_response import randomized_response_mu
from gdpnum.errors import UnsupportedMechanism
from gdpnum.loss.dominating import gathered_mu, gaussian_mu, infinite_mass
from gdpnum.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    RandomizedResponse,
    ReportNoisyMax,
)

__all__ = [
    "is_tight_at_zero",
    "mu_at_zero",
    "mu_of_release",
    "unbounded_mass",
]


# The formulas below err by a few units in the last place; to the safe side with them.
_SAFE = 1.0 + 2.0**-48


def mu_at_zero(mechanism: Mechanism) -> float:
    """sqrt(sum n_i mu_i^2) with mu_i that of one release at slack zero: always a valid mu."""
    return gathered_mu((mu_of_release(leaf), count) for leaf, count in mechanism.parts)


def is_tight_at_zero(mechanism: Mechanism) -> bool:
    """Whether `mu_at_zero` is the smallest valid mu, not only a valid one.

    It is for Gaussians, and for add/remove DP-SGD, where the worst case is to be sampled always.
    """

    def tight(leaf: Mechanism) -> bool:
        if gaussian_mu(leaf) is not None:
            return True
        return (
            isinstance(leaf, PoissonSampled)
            and isinstance(leaf.inner, Gaussian)
            and leaf.neighbouring == "add_remove"
        )

    return all(tight(leaf) for leaf, _ in mechanism.parts)


@singledispatch
def mu_of_release(leaf: Mechanism) -> float:
    """A mu with f_mu <= f for one release, with no slack."""
    raise UnsupportedMechanism(f"no mu at slack=0 is known for {leaf!r}; pass a positive slack")


@mu_of_release.register
def _(leaf: Gaussian) -> float:
    return gaussian_mu(leaf) or 0.0


@mu_of_release.register
def _(leaf: Laplace) -> float:
    # f(alpha) = exp(-eps) / (4 alpha) in the middle; the largest mu is at its fixed point,
    # -2 Phi^-1(exp(-eps / 2) / 2), which is the mu of the advantage 1 - exp(-eps / 2).
    half = 0.5 / leaf.scale
    if half < 1.0:
        return _SAFE * mu_of_advantage(-math.expm1(-half))
    return -2.0 * _SAFE * float(ndtri_exp(-half - math.log(2.0)))


@mu_of_release.register
def _(leaf: DiscreteLaplace) -> float:
    return randomized_response_mu(1.0 / leaf.scale, 2)


@mu_of_release.register
def _(leaf: RandomizedResponse) -> float:
    return randomized_response_mu(leaf.epsilon, leaf.categories)


@mu_of_release.register
def _(leaf: ExponentialMechanism) -> float:
    # The largest mu is at the fixed point of the curve, as that of the advantage tanh(eps / 4):
    # docs/proofs_selection.md, Lemma S3. It is that of randomised response with half the epsilon.
    return randomized_response_mu(0.5 * leaf.epsilon, 2)


@mu_of_release.register
def _(leaf: ReportNoisyMax) -> float:
    if leaf.noise == "gumbel":
        return randomized_response_mu(0.5 * leaf.epsilon, 2)
    return mu_of_release(Laplace(scale=1.0 / leaf.epsilon))


@mu_of_release.register
def _(leaf: DiscreteGaussian) -> float:
    raise UnsupportedMechanism(
        f"no mu at slack=0 is known for {leaf!r}: it is near 1/sigma, but not exactly; "
        "pass a positive slack"
    )


@mu_of_release.register
def _(leaf: PoissonSampled) -> float:
    if leaf.rate == 0.0:
        return 0.0
    # Sampling cannot hurt, so the inner mu is valid; for the Gaussian it is also the best.
    inner = mu_of_release(leaf.inner)
    if isinstance(leaf.inner, Gaussian):
        return inner
    if isinstance(leaf.inner, DiscreteGaussian):  # the line above has raised
        return inner
    epsilon = 1.0 / leaf.inner.scale
    amplified = math.log1p(leaf.rate * math.expm1(epsilon)) if epsilon < 700.0 else epsilon
    return min(inner, randomized_response_mu(amplified, 2))


def unbounded_mass(mechanism: Mechanism) -> float:
    """The probability that a loss is infinite: 1 - prod (1 - m_i)^n_i."""
    log_finite = 0.0
    for leaf, count in mechanism.parts:
        mass = infinite_mass(leaf)
        log_finite += count * math.log1p(-mass) if mass < 1.0 else -math.inf
    return -math.expm1(log_finite)
