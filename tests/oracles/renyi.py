"""Renyi divergences of one release, in mpmath: definitions, closed forms, no float in between.

D_t(P || Q) = log(integral of p^t q^(1 - t)) / (t - 1). As t p + (1 - t) q integrates to one, the
integral less one is that of p^t q^(1 - t) - t p - (1 - t) q, taken as one integrand: however near
to one the integral is, its excess is known to as many digits as the integrand.
"""

from collections.abc import Callable, Iterable
from itertools import pairwise

from mpmath import mp, mpf

# Of order 1 + 1e-12, an excess of 1e-28 is one of 1e-40 to a sum of one.
DIGITS = 70

Density = Callable[[mpf], mpf]


def _excess(order: mpf, p: mpf, q: mpf) -> mpf:
    """p^t q^(1 - t) - t p - (1 - t) q, over t - 1; its limit at t = 1."""
    if order == 1:
        return p * mp.log(p / q) - p + q
    return (p * mp.exp((order - 1) * mp.log(p / q)) - order * p - (1 - order) * q) / (order - 1)


def _divergence(order: mpf, excess: mpf) -> mpf:
    return excess if order == 1 else mp.log1p((order - 1) * excess) / (order - 1)


def _integral(order: mpf, weight: Density, p: Density, q: Density, edges: list[mpf]) -> mpf:
    """The excess of weight p to weight q, panel by panel; those negligible at both ends skipped."""

    def integrand(x: mpf) -> mpf:
        return weight(x) * _excess(order, p(x), q(x))

    heights = [integrand(edge) for edge in edges]
    least = max(heights) * mpf(10) ** -24
    total, error = mpf(0), mpf(0)
    for (left, right), (low, high) in zip(pairwise(edges), pairwise(heights), strict=True):
        if max(low, high) >= least:
            part, doubt = mp.quad(
                integrand, [left, right], method="gauss-legendre", maxdegree=4, error=True
            )
            total, error = total + part, error + doubt
    if error > total * mpf(10) ** -13:
        raise ArithmeticError(f"quadrature is off by {mp.nstr(error / total, 3)}")
    return total


def _sum(order: mpf, masses: Iterable[tuple[mpf, mpf]]) -> mpf:
    return mp.fsum(_excess(order, p, q) for p, q in masses)


# --- Gaussian noise on a sample -----------------------------------------------------------------


def _bump(sigma: mpf, rate: mpf, centre: int) -> Density:
    """(1 - rate) N(0) + rate N(centre), of variance sigma^2, over N(0)."""
    if centre == 0:
        return lambda _: mpf(1)
    return lambda x: 1 - rate + rate * mp.exp((2 * x * centre - 1) / (2 * sigma**2))


@mp.workdps(DIGITS)
def sampled_gaussian(sigma: float, rate: float, order: float, p_at: int = 1, q_at: int = 0) -> mpf:
    """(1 - rate) N(0) + rate N(p_at) against the same with q_at.

    The record present against absent is (1, 0), the reverse (0, 1), one replaced (1, -1).
    """
    s, rate, t = mpf(sigma), mpf(rate), mpf(order)
    # p^t q^(1 - t) has its bulk between the centres of what it is a product of, whichever of the
    # two components is taken of each; squares of p/q - 1 as if t were two.
    centres = [(a, b) for a in (0, p_at) for b in (0, q_at)]
    tilts = [power * a + (1 - power) * b for power in (mpf(0), mpf(2), t) for a, b in centres]
    low, high = min(tilts) - 12 * s, max(tilts) + 12 * s
    # Ratios have zeros at a distance of pi sigma^2 from the axis, and negative powers narrow.
    width = 2 * min(s, s**2) * (1 if q_at == 0 else 1 / mp.sqrt(1 + mp.log1p(t)))
    count = int(mp.ceil((high - low) / width))
    edges = [low + (high - low) * i / count for i in range(count + 1)]
    scale = 1 / (s * mp.sqrt(2 * mp.pi))
    excess = _integral(
        t,
        lambda x: scale * mp.exp(-((x / s) ** 2) / 2),
        _bump(s, rate, p_at),
        _bump(s, rate, q_at),
        edges,
    )
    return _divergence(t, excess)


@mp.workdps(DIGITS)
def sampled_gaussian_of_integer_order(sigma: float, rate: float, order: int) -> mpf:
    """The record present against absent, by the binomial theorem."""
    s, rate = mpf(sigma), mpf(rate)
    odds, growth = rate / (1 - rate), mp.exp(1 / s**2)
    term, factor, total = (1 - rate) ** order, mpf(1), mpf(0)
    for k in range(order + 1):
        total += term
        term *= odds * factor * (order - k) / (k + 1)
        factor *= growth
    return mp.log(total) / (order - 1)


# --- discrete Gaussian noise --------------------------------------------------------------------


