"""GaussianCurve: the trade-off curve f_mu, with a slack."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from scipy.special import log_ndtr, ndtr

from gdpnum import charges
from gdpnum.curve.tradeoff import Tangents, TradeoffCurve
from gdpnum.floats import Floats
from gdpnum.formulas.conversions import epsilon_from_mu
from gdpnum.formulas.gaussian import advantage_of_mu, beta_of_mu, delta_of_mu, tpr_of_mu
from gdpnum.pairs.atomic import approx_dp_pair
from gdpnum.pairs.gaussian import GaussianPair, SlackGaussianPair
from gdpnum.pairs.pair import Pair


@final
@dataclass(frozen=True)
class GaussianCurve(TradeoffCurve):
    """The largest symmetric curve below which (mu, slack)-GDP lets no mechanism fall.

    f_mu(alpha) - slack on the steep half, with f_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu); its
    mirror image f_mu(alpha + slack) on the other; they meet on the diagonal. The profile is
    delta_mu(eps) + slack from the slope at which they meet on.
    """

    mu: float
    slack: float = 0.0
    is_symmetric = True

    def __repr__(self) -> str:
        slack = f", slack={self.slack!r}" if self.slack else ""
        return f"GaussianCurve(mu={self.mu!r}{slack})"

    @property
    def mass_at_infinity(self) -> float:
        return 1.0 if math.isinf(self.mu) else self.slack

    @property
    def knots(self) -> Floats:
        return np.array([self._kink]) if self.slack > 0.0 else np.empty(0)

    def inverse(self) -> GaussianCurve:
        return self

    def symmetrised(self) -> GaussianCurve:
        return self

    def tangents(self, epsilons: Floats) -> Tangents:
        if self.mu == 0.0 or math.isinf(self.mu):
            alphas = np.where(epsilons > 0.0, 0.0, self._diagonal)
            return alphas, np.where(epsilons > 0.0, 1.0 - self.mass_at_infinity, self._diagonal)
        with np.errstate(over="ignore"):  # infinite is as good as far out
            z = epsilons / self.mu
        alphas, betas = ndtr(-0.5 * self.mu - z), ndtr(z - 0.5 * self.mu) - self.slack
        met = epsilons <= self._kink
        return np.where(met, self._diagonal, alphas), np.where(met, self._diagonal, betas)

    @cached_property
    def quantile(self) -> float:
        """Where the halves meet, at alpha = Phi(-z): the z with Phi(z - mu) - slack = Phi(-z)."""
        low, high = 0.5 * self.mu, self.mu + 40.0
        if self.slack == 0.0:
            return low
        for _ in range(80):
            middle = 0.5 * (low + high)
            if float(ndtr(middle - self.mu)) - self.slack < float(ndtr(-middle)):
                low = middle
            else:
                high = middle
            if 0.5 * (low + high) == middle:
                break  # no float lies between
        return high

    @property
    def _diagonal(self) -> float:
        """The fixed point, f(alpha) = alpha."""
        return 0.0 if math.isinf(self.mu) else float(ndtr(-self.quantile))

    @property
    def _kink(self) -> float:
        """The epsilon of the slope with which the halves meet; below it, delta is linear."""
        if self.slack == 0.0 or math.isinf(self.mu):
            return 0.0
        return self.mu * (self.quantile - 0.5 * self.mu)

    @property
    def _log_diagonal(self) -> float:
        return float(log_ndtr(-self.quantile))

    def pair(self) -> Pair:
        """A pair of distributions with this curve."""
        if math.isinf(self.mu):
            return approx_dp_pair(0.0, 1.0)
        if self.slack == 0.0:
            return GaussianPair(self.mu)
        if self.mu == 0.0:
            return approx_dp_pair(0.0, self.slack)
        return SlackGaussianPair(self.mu, self.slack, self._kink, self._diagonal)

    def _betas(self, alphas: Floats) -> Floats:
        steep = alphas <= self._diagonal
        shifted = np.where(steep, alphas, np.minimum(alphas + self.slack, 1.0))
        return beta_of_mu(self.mu, shifted) - np.where(steep, self.slack, 0.0)

    def _tprs(self, fprs: Floats) -> Floats:
        steep = fprs <= self._diagonal
        shifted = np.where(steep, fprs, np.minimum(fprs + self.slack, 1.0))
        return tpr_of_mu(self.mu, shifted) + np.where(steep, self.slack, 0.0)

    def _deltas(self, epsilons: Floats) -> Floats:
        flat = epsilons.ravel()
        deltas = delta_of_mu(self.mu, flat)
        if 0.0 < self.mu < math.inf:
            deltas *= 1.0 + charges.gaussian_profile(self.mu, flat)
            # At 0 an error function says it to the last digits.
            advantage = advantage_of_mu(self.mu) * (1.0 + charges.closed_form())
            deltas[flat == 0.0] = advantage
            # What underflows is not nothing, but at infinity.
            np.maximum(deltas, math.ulp(0.0), out=deltas, where=flat < 1e299)
        deltas = deltas.reshape(epsilons.shape) + self.slack
        if self.slack == 0.0:
            return deltas
        # Where the halves meet: 1 - alpha - exp(eps) alpha, in logs as alpha may underflow.
        met = 1.0 - self._diagonal - np.exp(np.minimum(epsilons, self._kink) + self._log_diagonal)
        return np.where(epsilons < self._kink, met * (1.0 + charges.chord()), deltas)

    def _epsilons(self, deltas: Floats) -> Floats:
        if math.isinf(self.mu):
            return np.full(deltas.shape, np.inf)

        def epsilon(delta: float) -> float:
            if delta < self.slack:
                return math.inf
            found = epsilon_from_mu(self.mu, delta - self.slack)
            if found >= self._kink:
                return found
            # On the linear part, delta = 1 - alpha - exp(eps) alpha.
            left = (1.0 - delta) - self._diagonal
            reached = math.log(left) - self._log_diagonal if left > 0.0 else 0.0
            return min(self._kink, max(0.0, reached))

        return np.array([epsilon(float(delta)) for delta in deltas.ravel()]).reshape(deltas.shape)

    def _document(self) -> dict[str, Any]:
        mu = str(self.mu) if math.isinf(self.mu) else self.mu
        return {"curve": "gaussian", "mu": mu, "slack": self.slack}
