"""`fit_gdp`: one number mu for a mechanism, with its slack, its bracket and its regret."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from gdpnum import _validate, charges, rounding
from gdpnum.account import Account, account
from gdpnum.accuracy import Accuracy
from gdpnum.blocks.block import Table
from gdpnum.blocks.html import html
from gdpnum.bounds.attacks import Attacks
from gdpnum.bounds.lines import Lines, Vertices
from gdpnum.contour.fit import Fits
from gdpnum.contour.many import fits as contour_fits
from gdpnum.contour.worth import MORE, WORK
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import BudgetExceeded, UnsupportedMechanism
from gdpnum.floats import NUMPY
from gdpnum.formulas.gaussian import mu_of_advantage, separations
from gdpnum.kind import kind_of
from gdpnum.measures.divergence import delta_divergence
from gdpnum.measures.printed import printed_mu
from gdpnum.measures.regret import regret_bound
from gdpnum.measures.unslacked import is_tight_without_slack, mass_at_infinity, mu_without_slack
from gdpnum.mechanisms import Mechanism, Neighbouring
from gdpnum.pairs.pair import Bracket
from gdpnum.subject import Subject

# A bracket wider than this many tolerances is refined, and refused if that does not help.
_WIDEST = 5.0

# Of a Gaussian mu itself is reported, unless the slack allows for less by more than this share.
_NOTABLE = 1e-3

# What the contour's mu is good for, at least; its bracket says more.
_CONTOUR_TOLERANCE = 1e-6

# A mu below this is next to nothing; there the tolerance is relative to this.
_TINY = 1e-3


@dataclass(frozen=True, repr=False)
class GDPFit:
    """A mechanism summarised as (mu, slack)-GDP.

    Guarantee: for neighbours as ``neighbouring`` says, no attack at any false positive rate has a
    true positive rate above Phi(Phi^-1(FPR) + mu) + slack. The smallest such mu lies in
    [``mu_lower``, ``mu``]. ``regret`` bounds Delta(f, max(0, f_mu - slack)), what the claim gives
    away: below 0.01 mu is a practically complete report. It is that of this mu, so a smaller
    ``tolerance`` brings it down to the regret of the smallest mu. ``advantage`` bounds TPR - FPR of
    any attack. ``tail_ratio`` is mu over the mu of that advantage: far above one, rare events drive
    mu. ``reason`` says why mu is infinite, if it is.
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
        mu, regret = printed_mu(self.mu, self.regret)
        least = rounding.lower(self.mu_lower, digits=5)
        return f"<GDPFit: mu <= {mu} (>= {least}), slack {self.slack:g}, regret <= {regret}>"

    def _repr_html_(self) -> str:
        mu, regret = printed_mu(self.mu, self.regret)
        least = rounding.lower(self.mu_lower, digits=5)
        rows = (
            ("mu", mu, f"none below {least} is valid"),
            ("slack", f"{self.slack:g}", "by which a TPR may exceed what mu allows"),
            ("regret", regret, "below 0.01, mu tells what the curve does"),
            ("advantage", rounding.upper(self.advantage), "the most by which TPR exceeds FPR"),
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
        return float(self.curve().tpr(_validate.probability("fpr", fpr)))


def fit_gdp(
    mechanism: Subject,
    *,
    slack: float = 1e-10,
    tolerance: float | None = None,
    grid_step: float | None = None,
) -> GDPFit:
    """The smallest mu for which the mechanism is (mu, slack)-GDP, from above.

    (mu, slack)-GDP means f(alpha) >= f_mu(alpha) - slack for every alpha. All numerical error is
    charged before mu is read off, so mu holds as printed; it exceeds the smallest valid one by a
    relative 1e-8 or so for Gaussian noise, sampled or not, and by ``tolerance`` (1e-3 by default)
    for what has to go on a lattice: also for rare jumps (rates below 0.01, or fewer than 25 steps)
    that leave a mu below 0.01 and that a lattice is quicker for, unless a smaller one is asked.
    ``slack=0`` asks for f >= f_mu without any allowance: for DP-SGD that is sqrt(steps) /
    noise_multiplier, with no amplification by sampling at all. ``grid_step`` fixes the lattice step
    in place of the tolerance. A trade-off curve in place of the mechanism is taken as it is, and
    its mu is exact.

    Raises `BudgetExceeded` where that accuracy is out of reach in double precision; a mu below
    1e-3 may be returned with a bracket that is wider, but no wider than for 1e-3.

    >>> import gdpnum
    >>> run = gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=16384 / 50000, steps=2000)
    >>> fit = gdpnum.fit_gdp(run)
    >>> f"{fit.mu:.2f} {fit.regret:.3f}"
    '1.57 0.001'
    """
    slack, asked = _validate.slack_and_accuracy(slack, tolerance, grid_step)
    with np.errstate(**NUMPY):
        return accounted_fit(mechanism, slack, asked)[1]


def fits_together(
    mechanisms: Sequence[Mechanism], slack: float, asked: Accuracy
) -> list[GDPFit | None]:
    """The fits of many mechanisms in one go of the contour; None for those it is not for."""
    accounts = [account(one, asked) for one in mechanisms]
    ours = [(number, one.run) for number, one in enumerate(accounts) if one.run is not None]
    found: list[GDPFit | None] = [None] * len(accounts)
    # One alone is not worth it, and says so itself where it is out of reach.
    if len(ours) > 1 and slack > 0.0:
        together = contour_fits([run for _, run in ours], slack=slack, most=WORK + MORE)
        fits = _contour_fits([accounts[number] for number, _ in ours], together, slack)
        for (number, _), fit in zip(ours, fits, strict=True):
            found[number] = fit
    return found


def accounted_fit(subject: Subject, slack: float, asked: Accuracy) -> tuple[Account, GDPFit]:
    """The fit, and the account that it was read off; see `fit_gdp`."""
    found = account(subject, asked)
    by_contour = found.contour_fit(slack)
    try:
        fit = _fit(found, slack, by_contour)
    except BudgetExceeded:
        # What the lattice cannot do at all.
        patient = _patient_fit(found, slack)
        if patient is None:
            raise
        return found, patient
    if _is_settled(found, fit, asked):
        return found, fit
    patient = _patient_fit(found, slack)
    if patient is not None:
        return found, patient
    finer = asked
    # A finer lattice, if there can be one: first without short cuts, then a finer step.
    with suppress(BudgetExceeded):
        while finer.tolerance == asked.tolerance:
            step = finer.tolerance if found.lattice.is_hasty else finer.tolerance / 4.0
            finer = replace(finer, tolerance=step, hasty=False)
            closer = account(subject, finer)
            found, fit = closer, _fit(closer, slack, by_contour)
            if _is_settled(found, fit, asked):
                return found, fit
    gap = fit.mu - fit.mu_lower
    if gap <= _WIDEST * asked.tolerance * _TINY:
        return found, fit
    raise BudgetExceeded(
        f"mu lies between {fit.mu_lower:.6g} and {fit.mu:.6g}, wider than "
        f"tolerance={asked.tolerance!r} allows; "
        f"pass tolerance={1.2 * gap / (_WIDEST * max(fit.mu, 1e-6)):.2g} or a larger slack"
    )


def _patient_fit(found: Account, slack: float) -> GDPFit | None:
    """What the contour finds if it takes its time; None where that is not close enough either."""
    return _contour_fits([found], found.contour_fit(slack, patiently=True), slack)[0]


def _is_settled(found: Account, fit: GDPFit, asked: Accuracy) -> bool:
    """Whether a fit is as close as was asked, or a finer lattice would not bring it closer."""
    scale = max(fit.mu, min(_TINY, 2.0 * fit.mu), 1e-6)
    if fit.mu - fit.mu_lower <= _WIDEST * asked.tolerance * scale:
        return True
    final = asked.grid_step is not None or fit.slack == 0.0 or math.isinf(fit.mu)
    return final or found.known is not None or not found.is_exact


def _fit(found: Account, slack: float, by_contour: Fits | None) -> GDPFit:
    mechanism = found.mechanism
    if found.known is not None or mechanism is None:
        return _known_fit(found, slack)
    close = _contour_fits([found], by_contour, slack)[0]
    if close is not None:
        return close
    bounds = found.lattice
    mu, reason = _upper(found, mechanism, slack)
    lower = max((_mu_from_below(one, slack) for one in bounds.attacks), default=0.0)
    if slack == 0.0 and is_tight_without_slack(mechanism):
        lower = mu
    elif math.isinf(mu):
        # Of a bound only, that it is unbounded says nothing about what was run.
        lower = mu if found.is_exact else lower
    else:
        mu = _bare_mu(mechanism, mu, found.accuracy)
    if by_contour is not None:
        # Neither was close enough: of each side the better one.
        mu, lower = min(mu, float(by_contour.mu[0])), max(lower, float(by_contour.mu_lower[0]))
    summary = GaussianCurve(mu, slack)
    return _fitted(
        found,
        mu=mu,
        mu_lower=min(lower, mu),
        slack=slack,
        regret=regret_bound(summary.delta, bounds.attacks)[0],
        reason=reason,
        advantage=min(bounds.advantage, found.advantage_bound),
    )


def _contour_fits(
    accounts: Sequence[Account], found: Fits | None, slack: float
) -> list[GDPFit | None]:
    """What the contour found; None where its bracket is wider than asked, which the lattice may do.

    The contour aims at 1e-9 whatever is asked; what it misses that by is rounding.
    """
    if found is None:
        return [None] * len(accounts)
    fits: list[GDPFit | None] = []
    columns = (found.mu, found.mu_lower, found.regret, found.advantage, found.typical_mu)
    for one, *numbers in zip(accounts, *(column.tolist() for column in columns), strict=True):
        mu, mu_lower, regret, advantage, typical = numbers
        tolerance = one.accuracy.tolerance
        if not mu - mu_lower <= tolerance * mu < math.inf:
            fits.append(None)
            continue
        gap = 1.0 - mu_lower / mu if mu > 0.0 else 0.0
        fits.append(
            GDPFit(
                mu=mu,
                mu_lower=mu_lower,
                slack=slack,
                regret=regret,
                advantage=advantage,
                tail_ratio=_tail_ratio(mu, typical, None),
                tolerance=min(tolerance, max(_CONTOUR_TOLERANCE, gap)),
                neighbouring=one.neighbouring,
            )
        )
    return fits


def _known_fit(found: Account, slack: float) -> GDPFit:
    """The fit of a curve that is known: its vertices tell mu."""
    curve = found.curve
    if curve.advantage == 0.0:
        # Nothing is revealed; what is given away is the slack's own.
        spent = delta_divergence(GaussianCurve(0.0), GaussianCurve(0.0, slack)).value
        return _fitted(found, mu=0.0, mu_lower=0.0, slack=slack, regret=spent, reason=None)
    beyond = max(curve.mass_at_infinity, curve.inverse().mass_at_infinity)
    mu = lower = math.inf
    reason = None
    if beyond > slack:
        reason = _unbounded(beyond, slack)
    elif isinstance(curve, GaussianCurve):
        mu, lower = curve.mu, _gaussian_lower(curve, slack - curve.slack)
        if mu - lower > _NOTABLE * mu:
            mu = min(mu, lower + 2.0 * charges.quantile(mu))
    elif isinstance(curve, PiecewiseCurve):
        halves = [curve.steep] if curve.flat is None else [curve.steep, curve.flat]
        called_for = max(_largest_separation(one.vertices(), slack) for one in halves)
        mu = _raised(called_for)
        lower = max(_largest_separation(_unrounded(one), slack) for one in halves)
        lower = max(0.0, lower - charges.quantile(lower))
        if found.mechanism is not None and math.isfinite(mu):
            mu = _bare_mu(found.mechanism, mu, found.accuracy)
    return _fitted(
        found,
        mu=mu,
        mu_lower=lower,
        slack=slack,
        regret=delta_divergence(curve.symmetrised(), GaussianCurve(mu, slack)).value,
        reason=reason,
    )


def _fitted(
    found: Account,
    *,
    mu: float,
    mu_lower: float,
    slack: float,
    regret: float,
    reason: str | None,
    advantage: float | None = None,
) -> GDPFit:
    if advantage is None:
        advantage = found.curve.advantage
    return GDPFit(
        mu=mu,
        mu_lower=mu_lower,
        slack=slack,
        regret=regret,
        advantage=advantage,
        tail_ratio=_tail_ratio(mu, mu_of_advantage(advantage), found.known),
        tolerance=found.accuracy.tolerance,
        neighbouring=found.neighbouring,
        reason=reason,
    )


def _gaussian_lower(curve: GaussianCurve, allowance: float) -> float:
    """The smallest mu' with f_mu' - allowance <= f_mu on the steep half of a Gaussian curve."""
    gap = mu_of_advantage(allowance) * (1.0 + charges.closed_form())
    lower = curve.mu * (1.0 - charges.chord()) - gap
    if allowance > 0.0 and 0.5 * (curve.mu + lower) < curve.quantile:
        # The two would touch beyond the diagonal, where this curve is no longer f_mu.
        missed = float(ndtr(curve.quantile - curve.mu)) + allowance
        lower = curve.quantile - float(ndtri(missed)) if missed < 1.0 else 0.0
        lower -= charges.quantile(curve.mu)
    return min(curve.mu, max(0.0, lower))


def _tail_ratio(mu: float, typical: float, known: TradeoffCurve | None) -> float:
    """Mu over that of the advantage; one where the advantage is too near 0 or 1 to have one."""
    if isinstance(known, GaussianCurve) and known.slack == 0.0 and known.mu == mu:
        return 1.0
    if math.isinf(mu):
        return math.inf
    return mu / typical if 0.0 < typical < math.inf else 1.0


def _upper(found: Account, mechanism: Mechanism, slack: float) -> tuple[float, str | None]:
    """The mu from above by the lattice, and why it is infinite if it is."""
    unbounded = mass_at_infinity(mechanism)
    if unbounded > slack:
        return math.inf, _unbounded(unbounded, slack)
    if slack == 0.0:
        return mu_without_slack(mechanism), None
    if found.advantage_bound <= slack:
        return 0.0, None
    bounds = found.lattice
    beyond = bounds.mass_at_infinity
    if beyond > slack:
        raise BudgetExceeded(
            f"a mass of {beyond:.3g} lies beyond what the lattice reaches, more than "
            f"slack={slack!r}; pass a larger slack, or describe more noise"
        )
    mu = max(_largest_separation(one, slack) for one in bounds.vertices)
    if not math.isfinite(mu):
        raise BudgetExceeded(f"mu is beyond what doubles resolve for {mechanism!r}")
    mu = _raised(mu)
    with suppress(UnsupportedMechanism):
        # Always valid, and the better of the two where sampling hardly helps.
        mu = min(mu, mu_without_slack(mechanism))
    return mu, None


def _unbounded(mass: float, slack: float) -> str:
    return (
        f"privacy loss is unbounded with probability {mass:.3g}, above slack={slack!r}: "
        "a mechanism known only by (epsilon, delta > slack) has no finite mu; "
        "describe what was run, or pass a slack above that"
    )


def _raised(mu: float) -> float:
    """A computed mu, raised by what the quantile function may err."""
    return mu + charges.quantile(mu) if mu > 0.0 else 0.0


def _bare_mu(mechanism: Mechanism, mu: float, asked: Accuracy) -> float:
    """The exact mu without slack of one release of bounded loss, where slack hardly matters."""
    if len(mechanism.parts) != 1 or mechanism.parts[0][1] != 1:
        return mu
    leaf = mechanism.parts[0][0]
    kind = kind_of(leaf)
    one = kind.pair(leaf)
    if one is None or isinstance(one, Bracket) or not math.isfinite(one.highest):
        return mu
    if max(one.mass_at_infinity, one.mass_at_minus_infinity) > 0.0:
        return mu
    with suppress(UnsupportedMechanism):
        exact = mu_without_slack(mechanism)
        return exact if exact <= (1.0 + asked.tolerance) * mu else mu
    return mu


def _unrounded(lines: Lines) -> Vertices:
    """The vertices of a known curve with the rounding to its pessimistic side taken back."""
    rounding = 4.0 * charges.chord() * (1.0 + lines.epsilons)
    tprs = lines.tprs * (1.0 - rounding)
    return Vertices(lines.log_alphas + rounding, tprs, 1.0 - tprs)


def _largest_separation(points: Vertices, slack: float) -> float:
    """Largest -Phi^-1(alpha_i) - Phi^-1(beta_i + slack): the mu that the points call for."""
    log_alphas, tprs, betas = points
    kept = (tprs > slack) & (log_alphas < 0.0) & (betas + slack < 1.0)
    if not kept.any():
        return 0.0
    log_alphas, hit, missed = log_alphas[kept], tprs[kept] - slack, betas[kept] + slack
    if (missed <= 0.0).any():
        return math.inf
    return float(separations(log_alphas, hit, missed).max())


def _mu_from_below(tests: Attacks, slack: float) -> float:
    # Each test alone is a bound; every other one of many on a lattice is as good.
    log_alpha, tpr, beta = (
        column[:: 2 if column.size > 500 and tests.step > 0.0 else 1]
        for column in (tests.log_alpha, tests.tpr, tests.beta)
    )
    sure = beta + slack > 0.0
    found = _largest_separation(Vertices(log_alpha[sure], tpr[sure], beta[sure]), slack)
    return max(0.0, found - charges.quantile(found))
