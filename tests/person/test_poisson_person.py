"""A person with k records under Poisson sampling: sum_j Bin(k, q)(j) N(j) against N(0)."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv

import gdpnum
from gdpnum import (
    DPSGD,
    Gaussian,
    InvalidArgument,
    InvalidType,
    KnownCurve,
    Laplace,
    MatrixMechanism,
    PoissonSampled,
    UnsupportedMechanism,
    fit_gdp,
    tradeoff_curve,
)
from gdpnum.pairs.mixture import MixturePair, person_pair
from gdpnum.pairs.pair import SampledPair
from gdpnum.person import per_person
from gdpnum.renyi.divergences import renyi_divergences
from tests.examples import examples
from tests.oracles.contour_ball import BallProfile, mixture

# (sigma, q, T, k), epsilon at 1e-6 and mu at slack 1e-10, both good to about 1e-8.
KNOWN = [
    ((1.0, 0.0064, 785, 2), 2.536129, 0.6608155),
    ((2.0, 0.01, 2000, 3), 3.447842, 0.7385884),
    ((4.0, 0.05, 1000, 5), 11.259816, 2.0464764),
]


def step(sigma, rate, records):
    return PoissonSampled(Gaussian(sigma=sigma), rate=rate, records_per_person=records)


@pytest.mark.parametrize(("setting", "epsilon", "mu"), KNOWN)
def test_known_values_are_met_from_above(setting, epsilon, mu):
    sigma, rate, steps, records = setting
    run = DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps, records_per_person=records)
    found = tradeoff_curve(run).epsilon(1e-6)
    # The seventh digit of what is known is rounded.
    assert epsilon * (1.0 - 2e-7) <= found <= epsilon * (1.0 + 1e-6)
    fit = fit_gdp(run)
    assert fit.mu_lower <= mu * (1.0 + 1e-7)
    assert mu * (1.0 - 1e-7) <= fit.mu <= mu * (1.0 + 1e-6)


def gaussian_profile(mu, epsilon):
    high = mpmath.ncdf(mu / 2 - epsilon / mu)
    return high - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


# (sigma, q, T, k), then the tilt, the distance and the reach of the oracle's frequencies.
@pytest.mark.parametrize(
    ("setting", "tilt", "spacing", "reach"),
    [((3.0, 0.02, 500, 4), 6.0, 0.25, 40.0), ((8.0, 0.1, 60, 3), 9.0, 0.5, 70.0)],
)
def test_mu_is_what_ball_arithmetic_says(setting, tilt, spacing, reach):
    """delta <= delta_mu + slack at every epsilon, and at one of them for no mu 1e-6 smaller."""
    sigma, rate, steps, records = setting
    fit = fit_gdp(step(sigma, rate, records) * steps)
    with mpmath.workdps(30):
        q = mpmath.mpf(rate)
        weights = [
            float(mpmath.binomial(records, j) * q**j * (1 - q) ** (records - j))
            for j in range(records + 1)
        ]
        oracle = BallProfile(
            [(mixture(sigma, weights), steps)],
            tilt=tilt,
            spacing=spacing,
            reach=reach,
            step=0.1,
            ends=(-12.0, 20.0),
        )

        def excess(epsilon, mu):
            delta = mpmath.mpf(oracle.delta(float(epsilon)).str(25, radius=False))
            return delta - gaussian_profile(mpmath.mpf(mu), mpmath.mpf(float(epsilon))) - 1e-10

        def worst(mu):
            places = np.linspace(0.5, 8.0, 16) * mu
            for _ in range(4):
                values = [excess(epsilon, mu) for epsilon in places]
                top = int(np.argmax(values))
                ends = places[max(top - 1, 0)], places[min(top + 1, len(places) - 1)]
                places = np.linspace(*ends, 9)
            return max(values)

        assert worst(fit.mu) <= 0
        assert worst(fit.mu * (1.0 - 1e-6)) > 0


def test_one_record_is_the_record():
    assert step(2.0, 0.01, 1) == PoissonSampled(Gaussian(sigma=2.0), rate=0.01)
    pair = person_pair(2.0, 0.01, 1)
    edges = np.linspace(-0.01, 1.0, 50)
    for ours, theirs in zip(
        pair.cells(edges), SampledPair(pair.inner, 0.01).cells(edges), strict=True
    ):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("records", [2, 7])
def test_at_rate_one_the_sensitivity_is_that_of_all_records(records):
    run = step(3.0, 1.0, records) * 4
    assert fit_gdp(run).mu == pytest.approx(2.0 * records / 3.0, rel=1e-15)
    assert fit_gdp(run, slack=0.0).regret == 0.0


@examples(8)
@given(st.floats(0.7, 4.0), st.floats(1e-3, 0.4), st.integers(1, 6), st.integers(1, 30))
def test_more_records_are_protected_less(sigma, rate, records, steps):
    fewer = tradeoff_curve(step(sigma, rate, records) * steps)
    more = tradeoff_curve(step(sigma, rate, records + 1) * steps)
    epsilons = np.linspace(0.0, 3.0, 7)
    # Both are upper bounds to a tolerance of 1e-3 in their mu.
    assert np.all(more.delta(epsilons) >= fewer.delta(epsilons) * 0.97 - 1e-13)


@examples(6)
@given(st.floats(0.7, 4.0), st.floats(1e-3, 0.4), st.integers(2, 4), st.integers(1, 40))
def test_a_person_is_better_off_than_by_group_composition(sigma, rate, records, steps):
    own = tradeoff_curve(step(sigma, rate, records) * steps)
    group = tradeoff_curve(step(sigma, rate, 1) * steps).group(records)
    epsilons = np.linspace(0.0, 4.0, 9)
    assert np.all(own.delta(epsilons) <= group.delta(epsilons) * 1.03 + 1e-12)


def exact_profile(shifts, rate, epsilon):
    """P[.] - exp(eps) Q[.] of one step, by a sum over who joins and a fine integral."""
    z = np.linspace(-14.0, 14.0 + np.abs(shifts).sum(), 20_001)
    ratio = np.zeros(z.size)
    for joined in itertools.product([0, 1], repeat=len(shifts)):
        moved = float(np.dot(joined, shifts))
        weight = math.prod(rate if one else 1.0 - rate for one in joined)
        ratio += weight * np.exp(moved * z - 0.5 * moved**2)
    density = np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)
    width = z[1] - z[0]
    return (
        float((density * np.maximum(ratio - math.exp(epsilon), 0.0)).sum() * width),
        float((density * np.maximum(1.0 - math.exp(epsilon) * ratio, 0.0)).sum() * width),
    )


@examples(25)
@given(
    st.floats(0.8, 3.0),
    st.floats(0.02, 0.6),
    st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=4),
    st.floats(0.0, 2.0),
)
def test_no_other_contributions_reveal_more(sigma, rate, contributions, epsilon):
    """Kahane: records that pull all the same way, at full norm, are the worst."""
    worst = exact_profile(np.ones(len(contributions)) / sigma, rate, epsilon)
    other = exact_profile(np.array(contributions) / sigma, rate, epsilon)
    assert other[0] <= worst[0] + 1e-9
    assert other[1] <= worst[1] + 1e-9


@pytest.mark.parametrize(
    ("sigma", "rate", "records"), [(1.0, 0.1, 2), (0.6, 0.3, 4), (2.0, 0.02, 6)]
)
def test_one_step_has_the_profile_of_the_mixture(sigma, rate, records):
    curve = tradeoff_curve(step(sigma, rate, records))
    for epsilon in (0.0, 0.05, 0.3, 1.0):
        exact = max(exact_profile(np.ones(records) / sigma, rate, epsilon))
        assert exact * (1.0 - 1e-6) <= curve.delta(epsilon) <= exact * 1.002 + 1e-12


@pytest.mark.parametrize(
    ("sigma", "rate", "records"), [(1.0, 0.01, 2), (0.5, 0.2, 3), (4.0, 0.05, 40), (2.0, 0.9, 60)]
)
def test_tails_are_those_of_ball_arithmetic(sigma, rate, records):
    """The outcome of a loss is found to its last digits, and masses beyond it to theirs."""
    pair = person_pair(sigma, rate, records)
    mixture = pair.inner if isinstance(pair, SampledPair) else pair
    assert isinstance(mixture, MixturePair)
    losses = np.array([-3.0, -0.1, 0.0, 0.7, 4.0, 15.0])
    below, above, q_below, q_above = mixture.tails(losses)
    with mpmath.workdps(40):
        for place, loss in enumerate(losses.tolist()):

            def excess(z, loss=loss):
                return mpmath.log(
                    mpmath.fsum(
                        mpmath.mpf(v) * mpmath.exp(mpmath.mpf(c) * z - mpmath.mpf(c) ** 2 / 2)
                        for v, c in zip(mixture.weights, mixture.centres, strict=True)
                    )
                ) - mpmath.mpf(loss)

            start = float(mixture.outcomes(np.array([loss]))[0])
            z = mpmath.findroot(excess, start)
            p = mpmath.fsum(
                mpmath.mpf(v) * mpmath.ncdf(mpmath.mpf(c) - z)
                for v, c in zip(mixture.weights, mixture.centres, strict=True)
            )
            # P and Q are displaced together by an error of the loss; relative to themselves both
            # are off by no more than the steepest tail makes of it.
            assert above[place] == pytest.approx(float(p), rel=1e-11, abs=1e-300)
            assert q_above[place] == pytest.approx(float(mpmath.ncdf(-z)), rel=1e-11, abs=1e-300)
            assert below[place] == pytest.approx(float(1 - p), rel=1e-11, abs=1e-15)
            assert q_below[place] == pytest.approx(float(mpmath.ncdf(z)), rel=1e-11, abs=1e-15)


@pytest.mark.parametrize(("records", "rate"), [(3, 0.01), (50, 0.3), (1000, 1e-4), (400, 0.9)])
def test_weights_are_only_ever_moved_to_larger_shifts(records, rate):
    """Dropping what is negligible would flatter; it is counted as more records instead."""
    pair = person_pair(2.0, rate, records)
    with mpmath.workdps(50):
        q = mpmath.mpf(rate)
        exact = [
            mpmath.binomial(records, j) * q**j * (1 - q) ** (records - j)
            for j in range(records + 1)
        ]
        joins = mpmath.mpf(pair.rate) if isinstance(pair, SampledPair) else mpmath.mpf(1)
        mixture = pair.inner if isinstance(pair, SampledPair) else pair
        weights = {
            round(c * 2.0): joins * mpmath.mpf(v)
            for v, c in zip(mixture.weights, mixture.centres, strict=True)
        }
        ours = theirs = mpmath.mpf(0)
        for j in range(records, 0, -1):
            ours, theirs = ours + weights.get(j, 0), theirs + exact[j]
            assert ours >= theirs * (1 - mpmath.mpf(10) ** -14)
        assert joins >= theirs * (1 - mpmath.mpf(10) ** -30)


def clopper_pearson(hits, trials, level):
    """A probability's bounds from below and above, each wrong with probability ``level``."""
    low = 0.0 if hits == 0 else float(betaincinv(hits, trials - hits + 1, level))
    high = 1.0 if hits == trials else float(betaincinv(hits + 1, trials - hits, 1.0 - level))
    return low, high


