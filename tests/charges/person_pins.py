"""Pins of the charges of persons, correlated noise and tuning: see `pins`."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from mpmath import mp, mpf
from scipy.special import ndtr, ndtri

from gdpnum import charges
from gdpnum.curve.group import _delta, _down, _up, group_slack
from gdpnum.curve.tuning import RunsBound, SelectionBound, _chance_up_to, _density, _steepness
from gdpnum.mechanisms import BestOf, Gaussian
from gdpnum.pairs.mixture import MixturePair
from gdpnum.pairs.sensitivity import _raised, _root_down, _root_up
from gdpnum.representations import GDP


def generator():
    return np.random.default_rng(20260308)


@mp.workdps(40)
def inversion():
    mixture = MixturePair((0.6, 0.3, 0.1), (0.7, 1.4, 2.1))
    z = generator().uniform(-8.0, 12.0, 300)
    found = mixture.losses(z)
    ratios = []
    for x, loss, granted in zip(z, found, mixture.inversion_error(found), strict=True):
        total = mp.fsum(
            mpf(v) * mp.exp(mpf(c) * mpf(float(x)) - mpf(c) ** 2 / 2)
            for v, c in zip(mixture.weights, mixture.centres, strict=True)
        )
        ratios.append(abs(mp.log(total) - mpf(float(loss))) / mpf(float(granted)))
    assert 0 < max(ratios) <= 1


def group_rate_():
    random = generator()
    alphas, tprs = np.sort(random.random(50)), np.sort(random.random(50))
    places = random.uniform(alphas[0], alphas[-1], 2000)
    found = np.interp(places, alphas, tprs)
    both = zip(places, _up(found), _down(found), strict=True)
    for place, raised, lowered in both:
        i = int(np.searchsorted(alphas, place)) - 1
        low, high = Fraction(alphas[i]), Fraction(alphas[i + 1])
        share = (Fraction(place) - low) / (high - low)
        exact = Fraction(tprs[i]) + share * (Fraction(tprs[i + 1]) - Fraction(tprs[i]))
        assert Fraction(lowered) <= exact <= Fraction(raised)


@mp.workdps(40)
def group_profile():
    for epsilon, alpha, tpr in generator().uniform([0.1, 1e-4, 0.2], [3.0, 1e-2, 0.9], (300, 3)):
        exact = mpf(tpr) - mp.exp(mpf(epsilon)) * mpf(alpha)
        found = _delta(float(epsilon), np.array([0.0, alpha]), np.array([0.0, tpr]))
        assert mpf(found) >= exact


@mp.workdps(40)
def group_slack_():
    for mu in (0.3, 0.5, 1.0, 2.0):
        for slack in (1e-12, 1e-10, 1e-6, 1e-3):
            below = ndtri(slack)
            quantile = mp.findroot(
                lambda x, slack=slack: mp.log(mp.ncdf(x)) - mp.log(mpf(slack)), float(below)
            )
            exact = mpf(slack) + mp.ncdf(quantile + mpf(mu))
            assert mpf(group_slack(mu, slack, 2)) >= exact
            assert group_slack(mu, slack, 2) < slack + float(ndtr(below + mu)) * (1 + 1e-11)


def gram():
    matrix = np.tril(generator().normal(size=(30, 30)))
    found = np.einsum("ki,kj->ij", matrix, matrix)
    norms = np.sqrt(np.diag(found))
    raised = _raised(found, np.outer(norms, norms), 30)
    for i in range(30):
        for j in range(i):
            products = zip(matrix[:, i], matrix[:, j], strict=True)
            exact = sum((Fraction(a) * Fraction(b) for a, b in products), Fraction(0))
            assert abs(exact) <= abs(Fraction(float(raised[i, j])))


def sensitivity():
    random = generator()
    for _ in range(50):
        terms = random.random(40)
        exact = sum((Fraction(term) ** 2 for term in terms), Fraction(0))
        found = float((terms**2).sum())
        assert Fraction(_root_down(found, 40)) ** 2 <= exact <= Fraction(_root_up(found, 40)) ** 2


def run_chance():
    run = BestOf(Gaussian(sigma=1.0), number="geometric", mean=10)
    gamma = Fraction(run.gamma)
    for most in range(1, 200):
        found = _chance_up_to(run, most + 1) - _chance_up_to(run, most)
        exact = gamma * (1 - gamma) ** most
        assert Fraction(found + charges.run_chance(most + 1)) >= exact


@mp.workdps(40)
def winner_density():
    for run in (
        BestOf(Gaussian(sigma=1.0), number="geometric", mean=10),
        BestOf(Gaussian(sigma=1.0), number="poisson", mean=30),
        BestOf(Gaussian(sigma=1.0), number="truncated_negative_binomial", eta=2.5, gamma=0.03),
    ):
        left = generator().random(300)
        ratios = []
        for x, found in zip(left, _density(run, left), strict=True):
            if run.number == "poisson":
                exact = mpf(run.mean) * mp.exp(-mpf(run.mean) * mpf(float(x)))
            else:
                gamma = mpf(run.gamma)
                reached = gamma / (gamma + (1 - gamma) * mpf(float(x)))
                exact = mpf(run.mean) * reached ** (mpf(run.shape) + 1)
            ratios.append(abs(mpf(float(found)) / exact - 1))
        assert 0 < max(ratios) <= charges.winner_density(_steepness(run))


class _Steep:
    """A profile that keeps what it was asked, as it falls everywhere."""

    def delta(self, epsilons):
        self.asked = epsilons
        return np.zeros(epsilons.size)


def winner_shift():
    run, shifts = _Steep(), -generator().random(200)
    SelectionBound(run, np.ones(200), shifts).delta(np.array([1.3]))
    for found, shift in zip(run.asked, shifts, strict=True):
        assert Fraction(found) <= Fraction(1.3) + Fraction(shift)


def winner_profile():
    # Of one curve, as of a hundred that are alike, the profile times what the chances sum to.
    curve = GDP(mu=0.5).curve()
    one = Fraction(float(curve.delta(0.7)))
    for seed in range(40):
        chances = np.random.default_rng(seed).dirichlet(np.ones(100))
        found = RunsBound((curve,) * 100, chances, 0.0).delta(np.array([0.7]))[0]
        total = one * sum((Fraction(chance) for chance in chances), Fraction(0))
        assert total <= Fraction(float(found)) <= total * (1 + Fraction(1, 2**35))


PERSON_PINS: dict[str, Callable[[], None]] = {
    one.__name__.rstrip("_"): one
    for one in (
        inversion,
        group_rate_,
        group_profile,
        group_slack_,
        gram,
        sensitivity,
        run_chance,
        winner_density,
        winner_shift,
        winner_profile,
    )
}
