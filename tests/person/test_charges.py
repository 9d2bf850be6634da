"""Every charge for rounding is needed: without it, a computed number would flatter."""

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtr, ndtri

from gdpnum import person_charges as charges
from gdpnum.curve.tuning import _density
from gdpnum.mechanisms import Gaussian
from gdpnum.mechanisms.tuning import BestOf
from gdpnum.pairs.mixture import MixturePair


def test_centres_are_rounded_up():
    lowered = 0
    for records, sigma in [(1, 3.0), (2, 0.7), (3, 1.1), (7, 49.0), (5, 0.1)]:
        exact = Fraction(records) / Fraction(sigma)
        found = charges.centre_up(records, sigma)
        assert exact <= Fraction(found) <= exact * (1 + Fraction(1, 2**52))
        lowered += Fraction(records / sigma) < exact
    assert lowered > 0  # the plain quotient would be below


def test_rates_are_rounded_up():
    for joins in (Decimal("0.1"), Decimal("0.3333333333333333333333"), Decimal("1e-9")):
        found = charges.rate_up(joins)
        assert joins <= Decimal(found) <= joins * (1 + Decimal(2) ** -52)
    assert Decimal(float(Decimal("0.3333333333333333333333"))) < Decimal("0.3333333333333333333333")


def test_an_inverted_loss_is_within_its_error_and_not_exact():
    mixture = MixturePair((0.6, 0.3, 0.1), (0.7, 1.4, 2.1))
    wanted = np.linspace(-5.0, 20.0, 101)
    granted = charges.inversion_error(wanted, mixture._terms)
    seen = []
    ctx.prec = 200
    for z, loss in zip(mixture.outcomes(wanted).tolist(), wanted.tolist(), strict=True):
        total = sum(
            (
                arb(v) * (arb(c) * arb(z) - arb(c) ** 2 / 2).exp()
                for v, c in zip(mixture.weights, mixture.centres, strict=True)
            ),
            arb(0),
        )
        seen.append(abs(float(total.log() - arb(loss))))
    assert np.all(np.array(seen) <= granted)
    assert max(seen) > 0.0
    # Small beside what the lattice moves up for the error of tails, or squared it is.
    assert granted.max() < 1e-12


def test_group_tprs_and_alphas_bound_the_interpolation():
    rng = np.random.default_rng(1)
    alphas = np.sort(rng.random(50))
    tprs = np.sort(rng.random(50))
    places = rng.random(2000) * (alphas[-1] - alphas[0]) + alphas[0]
    computed = np.interp(places, alphas, tprs)
    below = 0
    for place, value, raised, lowered in zip(
        places.tolist(),
        computed.tolist(),
        charges.group_tprs_up(computed).tolist(),
        charges.group_alphas_down(computed).tolist(),
        strict=True,
    ):
        i = int(np.searchsorted(alphas, place)) - 1
        low, high = Fraction(alphas[i]), Fraction(alphas[i + 1])
        exact = Fraction(tprs[i]) + (Fraction(place) - low) / (high - low) * (
            Fraction(tprs[i + 1]) - Fraction(tprs[i])
        )
        assert Fraction(lowered) <= exact <= Fraction(raised)
        below += Fraction(value) < exact
    assert below > 0


def test_group_profile_covers_the_difference():
    below = 0
    for epsilon, alpha, tpr in [(0.3, 0.1, 0.4), (1.7, 0.01, 0.2), (5.0, 1e-4, 0.11)]:
        with mpmath.workdps(40):
            exact = mpmath.mpf(tpr) - mpmath.exp(mpmath.mpf(epsilon)) * mpmath.mpf(alpha)
        lost = float(np.exp(epsilon + np.log(alpha)))
        assert charges.group_profile_up(tpr, lost) >= exact
        below += (tpr - lost) < exact
    assert below > 0


def test_a_group_slack_covers_its_rounding():
    below = 0
    for mu in (0.3, 0.5, 1.0, 2.0):
        for slack in (1e-12, 1e-10, 1e-6, 1e-3):
            computed = slack + float(ndtr(ndtri(slack) + mu))
            with mpmath.workdps(40):
                quantile = mpmath.findroot(
                    lambda x, slack=slack: (
                        mpmath.log(mpmath.ncdf(x)) - mpmath.log(mpmath.mpf(slack))
                    ),
                    float(ndtri(slack)),
                )
                exact = mpmath.mpf(slack) + mpmath.ncdf(quantile + mpmath.mpf(mu))
            assert charges.group_slack_up(computed, mu) >= exact
            below += computed < exact
    assert below > 0


