"""Every charge: what rounding, cutting off and wrapping round may cost, one function each.

A computed number is wrong by a little. Before a guarantee is read off it, that little is bounded
and added to the side that never flatters. All such bounds of both engines, and of what is read off
afterwards, are here; each names its lemma in docs/proofs.md ("Charges") or in the page that its
part of this file names, and tests/charges shows for each one an input on which it is needed, beside
exact arithmetic. ``unit`` is the roundoff of the arithmetic used, that of doubles or of extended
precision.

They are called as ``charges.name(...)``, so that a test can take any one of them away: it goes over
all public functions of this file.
"""

from __future__ import annotations

import math

import numpy as np

from gdpnum.floats import FUNCTION, UNIT, Floats

_LONG_UNIT = 0.5 * float(np.finfo(np.longdouble).eps)

# --- one release on a lattice -------------------------------------------------------------------


def cell() -> float:
    """Relative error of a computed tail probability: function, argument and mixture (Lemma C1).

    An argument z of the normal distribution function costs z^2 u; this covers tails above 1e-20.
    Where a loss is known to an ulp only, P and Q are displaced together; that costs an ulp of the
    loss, not a relative error, and is covered as well.
    """
    return 512.0 * UNIT


def growth() -> float:
    """Growth of pessimistic masses, shrinkage of dominated ones, that covers `cell` (Lemma C2)."""
    return 4.0 * cell()


def lift(width: float) -> float:
    """Share of all mass moved up a node, for what cancels in connect-the-dots (Lemma C3).

    ``width`` is 1 - exp(-step).
    """
    return min(1.0, 4.0 * cell() / width)


def end_cell() -> float:
    """Relative error of exp(w) Q[L > w], all that the last node may keep (Lemma C4)."""
    return 2.0 * cell()


def cut_tail(first: float, sigma: float) -> float:
    """What the discrete Gaussian has beyond its cut, whose first mass is given (Lemma C5).

    The tail falls at least geometrically, by the ratio at the cut. It is never nothing: with
    little noise the mass underflows, but the loss is unbounded.
    """
    return max(first * (1.0 + sigma), 1e-300)


# --- sums ---------------------------------------------------------------------------------------


def running_sum(count: int, block: int) -> float:
    """Relative error of a running sum of non-negative terms, in blocks of blocks (Lemma C6)."""
    levels = 1.0 + math.ceil(math.log(max(count, 2)) / math.log(block))
    return levels * (min(count, block) + 1.0) * _LONG_UNIT


def tail_sum(count: int, block: int) -> float:
    """The same once weighted, and rounded to doubles (Lemma C7)."""
    return 4.0 * (running_sum(count, block) + 2.0 * UNIT)


def joint_mass(count: int) -> float:
    """Relative error of 1 - prod (1 - m_i)^n_i over so many factors (Lemma C8)."""
    return (8.0 + count) * UNIT


# --- transforms ---------------------------------------------------------------------------------


def transform(size: int, unit: float) -> float:
    """Error of a transform: an entry's over the input's 1-norm, likewise in 2-norms (Lemma C9).

    Each entry is a sum over paths through log2(size) butterflies, each of which rounds a twiddle,
    a product and a sum: at most about 7 u a level (Higham, Accuracy and Stability, 24.1), here 8.
    """
    return 8.0 * unit * math.log2(size)


def direct_sum(count: int, unit: float) -> float:
    """Error of a sum of products with roots of unity, over the sum of magnitudes (Lemma C10).

    Angle, root and product round a dozen times; numpy sums in pairs of blocks of 128, eight at a
    time, which makes 16 + 3 roundings and one for each doubling.
    """
    return (64.0 + math.log2(max(count, 2))) * unit


def departure(unit: float) -> float:
    """Relative error of (z - 1) times a sum, and of z itself (Lemma C11)."""
    return 6.0 * unit


def log_power(log_sizes: Floats, departures: Floats, unit: float) -> Floats:
    """Error of log |1 + z| itself, which a power multiplies, by that log and |z| (Lemma C12)."""
    return unit * (4.0 * np.abs(log_sizes) + 8.0 * departures)


def phase(phases: Floats, unit: float) -> Floats:
    """Relative error of exp(i phase) and of the product it enters (Lemma C13)."""
    return 4.0 * unit * phases + 8.0 * unit


def dropped(log_negligible: float, size: int) -> float:
    """2-norm of the frequencies at which the product is negligible (Lemma C14)."""
    return 2.0 * math.exp(log_negligible) * math.sqrt(size)