@pytest.mark.parametrize(
    ("sigma", "rate", "records", "steps"),
    [(1.0, 0.2, 3, 4), (2.0, 0.05, 5, 20), (0.8, 0.1, 2, 3)],
)
def test_an_attack_on_a_person_never_beats_the_curve_and_comes_close(sigma, rate, records, steps):
    """Simulated steps with k records, the likelihood ratio as the attack's score."""
    rng = np.random.default_rng(20261115)
    trials = 100_000
    joined = rng.binomial(records, rate, size=(trials, steps))
    noise = rng.normal(0.0, sigma, size=(2, trials, steps))
    j = np.arange(records + 1)
    weights = np.array([math.comb(records, i) * rate**i * (1 - rate) ** (records - i) for i in j])

    def scores(outcomes):
        ratio = np.zeros(outcomes.shape)
        for i, weight in zip(j, weights, strict=True):
            ratio += weight * np.exp((i * outcomes - 0.5 * i**2) / sigma**2)
        return np.log(ratio).sum(axis=1)

    with_person, without = scores(joined + noise[0]), scores(noise[1])
    curve = tradeoff_curve(step(sigma, rate, records) * steps)
    for share in (0.5, 0.9, 0.99, 0.999):
        threshold = np.quantile(without, share)
        hits, false = int((with_person > threshold).sum()), int((without > threshold).sum())
        tpr, _ = clopper_pearson(hits, trials, 1e-7)
        _, fpr = clopper_pearson(false, trials, 1e-7)
        assert tpr <= curve.tpr(fpr)
        # The bound is exact, so the attack is as good but for chance; for larger FPRs the attack on
        # the exchanged pair is the better one.
        _, tpr_high = clopper_pearson(hits, trials, 1e-7)
        fpr_low, _ = clopper_pearson(false, trials, 1e-7)
        assert share < 0.9 or tpr_high >= curve.tpr(fpr_low) * 0.998


