"""What a guarantee means as risk: how well attacks on one person's record can work at best.

Each function takes a subject: a mechanism (its whole curve is used), a trade-off curve, a
representation such as ``GDP(mu=1.0)``, or a fit from `fit_gdp`. Each returns a bound that no attack
beats, for an attacker who knows everything but the record in question. An FPR is the share of
non-members wrongly accused, a TPR the share of members found out; a prior is the probability of
membership before the attack.

>>> import gdpnum
>>> run = gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=16384 / 50000, steps=2000)
>>> f"{gdpnum.risk.tpr(run, fpr=0.1):.2f}"
'0.61'
>>> f"{gdpnum.risk.bayes_error(gdpnum.GDP(mu=1.0), prior=0.5):.4f}"
'0.3085'
"""

from __future__ import annotations

import math

from gdpnum import _validate
from gdpnum.account import as_curve
from gdpnum.curve.tradeoff import TradeoffCurve
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


def tpr(subject: Subject, fpr: float) -> float:
    """Largest true positive rate of membership inference at a false positive rate: 1 - f(fpr)."""
    return _curve(subject).tpr(_validate.probability("fpr", fpr))


def fnr(subject: Subject, fpr: float) -> float:
    """Smallest false negative rate of membership inference at a false positive rate: f(fpr)."""
    return _curve(subject).beta(_validate.probability("fpr", fpr))


def bayes_error(subject: Subject, prior: float = 0.5) -> float:
    """Smallest probability that a membership guess is wrong, for a prior probability of membership.

    min over alpha of (1 - prior) alpha + prior f(alpha), which is prior (1 - delta(eps)) with
    exp(eps) = (1 - prior) / prior. Without the release it is min(prior, 1 - prior).

    >>> from gdpnum import PureDP
    >>> bayes_error(PureDP(epsilon=0.0), prior=0.25)
    0.25
    """
    prior = _validate.probability("prior", prior, advice=_PRIOR_ADVICE)
    if prior in (0.0, 1.0):
        return 0.0
    epsilon = math.log1p(-prior) - math.log(prior)
    if epsilon < 0.0:
        # The same with the roles of the errors exchanged, so that nothing cancels.
        return (1.0 - prior) * (1.0 - _curve(subject).inverse().delta(-epsilon))
    return prior * (1.0 - _curve(subject).delta(epsilon))


def attack_success(subject: Subject, baseline: float) -> float:
    """Largest success rate of an attack that would succeed at ``baseline`` without the record.

    1 - f(baseline): whether the attack succeeds is a test of whether the record was used, with the
    baseline as its FPR. So it bounds singling out, attribute inference and reconstruction alike.

    >>> from gdpnum import GDP
    >>> f"{attack_success(GDP(mu=0.5), baseline=0.01):.4f}"
    '0.0339'
    """
    baseline = _validate.probability(
        "baseline", baseline, advice="pass the probability of success without the record"
    )
    return _curve(subject).tpr(baseline)


def positive_predictive_value(subject: Subject, *, prior: float, fpr: float) -> float:
    """Largest share of the accused who are members, for an attack with that FPR.

    prior TPR / (prior TPR + (1 - prior) FPR), with TPR = 1 - f(fpr). One at fpr = 0 if any attack
    accuses anyone there.

    >>> from gdpnum import GDP
    >>> f"{positive_predictive_value(GDP(mu=1.0), prior=0.5, fpr=0.01):.3f}"
    '0.902'
    """
    prior = _validate.probability("prior", prior, advice=_PRIOR_ADVICE)
    fpr = _validate.probability("fpr", fpr)
    found = prior * tpr(subject, fpr)
    accused = found + (1.0 - prior) * fpr
    # Of nobody accused, nobody is a member more often than anyone else.
    return found / accused if accused > 0.0 else prior


def reported_fprs(advantage: float) -> list[float]:
    """The FPRs of a report: the usual ones, and where a curve meets the diagonal."""
    return [*REPORTED_FPRS, 0.5 * (1.0 - advantage)]


def _curve(subject: Subject) -> TradeoffCurve:
    return as_curve("subject", subject)


def __dir__() -> list[str]:
    return sorted(__all__)
