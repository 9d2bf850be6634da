"""What Renyi divergences say about tests, from the definitions, in mpmath or by brute force.

`chord_beta` is the curve that the closed-form bound induces, in closed form: of the two coins of a
test it keeps only p^t a^(1 - t) <= exp((t - 1) eps). `coin_beta` keeps both outcomes, both ways.
"""

import numpy as np
from mpmath import mp, mpf

DIGITS = 50


@mp.workdps(DIGITS)
def coin_divergence(order, p, a, *, missed=None, rest=None) -> mpf:
    """D_t of two coins; `missed` and `rest` are 1 - p and 1 - a where those are known better."""
    t, p, a = mpf(order), mpf(p), mpf(a)
    q = 1 - p if missed is None else mpf(missed)
    b = 1 - a if rest is None else mpf(rest)
    if t == 1:
        return sum(x * mp.log(x / y) for x, y in ((p, a), (q, b)) if x > 0)
    return mp.log(p**t * a ** (1 - t) + q**t * b ** (1 - t)) / (t - 1)


@mp.workdps(DIGITS)
def coin_beta(order, epsilon, alpha) -> mpf:
    """Least beta with D_t(1 - beta || alpha) and D_t(alpha || 1 - beta) at most epsilon.

    Bisection on logit(beta): both divergences fall as beta rises to 1 - alpha.
    """
    alpha, epsilon = mpf(alpha), mpf(epsilon)

    def chances(logit):
        return 1 / (1 + mp.exp(-logit)), 1 / (1 + mp.exp(logit))

    def allowed(logit):
        beta, tpr = chances(logit)
        there = coin_divergence(order, tpr, alpha, missed=beta)
        back = coin_divergence(order, alpha, tpr, rest=beta)
        return max(there, back) <= epsilon

    low, high = mpf(-2000), mp.log((1 - alpha) / alpha)
    for _ in range(150):
        middle = (low + high) / 2
        low, high = (low, middle) if allowed(middle) else (middle, high)
    return chances(high)[0]


@mp.workdps(DIGITS)
def closed_form(order, epsilon, at) -> mpf:
    """exp((t - 1) (eps_t - eps)) / t * (1 - 1/t)^(t - 1), at most one."""
    t = mpf(order)
    return min(mpf(1), mp.exp((t - 1) * (mpf(epsilon) - mpf(at))) / t * (1 - 1 / t) ** (t - 1))


def chord_beta(orders, epsilons, alphas) -> np.ndarray:
    """The curve of all claims of the closed-form bound at these orders, and of their mirror images.

    sup over real eps of 1 - delta_t(eps) - exp(eps) alpha is 1 - (alpha exp(eps_t))^(1 - 1/t).
    """
    best = np.zeros(alphas.size)
    for t, epsilon in zip(orders, epsilons, strict=True):
        if t > 1 and epsilon < np.inf:
            share = (t - 1) / t
            with np.errstate(divide="ignore", over="ignore"):
                steep = -np.expm1(share * (np.log(alphas) + epsilon))
                flat = np.exp(np.log1p(-alphas) / share - epsilon)
            best = np.maximum(best, np.maximum(steep, flat))
    return best


def scanned_beta(orders, epsilons, alphas) -> np.ndarray:
    """`coin_beta` of several orders, the largest, by bisection in floats; for 1/2 <= t <= 64."""
    low, high = np.zeros(alphas.size), 1 - alphas
    for _ in range(60):
        beta = (low + high) / 2
        fine = np.ones(alphas.size, dtype=bool)
        for t, epsilon in zip(orders, epsilons, strict=True):
            fine &= _divergence(t, 1 - beta, beta, alphas, 1 - alphas) <= epsilon
            fine &= _divergence(t, alphas, 1 - alphas, 1 - beta, beta) <= epsilon
        low, high = np.where(fine, low, beta), np.where(fine, beta, high)
    return high


def _divergence(t, p, q, a, b):
    with np.errstate(divide="ignore", over="ignore"):
        if t == 1:
            return p * np.log(p / a) + q * np.log(q / b)
        return np.log(p**t * a ** (1 - t) + q**t * b ** (1 - t)) / (t - 1)


def profile(alphas, betas, epsilons) -> np.ndarray:
    """sup over the given points of a curve of 1 - beta - exp(eps) alpha: never above delta."""
    return np.array([np.max(1 - betas - np.exp(eps) * alphas) for eps in epsilons])


def beta_of_lines(lines, alphas) -> np.ndarray:
    """f(alpha) = sup over eps of 1 - delta - exp(eps) alpha and its mirror image, at every knot.

    Straight from the meaning of a profile; nothing is joined or interpolated.
    """
    knots = np.append(0.0, lines.epsilons[lines.epsilons < 700])
    deltas, growth = lines.delta(knots), np.exp(knots)
    return np.array(
        [
            max(0.0, np.max(1 - deltas - growth * a), np.max((1 - deltas - a) / growth))
            for a in alphas
        ]
    )


def tpr_of_lines(lines, alphas) -> np.ndarray:
    """1 - f(alpha) on the steep half, with the digits of a small one kept."""
    knots = np.append(0.0, lines.epsilons)
    log_deltas = np.log(np.maximum(lines.delta(knots), 1e-300))
    log_terms = (np.logaddexp(log_deltas, knots + np.log(a)) for a in alphas)
    return np.exp([np.min(terms) for terms in log_terms])
