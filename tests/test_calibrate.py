"""Calibration: the setting returned meets its target, and hardly any less private one does."""

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from gdpnum import (
    DPSGD,
    GDP,
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidArgument,
    InvalidType,
    Laplace,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    fit_gdp,
    mu_from_advantage,
    mu_from_epsilon_delta,
    mu_from_tpr,
    tradeoff_curve,
)
from gdpnum.calibration import TPR, Advantage, Attempt, Epsilon, Target, calibrate, calibrate_dpsgd
from tests.examples import examples

TARGETS = [
    {"sample_rate": 0.01, "steps": 1000, "mu": 1.0},
    {"sample_rate": 0.01, "steps": 1000, "mu": 0.1},
    {"sample_rate": 16384 / 50000, "steps": 2000, "mu": 1.57},
    {"sample_rate": 0.001, "steps": 10_000, "epsilon": 1.0, "delta": 1e-5},
    {"sample_rate": 0.01, "steps": 1000, "epsilon": 8.0, "delta": 1e-9},
    {"sample_rate": 0.05, "steps": 500, "epsilon": 0.1, "delta": 1e-6},
    {"sample_rate": 0.01, "steps": 5000, "advantage": 0.1},
    {"sample_rate": 0.2, "steps": 100, "advantage": 0.9},
    {"sample_rate": 0.01, "steps": 5000, "tpr": 0.05, "fpr": 0.01},
    {"sample_rate": 0.1, "steps": 50, "tpr": 1e-3, "fpr": 1e-6},
    {"sample_rate": 0.05, "steps": 20_000, "mu": 6.0},
]

OTHERS = [
    {"noise_multiplier": 1.0, "sample_rate": 0.01, "mu": 1.0},
    {"noise_multiplier": 1.0, "sample_rate": 0.01, "epsilon": 2.0, "delta": 1e-5},
    {"noise_multiplier": 1.0, "steps": 1000, "mu": 1.0},
    {"noise_multiplier": 1.0, "steps": 1000, "tpr": 0.2, "fpr": 0.01},
    {"noise_multiplier": 2.0, "steps": 100, "epsilon": 0.5, "delta": 1e-6},
    {"noise_multiplier": 0.9, "sample_rate": 0.02, "mu": 1.0, "neighbouring": "replace"},
]


def recomputed(target: Target, mechanism) -> float:
    """What a mechanism achieves, asked of the engine at tolerance 1e-4 with no calibration."""
    if target.kind == "mu":
        return fit_gdp(mechanism, slack=target.at, tolerance=1e-4).mu
    curve = tradeoff_curve(mechanism, tolerance=1e-4)
    if target.kind == "advantage":
        return curve.advantage
    return curve.epsilon(target.at) if target.kind == "epsilon" else curve.tpr(target.at)


def said(case) -> str:
    return ",".join(f"{name}={value:.3g}" for name, value in case.items() if name != "neighbouring")


# --- DP-SGD ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", TARGETS + OTHERS, ids=said)
def test_what_is_returned_meets_the_target_and_leaves_a_thousandth_at_most(case):
    found = calibrate_dpsgd(**case)
    target = found.target
    value = recomputed(target, found.mechanism)
    assert value <= target.value
    assert value >= target.value * (1.0 - 1e-3)
    assert value <= found.achieved * (1.0 + 1e-5)
    assert found.achieved <= target.value


@pytest.mark.parametrize("case", TARGETS, ids=said)
def test_less_noise_would_miss_the_target(case):
    """For mu the engine proves it: an attack exists that calls for more than the target."""
    found = calibrate_dpsgd(**case)
    less = DPSGD(
        noise_multiplier=found.noise_multiplier * (1.0 - 2e-3),
        sample_rate=found.sample_rate,
        steps=found.steps,
    )
    assert recomputed(found.target, less) > found.target.value
    if found.target.kind == "mu":
        assert fit_gdp(less, tolerance=1e-4).mu_lower > found.target.value


@pytest.mark.parametrize("case", TARGETS + OTHERS, ids=said)
def test_it_takes_a_few_engine_calls(case):
    attempts = []
    found = calibrate_dpsgd(**case, progress=attempts.append)
    assert len(attempts) == found.calls <= 8
    answer = Attempt(getattr(found, found.found), found.achieved, found.target)
    assert answer in attempts