def test_the_values_of_tensorflow_privacy():
    """Its test of two records a user: sigma 1, batches of 64 of 10,000, five epochs."""
    steps = math.ceil(5 * 10_000 / 64)
    found = [
        tradeoff_curve(step(1.0, 64 / 10_000, records) * steps, tolerance=1e-5).epsilon(1e-6)
        for records in (1, 2)
    ]
    assert [round(one, 3) for one in found] == [1.199, 2.532]


def test_renyi_divergences_are_those_of_the_mixture():
    """By a trapezoid rule, which for such integrands has every digit."""
    sigma, rate, records = 1.5, 0.1, 3
    orders = np.array([0.5, 1.0, 2.0, 7.5])
    found = renyi_divergences(step(sigma, rate, records), orders)
    z = np.linspace(-15.0, 40.0, 50_001)
    density = np.exp(-0.5 * z**2) * (z[1] - z[0]) / math.sqrt(2.0 * math.pi)
    ratio = sum(
        math.comb(records, i)
        * rate**i
        * (1 - rate) ** (records - i)
        * np.exp(i * z / sigma - i**2 / (2.0 * sigma**2))
        for i in range(records + 1)
    )
    for place, order in enumerate(orders.tolist()):
        if order == 1.0:
            forward = float((density * ratio * np.log(ratio)).sum())
            backward = -float((density * np.log(ratio)).sum())
        else:
            forward = math.log((density * ratio**order).sum()) / (order - 1.0)
            backward = math.log((density * ratio ** (1.0 - order)).sum()) / (order - 1.0)
        for ours, exact in ((found.forward, forward), (found.backward, backward)):
            assert exact * (1.0 - 1e-9) <= ours[place] <= exact * (1.0 + 1e-8)


