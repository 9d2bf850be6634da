"""Mu and its regret as they are printed, everywhere the same."""

from __future__ import annotations

import math

from gdpnum.rounding import upper

#: Below this regret mu overstates no attacker's chance of being right by more than one point in a
#: hundred, and no advantage by more than two.
COMPLETE_REGRET = 0.01

_ROOT = math.sqrt(8.0)


def printed_mu(mu: float, regret: float, *, is_complete: bool | None = None) -> tuple[str, str]:
    """Mu rounded up, and a bound on the regret of the mu that is so printed.

    Delta(f, g_nu) <= Delta(f, g_mu) + Delta(g_mu, g_nu), and for nu above mu the last term is at
    most half the difference of their advantages. Five digits of mu are so many that its regret is
    that of the run's own mu to the two that are printed; more are taken where rounding would make
    a mu that is enough look like one that is not.

    >>> printed_mu(1.56727546, 0.00107150)
    ('1.5673', '0.0011')
    """
    if is_complete is None:
        is_complete = regret < COMPLETE_REGRET
    for digits in range(5, 19):
        printed = upper(mu, digits=digits)
        lost = 0.0
        if math.isfinite(mu) and float(printed) > mu:
            # Advantages of f_mu, erf(mu / sqrt 8), without numpy: the command line needs none here.
            gained = math.erf(float(printed) / _ROOT) - math.erf(mu / _ROOT)
            lost = 0.5 * gained + 2.0**-52
        bound = upper(min(1.0, regret + lost), digits=digits - 3)
        if not is_complete or float(bound) < COMPLETE_REGRET:
            break
    return printed, bound
