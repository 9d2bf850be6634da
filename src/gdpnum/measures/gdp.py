"""`fit_gdp`: one number mu for a mechanism, with its slack, its bracket and its regret."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, ndtri_exp

from gdpnum import _validate
from gdpnum.blocks.block import Table
from gdpnum.blocks.html import html
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.gaussian_profile import advantage_of_mu, mu_of_advantage
from gdpnum.curve.lines import Lines
from gdpnum.curve.mechanism_curve import SMALLEST_TPR, demanded, directions
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.curve.vertices import Points, curve_of, lines_of, points_of
from gdpnum.errors import BudgetExceeded, UnsupportedMechanism
from gdpnum.loss.accountant import Attacks, attacks, upper_bound
from gdpnum.loss.demand import Demand
from gdpnum.loss.dominating import Release, composed_gaussian_mu, releases
from gdpnum.loss.scheme import scheme
from gdpnum.loss.window import FEW_MISSED
from gdpnum.measures.closed_form import (
    is_tight_at_zero,
    mu_at_zero,
    unbounded_mass,
)
from gdpnum.measures.divergence import delta_divergence
from gdpnum.measures.regret import regret_bound
from gdpnum.mechanisms import Mechanism, Neighbouring
from gdpnum.mechanisms.mechanism import checked
from gdpnum.rounding import rounded_down, rounded_up

__all__ = ["GDPFit", "fit_gdp"]

# A bracket wider than this many tolerances is refined, and refused if that does not help.
_WIDEST = 5.0
_REFINEMENTS = 3

# A mu below this is next to nothing; there the tolerance is relative to this.
_TINY = 1e-3

# The quantile function errs by a few units in the last place of a number below 40.
_QUANTILE_ERROR = 40.0 * 2.0**-50


@dataclass(frozen=True, repr=False)
class GDPFit:
    """A mechanism summarised as (mu, slack)-GDP.

    Guarantee: for neighbours as ``neighbouring`` says, no attack at any false positive rate has a
    true positive rate above Phi(Phi^-1(FPR) + mu) + slack. The smallest such mu lies in
    [``mu_lower``, ``mu``]. ``regret`` bounds Delta(f, max(0, f_mu - slack)), what the summary gives
    away, its slack included: below 0.01, with a slack of 1e-6 or less, mu is a practically complete
    report. It is that of this mu, so a smaller ``tolerance`` brings it down to the regret of the
    smallest mu. ``advantage`` bounds TPR - FPR of any attack.
    ``tail_ratio`` is mu over the mu of that advantage: far above one, rare events drive mu.
    ``reason`` says why mu is infinite, if it is.
    """

    mu: float
    mu_lower: float
    slack: float
    regret: float
    advantage: float
    tail_ratio: float
    tolerance: float
    neighbouring: Neighbouring | None
    reason: str | None = None

    def __repr__(self) -> str:
        mu, regret = rounded_up(self.mu), rounded_up(self.regret)
        lower = rounded_down(self.mu_lower)
        return f"<GDPFit: mu <= {mu} (>= {lower}), slack {self.slack:g}, regret <= {regret}>"

    def _repr_html_(self) -> str:
        rows = (
            ("mu", rounded_up(self.mu), f"none below {rounded_down(self.mu_lower)} is valid"),
            ("slack", f"{self.slack:g}", "by which a TPR may exceed what mu allows"),
            ("regret", rounded_up(self.regret), "below 0.01, mu tells what the curve does"),
            ("advantage", rounded_up(self.advantage), "the most by which TPR exceeds FPR"),
        )
        return html([Table("Summary in Gaussian DP", ("number", "value", "meaning"), rows)])

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, numbers as plain floats."""
        return asdict(self)

    def curve(self) -> TradeoffCurve:
        """The trade-off curve that mu and its slack imply."""
        return GaussianCurve(self.mu, self.slack)

    def tpr(self, fpr: float) -> float:
        """The bound that mu puts on the true positive rate at a false positive rate."""
        return self.curve().tpr(_validate.probability("fpr", fpr))


