"""Profiles of privacy losses given by their masses, summed term by term."""

from collections.abc import Mapping

from mpmath import mp, mpf

DIGITS = 50


@mp.workdps(DIGITS)
def profile(masses: Mapping[float, float], infinite: float, step: float, epsilon) -> mpf:
    """delta(eps) = infinite + sum of p (1 - exp(eps - w))+ over the losses w, multiples of step.

    The losses are the doubles that number * step rounds to, as for whoever keeps them in doubles.
    """
    eps = mpf(epsilon)
    terms = []
    for number, mass in masses.items():
        loss = mpf(float(number) * step)
        if loss > eps:
            terms.append(mpf(mass) * -mp.expm1(eps - loss))
    return mpf(infinite) + mp.fsum(terms)
