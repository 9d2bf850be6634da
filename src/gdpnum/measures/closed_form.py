"""mu where a formula exists: Gaussians, bounded losses, and everything at slack zero."""

from __future__ import annotations

import math
from functools import singledispatch

import numpy as np
from scipy.special import ndtri, ndtri_exp

from gdpnum.curve.gaussian_profile import mu_of_advantage
from gdpnum.errors import UnsupportedMechanism
from gdpnum.loss.dominating import gaussian_mu, pair
from gdpnum.mechanisms import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
)

__all__ = [
    "composed_gaussian_mu",
    "infinite_mass",
    "is_tight_at_zero",
    "mu_at_zero",
    "mu_of_release",
]


# The formulas below err by a few units in the last place; to the safe side with them.
_SAFE = 1.0 + 2.0**-48


def composed_gaussian_mu(mechanism: Mechanism) -> float | None:
    """sqrt(sum n_i mu_i^2) if every release that reveals anything is Gaussian, None otherwise."""
    squared = 0.0
    for leaf, count in mechanism.parts:
        mu = gaussian_mu(leaf)
        if mu is not None:
            squared += count * mu**2
        elif pair(leaf) is not None:
            return None
    return math.sqrt(squared)


def mu_at_zero(mechanism: Mechanism) -> float:
    """sqrt(sum n_i mu_i^2) with mu_i that of one release at slack zero: always a valid mu."""
    return math.sqrt(sum(count * mu_of_release(leaf) ** 2 for leaf, count in mechanism.parts))


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
def _(leaf: PureDP) -> float:
    return _of_randomized_response(leaf.epsilon, 2)


@mu_of_release.register
def _(leaf: DiscreteLaplace) -> float:
    return _of_randomized_response(1.0 / leaf.scale, 2)


@mu_of_release.register
def _(leaf: RandomizedResponse) -> float:
    return _of_randomized_response(leaf.epsilon, leaf.categories)


@mu_of_release.register
def _(leaf: ApproxDP) -> float:
    return math.inf if leaf.delta > 0.0 else _of_randomized_response(leaf.epsilon, 2)


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
    return min(inner, _of_randomized_response(amplified, 2))


def _of_randomized_response(epsilon: float, categories: int) -> float:
    """-Phi^-1(m) - Phi^-1((k - 1) m) with m = 1 / (exp(eps) + k - 1).

    For k = 2 this is Prop. 6.1 of the paper, -2 Phi^-1(1 / (exp(eps) + 1)), the mu of the
    advantage tanh(eps / 2).
    """
    if categories == 2 and epsilon < 1.0:
        return _SAFE * mu_of_advantage(math.tanh(0.5 * epsilon))
    log_m = -float(np.logaddexp(epsilon, math.log(categories - 1)))
    low, high = _quantile(log_m), _quantile(log_m + math.log(categories - 1))
    if epsilon > 1e-6:
        return max(0.0, -low - high) * _SAFE
    # The sum cancels. It is the distance of two quantiles whose probabilities are expm1(eps) m
    # apart, and the normal density is smallest at an end: mean value theorem.
    density = math.exp(-0.5 * max(low**2, high**2)) / math.sqrt(2.0 * math.pi)
    return math.expm1(epsilon) * math.exp(log_m) / density * _SAFE


def _quantile(log_probability: float) -> float:
    """Phi^-1(exp(x)); the plain form is the more accurate one until it underflows."""
    if log_probability > -700.0:
        return float(ndtri(math.exp(log_probability)))
    return float(ndtri_exp(log_probability))


def infinite_mass(mechanism: Mechanism) -> float:
    """The mass of unbounded loss: 1 - prod (1 - delta_i)^n_i over the ApproxDP releases."""
    log_finite = 0.0
    for leaf, count in mechanism.parts:
        if isinstance(leaf, ApproxDP):
            log_finite += count * math.log1p(-leaf.delta) if leaf.delta < 1.0 else -math.inf
    return -math.expm1(log_finite)