def test_gram_entries_are_raised_by_their_rounding():
    rng = np.random.default_rng(2)
    matrix = np.tril(rng.normal(size=(30, 30)))
    computed = np.einsum("ki,kj->ij", matrix, matrix)
    norms = np.sqrt(np.diag(computed))
    raised = charges.gram_up(computed, np.outer(norms, norms), 30)
    below = 0
    for i in range(30):
        for j in range(30):
            exact = sum(
                (
                    Fraction(a) * Fraction(b)
                    for a, b in zip(matrix[:, i], matrix[:, j], strict=True)
                ),
                Fraction(0),
            )
            assert abs(exact) <= abs(Fraction(float(raised[i, j])))
            below += abs(Fraction(float(computed[i, j]))) < abs(exact)
    assert below > 0


def test_roots_and_mus_are_rounded_outwards():
    rng = np.random.default_rng(3)
    low = high = 0
    for _ in range(50):
        terms = rng.random(40)
        exact = sum((Fraction(term) ** 2 for term in terms.tolist()), Fraction(0))
        computed = float((terms**2).sum())
        assert Fraction(charges.root_down(computed, 40)) ** 2 <= exact
        assert exact <= Fraction(charges.root_up(computed, 40)) ** 2
        low += Fraction(math.sqrt(computed)) ** 2 < exact
        high += Fraction(math.sqrt(computed)) ** 2 > exact
    assert low > 0
    assert high > 0
    assert Fraction(charges.mu_up(1.0, 3.0)) >= Fraction(1, 3)
    assert Fraction(1.0 / 3.0) < Fraction(1, 3)


@pytest.mark.parametrize(
    "run",
    [
        BestOf(Gaussian(sigma=1.0), number="geometric", mean=10),
        BestOf(Gaussian(sigma=1.0), number="poisson", mean=30),
        BestOf(Gaussian(sigma=1.0), number="truncated_negative_binomial", eta=2.5, gamma=0.03),
    ],
    ids=repr,
)
def test_densities_of_the_winner_cover_their_rounding(run):
    left = np.random.default_rng(4).random(300)
    computed = _density(run, left)
    steepness = run.mean if run.number == "poisson" else (run.shape + 1.0) / run.gamma
    above = charges.selection_density_up(computed, steepness)
    below = charges.selection_density_down(computed, steepness)
    off = 0
    with mpmath.workdps(40):
        for x, value, low, high in zip(left, computed, below, above, strict=True):
            if run.number == "poisson":
                exact = mpmath.mpf(run.mean) * mpmath.exp(-mpmath.mpf(run.mean) * mpmath.mpf(x))
            else:
                gamma = mpmath.mpf(run.gamma)
                reached = gamma / (gamma + (1 - gamma) * mpmath.mpf(x))
                exact = mpmath.mpf(run.mean) * reached ** (mpmath.mpf(run.shape) + 1)
            assert low <= exact <= high
            off += mpmath.mpf(float(value)) != exact
    assert off > 0


def test_shifts_sums_and_chances_cover_their_rounding():
    rng = np.random.default_rng(5)
    epsilon, shifts = 1.3, -rng.random(200)
    sums = epsilon + shifts
    lowered = charges.selection_shift_down(sums)
    exact = [Fraction(epsilon) + Fraction(shift) for shift in shifts.tolist()]
    assert all(Fraction(one) <= true for one, true in zip(lowered.tolist(), exact, strict=True))
    assert any(Fraction(one) > true for one, true in zip(sums.tolist(), exact, strict=True))
    values = rng.random(500)
    total = sum((Fraction(value) for value in values.tolist()), Fraction(0))
    plain = float(np.cumsum(values)[-1])
    assert Fraction(float(charges.selection_profile_up(np.array([plain]), 500)[0])) >= total
    # Chances of K in a block are differences of two near one.
    run = BestOf(Gaussian(sigma=1.0), number="geometric", mean=10)
    from gdpnum.curve.tuning import _chance_up_to

    below = 0
    for most in range(1, 200):
        computed = _chance_up_to(run, most + 1) - _chance_up_to(run, most)
        gamma = Fraction(run.gamma)
        true = gamma * (1 - gamma) ** most
        assert Fraction(charges.selection_chance_up(computed, most + 1)) >= true
        below += Fraction(computed) < true
    assert below > 0


def test_ledgers_round_up_once_they_are_long():
    total = sum((1 / Fraction(odd) for odd in range(3, 4000, 2)), Fraction(0))
    rounded = charges.budget_total_up(total)
    assert total < rounded <= total + Fraction(1, 2**1024)
    assert charges.budget_total_up(Fraction(1, 3)) == Fraction(1, 3)
    for square in (Fraction(2), Fraction(1, 3), Fraction(1, 10**80), Fraction(10**50, 7)):
        low, high = charges.budget_root_down(square), charges.budget_root_up(square)
        assert Fraction(low) ** 2 < square < Fraction(high) ** 2
        assert math.nextafter(low, math.inf) == high
    assert charges.budget_root_down(Fraction(9, 4)) == charges.budget_root_up(Fraction(9, 4)) == 1.5
    assert charges.budget_root_up(Fraction(0)) == 0.0