@pytest.mark.parametrize(
    "case",
    [
        {"sample_rate": 0.32768, "steps": 2000, "mu": 1.57},
        {"sample_rate": 0.01, "steps": 1000, "mu": 1.0},
        {"sample_rate": 0.05, "steps": 20_000, "mu": 6.0},
        {"noise_multiplier": 1.0, "steps": 1000, "mu": 1.0},
        {"noise_multiplier": 9.4, "sample_rate": 0.32768, "mu": 1.57},
    ],
    ids=said,
)
def test_a_mu_takes_one_or_two_engine_calls_where_it_can_be_estimated(case):
    assert calibrate_dpsgd(**case).calls <= 2


@pytest.mark.parametrize(
    ("target", "mu"),
    [
        ({"mu": 0.5}, 0.5),
        ({"epsilon": 2.0, "delta": 1e-6}, mu_from_epsilon_delta(2.0, 1e-6)),
        ({"epsilon": 0.0, "delta": 0.2}, mu_from_advantage(0.2)),
        ({"advantage": 0.3}, mu_from_advantage(0.3)),
        ({"tpr": 0.2, "fpr": 1e-3}, mu_from_tpr(0.2, 1e-3)),
    ],
    ids=str,
)
@pytest.mark.parametrize(("neighbouring", "moved"), [("add_remove", 1.0), ("replace", 2.0)])
def test_without_sampling_the_noise_is_the_root_of_the_steps_over_mu(
    target, mu, neighbouring, moved
):
    found = calibrate_dpsgd(sample_rate=1.0, steps=64, neighbouring=neighbouring, **target)
    assert found.noise_multiplier == pytest.approx(8.0 * moved / mu, rel=1e-8)
    assert found.noise_multiplier >= 8.0 * moved / mu * (1.0 - 1e-10)


def test_without_slack_sampling_does_not_count():
    found = calibrate_dpsgd(sample_rate=0.01, steps=100, mu=2.0, slack=0.0)
    assert found.noise_multiplier == pytest.approx(5.0, rel=1e-8)
    assert calibrate_dpsgd(noise_multiplier=5.0, sample_rate=0.01, mu=2.0, slack=0.0).steps == 100


@given(st.floats(0.5, 20.0), st.integers(1, 3000))
@examples(25)
def test_without_sampling_the_steps_are_the_last_whole_number(sigma, steps):
    """steps / sigma^2 <= mu^2, for a mu between those of so many steps and of one more."""
    mu = math.sqrt(steps + 0.5) / sigma
    found = calibrate_dpsgd(noise_multiplier=sigma, sample_rate=1.0, mu=mu)
    if steps < 1000:
        assert found.steps == steps
    assert steps * (1.0 - 2e-3) <= found.steps <= steps


@pytest.mark.parametrize(
    "case",
    [
        {"noise_multiplier": 4.0, "sample_rate": 0.5, "advantage": 0.3},
        {"noise_multiplier": 0.7, "sample_rate": 0.01, "mu": 0.7},
        {"noise_multiplier": 3.0, "sample_rate": 0.01, "mu": 0.07},
        {"noise_multiplier": 1.0, "sample_rate": 0.3, "tpr": 0.07, "fpr": 0.01},
    ],
    ids=said,
)
def test_one_step_more_would_miss_the_target(case):
    found = calibrate_dpsgd(**case)
    target = found.target
    one_more = DPSGD(
        noise_multiplier=found.noise_multiplier,
        sample_rate=found.sample_rate,
        steps=found.steps + 1,
    )
    assert recomputed(target, found.mechanism) <= target.value < recomputed(target, one_more)


def test_a_target_that_full_participation_meets_gives_a_rate_of_one_and_says_so():
    found = calibrate_dpsgd(noise_multiplier=100.0, steps=1000, mu=1.0)
    assert (found.sample_rate, found.at_limit) == (1.0, True)
    assert found.achieved == pytest.approx(math.sqrt(1000) / 100)
    assert "the end of the range" in str(found)
    assert not calibrate_dpsgd(noise_multiplier=1.0, steps=1000, mu=1.0).at_limit


