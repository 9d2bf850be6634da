"""What a guarantee means as risk: how well attacks on one person's record can work at best.

Each function takes a subject: a mechanism (its whole curve is used), a trade-off curve, a
representation such as ``GDP(mu=1.0)``, or a fit from `fit_gdp`. Each returns a bound that no attack
beats, for an attacker who knows everything but the record in question. An FPR is the share of
non-members wrongly accused, a TPR the share of members found out; a prior is the probability of
membership before the attack. Rates and priors are numbers, answered by one, or arrays.

>>> import gdpnum
>>> run = gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=16384 / 50000, steps=2000)
>>> f"{gdpnum.risk.tpr(run, fpr=0.1):.2f}"
'0.61'
>>> f"{gdpnum.risk.bayes_error(gdpnum.GDP(mu=1.0), prior=0.5):.4f}"
'0.3085'
"""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from gdpnum import _validate, charges
from gdpnum.account import as_curve
from gdpnum.arguments import together
from gdpnum.curve.tradeoff import TradeoffCurve, as_asked, rates_of
from gdpnum.floats import Floats
from gdpnum.subject import Subject

__all__ = [
    "REPORTED_FPRS",
    "Subject",
    "advantage",
    "attack_success",
    "bayes_error",
    "fnr",
    "positive_predictive_value",
    "reported_fprs",
    "tpr",
]

#: FPRs at which a curve is reported by default (https://arxiv.org/abs/2503.10945).
REPORTED_FPRS = (1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)

_PRIOR_ADVICE = "pass the probability that the record is in the data"


def advantage(subject: Subject) -> float:
    """Largest TPR - FPR of membership inference, eta = delta(0).

    It also bounds how far the success of any attack on the record (singling out, attribute
    inference, reconstruction) can exceed its baseline.
    """
    return _curve(subject).advantage


@overload
def tpr(subject: Subject, fpr: float) -> float: ...
@overload
def tpr(subject: Subject, fpr: ArrayLike) -> float | Floats: ...
def tpr(subject: Subject, fpr: ArrayLike) -> float | Floats:
    """Largest true positive rate of membership inference at a false positive rate: 1 - f(fpr)."""
    return _curve(subject).tpr(fpr)


@overload
def fnr(subject: Subject, fpr: float) -> float: ...
@overload
def fnr(subject: Subject, fpr: ArrayLike) -> float | Floats: ...
def fnr(subject: Subject, fpr: ArrayLike) -> float | Floats:
    """Smallest false negative rate of membership inference at a false positive rate: f(fpr)."""
    rates = rates_of("fpr", fpr)
    return _curve(subject).beta(rates)


@overload
def bayes_error(subject: Subject, prior: float = ...) -> float: ...
@overload
def bayes_error(subject: Subject, prior: ArrayLike) -> float | Floats: ...
def bayes_error(subject: Subject, prior: ArrayLike = 0.5) -> float | Floats:
    """Smallest probability that a membership guess is wrong, for a prior probability of membership.

    min over alpha of (1 - prior) alpha + prior f(alpha), which is prior (1 - delta(eps)) with
    exp(eps) = (1 - prior) / prior. Without the release it is min(prior, 1 - prior).

    >>> from gdpnum import PureDP
    >>> bayes_error(PureDP(epsilon=0.0), prior=0.25)
    0.25
    """
    priors = rates_of("prior", prior, advice=_PRIOR_ADVICE)
    curve = _curve(subject)
    # The less likely of the two; above 1/2 the same with the roles of the errors exchanged.
    rarer = np.minimum(priors, 1.0 - priors) + 0.0  # no -0.0: odds have a sign
    with np.errstate(divide="ignore", over="ignore"):
        # An epsilon that is no larger than the exact one errs on the safe side.
        odds = np.minimum((1.0 - 2.0 * rarer) / rarer, 1e308)
        epsilons = np.log1p(odds) * (1.0 - charges.odds())
    deltas = np.asarray(curve.delta(epsilons))
    if (priors > 0.5).any():
        deltas = np.where(priors > 0.5, curve.inverse().delta(epsilons), deltas)
    with np.errstate(under="ignore"):
        errors = rarer * (1.0 - deltas)
        errors = np.where(deltas > 0.0, errors * (1.0 - charges.odds()), errors)
    return as_asked(errors)


@overload
def attack_success(subject: Subject, baseline: float) -> float: ...
@overload
def attack_success(subject: Subject, baseline: ArrayLike) -> float | Floats: ...
def attack_success(subject: Subject, baseline: ArrayLike) -> float | Floats:
    """Largest success rate of an attack that would succeed at ``baseline`` without the record.

    1 - f(baseline): whether the attack succeeds is a test of whether the record was used, with the
    baseline as its FPR. So it bounds singling out, attribute inference and reconstruction alike.

    >>> from gdpnum import GDP
    >>> f"{attack_success(GDP(mu=0.5), baseline=0.01):.4f}"
    '0.0339'
    """
    advice = "pass the probability of success without the record"
    rates = rates_of("baseline", baseline, advice=advice)
    return _curve(subject).tpr(rates)


@overload
def positive_predictive_value(subject: Subject, *, prior: float, fpr: float) -> float: ...
@overload
def positive_predictive_value(
    subject: Subject, *, prior: ArrayLike, fpr: ArrayLike
) -> float | Floats: ...
def positive_predictive_value(
    subject: Subject, *, prior: ArrayLike, fpr: ArrayLike
) -> float | Floats:
    """Largest share of the accused who are members, for an attack with that FPR.

    prior TPR / (prior TPR + (1 - prior) FPR), with TPR = 1 - f(fpr). One at fpr = 0 if any attack
    accuses anyone there.

    >>> from gdpnum import GDP
    >>> f"{positive_predictive_value(GDP(mu=1.0), prior=0.5, fpr=0.01):.3f}"
    '0.902'
    """
    priors = rates_of("prior", prior, advice=_PRIOR_ADVICE)
    priors, rates = together(priors, rates_of("fpr", fpr))
    tprs = np.asarray(_curve(subject).tpr(rates))
    with np.errstate(all="ignore"):
        # A product that underflows is still no nobody.
        found = np.maximum(priors * tprs, np.where((priors > 0.0) & (tprs > 0.0), 5e-324, 0.0))
        accused = found + (1.0 - priors) * rates
        shares = np.minimum(found / accused * (1.0 + charges.odds()), 1.0)
    # Of nobody accused, nobody is a member more often than anyone else.
    shares = np.where(accused > 0.0, shares, priors)
    return float(shares) if shares.ndim == 0 else shares


def reported_fprs(advantage: float) -> list[float]:
    """The FPRs of a report: the usual ones, and where a curve meets the diagonal."""
    advantage = _validate.probability("advantage", advantage)
    return [*REPORTED_FPRS, 0.5 * (1.0 - advantage)]


def _curve(subject: Subject) -> TradeoffCurve:
    return as_curve("subject", subject)


def __dir__() -> list[str]:
    return sorted(__all__)