def fit_gdp(
    mechanism: Mechanism | TradeoffCurve,
    *,
    slack: float = 1e-10,
    tolerance: float = 1e-3,
    grid_step: float | None = None,
) -> GDPFit:
    """The smallest mu for which the mechanism is (mu, slack)-GDP, from above.

    (mu, slack)-GDP means f(alpha) >= f_mu(alpha) - slack for every alpha. All numerical error is
    charged before mu is read off, so mu holds as printed; it exceeds the smallest valid one by a
    relative ``tolerance`` or so. ``slack=0`` asks for f >= f_mu without any allowance: for DP-SGD
    that is sqrt(steps) / noise_multiplier, with no amplification by sampling at all.
    ``grid_step`` fixes the lattice step in place of the tolerance. A trade-off curve in place of
    the mechanism is taken as it is, and its mu is exact.

    Raises `BudgetExceeded` where that accuracy is out of reach in double precision; a mu below
    1e-3 may be returned with a bracket that is wider, but no wider than for 1e-3.

    >>> import gdpnum
    >>> run = gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=16384 / 50000, steps=2000)
    >>> fit = gdpnum.fit_gdp(run)
    >>> f"{fit.mu:.2f} {fit.regret:.3f}"
    '1.57 0.001'
    """
    slack = _validate.fraction("slack", slack, advice="pass an absolute allowance such as 1e-10")
    demand = demanded(tolerance, slack or SMALLEST_TPR, grid_step)
    tolerance = demand.tolerance
    if isinstance(mechanism, TradeoffCurve):
        return _curve_fit(mechanism, slack, tolerance)
    checked("mechanism", mechanism)
    known = _known_curve(mechanism)
    if known is not None:
        return replace(_curve_fit(known, slack, tolerance), neighbouring=mechanism.neighbouring)
    exact = composed_gaussian_mu(mechanism)
    if exact is not None:
        return _gaussian_fit(mechanism, exact, slack, tolerance)
    found = releases(mechanism)
    for _ in range(_REFINEMENTS):
        fit = _numerical_fit(mechanism, found, slack, demand)
        gap = fit.mu - fit.mu_lower
        final = grid_step is not None or slack == 0.0 or math.isinf(fit.mu)
        if final or gap <= _WIDEST * tolerance * max(fit.mu, 1e-6):
            return replace(fit, tolerance=tolerance)
        finer = demand.tolerance if demand.hasty else demand.tolerance / 4.0
        demand = replace(demand, tolerance=finer, hasty=False)
    if gap <= _WIDEST * tolerance * _TINY:
        return replace(fit, tolerance=tolerance)
    raise BudgetExceeded(
        f"mu lies between {fit.mu_lower:.6g} and {fit.mu:.6g}, wider than tolerance={tolerance!r} "
        f"allows; pass tolerance={1.2 * gap / (_WIDEST * max(fit.mu, 1e-6)):.2g} or a larger slack"
    )


def _known_curve(mechanism: Mechanism) -> TradeoffCurve | None:
    """The curve of a single representation, unless a formula has its mu without slack."""
    if len(mechanism.parts) != 1:
        return None
    ((leaf, count),) = mechanism.parts
    curve = getattr(leaf, "curve", None)
    if curve is None or count > 1:
        return None
    with suppress(UnsupportedMechanism):
        if math.isfinite(mu_at_zero(mechanism)):
            return None
    found: TradeoffCurve = curve()
    return found


def _gaussian_fit(mechanism: Mechanism, mu: float, slack: float, tolerance: float) -> GDPFit:
    """The fit of a mechanism that is exactly mu-GDP."""
    return GDPFit(
        mu=mu,
        # f_mu - slack touches f_mu' where both have slope -1.
        mu_lower=max(0.0, mu - mu_of_advantage(slack)),
        slack=slack,
        regret=_regret_of_slack(mu, slack),
        advantage=advantage_of_mu(mu),
        tail_ratio=1.0,
        tolerance=tolerance,
        neighbouring=mechanism.neighbouring,
    )