def test_the_three_ways_to_ask_agree():
    noise = calibrate_dpsgd(sample_rate=0.02, steps=500, epsilon=1.0, delta=1e-5)
    rate = calibrate_dpsgd(
        noise_multiplier=noise.noise_multiplier, steps=500, epsilon=1.0, delta=1e-5
    )
    steps = calibrate_dpsgd(
        noise_multiplier=noise.noise_multiplier, sample_rate=0.02, epsilon=1.0, delta=1e-5
    )
    assert rate.sample_rate == pytest.approx(0.02, rel=2e-3)
    assert abs(steps.steps - 500) <= 1
    assert noise.mechanism == DPSGD(
        noise_multiplier=noise.noise_multiplier, sample_rate=0.02, steps=500
    )


@given(st.floats(0.3, 3.0), st.floats(1.05, 2.0))
@examples(8)
def test_a_stronger_target_takes_more_noise(mu, factor):
    weak, strong = (
        calibrate_dpsgd(sample_rate=0.05, steps=200, mu=one).noise_multiplier
        for one in (mu * factor, mu)
    )
    assert strong > weak


def test_a_mu_close_to_the_target_is_one_that_the_fit_confirms():
    """Of three steps `fit_gdp` has a looser bound than the curve, and the two disagreed."""
    found = calibrate_dpsgd(noise_multiplier=0.7021590540173316, steps=3, mu=0.14572269591011414)
    again = fit_gdp(found.mechanism, tolerance=1e-4).mu
    assert found.target.value * (1.0 - 1e-3) <= again <= found.target.value


def test_a_finer_tolerance_comes_nearer():
    found = calibrate_dpsgd(sample_rate=0.1, steps=20, advantage=0.4, tolerance=1e-5)
    assert 0.4 * (1.0 - 1e-5) <= found.achieved <= 0.4


def test_where_the_engine_has_no_bound_the_formula_answers():
    """A single loss of a noise of 0.03 exceeds what doubles hold; mu <= sqrt(steps) / sigma."""
    found = calibrate_dpsgd(sample_rate=0.5, steps=9, mu=100.0)
    assert found.noise_multiplier <= 0.03 * (1.0 + 1e-8)
    assert found.achieved <= 100.0


def test_sizes_and_epochs_say_the_run():
    sizes = calibrate_dpsgd(batch_size=600, dataset_size=60_000, epochs=10, mu=1.0)
    assert sizes == calibrate_dpsgd(sample_rate=0.01, steps=1000, mu=1.0)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"epoch": 3}, InvalidType, "epoch=3 is no argument of calibrate_dpsgd or DPSGD"),
        ({"batch_size": 5}, InvalidArgument, "sample_rate, or batch_size and dataset_size"),
        ({"epochs": 3, "steps": 3}, InvalidArgument, "pass either steps or epochs"),
    ],
)
def test_what_does_not_describe_a_run_is_refused(arguments, error, said):
    with pytest.raises(error, match=said):
        calibrate_dpsgd(mu=1.0, **arguments)


# --- any family -----------------------------------------------------------------------------------


@given(st.floats(0.05, 20.0), st.sampled_from([1, 4, 100]))
@examples(20)
def test_gaussian_noise_is_found_to_the_tolerance_asked(mu, times):
    found = calibrate(
        lambda sigma: Gaussian(sigma=sigma) * times, between=(1e-3, 1e3), mu=mu, tolerance=1e-9
    )
    exact = math.sqrt(times) / mu
    assert exact <= found.value * (1.0 + 1e-15)
    assert found.value <= exact * (1.0 + 2e-9)


@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
def test_laplace_noise_is_that_of_the_closed_form(mu):
    """One release: mu = -2 Phi^-1(exp(-1 / (2 b)) / 2), solved for the scale b."""
    exact = -0.5 / math.log(2.0 * (1.0 - (1.0 + math.erf(mu / 2.0 / math.sqrt(2.0))) / 2.0))
    found = calibrate(lambda scale: Laplace(scale=scale), between=(0.01, 100.0), mu=mu)
    assert -2.0 * ndtri(0.5 * math.exp(-0.5 / exact)) == pytest.approx(mu)
    assert exact <= found.value * (1.0 + 1e-12)
    assert found.value <= exact * (1.0 + 2e-3)


