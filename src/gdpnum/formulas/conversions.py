"""From mu to the other numbers by which privacy is stated, and back.

Numbers in, a number out; what follows from mu takes arrays too. What is true of every mu-GDP
mechanism needs no more than mu: delta, epsilon, advantage, TPR and rho. The way back is exact for
the Gaussian mechanism; for others only `mu_from_epsilon` is a guarantee, and each docstring says
what its mu is the mu of.

Guarantee: no result is below the exact value, so rounding never flatters privacy. It exceeds it by
a relative 1e-11 at most, for mu from 1e-6 to 100 and for probabilities from 1e-300, unless a
docstring says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from gdpnum import _validate, charges
from gdpnum.arguments import elementwise
from gdpnum.errors import InvalidArgument
from gdpnum.floats import Floats
from gdpnum.formulas.gaussian import (
    advantage_of_mu,
    log_delta_of_mu,
    log_odds_of_mu,
    mu_of_advantage,
    tpr_of_mu,
)
from gdpnum.formulas.randomized_response import randomized_response_mu

_UNIT = 2.0**-53

# The error functions and their inverse err by 3 units, their arguments by 2.
_ERF_ERROR = 16.0 * _UNIT


# --- the profile --------------------------------------------------------------------------------


@overload
def delta_from_mu(mu: float, epsilon: float) -> float: ...
@overload
def delta_from_mu(mu: ArrayLike, epsilon: ArrayLike) -> float | Floats: ...
def delta_from_mu(mu: ArrayLike, epsilon: ArrayLike) -> float | Floats:
    """The delta at which a mu-GDP mechanism is (epsilon, delta)-DP.

    delta = Phi(mu / 2 - epsilon / mu) - exp(epsilon) Phi(-mu / 2 - epsilon / mu)

    No smaller delta holds for the Gaussian mechanism. (Dong, Roth and Su, Cor. 2.13.)

    >>> f"{delta_from_mu(1.0, epsilon=4.0):.3e}"
    '4.712e-05'
    """
    return elementwise(_delta_of, mu=mu, epsilon=epsilon)


def _delta_of(mu: float, epsilon: float) -> float:
    mu, epsilon = _mu(mu), _epsilon(epsilon)
    if mu == 0.0 or epsilon == 0.0:
        return _advantage_of(mu)
    log_delta = float(log_delta_of_mu(mu, np.array([epsilon]))[0])
    return min(1.0, _above(math.exp(min(0.0, log_delta + _profile_error(mu, epsilon)))))


@overload
def epsilon_from_mu(mu: float, delta: float) -> float: ...
@overload
def epsilon_from_mu(mu: ArrayLike, delta: ArrayLike) -> float | Floats: ...
def epsilon_from_mu(mu: ArrayLike, delta: ArrayLike) -> float | Floats:
    """The smallest epsilon >= 0 at which a mu-GDP mechanism is (epsilon, delta)-DP.

    It is 0 from delta = advantage on, and infinite at delta = 0. It may exceed the exact value by
    1e-12 mu besides the relative 1e-11, which matters where epsilon is next to 0.

    >>> f"{epsilon_from_mu(1.0, delta=1e-5):.4f}"
    '4.3772'
    """
    return elementwise(_epsilon_of, mu=mu, delta=delta)


def _epsilon_of(mu: float, delta: float) -> float:
    mu, delta = _mu(mu), _delta(delta)
    if delta >= _advantage_of(mu):
        return 0.0
    if delta == 0.0:
        return math.inf
    log_odds = _log_odds(delta)

    def surplus(epsilon: float) -> float:
        at = float(log_odds_of_mu(mu, np.array([epsilon]))[0])
        return log_odds - (at + _profile_error(mu, epsilon))

    # 1 - 2 Phi(x) <= delta_mu <= Phi(-x) with x = eps / mu - mu / 2, and Phi(-t) <=
    # exp(-t^2 / 2) / 2 for t >= 0. What is below 1e-15 mu rounding hides.
    low = mu * max(1e-15, 0.5 * mu - math.sqrt(-2.0 * math.log1p(-delta)))
    high = mu * (0.5 * mu + math.sqrt(-2.0 * math.log(delta)))
    return _root(surplus, low, high)


def mu_from_epsilon_delta(epsilon: float, delta: float) -> float:
    """The mu of the Gaussian mechanism that is just (epsilon, delta)-DP: delta_mu(epsilon) = delta.

    Use it for a Gaussian mechanism calibrated to (epsilon, delta). It is *not* the mu of an
    arbitrary (epsilon, delta)-DP mechanism: with delta > 0 such a mechanism may reveal everything
    with probability delta, so it has no finite mu; only `mu_from_epsilon`, at delta = 0, has one.

    >>> f"{mu_from_epsilon_delta(4.0, 1e-5):.2f}"
    '0.92'
    """
    epsilon, delta = _epsilon(epsilon), _delta(delta)
    if epsilon == 0.0 or delta in {0.0, 1.0}:
        return mu_from_advantage(delta)
    log_odds = _log_odds(delta)

    def surplus(mu: float) -> float:
        at = float(log_odds_of_mu(mu, np.array([epsilon]))[0])
        return at - _profile_error(mu, epsilon) - log_odds

    # The same bounds on delta_mu as above, solved for mu, and delta_mu <= mu / sqrt(2 pi).
    root = math.sqrt(2.0) * math.sqrt(epsilon)
    rise = math.sqrt(max(0.0, -2.0 * math.log(2.0 * delta)))
    fall = math.sqrt(-2.0 * math.log1p(-delta))
    low = max(math.sqrt(2.0 * math.pi) * delta, root * (root / (rise + math.hypot(rise, root))))
    return _root(surplus, low, fall + math.hypot(fall, root))


def mu_from_epsilon(epsilon: float) -> float:
    """The smallest mu for which every epsilon-DP mechanism is mu-GDP.

    mu = -2 Phi^-1(1 / (exp(epsilon) + 1)), attained by randomised response. (Prop. 6.1.)

    >>> f"{mu_from_epsilon(1.0):.4f}"
    '1.2320'
    """
    return randomized_response_mu(_epsilon(epsilon), 2)


# --- attacks ------------------------------------------------------------------------------------


@overload
def advantage_from_mu(mu: float) -> float: ...
@overload
def advantage_from_mu(mu: ArrayLike) -> float | Floats: ...
def advantage_from_mu(mu: ArrayLike) -> float | Floats:
    """The largest TPR - FPR of any attack on a mu-GDP mechanism: 2 Phi(mu / 2) - 1.

    >>> f"{advantage_from_mu(1.0):.4f}"
    '0.3829'
    """
    return elementwise(_advantage_of, mu=mu)


def _advantage_of(mu: float) -> float:
    mu = _mu(mu)
    return min(1.0, _above(advantage_of_mu(mu) * (1.0 + _ERF_ERROR))) if mu > 0.0 else 0.0


def mu_from_advantage(advantage: float) -> float:
    """The mu of the Gaussian mechanism with that advantage: 2 Phi^-1((1 + advantage) / 2).

    Another mechanism with that advantage may have a larger mu, or none.

    >>> f"{mu_from_advantage(0.3829):.4f}"
    '0.9999'
    """
    advantage = _validate.probability(
        "advantage", advantage, advice="pass the largest TPR - FPR of any attack"
    )
    return _above(mu_of_advantage(advantage) * (1.0 + _ERF_ERROR)) if advantage > 0.0 else 0.0


@overload
def tpr_from_mu(mu: float, fpr: float) -> float: ...
@overload
def tpr_from_mu(mu: ArrayLike, fpr: ArrayLike) -> float | Floats: ...
def tpr_from_mu(mu: ArrayLike, fpr: ArrayLike) -> float | Floats:
    """The largest TPR, at that FPR, of any attack on a mu-GDP mechanism.

    TPR = 1 - f_mu(FPR) = Phi(Phi^-1(FPR) + mu)

    >>> f"{tpr_from_mu(1.0, fpr=0.01):.4f}"
    '0.0924'
    """
    return elementwise(_tpr_of, mu=mu, fpr=fpr)


def _tpr_of(mu: float, fpr: float) -> float:
    mu, fpr = _mu(mu), _fpr(fpr)
    if mu == 0.0 or fpr in {0.0, 1.0}:
        return fpr
    return float(tpr_of_mu(mu, np.array([fpr]))[0])


def mu_from_tpr(tpr: float, fpr: float) -> float:
    """The mu of the Gaussian mechanism whose best attack has that TPR at that FPR.

    mu = Phi^-1(TPR) - Phi^-1(FPR); infinite for TPR = 1, and for FPR = 0 < TPR. A TPR below the FPR
    is refused, as the two have mostly been exchanged. A mechanism
    on which such an attack exists has no smaller mu; others of its attacks may call for a larger
    one. It may exceed the exact value by 1e-13, which matters where mu is next to 0.

    >>> f"{mu_from_tpr(0.0924, fpr=0.01):.3f}"
    '1.000'
    """
    tpr = _validate.probability("tpr", tpr, advice="pass a true positive rate")
    fpr = _fpr(fpr)
    if tpr < fpr:
        raise InvalidArgument(
            f"tpr={tpr!r} is below fpr={fpr!r}: guessing at random does better; exchange the two"
        )
    if tpr == fpr:
        return 0.0
    if tpr == 1.0 or fpr == 0.0:
        return math.inf
    high, low = float(ndtri(tpr)), float(ndtri(fpr))
    return high - low + 8.0 * _UNIT * (2.0 + abs(high) + abs(low))


# --- zero-concentrated DP -----------------------------------------------------------------------


def rho_from_mu(mu: float) -> float:
    """The rho for which every mu-GDP mechanism is rho-zCDP: mu^2 / 2.

    >>> rho_from_mu(1.0)
    0.5
    """
    mu = _mu(mu)
    rho = 0.5 * mu * mu
    return rho if math.isinf(rho) or Fraction(rho) >= Fraction(mu) ** 2 / 2 else _above(rho)


def mu_from_rho(rho: float, *, assuming: Literal["gaussian"]) -> float:
    """The mu of the Gaussian mechanism that is just rho-zCDP: sqrt(2 rho).

    Other rho-zCDP mechanisms may have a larger mu, or no finite one, so the caller states the
    assumption.

    >>> mu_from_rho(0.5, assuming="gaussian")
    1.0
    """
    rho = _validate.non_negative("rho", rho, advice="pass the rho of a zCDP guarantee, 0 or above")
    if not _validate.is_text(assuming, "gaussian"):
        raise InvalidArgument(
            f"assuming={_validate.brief(assuming)} is not an option: rho-zCDP alone implies no "
            "finite mu, and sqrt(2 rho) holds for Gaussian mechanisms only; pass "
            "assuming='gaussian' if the mechanism is one, or describe what was run and use fit_gdp"
        )
    mu = math.sqrt(2.0 * rho) if rho < 1.0 else 2.0 * math.sqrt(0.5 * rho)
    return mu if Fraction(mu) ** 2 >= 2 * Fraction(rho) else _above(mu)


# --- arguments and rounding ---------------------------------------------------------------------


def _mu(value: float) -> float:
    return _validate.non_negative("mu", value, advice="pass the mu of mu-GDP, 0 or above")


def _epsilon(value: float) -> float:
    return _validate.non_negative("epsilon", value, advice="pass an epsilon of 0 or above")


def _delta(value: float) -> float:
    return _validate.probability("delta", value, advice="pass a delta such as 1e-5")


def _fpr(value: float) -> float:
    return _validate.probability("fpr", value, advice="pass a false positive rate")


def _profile_error(mu: float, epsilon: float) -> float:
    with np.errstate(under="ignore"):
        return float(charges.gaussian_profile(mu, np.array([epsilon]))[0])


def _log_odds(delta: float) -> float:
    return math.log(delta) - math.log1p(-delta)


def _above(value: float) -> float:
    """The next float up: a relative allowance rounds to nothing where floats are subnormal."""
    return math.nextafter(value, math.inf)


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function reaches 0, from above: it is >= 0 at what is returned."""
    if rising(low) >= 0.0:
        return low
    if high > 1e308:  # the root may be beyond the floats
        return math.inf
    # Late: it takes longer to import than most curves to compute.
    from scipy.optimize import brentq  # noqa: PLC0415

    # In logs: the ends may be a hundred orders of magnitude apart. Their own rounding is let in.
    ends = math.log(max(low, 5e-324)) - 1e-9, math.log(high) + 1e-9
    log_root = brentq(
        lambda log: rising(math.exp(log)), *ends, xtol=1e-16, rtol=2.0**-50, maxiter=1000
    )
    root, step = math.exp(log_root), 2.0**-52
    while rising(root) < 0.0:
        root, step = _above(root * (1.0 + step)), 2.0 * step
    return root
