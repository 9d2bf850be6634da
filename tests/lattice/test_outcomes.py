"""Few outcomes, multiplied out: profiles and attacks beside exact sums."""

from itertools import pairwise, product

import numpy as np
import pytest
from mpmath import mp, mpf

import gdpnum
from gdpnum import (
    ApproxDP,
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    KnownCurve,
    PoissonSampled,
    PureDP,
    TradeoffCurve,
)
from gdpnum.lattice.outcomes import outcomes
from gdpnum.pairs.gaussian import GaussianPair
from gdpnum.pairs.pair import Release
from gdpnum.releases import releases

EPSILONS = (0.0, 0.01, 0.3, 1.0, 2.0, 3.0)


def discrete_laplace(scale, rate=1):
    """The two outcomes of noise with mass proportional to exp(-|k| / scale), moved by one."""
    r = mp.exp(-1 / mpf(scale))
    q = [r / (1 + r), 1 / (1 + r)]
    rate = mpf(rate)
    return [((1 - rate) * b + rate * a, b) for a, b in zip(q[::-1], q, strict=True)]


def response(epsilon, delta=0):
    kept, lost = mp.exp(mpf(epsilon)), mpf(delta)
    both = [(kept, mpf(1)), (mpf(1), kept)]
    found = [((1 - lost) * p / (kept + 1), (1 - lost) * q / (kept + 1)) for p, q in both]
    return [*found, (lost, mpf(0)), (mpf(0), lost)]


def profiles(releases, epsilon):
    """sum (p - exp(eps) q)+ over all outcomes, in either direction."""
    factor, deltas = mp.exp(mpf(epsilon)), [mpf(0), mpf(0)]
    for outcome in product(*releases):
        p, q = mp.fprod(a for a, _ in outcome), mp.fprod(b for _, b in outcome)
        deltas = [deltas[0] + max(p - factor * q, 0), deltas[1] + max(q - factor * p, 0)]
    return deltas


def profile(releases, epsilon):
    return max(profiles(releases, epsilon))


def bends(releases):
    """Where the profile bends: at a loss, or where one direction overtakes the other."""
    losses = {mpf(0)}
    for outcome in product(*releases):
        losses.add(abs(mp.log(mp.fprod(p / q for p, q in outcome))))
    found = sorted(losses)

    def lead(epsilon):
        forward, backward = profiles(releases, epsilon)
        return forward - backward

    for low, high in pairwise(sorted(losses)):
        if lead(low) * lead(high) < 0:
            found.append(mp.findroot(lead, (low, high), solver="anderson"))
    return found


def sampled(scale, rate):
    return PoissonSampled(DiscreteLaplace(scale=scale), rate=rate)


ALPHAS, BETAS = [0.0, 0.24, 0.5434, 0.8662, 1.0], [1.0, 0.5176, 0.1658, 0.0469, 0.0]
KNOWN = [
    (mpf(a) - mpf(b), mpf(d) - mpf(c))
    for (a, b), (c, d) in zip(pairwise(BETAS), pairwise(ALPHAS), strict=True)
]

RARE, MUCH = (0.6218853588181418, 0.00513780821159755), (9.17008399241419, 0.18601649081702543)

RUNS = {
    # The first four, and many like them, were found loose by `make attack`.
    "two rates": (
        sampled(0.979, 0.946) * 2 + sampled(1.447, 0.035) * 2,
        [discrete_laplace(0.979, 0.946)] * 2 + [discrete_laplace(1.447, 0.035)] * 2,
    ),
    "rare": (sampled(*RARE) * 5, [discrete_laplace(*RARE)] * 5),
    "much noise": (sampled(*MUCH) * 5, [discrete_laplace(*MUCH)] * 5),
    "known": (KnownCurve(TradeoffCurve.from_vertices(ALPHAS, BETAS)) * 2, [KNOWN] * 2),
    "revealed now and then": (ApproxDP(epsilon=0.7, delta=1e-3) * 4, [response(0.7, 1e-3)] * 4),
    "mixed": (
        Composed([PureDP(epsilon=0.31) * 3, sampled(2.0, 0.3) * 2]),
        [response(0.31)[:2]] * 3 + [discrete_laplace(2.0, 0.3)] * 2,
    ),
}


@pytest.mark.parametrize("name", RUNS)
@mp.workdps(40)
def test_deltas_of_few_outcomes_are_exact_but_for_rounding(name):
    run, outcomes = RUNS[name]
    curve = gdpnum.tradeoff_curve(run)
    for epsilon in EPSILONS:
        exact, found = profile(outcomes, epsilon), curve.delta(epsilon)
        assert found >= exact
        assert found <= exact * (1 + mpf(10) ** -10) + mpf(10) ** -11


@pytest.mark.parametrize("name", ["two rates", "rare", "much noise", "known"])
@mp.workdps(40)
def test_the_regret_of_few_outcomes_is_exact_but_for_rounding(name):
    """(delta of the claim - delta) / (1 + exp(eps)) is largest where the true profile bends."""
    run, outcomes = RUNS[name]
    fit = gdpnum.fit_gdp(run)
    assert fit.mu - fit.mu_lower <= 1e-9 * fit.mu
    exact = max(
        (mpf(fit.curve().delta(float(at))) - profile(outcomes, at)) / (1 + mp.exp(at))
        for at in bends(outcomes)
    )
    assert exact - mpf(10) ** -14 <= fit.regret <= exact + mpf(10) ** -9


def test_tests_of_few_outcomes_exist():
    few = outcomes(releases(RUNS["mixed"][0]).above)
    for one in (few, few.reversed()):
        found = one.attacks()
        assert (found.tpr <= 1.0).all()
        assert (found.tpr + found.beta >= 1.0 - 1e-11).all()
        # Each is on or below the tests of the lines, which are on or above the exact ones.
        at = np.maximum(found.losses, 0.0)
        shown = found.tpr - np.exp(at + found.log_alpha)
        assert (shown <= one.lines().delta(at)).all()
        assert shown[:-1] == pytest.approx(one.lines().delta(at)[:-1], abs=1e-10)


def test_what_has_no_atoms_or_too_many_is_left_to_the_lattice():
    noise = Release(GaussianPair(1.0), 1)
    atoms = releases(DiscreteLaplace(scale=1.0)).above
    assert outcomes([*atoms, noise]) is None
    assert outcomes(releases(DiscreteLaplace(scale=1.0) * 65).above) is None
    assert outcomes(releases(DiscreteGaussian(sigma=30.0) * 2).above) is None
    assert outcomes(releases(DiscreteLaplace(scale=1.0) * 64).above).losses.size == 65


def test_what_only_the_absent_record_shows_has_a_bounded_loss_once_sampled():
    """Q alone at an outcome: there the sampled P has (1 - rate) Q, so the loss is log(1 - rate)."""
    pair = releases(PoissonSampled(DiscreteGaussian(sigma=1.0), rate=0.3)).above[0].pair
    assert pair.mass_at_minus_infinity == 0.0
    assert pair.lowest == pytest.approx(np.log(0.7), rel=1e-15)
    assert pair.p.sum() + pair.mass_at_infinity == pytest.approx(1.0, rel=1e-12)
    assert pair.q.sum() == pytest.approx(1.0, rel=1e-12)