def test_a_family_may_grow_less_private_with_its_parameter():
    found = calibrate(lambda eps: RandomizedResponse(epsilon=eps), between=(0.01, 10.0), mu=1.0)
    # mu = -2 Phi^-1(1 / (1 + exp(eps))): at mu = 1, exp(eps) = Phi(1/2) / Phi(-1/2).
    exact = math.log(0.6914624612740131 / 0.3085375387259869)
    assert exact * (1.0 - 2e-3) <= found.value <= exact


def test_a_pure_epsilon_is_a_target_where_there_is_one():
    """One release of Laplace noise is 1/b-DP."""
    found = calibrate(
        lambda scale: Laplace(scale=scale), between=(0.01, 100.0), epsilon=2.0, delta=0.0
    )
    assert found.value >= 0.5
    assert 2.0 * (1.0 - 1e-3) <= found.achieved <= 2.0


def test_whole_numbers_are_found_in_either_direction():
    most = calibrate(lambda n: Gaussian(sigma=5.0) * n, between=(1, 10_000), mu=1.0, integer=True)
    assert (most.value, type(most.value)) == (25, int)
    # sqrt(10) / n <= 0.1 from n = 32 on.
    fewest = calibrate(lambda n: Gaussian(sigma=n) * 10, between=(1, 10**6), mu=0.1, integer=True)
    assert fewest.value == 32


def test_a_family_that_jumps_across_the_target_stops_before_it():
    def stepped(parameter):
        return Gaussian(sigma=1.0 if parameter < 2.5 else 10.0)

    found = calibrate(stepped, between=(0.1, 100.0), mu=0.5)
    assert found.value == pytest.approx(2.5, rel=1e-4)
    assert found.value >= 2.5
    assert found.achieved == pytest.approx(0.1)


def test_mechanisms_of_several_parts_are_calibrated_too():
    def release(sigma):
        sampled = PoissonSampled(Gaussian(sigma=sigma), rate=0.05) * 100
        return sampled + Laplace(scale=10.0) * 5

    found = calibrate(release, between=(0.5, 50.0), epsilon=1.5, delta=1e-6)
    assert (
        1.5 * (1.0 - 1e-3)
        <= tradeoff_curve(release(found.value), tolerance=1e-4).epsilon(1e-6)
        <= 1.5
    )


def test_a_range_that_meets_the_target_throughout_gives_its_open_end():
    found = calibrate(lambda sigma: Gaussian(sigma=sigma), between=(2.0, 9.0), mu=1.0)
    assert (found.value, found.achieved, found.at_limit) == (2.0, 0.5, True)
    assert calibrate(lambda mu: GDP(mu=mu), between=(0.1, 0.7), mu=1.0).value == 0.7


@pytest.mark.parametrize(
    "mechanism",
    [
        Gaussian(sigma=1.0) * 10,
        PoissonSampled(Gaussian(sigma=1.0), rate=0.1) * 10,
        Laplace(scale=1.0) * 3,
        DiscreteGaussian(sigma=1.0),
        DiscreteLaplace(scale=1.0) * 2,
        RandomizedResponse(epsilon=1.0, categories=5),
        PureDP(epsilon=1.0),
        GDP(mu=2.0),
    ],
    ids=repr,
)
def test_a_mechanism_stands_for_its_family(mechanism):
    """All but the parameter that moves is kept."""
    found = calibrate(mechanism, advantage=0.1)
    ((leaf, count),) = found.mechanism.parts
    ((given, times),) = mechanism.parts
    assert (type(leaf), count) == (type(given), times)
    assert 0.1 * (1.0 - 1e-3) <= tradeoff_curve(found.mechanism, tolerance=1e-4).advantage <= 0.1
    assert getattr(leaf, "rate", None) == getattr(given, "rate", None)
    assert getattr(leaf, "categories", None) == getattr(given, "categories", None)


@pytest.mark.parametrize(
    "mechanism", [Gaussian(sigma=1.0) + Laplace(scale=1.0), Gaussian(sigma=1.0) * 0]
)
def test_a_mechanism_of_several_parts_or_none_needs_a_function(mechanism):
    with pytest.raises(InvalidArgument, match="no one parameter to find; pass a function"):
        calibrate(mechanism, mu=1.0)


