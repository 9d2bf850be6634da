"""The Gaussian trade-off curve f_mu and its profile, with mpmath.

Every function works at the caller's precision (`mpmath.workdps`) and returns an mpf.
"""

from mpmath import mp, mpf


def normal_cdf(x) -> mpf:
    """Phi(x), with full relative accuracy in the lower tail."""
    return mp.erfc(-mpf(x) / mp.sqrt(2)) / 2


def normal_quantile(p) -> mpf:
    """Phi^-1(p) by Newton's method on log Phi; infinite at 0 and 1."""
    p = mpf(p)
    if p <= 0:
        return mp.ninf
    if p >= 1:
        return mp.inf
    if p > 0.5:
        return -normal_quantile(1 - p)
    # -sqrt(-2 log p) lies left of the root, and log Phi is concave and increasing:
    # Newton's steps from there never overshoot by more than one step.
    x = -mp.sqrt(-2 * mp.log(p))
    for _ in range(200):
        cdf = normal_cdf(x)
        change = mp.log(cdf / p) * cdf / mp.npdf(x)
        x -= change
        if abs(change) <= mp.eps * (1 + abs(x)) * 8:
            return x
    raise ArithmeticError(f"Phi^-1({mp.nstr(p)}) did not settle")


def gdp_beta(alpha, mu) -> mpf:
    """f_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu)."""
    return normal_cdf(-normal_quantile(alpha) - mpf(mu))


def gdp_delta(epsilon, mu) -> mpf:
    """delta_mu(eps) = Phi(mu/2 - eps/mu) - exp(eps) Phi(-mu/2 - eps/mu)."""
    epsilon, mu = mpf(epsilon), mpf(mu)
    if mu == 0:
        return max(mpf(0), 1 - mp.exp(epsilon))
    return normal_cdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * normal_cdf(-mu / 2 - epsilon / mu)


def gdp_spared(epsilon, mu) -> mpf:
    """1 - delta_mu(eps) = Phi(eps/mu - mu/2) + exp(eps) Phi(-mu/2 - eps/mu), for mu > 0."""
    epsilon, mu = mpf(epsilon), mpf(mu)
    return normal_cdf(epsilon / mu - mu / 2) + mp.exp(epsilon) * normal_cdf(-mu / 2 - epsilon / mu)


def gdp_advantage(mu) -> mpf:
    """eta = 2 Phi(mu/2) - 1."""
    return mp.erf(mpf(mu) / (2 * mp.sqrt(2)))


def mu_of_advantage(advantage) -> mpf:
    """The mu whose curve has the given advantage: 2 Phi^-1((1 + eta)/2)."""
    return 2 * normal_quantile((1 + mpf(advantage)) / 2)


def gaussian_mu(mu0, slack) -> mpf:
    """Smallest mu with which the mu0-GDP curve is (mu, slack)-GDP.

    max(0, mu0 - 2 Phi^-1((1 + slack)/2)): the gap f_mu - f_mu0 is largest on the diagonal.
    """
    return max(mpf(0), mpf(mu0) - mu_of_advantage(slack))


def mu_at_point(alpha, beta, slack) -> mpf:
    """Smallest mu whose curve, lowered by slack, passes below the point (alpha, beta).

    -Phi^-1(alpha) - Phi^-1(beta + slack); -inf where beta + slack >= 1 (no accuracy at all).
    """
    if beta + mpf(slack) >= 1:
        return mp.ninf
    return -normal_quantile(alpha) - normal_quantile(beta + mpf(slack))
