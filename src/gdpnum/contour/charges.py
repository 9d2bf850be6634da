"""What each operation of the contour engine may be wrong by, one function a charge.

Rounding is counted in units of u = 2^-53. A lemma named here is proved in docs/proofs_contour.md.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "FUNCTION",
    "UNIT",
    "alias_above",
    "alias_below",
    "cumulant_rounding",
    "cut_ends",
    "evaluation",
    "known_images",
    "left_out",
    "left_out_slowly",
    "lifted_units",
    "loss_units",
    "phase_units",
    "power",
    "profile_of_mu",
    "quadrature",
    "quantile",
    "shifted_quadrature",
    "slow_decay",
    "weight_units",
]

Floats: TypeAlias = npt.NDArray[np.float64]

#: One number or an array of them.
Some: TypeAlias = Floats | float

#: Unit roundoff of a double.
UNIT = 2.0**-53

#: Units that exp, expm1, log1p, sin, cos and arctan2 may be wrong by: four in the last place.
FUNCTION = 8.0


def quadrature(above: Some, below: Some, exponent: Some) -> Floats:
    """Trapezoid against integral, relative to M(lam) (Lemma C4).

    exp(above) and exp(below) bound how much larger the integrand is at heights b above and below
    the line; ``exponent`` is 2 pi b / d.
    """
    sides: Floats = 1.01 * (np.exp(above - exponent) + np.exp(below - exponent))
    return sides / -np.expm1(-exponent)


def cut_ends(
    ends: Floats, left: Floats, rights: list[Floats], shares: list[Floats], step: Floats
) -> Floats:
    """Nodes left out beyond the first and the last (Lemma C5), relative to M(lam).

    ``ends`` are the integrand's values there over M. To the left it falls like a normal density
    at ``left`` or faster; to the right like a mixture of those at ``rights``, with ``shares``.
    """
    total = ends[:, :, 0] * np.where(left > 0.0, 1.0 / left, np.inf)
    for share, right in zip(shares, rights, strict=True):
        grown = np.exp(np.minimum(0.5 * right * right, 700.0))
        inside = (2.6 + step) * grown
        mills = np.where(right > 0.5, 1.0 / np.maximum(right, 0.5), inside)
        total = total + ends[:, :, 1] * np.maximum(share, 0.0) * mills
    return total * 1.01


def shifted_quadrature(growth: Floats, exponent: Floats) -> Floats:
    """The trapezoid for R_a against its integral, relative to M(lam) (Lemma C6).

    exp(growth) bounds how much larger the integrand is at height b, ``exponent`` is 2 pi b / d.
    """
    sides: Floats = 2.02 * np.exp(growth - exponent) / -np.expm1(-exponent)
    return sides


def left_out(log_decay: Floats, theta: Floats) -> Floats:
    """Frequencies beyond theta in the sum for delta, over exp(K - lam eps) (Lemma C3)."""
    total: Floats = np.exp(log_decay) / (np.pi * theta)
    return total


def left_out_slowly(log_decays: Floats, log_ratios: Floats) -> Floats:
    """The same in the sum for alpha, from the decay on a ladder of theta (Lemma C3)."""
    total: Floats = (np.exp(log_decays) * log_ratios).sum(axis=-1) / np.pi
    return total


def slow_decay(power: Some, scale: Some, growth: Some) -> Floats:
    """The log of a bound (scale power / (e theta))^power e^growth on R_a at every theta (C3)."""
    bound: Floats = power * (np.log(power * scale) - 1.0) + growth
    return bound


def alias_above(cumulants: Floats, log_ratio: Floats) -> Floats:
    """Images k > 0 (Lemma C2): the log of a geometric series exp(K) (v + v^2 + ..)."""
    falling = np.minimum(log_ratio, -1e-300)
    logs = cumulants + falling - np.log(-np.expm1(falling))
    series: Floats = np.where(log_ratio < 0.0, logs, np.inf)
    return series


def alias_below(cumulants: Floats, log_ratio: Floats) -> Floats:
    """Images k < 0, without the two terms that are known (Lemma C2): the same series."""
    return alias_above(cumulants, log_ratio)


def known_images(lifted: Floats, constant: Floats, exponent: Floats) -> Floats:
    """Rounding of the two images that are known and subtracted (Lemma C11).

    ``exponent`` is the sum of the magnitudes in their exponents.
    """
    return UNIT * (64.0 + 4.0 * exponent) * (lifted + np.abs(constant))


def loss_units(spread: Floats, posterior: Floats, loss: Floats) -> Floats:
    """Units by which a node's loss may be wrong (Lemma C7).

    ``spread`` is |c u| + c^2 / 2, the terms of r = c u - c^2 / 2.
    """
    return 4.0 * spread * posterior + 24.0 * np.abs(loss)


def lifted_units(angle: Floats, posterior: Floats, spread: Floats, units: Floats) -> Floats:
    """Units by which log(A(u + ia) / A(u)) may be wrong (Lemma C7), for angles c a below pi / 2.

    ``spread`` is that of `loss_units`, and ``units`` what that found.
    """
    return angle * posterior * (1.5 * (3.0 * spread + units + 16.0) + 64.0)


def weight_units(exponent: Floats, loss_part: Floats) -> Floats:
    """Units by which a weight exp(exponent) may be wrong, relatively (Lemma C8).

    ``exponent`` is the sum of the magnitudes of its terms, ``loss_part`` what errors of the loss
    and of log Q/N do to it.
    """
    return 3.0 * exponent + loss_part + FUNCTION + 4.0


def phase_units(theta: Floats, drift: Floats) -> Floats:
    """What one release's transform may be wrong by at a frequency, relative to M(lam) (C8).

    ``drift`` is sum_j W_j (n_j |l_j - c| + e_j), with n_j the units of all operations on node j
    and e_j those of its loss.
    """
    return UNIT * theta * drift


def power(log_raised: Floats, relative: Floats) -> Floats:
    """|prod a^T - prod b^T| where each |a - b| <= eta (Lemma C9).

    ``log_raised`` is sum T log(|b| + eta), ``relative`` is sum T log(1 + eta / |b|).
    """
    wrong: Floats = np.exp(log_raised) * np.minimum(1.0, relative)
    return wrong


def cumulant_rounding(magnitudes: Floats, nodes: int) -> Floats:
    """Rounding of M(lam) - 1 from sum_j of terms with so many units each (Lemma C10)."""
    return UNIT * (magnitudes[..., 0] + (nodes + 8.0) * magnitudes[..., 1])


def evaluation(
    terms: Floats, places: Floats, moment: Floats, cumulant: Floats
) -> tuple[Floats, Floats, Floats]:
    """Rounding of one sum over frequencies by Horner's rule, over exp(K - lam eps) (Lemma C11).

    ``terms`` is the sum of the terms' magnitudes, ``places`` the same times m + 1/2, ``moment``
    times theta, ``cumulant`` |K|. The three parts: constant, per |eps - c| and per |lam eps|.
    """
    constant = UNIT * ((96.0 + 3.0 * cumulant) * terms + 24.0 * places)
    return constant, UNIT * 4.0 * moment, UNIT * 4.0 * terms


def quantile(value: Floats) -> Floats:
    """How wrong scipy's ndtri may be (Lemma C12): 16 units of 1 + |value|."""
    return 16.0 * UNIT * (1.0 + np.abs(value))


def profile_of_mu(a: Floats) -> Floats:
    """How wrong delta_mu(eps) may be, absolutely (Lemma C13): a = mu / 2 - eps / mu."""
    squares = np.minimum(0.5 * a * a, 700.0)
    found: Floats = UNIT * (40.0 + (16.0 + 8.0 * squares) * np.exp(-squares))
    return found