def samples() -> float:
    """Error of |F|^2 on the short circle where lasting frequencies are found (Lemma C15)."""
    return 1e-12


def tilt(largest: float, size: int) -> float:
    """Units of rounding of one factor's tilt, its sum and its quotient (Lemma C16).

    ``largest`` is that of the exponents; with the log of their sum taken off they are twice that.
    The log of the sum itself, a moment, is as exact.
    """
    return 3.0 * largest + math.log2(size) + 8.0


def back(log_scale: float, largest: float) -> float:
    """Units of rounding of the way back from a tilt (Lemma C17)."""
    return 8.0 + 4.0 * (abs(log_scale) + largest)


def coarse_sum(stride: int, reach: float) -> float:
    """Units of rounding of a coarse point's sum of fine ones, and of its weights (Lemma C18)."""
    return stride + reach + 8.0


# --- what is cut off, and what wraps round ------------------------------------------------------


def above_window(log_moment: float, tilt: float, loss: float) -> float:
    """Mass at or above a loss (Chernoff), for a tilt above 0; all of it otherwise (Lemma C19)."""
    return _chernoff(log_moment, tilt, loss) if tilt > 0.0 else 1.0


def below_window(log_moment: float, tilt: float, loss: float) -> float:
    """Mass at or below a loss (Chernoff), for a tilt below 0; all of it otherwise (Lemma C20)."""
    return _chernoff(log_moment, tilt, loss) if tilt < 0.0 else 1.0


def _chernoff(log_moment: float, tilt: float, loss: float) -> float:
    shifted = tilt * loss
    rounding = 8.0 * UNIT * (1.0 + abs(log_moment) + abs(shifted))
    return math.exp(min(0.0, log_moment - shifted + rounding))


def wrapped(log_stray: float, reach: float) -> float:
    """Tilted mass that the circle brings to the points wanted, from its log (Lemma C21).

    It weighs as much as at the fine point it comes to, which is ``reach`` off the coarse one.
    """
    return math.exp(min(log_stray, 1.0) + reach)


def drift(reaches: float) -> float:
    """How far a sum of lattice points may be from where it is said to be (Lemma C22)."""
    return 8.0 * UNIT * reaches


def binomial_excess(trials: int, probability: float, most: int) -> float:
    """Probability of more than ``most`` successes (Chernoff; Lemma C23)."""
    share = (most + 1) / trials
    if share >= 1.0 or share <= probability:
        return 0.0 if most >= trials else 1.0
    divergence = share * np.log(share / probability) + (1.0 - share) * np.log(
        (1.0 - share) / (1.0 - probability)
    )
    return float(np.exp(-trials * divergence) * (1.0 + 2.0**-30))


# --- what is read off ---------------------------------------------------------------------------


def log_alpha(logs: Floats, losses: Floats) -> Floats:
    """Error of the log of a sum, less a loss (Lemma C24)."""
    return 2.0**-50 * (np.abs(logs) + np.abs(losses))


def chord() -> float:
    """Relative error of the chord between two points of a profile (Lemma C25)."""
    return 2.0**-50


def epsilon(log_alphas: Floats) -> Floats:
    """Error of the epsilon at which a line comes down to a delta (Lemma C26)."""
    return 2.0**-49 * (1.0 - log_alphas)


def quantile(mu: float) -> float:
    """Error of the difference of two normal quantiles (Lemma C27).

    The quantile function errs by a few units in the last place of a number below 40.
    """
    return 40.0 * 2.0**-50 * max(1.0, mu / 40.0)


def closed_form() -> float:
    """Relative error of a mu by formula: a few special functions (Lemma C28)."""
    return 2.0**-48


def gaussian_rate(arguments: Floats, mu: float) -> Floats:
    """Relative error of Phi(x) for x = mu + z or -mu - z, z the quantile of a rate (Lemma C29).

    A shift of Phi's argument by d, here by 8 units of 1 + |x| + 2 mu, moves log Phi by less than
    d (1 + max(0, -x)).
    """
    with np.errstate(over="ignore", invalid="ignore"):
        deep = 1.0 + np.maximum(0.0, -arguments)
        return (16.0 + 8.0 * deep * (1.0 + np.abs(arguments) + 2.0 * mu)) * UNIT