def _regret_of_slack(mu: float, slack: float) -> float:
    """Delta(f_mu, f_mu - slack): what the slack alone gives away."""
    return delta_divergence(GaussianCurve(mu), GaussianCurve(mu, slack)).value


def _curve_fit(curve: TradeoffCurve, slack: float, tolerance: float) -> GDPFit:
    """The fit of a curve: its vertices tell mu."""
    beyond = max(curve.mass_at_infinity, curve.inverse().mass_at_infinity)
    reason = None
    if beyond > slack:
        mu = lower = math.inf
        reason = _unbounded(beyond, slack)
    elif isinstance(curve, GaussianCurve):
        mu, lower = curve.mu, _gaussian_lower(curve, slack - curve.slack)
    else:
        assert isinstance(curve, PiecewiseCurve)
        halves = [curve.steep] if curve.flat is None else [curve.steep, curve.flat]
        found = max(
            _largest_separation(Points(one.log_alphas, one.tprs, 1.0 - one.tprs), slack)
            for one in halves
        )
        mu, lower = _raised(found), max(0.0, found - _QUANTILE_ERROR)
    return GDPFit(
        mu=mu,
        mu_lower=lower,
        slack=slack,
        regret=delta_divergence(curve.symmetrised(), GaussianCurve(mu, slack)).value,
        advantage=curve.advantage,
        tail_ratio=_tail_ratio(mu, curve.advantage),
        tolerance=tolerance,
        neighbouring=None,
        reason=reason,
    )


def _gaussian_lower(curve: GaussianCurve, allowance: float) -> float:
    """The smallest mu' with f_mu' - allowance <= f_mu on the steep half of a Gaussian curve."""
    lower = curve.mu - mu_of_advantage(allowance)
    if 0.5 * (curve.mu + lower) < curve.quantile:
        # The two would touch beyond the diagonal, where this curve is no longer f_mu.
        missed = float(ndtr(curve.quantile - curve.mu)) + allowance
        lower = curve.quantile - float(ndtri(missed)) if missed < 1.0 else 0.0
    return min(curve.mu, max(0.0, lower - _QUANTILE_ERROR))


def _numerical_fit(
    mechanism: Mechanism, found: list[Release], slack: float, demand: Demand
) -> GDPFit:
    planned = [(one, scheme(one, demand)) for one in directions(found)]
    losses = [upper_bound(one, plan, demand) for one, plan in planned]
    lines = [lines_of(loss) for loss in losses]
    curve = curve_of(lines)
    points = [Points(curve.steep.log_alphas, curve.steep.tprs, 1.0 - curve.steep.tprs)]
    if 1.0 - curve.steep.tprs[0] < FEW_MISSED:
        points = [points_of(loss, one) for loss, one in zip(losses, lines, strict=True)]
    needed = _needed(lines, demand)
    tests = [attacks(*planned[number], demand, losses[number].window) for number in needed]
    lower = max(_mu_from_below(one, slack) for one in tests)
    mu, reason = _upper(mechanism, points, curve.mass_at_infinity, slack)
    if math.isinf(mu) or (slack == 0.0 and is_tight_at_zero(mechanism)):
        lower = mu
    else:
        exact = _without_slack(mechanism, found)
        if exact <= (1.0 + demand.tolerance) * mu:
            # Where the slack makes no difference to speak of, the exact value without it.
            mu = exact
    advantage = curve.advantage
    return GDPFit(
        mu=mu,
        mu_lower=min(lower, mu),
        slack=slack,
        # Of what is claimed, mu with its slack: a slack that was not charged would buy a small mu.
        regret=regret_bound(GaussianCurve(mu, slack).delta, tests)[0],
        advantage=advantage,
        tail_ratio=_tail_ratio(mu, advantage),
        tolerance=demand.tolerance,
        neighbouring=mechanism.neighbouring,
        reason=reason,
    )


def _tail_ratio(mu: float, advantage: float) -> float:
    """Mu over the mu of the advantage; one where the advantage is too near 0 or 1 to have one."""
    typical = mu_of_advantage(advantage)
    if math.isinf(mu):
        return math.inf
    return mu / typical if 0.0 < typical < math.inf else 1.0


