"""`PLDConverter`: the published interface to privacy loss distributions of dp-accounting.

The names and arguments are those of gdpnum 0.1; the numbers are guarantees. New code has
`from_pld`, whose curve answers the same questions and more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gdpnum import _validate
from gdpnum.arguments import column
from gdpnum.bounds.claims import lower_hull
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.numbers import curve_from_vertices
from gdpnum.curve.piecewise import piecewise
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument
from gdpnum.floats import Floats
from gdpnum.integrations.pld import from_pld, is_symmetric, ordered_curve
from gdpnum.measures.divergence import delta_divergence
from gdpnum.measures.gdp import GDPFit, fit_gdp
from gdpnum.risk import reported_fprs

__all__ = ["PLDConverter", "gaussian_fdp", "get_worst_case_regret"]


class PLDConverter:
    """Mu, regret and trade-off curve of a ``PrivacyLossDistribution`` of dp-accounting.

    ``alphas`` and ``betas`` are the vertices of the curve f of removing a record,
    ``alphas_symm`` and ``betas_symm`` those of the curve for adding and removing, which
    ``get_beta``, ``get_advantage``, ``get_mu`` and ``get_mu_and_regret`` are about.

    Guarantee: whatever the distribution dominates is (mu, err)-GDP, and no attack on it has a
    false negative rate below ``get_beta``.
    """

    def __init__(self, pld: object) -> None:
        self.pld = pld
        self.is_symmetric = is_symmetric(pld)
        self._curve = from_pld(pld)
        self._fits: dict[float, GDPFit] = {}

    def get_mu(self, err: float = 1e-10) -> float:
        """The smallest mu for which f >= f_mu - err, from above; ``err`` is the slack.

        Infinite if the mass at infinity exceeds ``err``.
        """
        return self._fit(err).mu

    def get_mu_and_regret(self, err: float = 1e-10) -> tuple[float, float]:
        """That mu, and what it gives away: Delta(f, f_mu)."""
        fit = self._fit(err)
        return fit.mu, fit.regret

    def get_advantage(self) -> float:
        """The largest TPR - FPR of any attack."""
        return self._curve.advantage

    def get_beta(self, input_alphas: ArrayLike | None = None) -> float | Floats:
        """The least FNR of any attack at given FPRs, for adding and removing.

        By default at 1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1 and (1 - advantage) / 2.
        """
        if input_alphas is None:
            input_alphas = np.array(reported_fprs(self.get_advantage()))
        return self._curve.beta(input_alphas)

    def tradeoff_function(self, input_alphas: ArrayLike) -> float | Floats:
        """The least FNR at given FPRs for removing a record, f."""
        return self._removal.beta(input_alphas)

    def inverse_tradeoff_function(self, input_alphas: ArrayLike) -> float | Floats:
        """The least FNR at given FPRs for adding a record, f^-1."""
        return self._removal.inverse().beta(input_alphas)

    @property
    def alphas(self) -> Floats:
        """The alphas of the vertices of f."""
        return _vertices(self._removal)[0]

    @property
    def betas(self) -> Floats:
        """The betas of the vertices of f."""
        return _vertices(self._removal)[1]

    @property
    def alphas_symm(self) -> Floats:
        """The alphas of the vertices for adding and removing."""
        return _vertices(self._curve)[0]

    @property
    def betas_symm(self) -> Floats:
        """The betas of the vertices for adding and removing."""
        return _vertices(self._curve)[1]

    @cached_property
    def _removal(self) -> TradeoffCurve:
        return self._curve if self.is_symmetric else ordered_curve(self.pld)

    def _fit(self, err: float) -> GDPFit:
        if err not in self._fits:
            self._fits[err] = fit_gdp(self._curve, slack=err)
        return self._fits[err]


def _vertices(curve: TradeoffCurve) -> tuple[Floats, Floats]:
    return piecewise(curve).vertices


def gaussian_fdp(mu: float) -> Callable[[ArrayLike], float | Floats]:
    """The trade-off curve of mu-GDP, f_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu), as a function.

    >>> f"{gaussian_fdp(1.0)(0.1):.4f}"
    '0.6109'
    """
    return GaussianCurve(_mu(mu)).beta


def get_worst_case_regret(
    alphas: ArrayLike,
    betas: ArrayLike,
    mu: float,
    tol: float = 1e-10,  # noqa: ARG001
) -> float:
    """Delta(f, f_mu) = inf{k >= 0: f(alpha + k) - k <= f_mu(alpha) for all alpha}, from above.

    f is the curve with vertices (alphas, betas), by increasing alpha. It may start above alpha = 0
    and end before beta = 0, where it is continued to (0, 1) and (1, 0), and it may be convex up
    to rounding only: either way the regret is not understated. It is exact for a convex curve, so
    ``tol`` is not needed any more.

    >>> round(get_worst_case_regret([0.0, 0.25, 1.0], [1.0, 0.25, 0.0], mu=1.349), 4)
    0.0599
    """
    alpha, beta = _points(alphas, betas)
    low_alpha, low_beta = lower_hull(alpha, beta)
    # Delta grows by no more than f does: if f <= g + d then Delta(f, .) <= Delta(g, .) + d.
    excess = float(np.max(beta - np.interp(alpha, low_alpha, low_beta)))
    curve = curve_from_vertices(low_alpha, low_beta)
    return delta_divergence(curve, GaussianCurve(_mu(mu))).value + max(0.0, excess)


def _points(alphas: ArrayLike, betas: ArrayLike) -> tuple[Floats, Floats]:
    """Vertices from alpha = 0 to beta = 0, each alpha once; rounding is let pass."""
    alpha, beta = column("alphas", alphas), column("betas", betas)
    if alpha.shape != beta.shape:
        raise InvalidArgument(
            f"alphas has shape {alpha.shape} and betas {beta.shape}; pass as many of each, in lists"
        )
    rounding = 1e-9
    for name, values in (("alphas", alpha), ("betas", beta)):
        bad = ~((values >= -rounding) & (values <= 1.0 + rounding))
        if bad.any():
            raise InvalidArgument(
                f"{name} holds {float(values[bad][0])!r}, outside [0, 1]; pass error rates"
            )
    if (np.diff(alpha) < -rounding).any() or (np.diff(beta) > rounding).any():
        raise InvalidArgument(
            "alphas fall or betas rise; pass the vertices of a trade-off curve by increasing alpha"
        )
    # Raised where it matters: the larger f, the larger its regret.
    alpha = np.maximum.accumulate(np.clip(alpha, 0.0, 1.0))
    beta = np.maximum.accumulate(np.clip(beta, 0.0, 1.0)[::-1])[::-1]
    if alpha[0] > 0.0:
        alpha, beta = np.append(0.0, alpha), np.append(1.0, beta)
    if alpha[-1] < 1.0:
        alpha, beta = np.append(alpha, 1.0), np.append(beta, 0.0)
    beta = np.minimum(beta, 1.0 - alpha)
    lowest = np.append(np.diff(alpha) > 0.0, True)
    alpha, beta = alpha[lowest], beta[lowest]
    reached = max(int(np.searchsorted(-beta, 0.0)) + 1, 2)
    return alpha[:reached], beta[:reached]


def _mu(value: object) -> float:
    return (
        math.inf
        if isinstance(value, float) and value == math.inf
        else _validate.non_negative("mu", value)
    )