def test_calibration_takes_the_person():
    found = gdpnum.calibrate(
        lambda sigma: step(sigma, 0.01, 3) * 1000,
        between=(1.0, 8.0),
        epsilon=2.0,
        delta=1e-6,
        tolerance=1e-2,
    )
    assert tradeoff_curve(found.mechanism).epsilon(1e-6) <= 2.0 * 1.003
    single = gdpnum.calibrate(
        lambda sigma: step(sigma, 0.01, 1) * 1000,
        between=(0.5, 8.0),
        epsilon=2.0,
        delta=1e-6,
        tolerance=1e-2,
    )
    assert single.value < found.value


def test_without_slack_all_records_are_in_every_step():
    assert fit_gdp(step(2.0, 0.01, 3) * 16, slack=0.0).mu == pytest.approx(6.0, rel=1e-12)


# --- the unit -----------------------------------------------------------------------------------


def test_a_run_is_described_for_a_person():
    run = DPSGD(noise_multiplier=2.0, sample_rate=0.01, steps=50) + Gaussian(sigma=4.0)
    person = per_person(run, records_per_person=3)
    assert person == step(2.0, 0.01, 3) * 50 + step(4.0, 1.0, 3)
    assert person.records_per_person == 3
    assert per_person(run, records_per_person=1) == run