def gaussian_profile(mu: float, epsilons: Floats) -> Floats:
    """Relative error of a computed delta_mu, absolute error of its log (Lemma C30).

    Of 4 (1 + |x|) (s + mu / 2) units of rounding, most is what the rounding of x = s - mu / 2 does
    to phi(x); the constant is for the gap. About twice what is seen.
    """
    with np.errstate(over="ignore"):
        s = epsilons / mu
        units = 1024.0 + 4.0 * (1.0 + np.abs(s - 0.5 * mu)) * (s + 0.5 * mu)
        return np.minimum(units * UNIT, 1e300)


def renyi(orders: Floats) -> Floats:
    """Relative error of a Renyi divergence, by order (Lemma C31).

    Sums and quadratures were seen to err by 3e-13, the exponents of large orders t, whose size is
    t log(1 / rate), by 1e-14 t.
    """
    return 1e-10 + 3e-14 * orders


def odds() -> float:
    """Relative error of log((1 - p) / p), and of a rate made of four products (Lemma C32)."""
    return 2.0**-50


# --- batches (docs/proofs_batches.md) ----------------------------------------------------------


def ratio_cell(reach: float) -> float:
    """Relative error of one quadrature of `lognormal.cells` (Lemma B5).

    ``reach`` bounds the exponents, of the density and of the ratio: each costs so many units. The
    eight-point rule and its sums have the rest.
    """
    return (64.0 + 4.0 * reach) * UNIT


def product_sum(length: int) -> float:
    """Relative error of one entry of a convolution of that many non-negative terms (Lemma B5)."""
    return (length + 4.0) * UNIT


def power(count: int, one: float, products: float) -> float:
    """Relative error of the masses of a sum of ``count`` (Lemma B5).

    ``one`` is that of one term and ``products`` the sum of those of the convolutions, each times
    the number of its results that are multiplied together in the end. (1 + x) <= exp(x).
    """
    return math.expm1(count * one + products)


def many_jumps(expected: float, most: int) -> float:
    """A bound on Pr[more than ``most`` of many rare events] (Lemma B6).

    With t events of probability r and expected = t r: Pr[K >= k] <= C(t, k) r^k <= expected^k / k!.
    """
    if expected <= 0.0:
        return 0.0
    return math.exp((most + 1) * math.log(expected) - math.lgamma(most + 2))


def claim(likely: Floats, unlikely: Floats, epsilons: Floats) -> Floats:
    """What computed deltas = TPR - e^eps FPR may lack: the rounding of both terms (Lemma B3).

    e^eps FPR comes from a logarithm of the size of eps, and errs by so many units more.
    """
    return UNIT * (64.0 * likely + (64.0 + 8.0 * epsilons) * unlikely)


def binomial_tail(size: int) -> float:
    """Relative error of a tail probability of a binomial of that many trials (Lemma B2).

    It comes from logarithms of factorials, each known to an ulp of its size, about n log n.
    """
    return 2.0**-50 * (1.0 + size * math.log(size + 1.0))


# --- persons, correlated noise, tuning (docs/proofs_person.md) ----------------------------------


def inversion(losses: Floats, terms: int, largest: float, centre: float) -> Floats:
    """Error of the loss of a mixture of so many shifts at an outcome (Lemma P11).

    ``largest`` is the size of the logarithms of its weights, ``centre`` the largest shift. Roots in
    the number of terms, as their errors are averaged.
    """
    size = np.abs(losses) + largest + centre**2
    return np.asarray(8.0 * UNIT * (1.0 + size) * math.sqrt(terms))


def group_rate() -> float:
    """Relative error of a rate interpolated between vertices (Lemma P12)."""
    return 8.0 * UNIT


def group_profile() -> float:
    """Error of tpr - exp(eps) alpha, relative to the two terms (Lemma P13)."""
    return 2.0**-46


def group_slack(mu: float) -> float:
    """Relative error of one step of s + Phi(Phi^-1(s') + mu) (Lemma P14).

    An error of x units in a quantile z, of at most 40, is one of x |z| units in Phi(z).
    """
    return 4.0 * (64.0 + (40.0 + mu) ** 2) * UNIT


def gram(terms: int) -> float:
    """Error of a sum of products of two columns, over the product of their norms (Lemma P15)."""
    return (terms + 8.0) * UNIT


def sensitivity(terms: int) -> float:
    """Relative error of the root of a sum of so many non-negative terms (Lemma P16)."""
    return (terms + 8.0) * UNIT