def _theta(sigma: mpf, shift: mpf) -> mpf:
    """Sum over integers k of exp(-(k - shift)^2 / (2 sigma^2))."""
    reach = int(mp.ceil(20 * sigma)) + 2
    centre = int(mp.nint(shift))
    return mp.fsum(
        mp.exp(-(((k - shift) / sigma) ** 2) / 2) for k in range(centre - reach, centre + reach + 1)
    )


@mp.workdps(DIGITS)
def discrete_gaussian(sigma: float, order: float, moved: int = 1) -> mpf:
    """t m^2 / (2 sigma^2) + log(theta(t m) / theta(0)) / (t - 1): complete the square in k."""
    s, t = mpf(sigma), mpf(order)
    rest = mpf(0)  # theta'(m) = 0, as theta is symmetric about whole numbers
    if t != 1:
        rest = mp.log(_theta(s, t * moved) / _theta(s, mpf(0))) / (t - 1)
    return t * moved**2 / (2 * s**2) + rest


@mp.workdps(DIGITS)
def sampled_discrete_gaussian(
    sigma: float, rate: float, order: float, backward: bool, moved: int = 1
) -> mpf:
    """(1 - rate) N(0) + rate N(moved) against N(0) on the integers, or the reverse."""
    s, rate, t = mpf(sigma), mpf(rate), mpf(order)
    reach = int(mp.ceil(order * moved + 25 * s)) + 2
    total = _theta(s, mpf(0))
    pairs = []
    for k in range(-reach, reach + 1):
        absent = mp.exp(-((k / s) ** 2) / 2) / total
        present = (1 - rate) * absent + rate * mp.exp(-(((k - moved) / s) ** 2) / 2) / total
        pairs.append((absent, present) if backward else (present, absent))
    return _divergence(t, _sum(t, pairs))


# --- Laplace noise ------------------------------------------------------------------------------


@mp.workdps(DIGITS)
def laplace(scale: float, order: float) -> mpf:
    """log(t / (2t - 1) e^((t-1) eps) + (t - 1) / (2t - 1) e^(-t eps)) / (t - 1) and its limits."""
    eps, t = 1 / mpf(scale), mpf(order)
    if t == 1:
        return eps + mp.expm1(-eps)
    if t == mpf(1) / 2:
        return eps - 2 * mp.log1p(eps / 2)
    up, down = t * mp.exp((t - 1) * eps), (t - 1) * mp.exp(-t * eps)
    return mp.log((up + down) / (2 * t - 1)) / (t - 1)


@mp.workdps(DIGITS)
def sampled_laplace(scale: float, rate: float, order: float, backward: bool) -> mpf:
    """(1 - rate) Lap(0) + rate Lap(1) against Lap(0), or the reverse."""
    b, rate, t = mpf(scale), mpf(rate), mpf(order)

    def absent(x: mpf) -> mpf:
        return mp.exp(-x / b) / (2 * b)

    def present(x: mpf) -> mpf:  # over absent, for x in [0, 1]
        return 1 - rate + rate * mp.exp((2 * x - 1) / b)

    ratios = (lambda _: mpf(1), present) if backward else (present, lambda _: mpf(1))
    # Outside [0, 1] the ratio is constant and the tails are exponential of scale b.
    ends = [b * absent(x) * _excess(t, *(ratio(x) for ratio in ratios)) for x in (mpf(0), mpf(1))]
    # Panels of the scale on which a power t falls off, growing with the distance from the ends.
    step, edges = b / (1 + t), [mpf(0)]
    while edges[-1] + step < mpf(1) / 2:
        edges.append(edges[-1] + step)
        step = min(step * mpf(1.5), b)
    edges += [mpf(1) / 2, *(1 - x for x in reversed(edges))]
    return _divergence(t, mp.fsum(ends) + _integral(t, absent, *ratios, edges))


# --- finitely many outcomes ---------------------------------------------------------------------


def randomized_response(
    epsilon: float, categories: int, order: float, rate: float = 1.0, backward: bool = False
) -> mpf:
    """One answer against another; sampled, against the other of whoever is left out."""
    with mp.workdps(DIGITS + int(epsilon)):  # exp(-eps) is added to one
        eps, rate, t = mpf(epsilon), mpf(rate), mpf(order)
        total = mp.exp(eps) + categories - 1
        kept, moved = mp.exp(eps) / total, 1 / total
        pairs = [(kept, moved), (moved, kept), ((categories - 2) * moved,) * 2]
        pairs = [((1 - rate) * q + rate * p, q) for p, q in pairs if p > 0]
        return _divergence(t, _sum(t, [(q, p) for p, q in pairs] if backward else pairs))


@mp.workdps(DIGITS)
def approx_dp(epsilon: float, delta: float, order: float) -> mpf:
    """Randomised response with 1 - delta, otherwise everything is revealed; of orders below 1."""
    eps, delta, t = mpf(epsilon), mpf(delta), mpf(order)
    affinity = (mp.exp(t * eps) + mp.exp((1 - t) * eps)) / (1 + mp.exp(eps))
    return mp.log((1 - delta) * affinity) / (t - 1)