def test_noise_without_a_bound_of_its_own_goes_by_its_curve():
    person = per_person(Laplace(scale=5.0) * 10, records_per_person=2)
    ((leaf, count),) = person.parts
    assert isinstance(leaf, KnownCurve)
    assert count == 10
    # Two records of Laplace noise are Laplace noise of half the scale, or better.
    assert fit_gdp(person).mu <= fit_gdp(Laplace(scale=2.5) * 10).mu * 1.002


def test_correlated_noise_moves_by_all_records():
    run = MatrixMechanism(strategy=[1.0, 0.5], steps=6, noise_multiplier=2.0)
    assert fit_gdp(per_person(run, records_per_person=4)).mu == pytest.approx(4 * fit_gdp(run).mu)


def test_a_person_of_unknown_records_is_refused_with_advice():
    run = DPSGD(noise_multiplier=2.0, sample_rate=0.01, steps=50)
    with pytest.raises(InvalidArgument, match="drop what exceeds a cap"):
        per_person(run, records_per_person=None)


def test_units_do_not_mix():
    with pytest.raises(InvalidArgument, match="mix protected units"):
        step(2.0, 0.01, 3) + Gaussian(sigma=1.0)
    with pytest.raises(InvalidArgument, match="already"):
        per_person(step(2.0, 0.01, 3), records_per_person=2)


@pytest.mark.parametrize(
    ("records", "error"),
    [
        (0, InvalidArgument),
        (-1, InvalidArgument),
        (1.5, InvalidType),
        (2.0, InvalidType),
        (True, InvalidType),
        ("3", InvalidType),
        (10**6, InvalidArgument),
    ],
)
def test_records_that_nobody_has_are_refused(records, error):
    with pytest.raises(error, match="records_per_person"):
        step(2.0, 0.01, records)


@pytest.mark.parametrize(
    "inner", [Laplace(scale=1.0), Gaussian(sigma=1.0, neighbouring="replace")], ids=repr
)
def test_what_has_no_bound_for_a_person_says_what_to_do(inner):
    with pytest.raises(UnsupportedMechanism, match=r"curve\.group\(2\)"):
        PoissonSampled(inner, rate=0.1, records_per_person=2)


@pytest.mark.parametrize(
    ("sigma", "rate", "records"),
    [(1.0, 1e-12, 50), (1.0, 1e-14, 3), (50.0, 0.5, 2000), (0.2, 0.01, 4), (1e3, 0.999, 3)],
)
def test_extremes_are_bounded_or_refused(sigma, rate, records):
    with np.errstate(divide="raise", invalid="raise"):
        try:
            fit = fit_gdp(step(sigma, rate, records) * 3, slack=1e-8)
        except gdpnum.BudgetExceeded:
            return
    assert 0.0 <= fit.mu_lower <= fit.mu <= records / sigma * math.sqrt(3.0) * (1 + 1e-12)


@pytest.mark.parametrize("records", [2, 8])
def test_dpsgd_is_calibrated_and_swept_for_a_person(records):
    found = gdpnum.calibrate_dpsgd(
        sample_rate=0.01, steps=500, mu=1.0, records_per_person=records, tolerance=1e-2
    )
    assert found.mechanism == step(found.noise_multiplier, 0.01, records) * 500
    assert 0.98 <= fit_gdp(found.mechanism).mu <= 1.001
    setting = {"noise_multiplier": 2.0, "sample_rate": 0.01, "steps": 50}
    rows = gdpnum.sweep([setting, {**setting, "records_per_person": records}])
    single, person = (row["mu"] for row in rows)
    assert person == fit_gdp(step(2.0, 0.01, records) * 50).mu > single