@dataclass(frozen=True)
class Precision(Target):
    """At most this share of accusations is right, of an attack that accuses at an FPR of 1 %, where
    one record in ten was used."""

    kind = "precision"
    value: float

    def read(self, curve):
        tpr = curve.tpr(0.01)
        return 0.1 * tpr / (0.1 * tpr + 0.9 * 0.01)

    def strength(self, value):
        return mu_from_tpr(0.09 * value / (1.0 - value), 0.01) if value > 0.1 else 0.0


def test_a_new_target_is_a_new_class():
    target = Precision(0.5)
    found = calibrate(Laplace(scale=1.0) * 5, target)
    assert 0.5 * (1.0 - 1e-3) <= found.achieved <= 0.5
    assert target.read(tradeoff_curve(found.mechanism, tolerance=1e-4)) <= 0.5
    assert "precision <= 0.5" in str(found)
    with pytest.raises(InvalidArgument, match="is given with another"):
        calibrate(Laplace(scale=1.0), target, mu=1.0)
    with pytest.raises(InvalidType, match="not a target"):
        calibrate(Laplace(scale=1.0), 1.0)


# --- what cannot be met, and what makes no sense --------------------------------------------------


def refused(call, **arguments):
    attempts = []
    with pytest.raises(InvalidArgument) as refusal:
        call(**arguments, progress=attempts.append)
    return str(refusal.value), attempts


def test_a_target_below_the_range_is_refused():
    message, _ = refused(
        lambda **given: calibrate(lambda sigma: Gaussian(sigma=sigma), between=(1, 10), **given),
        mu=0.05,
    )
    assert "parameter=10" in message
    assert "mu is 0.1" in message


def test_a_target_that_one_step_misses_is_refused():
    message, _ = refused(calibrate_dpsgd, noise_multiplier=0.5, sample_rate=1.0, mu=0.01)
    assert "steps=1," in message
    assert "mu is 2" in message


def test_a_mu_of_a_family_without_one_is_refused():
    with pytest.raises(InvalidArgument, match="mu is inf"):
        calibrate(lambda eps: ApproxDP(epsilon=eps, delta=1e-5), between=(0.1, 1.0), mu=1.0)


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ({"sample_rate": 0.01, "steps": 10, "advantage": 0.9}, "met without any noise"),
        ({"sample_rate": 0.01, "steps": 10, "tpr": 0.9, "fpr": 0.1}, "met without any noise"),
        ({"sample_rate": 1e-7, "steps": 10, "epsilon": 1.0, "delta": 1e-5}, "without any noise"),
        ({"noise_multiplier": 1.0, "steps": 100, "mu": 1.0, "slack": 0.0}, "does not help"),
        ({"sample_rate": 0.0, "steps": 10, "mu": 1.0}, "above 0"),
        ({"sample_rate": 0.1, "steps": 10, "epsilon": 1.0, "delta": 0.0}, "out of reach"),
        ({"sample_rate": 0.1, "steps": 10}, "no target"),
        ({"sample_rate": 0.1, "steps": 10, "mu": 1.0, "advantage": 0.1}, "mu and advantage"),
        ({"sample_rate": 0.1, "steps": 10, "epsilon": 1.0}, "without delta"),
        ({"sample_rate": 0.1, "steps": 10, "tpr": 0.1}, "without fpr"),
        ({"sample_rate": 0.1, "steps": 10, "mu": 1.0, "delta": 1e-5}, "without epsilon"),
        ({"sample_rate": 0.1, "steps": 10, "mu": 0.0}, "above 0"),
        ({"sample_rate": 0.1, "steps": 10, "mu": math.inf}, "finite"),
        ({"sample_rate": 0.1, "steps": 10, "mu": 1.0, "slack": 1.0}, r"outside \[0, 1\)"),
        ({"sample_rate": 0.1, "steps": 10, "epsilon": 0.0, "delta": 0.0}, "no release"),
        ({"sample_rate": 0.1, "steps": 10, "advantage": 1.0}, r"outside \(0, 1\)"),
        ({"sample_rate": 0.1, "steps": 10, "tpr": 0.1, "fpr": 0.1}, "not above fpr"),
        ({"sample_rate": 0.1, "steps": 10, "tpr": 0.1, "fpr": 0.0}, r"outside \(0, 1\)"),
        ({"sample_rate": 0.1, "steps": 0, "mu": 1.0}, "below 1"),
        ({"sample_rate": 1.5, "steps": 10, "mu": 1.0}, r"outside \[0, 1\]"),
        ({"sample_rate": 0.1, "mu": 1.0}, "noise_multiplier and steps are left out"),
        ({"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 9, "mu": 1.0}, "all three"),
        ({"sample_rate": 0.1, "steps": 10, "mu": 1.0, "tolerance": 0.0}, "tolerance"),
        ({"sample_rate": 0.1, "steps": 10, "mu": 1.0, "tolerance": 0.9}, "tolerance"),
        ({"sample_rate": 0.1, "steps": 10, "mu": 1.0, "neighbouring": "both"}, "neighbouring"),
        ({"sample_rate": 0.1, "steps": 10, "mu": 5e-324}, "more noise than floats hold"),
    ],
)
def test_what_cannot_work_is_refused_before_any_work(arguments, advice):
    attempts = []
    with pytest.raises(InvalidArgument, match=advice):
        calibrate_dpsgd(**arguments, progress=attempts.append)
    assert attempts == []