def run_chance(terms: int) -> float:
    """Error of a difference of two sums of so many chances of numbers of runs (Lemma P17).

    Each chance is a running product of ratios, four roundings a factor.
    """
    return 2.0**-48 * (16.0 + terms)


def winner_density(steepness: float) -> float:
    """Relative error of phi'(u), phi the generating function of the number of runs (Lemma P18).

    ``steepness`` bounds the derivative of log phi'; an argument is known to a few units of one.
    """
    return 2.0**-48 * (8.0 + steepness)


def winner_shift(epsilons: Floats) -> Floats:
    """Error of eps + log r_k (Lemma P19)."""
    return 2.0**-46 * (1.0 + np.abs(epsilons))


def winner_profile(terms: int) -> float:
    """Relative error of a sum of so many profile values times weights, and of those (Lemma P20).

    A weight is itself a sum of up to twenty thousand.
    """
    return 2.0**-36 + (terms + 8.0) * UNIT


# --- the contour engine (docs/proofs_contour.md) -----------------------------------------------


def quadrature(above: Floats | float, below: Floats | float, exponent: Floats | float) -> Floats:
    """Trapezoid against integral, relative to M(lam) (Lemma T4).

    exp(above) and exp(below) bound how much larger the integrand is at heights b above and below
    the line; ``exponent`` is 2 pi b / d.
    """
    sides: Floats = 1.01 * (np.exp(above - exponent) + np.exp(below - exponent))
    return sides / -np.expm1(-exponent)


def cut_ends(
    ends: Floats, left: Floats, rights: Floats, log_shares: Floats, step: Floats
) -> Floats:
    """Nodes left out beyond the first and the last (Lemma T5), relative to M(lam).

    ``ends`` are the integrand's values there over M. To the left it falls like a normal density
    at ``left`` or faster; to the right like a sum of those at ``rights``, along the last axis, each
    with the share of it whose log is given.
    """
    below = ends[:, :, 0] * np.where(left > 0.0, 1.0 / left, np.inf)
    if float(rights.min(initial=1.0)) > 0.5 and float(log_shares.max(initial=0.0)) < 700.0:
        total: Floats = below + ends[:, :, 1] * (np.exp(log_shares) / rights).sum(axis=-1)
        return total * 1.01
    rising = 0.5 * rights * rights + np.log(2.6 + step)[..., None]
    exponents = log_shares + np.where(rights > 0.5, -np.log(np.maximum(rights, 0.5)), rising)
    # What overflows is unknown, even where the end itself has underflowed.
    above = ends[:, :, 1] * np.exp(np.minimum(exponents, 700.0)).sum(axis=-1)
    return (below + np.where((exponents < 700.0).all(axis=-1), above, np.inf)) * 1.01


def shifted_quadrature(growth: Floats, exponent: Floats) -> Floats:
    """The trapezoid for R_a against its integral, relative to M(lam) (Lemma T6).

    exp(growth) bounds how much larger the integrand is at height b, ``exponent`` is 2 pi b / d.
    """
    sides: Floats = 2.02 * np.exp(growth - exponent) / -np.expm1(-exponent)
    return sides


def decay_rounding(largest: Floats, spread: Floats, number: int) -> Floats:
    """Of the log of a sum of positive terms for R_a (Lemma T6).

    ``largest`` bounds |S l| + u^2 / 2 at its nodes, ``spread`` |c u| + c^2 / 2.
    """
    total: Floats = UNIT * ((64.0 + 4.0 * spread) * (largest + 800.0) + number)
    return total


def chi_squared() -> float:
    """Half the root of chi^2 of all releases, relatively (Lemma T17)."""
    return 1e-12


def left_out(log_decay: Floats, theta: Floats) -> Floats:
    """Frequencies beyond theta in the sum for delta, over exp(K - lam eps) (Lemma T3)."""
    total: Floats = np.exp(log_decay) / (np.pi * theta)
    return total


def left_out_slowly(log_decays: Floats, log_ratios: Floats) -> Floats:
    """The same in the sum for alpha, from the decay on a ladder of theta (Lemma T3)."""
    total: Floats = (np.exp(log_decays) * log_ratios).sum(axis=-1) / np.pi
    return total


def slow_decay(power: Floats | float, scale: Floats | float, growth: Floats | float) -> Floats:
    """The log of a bound (scale power / (e theta))^power e^growth on R_a at every theta (T3)."""
    bound: Floats = power * (np.log(power * scale) - 1.0) + growth
    return bound


