"""What mu says: TPR and FNR, profile and advantage, in forms that keep their digits in both tails.

With x = eps / mu - mu / 2, phi the normal density and M(s) = Phi(-s) / phi(s) the Mills ratio,

    delta_mu(eps) = Phi(-x) - exp(eps) Phi(-x - mu) = phi(x) (M(x) - M(x + mu)).

The gap M(x) - M(x + mu) cancels where mu is small or x is large. There it is a series with positive
terms about the middle, s = eps / mu = x + mu / 2,

    M(x) - M(x + mu) = 2 sum over odd j of (mu / 2)^j I_j(s),  I_j(s) = integral over t > 0 of
                                                               t^j / j! exp(-s t - t^2 / 2),

whose ratios r_j = I_j / I_(j-1), with r_0 = M(s), satisfy r_(j-1) = 1 / (s + j r_j).
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import erf, erfcx, erfinv, ndtr, ndtri, ndtri_exp

from gdpnum import charges
from gdpnum.floats import Floats, quietly

Mask: TypeAlias = npt.NDArray[np.bool_]

_LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)

# From this mu on the gap is taken as a difference. It loses a factor (1 + s) / mu: two digits, and
# for larger s no more than the rounding of x costs phi(x). Beyond s = _FAR mu little would be
# left; delta has long underflowed there, but its log has not.
_SMALL, _FAR = 0.1, 1e6

# The ratios of the series follow forwards from M(s) up to s = _NEAR, which loses a digit, and
# beyond it backwards from r_(_DEPTH - 1), which loses none. Five odd terms are enough for mu < 0.1,
# and three where mu is tiny: each is (mu / 2)^2 times the one before, or less.
_NEAR, _DEPTH, _TERMS = 5.0, 22, 10
_TINY, _FEW_TERMS = 1e-3, 6


@quietly
def delta_of_mu(mu: float, epsilons: Floats) -> Floats:
    """Phi(mu / 2 - eps / mu) - exp(eps) Phi(-mu / 2 - eps / mu), for epsilons >= 0.

    The relative error is below 1e-12 for mu from 1e-6 to 100 and delta from 1e-300, and in general
    below `charges.gaussian_profile`: two digits, besides what the rounding of eps / mu alone costs.
    """
    if mu == 0.0 or math.isinf(mu):
        return np.full(epsilons.size, 1.0 if mu else 0.0)
    x, gap, lifted = _parts(mu, epsilons)
    return lifted + np.exp(-0.5 * x * x - _LOG_ROOT_2_PI) * gap


@quietly
def log_delta_of_mu(mu: float, epsilons: Floats) -> Floats:
    """The log of `delta_of_mu`, also far below where that underflows; -inf for mu = 0."""
    if mu == 0.0 or math.isinf(mu):
        return np.full(epsilons.size, 0.0 if mu else -math.inf)
    log_part, lifted = _log_parts(mu, epsilons)
    return np.where(lifted, np.log1p(-np.exp(log_part)), log_part)


@quietly
def log_odds_of_mu(mu: float, epsilons: Floats) -> Floats:
    """log(delta / (1 - delta)), which keeps its digits as delta goes to 0 and as it goes to 1."""
    if mu == 0.0 or math.isinf(mu):
        return np.full(epsilons.size, math.inf if mu else -math.inf)
    log_part, lifted = _log_parts(mu, epsilons)
    odds = log_part - np.log1p(-np.exp(log_part))
    return np.where(lifted, -odds, odds)


def _log_parts(mu: float, epsilons: Floats) -> tuple[Floats, Mask]:
    """The log of delta or, where lifted, of 1 - delta."""
    x, gap, lifted = _parts(mu, epsilons)
    return np.log(np.abs(gap)) - 0.5 * x * x - _LOG_ROOT_2_PI, lifted


def _parts(mu: float, epsilons: Floats) -> tuple[Floats, Floats, Mask]:
    """x, the gap, and whether it is lifted: delta = lifted + phi(x) gap.

    For x < 0, M(x) = 1 / phi(x) - M(-x) would overflow; the 1 is what is lifted out of it.
    """
    s = epsilons / mu
    x = s - 0.5 * mu
    is_small = mu < _SMALL

    terms = _FEW_TERMS if mu < _TINY else _TERMS

    def near(s: Floats) -> Floats:
        if is_small:
            return _series(mu, _ratios_forwards(s, terms), terms)
        x = s - 0.5 * mu
        return np.copysign(_mills(np.abs(x)), x) - _mills(s + 0.5 * mu)

    def far(s: Floats) -> Floats:
        return _series(mu, _ratios_backwards(s, terms), terms)

    is_far = s > (_NEAR if is_small else _FAR * mu)
    if is_far.any():
        is_near, gap = ~is_far, np.empty_like(s)
        gap[is_far], gap[is_near] = far(s[is_far]), near(s[is_near])
    else:
        gap = near(s)
    return x, gap, (x < 0.0) & (not is_small)


def _series(mu: float, ratios: list[Floats], terms: int) -> Floats:
    """2 sum over odd j < terms of (mu / 2)^j I_j, with I_j = r_0 r_1 ... r_j."""
    half, total = 0.5 * mu, np.ones_like(ratios[0])
    for j in range(terms - 2, 0, -2):
        total = 1.0 + (half * ratios[j]) * (half * ratios[j + 1]) * total
    return mu * ratios[0] * ratios[1] * total


def _ratios_forwards(s: Floats, terms: int) -> list[Floats]:
    ratios = [_mills(s)]
    for j in range(1, terms):
        ratios.append((1.0 / ratios[-1] - s) / j)
    return ratios


def _ratios_backwards(s: Floats, terms: int) -> list[Floats]:
    # The fixed point of r = 1 / (s + j r): later steps shrink what error it has.
    ratio: Floats = 2.0 / (s + np.sqrt(s * s + 4.0 * _DEPTH))
    for j in range(_DEPTH - 1, terms - 1, -1):
        ratio *= j
        ratio += s
        np.divide(1.0, ratio, out=ratio)
    ratios = [ratio]
    for j in range(terms - 1, 0, -1):
        ratios.append(1.0 / (s + j * ratios[-1]))
    return ratios[::-1]


def _mills(s: Floats) -> Floats:
    """Phi(-s) / phi(s), for s >= 0."""
    return math.sqrt(0.5 * math.pi) * erfcx(s * math.sqrt(0.5))


def advantage_of_mu(mu: float) -> float:
    """2 Phi(mu / 2) - 1, written as an error function: exact for small mu."""
    return float(erf(mu / (2.0 * math.sqrt(2.0))))


def mu_of_advantage(advantage: float) -> float:
    """The mu of that advantage, 2 Phi^-1((1 + advantage) / 2)."""
    return 2.0 * math.sqrt(2.0) * float(erfinv(advantage))


def tpr_of_mu(mu: float, fprs: Floats) -> Floats:
    """Phi(Phi^-1(FPR) + mu), from above: no attack on a mu-GDP mechanism has a higher TPR."""
    if mu == 0.0:
        return fprs
    if math.isinf(mu):
        return np.ones(fprs.shape)
    arguments = ndtri(fprs) + mu
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        tprs = ndtr(arguments) * (1.0 + charges.gaussian_rate(arguments, mu))
    # At FPR 0 and 1 the quantile is infinite and nothing is rounded.
    tprs = np.where((fprs > 0.0) & (fprs < 1.0), np.nextafter(tprs, np.inf), fprs)
    return np.minimum(tprs, 1.0)


def beta_of_mu(mu: float, alphas: Floats) -> Floats:
    """f_mu(alpha) = Phi(-Phi^-1(alpha) - mu), from below: no attack has a lower FNR."""
    if mu == 0.0:
        return 1.0 - alphas
    if math.isinf(mu):
        return np.zeros(alphas.shape)
    arguments = -ndtri(alphas) - mu
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        betas = ndtr(arguments) * (1.0 - charges.gaussian_rate(arguments, mu))
    inside = (alphas > 0.0) & (alphas < 1.0)
    return np.where(inside, np.maximum(betas, 0.0), 1.0 - alphas)


def separations(log_alphas: Floats, tprs: Floats, betas: Floats) -> Floats:
    """-Phi^-1(alpha) - Phi^-1(beta): the mu of the Gaussian curve through each point.

    ``betas`` is 1 - ``tprs``; each quantile is taken from the side on which its argument keeps its
    digits. `charges.quantile` bounds the error.
    """
    with np.errstate(under="ignore"):
        rises = ndtri(np.exp(log_alphas))
    tiny = log_alphas < -700.0
    if tiny.any():
        rises[tiny] = ndtri_exp(log_alphas[tiny])
    near = tprs < 0.5
    falls = ndtri(np.where(near, tprs, np.minimum(betas, 1.0)))
    return np.asarray(np.where(near, falls, -falls) - rises)