@pytest.mark.parametrize(
    ("between", "error"),
    [
        (3.0, InvalidType),
        ((1.0, 2.0, 3.0), InvalidType),
        (("a", 1.0), InvalidType),
        ((0.0, 1.0), InvalidArgument),
        ((2.0, 1.0), InvalidArgument),
    ],
)
def test_a_range_is_two_positive_numbers_in_order(between, error):
    with pytest.raises(error, match="between"):
        calibrate(lambda sigma: Gaussian(sigma=sigma), between=between, mu=1.0)


def test_a_family_is_a_function_that_makes_mechanisms():
    with pytest.raises(InvalidType, match="not a function"):
        calibrate(3.0, between=(1, 2), mu=1.0)
    with pytest.raises(InvalidType, match=r"family\(1\.0\)"):
        calibrate(lambda sigma: sigma, between=(1, 2), mu=1.0)
    with pytest.raises(InvalidType, match="int"):
        calibrate(lambda n: Gaussian(sigma=n), between=(1.5, 2), mu=1.0, integer=True)


def test_a_target_says_what_it_is():
    assert str(TPR(0.1, fpr=0.01)) == "tpr <= 0.1 at fpr=0.01"
    assert Advantage(0.1).mu == mu_from_advantage(0.1)
    assert Epsilon(1.0, delta=0.0).read(PureDP(epsilon=2.0).curve()) == pytest.approx(2.0)


# --- honest ends --------------------------------------------------------------------------------


def test_where_the_engine_ends_before_the_target_it_is_said():
    found = calibrate_dpsgd(sample_rate=0.01, steps=1000, mu=500.0)
    assert found.achieved < 0.5 * 500.0
    assert found.at_limit
    assert "the end of the range that has a bound" in str(found)
    assert not calibrate_dpsgd(sample_rate=0.01, steps=1000, mu=1.0).at_limit


@pytest.mark.parametrize("epsilon", [1e-300, 1e-12, 1e-10])
def test_an_epsilon_next_to_nothing_is_met_as_zero(epsilon):
    found = calibrate_dpsgd(sample_rate=0.01, steps=1000, epsilon=epsilon, delta=1e-5)
    assert found.target == Epsilon(epsilon, delta=1e-5)
    assert found.achieved == 0.0
    assert tradeoff_curve(found.mechanism).advantage <= 1.001e-5
    larger = calibrate_dpsgd(sample_rate=0.01, steps=1000, epsilon=1e-8, delta=1e-5)
    assert larger.noise_multiplier < found.noise_multiplier < 1.01 * larger.noise_multiplier
    assert found.calls < 20


def test_a_search_that_rounding_defies_ends_on_the_safe_side():
    found = calibrate_dpsgd(noise_multiplier=1.0, sample_rate=0.01, epsilon=1e-7, delta=0.1)
    assert found.calls <= 101
    assert found.achieved <= 1e-7


def test_what_is_printed_is_no_less_than_what_is_achieved():
    for mu in (0.7, 1.0, 1.3):
        found = calibrate_dpsgd(sample_rate=0.01, steps=1000, mu=mu)
        printed = float(str(found).split("mu <= ")[1].split()[0])
        assert found.achieved <= printed <= mu
