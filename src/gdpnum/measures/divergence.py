"""Delta-divergence: how far apart two trade-off curves are, and where."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdpnum import _validate
from gdpnum.account import as_curve
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.floats import NUMPY, Floats
from gdpnum.subject import Subject

# Halvings that narrow a search down to the last digit.
_HALVINGS = 70

# Points among which the best is refined, where two smooth curves cross.
_SCAN = 4097


class DeltaDivergence(float):
    """Delta(f, g), with the place where it is attained.

    At ``epsilon`` the profiles differ by Delta (1 + exp(epsilon)). An attacker who holds the target
    for a non-member with probability ``prior`` = 1 / (1 + exp(-epsilon)) errs with probability
    Delta less against g than against f; in `gdpnum.risk` a prior is that of a member. On the
    curves, g(alpha) = f(alpha + Delta) - Delta at ``alpha``.
    """

    epsilon: float
    prior: float
    alpha: float

    def __new__(cls, value: float, *, epsilon: float, alpha: float) -> DeltaDivergence:
        """Bind the number to its witness."""
        self = super().__new__(cls, value)
        self.epsilon, self.alpha = epsilon, alpha
        self.prior = float(prior_weight(np.array(-epsilon)))
        return self

    @property
    def value(self) -> float:
        """The number alone."""
        return float(self)

    def __repr__(self) -> str:
        return (
            f"DeltaDivergence({float(self)!r}, epsilon={self.epsilon:.6g}, "
            f"prior={self.prior:.6g}, alpha={self.alpha:.6g})"
        )

    def __getnewargs_ex__(self) -> tuple[tuple[float], dict[str, Any]]:
        return (float(self),), {"epsilon": self.epsilon, "alpha": self.alpha}


def delta_divergence(
    f: Subject,
    g: Subject,
    *,
    symmetric: bool = False,
) -> DeltaDivergence:
    """Delta(f, g) = inf{k >= 0: f(alpha + k) - k <= g(alpha) for all alpha}, exactly.

    In profiles, sup over eps of (delta_g(eps) - delta_f(eps)) / (1 + exp(eps)): how much more of
    an attacker's success g admits than f, for the prior that makes most of it. It is 0 exactly if
    g grants whatever f does, f <= g; with ``symmetric`` the larger of both orders is taken, which
    is a metric. Advantages differ by at most twice that.

    Takes curves, representations (their curves) and mechanisms (their curves as computed by
    `tradeoff_curve`, so to its tolerance; `regret` bounds it from above).

    >>> from gdpnum import GDP, PureDP, delta_divergence
    >>> found = delta_divergence(GDP(mu=1.0), GDP(mu=2.0))
    >>> f"{found:.4f} at prior {found.prior}"
    '0.1499 at prior 0.5'
    """
    first, second = as_curve("f", f), as_curve("g", g)
    symmetric = _validate.choice("symmetric", symmetric, (False, True))
    with np.errstate(**NUMPY):
        found = _ordered(first, second)
        return max(found, _ordered(second, first)) if symmetric else found


def _ordered(f: TradeoffCurve, g: TradeoffCurve) -> DeltaDivergence:
    value, epsilon = _steep(f, g)
    found = DeltaDivergence(value, epsilon=epsilon, alpha=_touching(f, g, value, epsilon)[0])
    if f.is_symmetric and g.is_symmetric:
        return found
    # Negative epsilons are positive ones of the inverse curves.
    f, g = f.inverse(), g.inverse()
    value, epsilon = _steep(f, g)
    beta = _touching(f, g, value, epsilon)[1]
    return max(found, DeltaDivergence(value, epsilon=-epsilon, alpha=beta))


def _steep(f: TradeoffCurve, g: TradeoffCurve) -> tuple[float, float]:
    """The largest (delta_g - delta_f) / (1 + exp(eps)) over eps >= 0, and its eps."""
    # Between kinks of f the ratio is quasi-convex, as delta_g is convex in exp(eps): the kinks
    # are enough while f has no smooth part.
    candidates = np.append(0.0, f.knots)
    if isinstance(f, GaussianCurve):
        smooth = _smooth(f, g) if isinstance(g, GaussianCurve) else _cells(f, g)
        candidates = np.concatenate([candidates, smooth])
    ratios = _ratios(f, g, candidates)
    best = int(np.argmax(ratios))
    return max(0.0, float(ratios[best])), float(candidates[best])


def _ratios(f: TradeoffCurve, g: TradeoffCurve, epsilons: Floats) -> Floats:
    gained = np.asarray(g.delta(epsilons)) - np.asarray(f.delta(epsilons))
    return np.asarray(gained * prior_weight(epsilons))


def prior_weight(epsilons: Floats) -> Floats:
    """1 / (1 + exp(eps))."""
    return np.exp(-np.logaddexp(0.0, epsilons))


def _cells(f: GaussianCurve, g: TradeoffCurve) -> Floats:
    """The stationary point of the ratio on each cell of g, for smooth f and piecewise linear g.

    With the prior as coordinate, the ratio is the difference of two concave Bayes errors, that of
    g linear on a cell. Their slopes are alpha - beta of the tangent points: a constant on the
    cell, and falling in eps for f. Quasi-concave, so one stationary point a cell at most.
    """
    knots = g.knots
    low = np.append(0.0, knots)
    high = np.append(knots, 2.0 * float(knots[-1]) + 1e4)
    alphas, betas = g.tangents(high)
    wanted = alphas - betas
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        alphas, betas = f.tangents(middle)
        falls = alphas - betas > wanted
        low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    return low


def _smooth(f: GaussianCurve, g: GaussianCurve) -> Floats:
    """The place of the largest ratio for two Gaussian curves.

    Without slack that is eps = 0, as alpha - beta at equal eps > 0 grows with mu. A slack that
    is larger where mu is smaller can move it; then it is searched for.
    """
    if (f.slack - g.slack) * (f.mu - g.mu) >= 0.0:
        return g.knots
    mu = min(max(f.mu, g.mu), 1e150)
    low, high = 0.0, mu * (0.5 * mu + 40.0)
    for _ in range(12):
        epsilons = np.linspace(low, high, _SCAN)
        best = int(np.argmax(_ratios(f, g, epsilons)))
        low, high = epsilons[max(best - 1, 0)], epsilons[min(best + 1, _SCAN - 1)]
    return np.array([epsilons[best]])


def _touching(
    f: TradeoffCurve, g: TradeoffCurve, value: float, epsilon: float
) -> tuple[float, float]:
    """A point of g, of slope -exp(eps), that lies on f when moved by Delta in both directions."""

    def segment(curve: TradeoffCurve) -> tuple[Floats, Floats]:
        alphas, betas = curve.tangents(np.array([np.nextafter(epsilon, np.inf), epsilon]))
        return alphas, betas

    (alphas, betas), (others, _) = segment(g), segment(f)
    alpha = float(np.clip(others[0] - value, alphas[0], alphas[1]))
    # Along a segment of slope -exp(eps), from the end at which nothing cancels.
    rise = np.exp(min(epsilon, 700.0)) * (alpha - float(alphas[0]))
    return alpha, max(0.0, float(betas[0]) - rise)