def aliases(cumulants: Floats, log_ratio: Floats) -> Floats:
    """Images on one side (Lemma T2): the log of a geometric series exp(K) (v + v^2 + ..).

    Those with k < 0 are without the two terms that are known.
    """
    falling = np.minimum(log_ratio, -1e-300)
    logs = cumulants + falling - np.log(-np.expm1(falling))
    series: Floats = np.where(log_ratio < 0.0, logs, np.inf)
    return series


def known_images(lifted: Floats, constant: Floats, exponent: Floats) -> Floats:
    """Rounding of the two images that are known and subtracted (Lemma T11).

    ``exponent`` is the sum of the magnitudes in their exponents.
    """
    return UNIT * (64.0 + 4.0 * exponent) * (lifted + np.abs(constant))


def loss_units(spread: Floats, posterior: Floats, loss: Floats) -> Floats:
    """Units by which a node's loss may be wrong (Lemma T7).

    ``spread`` is |c u| + c^2 / 2, the terms of r = c u - c^2 / 2.
    """
    return 4.0 * spread * posterior + 24.0 * np.abs(loss)


def lifted_units(angle: Floats, posterior: Floats, spread: Floats, units: Floats) -> Floats:
    """Units by which log(A(u + ia) / A(u)) may be wrong (Lemma T7), for angles c a below pi / 2.

    ``spread`` is that of `loss_units`, and ``units`` what that found.
    """
    return angle * posterior * (1.5 * (3.0 * spread + units + 16.0) + 64.0)


def weight_units(exponent: Floats, loss_part: Floats) -> Floats:
    """Units by which a weight exp(exponent) may be wrong, relatively (Lemma T8).

    ``exponent`` is the sum of the magnitudes of its terms, ``loss_part`` what errors of the loss
    and of log Q/N do to it.
    """
    return 3.0 * exponent + loss_part + FUNCTION + 4.0


def phase_units(theta: Floats, drift: Floats) -> Floats:
    """What one release's transform may be wrong by at a frequency, relative to M(lam) (T8).

    ``drift`` is sum_j W_j (n_j |l_j - c| + e_j), with n_j the units of all operations on node j
    and e_j those of its loss.
    """
    return UNIT * theta * drift


def transform_power(log_raised: Floats, relative: Floats) -> Floats:
    """|prod a^T - prod b^T| where each |a - b| <= eta (Lemma T9).

    ``log_raised`` is sum T log(|b| + eta), ``relative`` is sum T log(1 + eta / |b|).
    """
    wrong: Floats = np.exp(log_raised) * np.minimum(1.0, relative)
    return wrong


def cumulant_rounding(units: Floats, sizes: Floats, nodes: int) -> Floats:
    """Rounding of M(lam) - 1 from a sum of so many terms: their units and their sizes (T10)."""
    return UNIT * (units + (nodes + 8.0) * sizes)


def evaluation(
    terms: Floats, places: Floats, moment: Floats, cumulant: Floats
) -> tuple[Floats, Floats, Floats]:
    """Rounding of one sum over frequencies by powers, over exp(K - lam eps) (Lemma T11).

    ``terms`` is the sum of the terms' magnitudes, ``places`` the same times m + 1/2, ``moment``
    times theta, ``cumulant`` |K|. The three parts: constant, per |eps - c| and per |lam eps|.
    """
    constant = UNIT * ((112.0 + 3.0 * cumulant) * terms + 24.0 * places)
    return constant, UNIT * 4.0 * moment, UNIT * 4.0 * terms


def one_quantile(value: Floats) -> Floats:
    """How wrong scipy's ndtri may be (Lemma T12): 16 units of 1 + |value|."""
    return 16.0 * UNIT * (1.0 + np.abs(value))


def gaussian_delta(
    a: Floats, epsilons: Floats, lifted: Floats, others: Floats
) -> tuple[Floats, Floats]:
    """How wrong delta_mu(eps) = Phi(a) - L may be, and its slope -L (Lemma T13).

    ``lifted`` is L, and ``others`` are Phi(a) and what delta_mu is added to: for that 16 units are
    left. A larger |a| is charged more.
    """
    each = UNIT * (64.0 + 4.0 * a * a)
    slope = (each + (2.0 * UNIT) * epsilons) * lifted
    return slope + each * others, slope


def profile_of_mu(mu: Floats) -> Floats:
    """How wrong delta_mu(eps) may be, absolutely (Lemma T13)."""
    return UNIT * (100.0 + mu)