def _upper(
    mechanism: Mechanism, points: list[Points], beyond: float, slack: float
) -> tuple[float, str | None]:
    """The mu from above, and why it is infinite if it is."""
    unbounded = unbounded_mass(mechanism)
    if unbounded > slack:
        return math.inf, _unbounded(unbounded, slack)
    if slack == 0.0:
        return mu_at_zero(mechanism), None
    if beyond > slack:
        raise BudgetExceeded(
            f"a mass of {beyond:.3g} lies beyond what the lattice reaches, more than "
            f"slack={slack!r}; pass a larger slack, or describe more noise"
        )
    mu = max(_largest_separation(one, slack) for one in points)
    if not math.isfinite(mu):
        raise BudgetExceeded(f"mu is beyond what doubles resolve for {mechanism!r}")
    mu = _raised(mu)
    with suppress(UnsupportedMechanism):
        # Always valid, and the better of the two where sampling hardly helps.
        mu = min(mu, mu_at_zero(mechanism))
    return mu, None


def _unbounded(mass: float, slack: float) -> str:
    return (
        f"privacy loss is unbounded with probability {mass:.3g}, above slack={slack!r}: "
        "a mechanism known only by (epsilon, delta > slack) has no finite mu; "
        "describe what was run, or pass a slack above that"
    )


def _raised(mu: float) -> float:
    """A computed mu, raised by what the quantile function may err."""
    return mu + _QUANTILE_ERROR * max(1.0, mu / 40.0) if mu > 0.0 else 0.0


def _without_slack(mechanism: Mechanism, found: list[Release]) -> float:
    """The mu at slack zero of one release of bounded loss, infinite for anything else."""
    ((one, count), *others) = found
    bounded = math.isfinite(one.highest) and max(one.infinite, one.infinite_below) == 0.0
    if others or count > 1 or not bounded:
        return math.inf
    with suppress(UnsupportedMechanism):
        return mu_at_zero(mechanism)
    return math.inf


def _largest_separation(points: Points, slack: float) -> float:
    """Largest -Phi^-1(alpha_i) - Phi^-1(beta_i + slack): the mu that the points call for."""
    log_alphas, tprs, betas = points
    kept = (tprs > slack) & (log_alphas < 0.0) & (betas + slack < 1.0)
    if not kept.any():
        return 0.0
    log_alphas, hit, missed = log_alphas[kept], tprs[kept] - slack, betas[kept] + slack
    if (missed <= 0.0).any():
        return math.inf
    rises = ndtri(np.exp(log_alphas))
    tiny = log_alphas < -700.0
    rises[tiny] = ndtri_exp(log_alphas[tiny])
    # Each quantile from the side on which its argument keeps its digits.
    falls = np.where(hit < 0.5, ndtri(np.minimum(hit, 0.5)), -ndtri(missed))
    return float((falls - rises).max())


def _mu_from_below(tests: Attacks, slack: float) -> float:
    # Each test alone is a bound; every other one of many is as good.
    log_alpha, tpr, beta = (
        column[:: 2 if column.size > 500 else 1]
        for column in (tests.log_alpha, tests.tpr, tests.beta)
    )
    sure = beta + slack > 0.0
    points = Points(log_alpha[sure], tpr[sure], beta[sure])
    return max(0.0, _largest_separation(points, slack) - _QUANTILE_ERROR)


def _needed(lines: list[Lines], demand: Demand) -> list[int]:
    """The directions to attack: the first, and the second if it is anywhere clearly the worse."""
    if len(lines) > 1:
        first, second = lines
        knots = np.append(0.0, second.epsilons[:: max(1, second.epsilons.size // 256)])
        # Where the two agree to the tolerance, attacks in the first direction tell enough.
        enough = first.delta(knots) * (1.0 + 4.0 * demand.tolerance) + demand.floor
        if (second.delta(knots) > enough).any():
            return [0, 1]
    return [0]
