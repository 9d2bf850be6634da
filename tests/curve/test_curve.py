"""Trade-off curves against what attackers can truly do."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from gdpnum import (
    ApproxDP,
    DiscreteGaussian,
    Gaussian,
    InvalidArgument,
    Laplace,
    PoissonSampled,
    RandomizedResponse,
    tradeoff_curve,
)
from tests.build import run_of, steps
from tests.catalogue import DELTAS, REFERENCE
from tests.closeness import raised
from tests.oracles import closed_form, naive

every_run = pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case.name)

SAMPLED = {
    "gaussian": (PoissonSampled(Gaussian(sigma=0.8), rate=0.1), closed_form.gaussian(0.8, 0.1)),
    "wide": (PoissonSampled(Gaussian(sigma=6.0), rate=0.6), closed_form.gaussian(6.0, 0.6)),
    "laplace": (PoissonSampled(Laplace(scale=1.0), rate=0.3), closed_form.laplace(1.0, 0.3)),
}
DISCRETE = {
    "response": (
        RandomizedResponse(epsilon=1.0, categories=4) * 3,
        naive.repeated(naive.randomized_response(1.0, 4), 3),
    ),
    "leak": (
        ApproxDP(epsilon=0.5, delta=1e-3) * 2,
        naive.repeated(naive.approx_dp(0.5, 1e-3), 2),
    ),
    "noise": (
        PoissonSampled(DiscreteGaussian(sigma=1.3), rate=0.4),
        naive.poisson_sampled(naive.discrete_gaussian(1.3), 0.4),
    ),
}


def attacks(step, direction):
    """True (alpha, beta) of threshold tests, with alpha from about 1e-14 up to nearly 1."""
    for t in np.linspace(-7.0, 8.0, 61) * getattr(step.noise, "sigma", 1.0):
        yield step.errors(float(t), direction)


# --- honest -------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", closed_form.DIRECTIONS)
@pytest.mark.parametrize("name", SAMPLED)
def test_no_attack_on_a_sampled_step_beats_the_curve(name, direction):
    """Nor its mirror image: neighbours are a symmetric relation."""
    mechanism, step = SAMPLED[name]
    curve = tradeoff_curve(mechanism)
    for alpha, beta in attacks(step, direction):
        # Read at the next float up and compared with the next: rounding to floats apart.
        assert curve.beta(min(1.0, np.nextafter(float(alpha), 1))) <= np.nextafter(float(beta), 1)
        assert curve.beta(min(1.0, np.nextafter(float(beta), 1))) <= np.nextafter(float(alpha), 1)


@pytest.mark.parametrize("direction", closed_form.DIRECTIONS)
@pytest.mark.parametrize("name", SAMPLED)
def test_no_attack_on_a_sampled_step_has_a_higher_tpr(name, direction):
    mechanism, step = SAMPLED[name]
    curve = tradeoff_curve(mechanism)
    for t in np.linspace(-7.0, 8.0, 61) * getattr(step.noise, "sigma", 1.0):
        alpha, _ = step.errors(float(t), direction)
        tpr = float(step.tpr(float(t), direction))
        assert curve.tpr(min(1.0, np.nextafter(float(alpha), 1))) >= tpr * (1 - 1e-15)


@pytest.mark.parametrize("name", DISCRETE)
def test_the_curve_of_a_discrete_composition_is_nowhere_above_the_true_one(name):
    mechanism, pair = DISCRETE[name]
    curve = tradeoff_curve(mechanism)
    for alpha in [0.0, 1e-9, 1e-4, *np.linspace(0.0, 1.0, 101), 1 - 1e-6]:
        true = min(naive.beta(one, alpha) for one in (pair, pair.reversed()))
        assert curve.beta(alpha) <= float(true) + 1e-16


@every_run
def test_epsilon_of_a_reference_run_is_never_understated(case):
    curve = tradeoff_curve(run_of(case))
    for delta in DELTAS:
        assert curve.epsilon(delta) >= case.epsilon(delta).lower


@every_run
def test_delta_of_a_reference_run_is_never_understated(case):
    curve = tradeoff_curve(run_of(case))
    for delta in DELTAS:
        assert curve.delta(case.epsilon(delta).lower) >= delta
    assert curve.advantage == curve.delta(0.0) >= case.advantage.lower


# --- tight --------------------------------------------------------------------------------------


@every_run
def test_delta_of_a_reference_run_is_moved_by_the_tolerance_in_mu_at_most(case):
    curve = tradeoff_curve(run_of(case))
    for delta in DELTAS:
        eps = case.epsilon(delta).upper
        assert curve.delta(eps) <= raised(eps, delta)
    assert curve.advantage <= raised(0.0, case.advantage.upper)


@pytest.mark.parametrize(("sigma", "count"), [(1.0, 1), (3.0, 10), (20.0, 100), (0.5, 2)])
def test_a_tpr_of_1e_12_is_accurate_relative_to_itself(sigma, count):
    """Gaussians, where TPR = Phi(Phi^-1(FPR) + mu); the bound moves mu by the tolerance."""
    mu = np.sqrt(count) / sigma
    curve = tradeoff_curve(Gaussian(sigma=sigma) * count)
    for tpr in (1e-12, 1e-10, 1e-6, 1e-3, 0.4):
        fpr = ndtr(ndtri(tpr) - mu)
        assert tpr * (1 - 1e-12) <= curve.tpr(fpr) <= ndtr(ndtri(fpr) + mu * 1.002) * (1 + 2e-3)


@pytest.mark.parametrize("tpr", [1e-12, 1e-9])
def test_a_tiny_tpr_of_a_sampled_step_is_accurate_relative_to_itself(tpr):
    """By the true error rates of the threshold that has such a TPR."""
    step, curve = closed_form.gaussian(1.0, 0.01), tradeoff_curve(steps([(1.0, 0.01, 1)]))
    t = float(1 - ndtri(tpr / 0.01))
    alpha, true = float(step.errors(t, "remove")[0]), float(step.tpr(t, "remove"))
    assert true * (1 - 1e-14) <= curve.tpr(alpha) <= ndtr(ndtri(alpha) + 1.002 * gap(alpha, true))


def gap(alpha, tpr):
    return ndtri(tpr) - ndtri(alpha)


# --- shape --------------------------------------------------------------------------------------


def test_scalars_give_floats_and_arrays_give_arrays():
    curve = tradeoff_curve(steps([(1.0, 0.1, 10)]))
    for ask in (curve.beta, curve.tpr, curve.delta, curve.epsilon):
        assert type(ask(0.3)) is float
        assert type(ask(np.float64(0.3))) is float
        assert type(ask(np.array(0.3))) is float
        several = ask([0.1, 0.3])
        assert isinstance(several, np.ndarray)
        # Asked together, sums are taken in another order.
        assert several == pytest.approx([ask(0.1), ask(0.3)], rel=1e-12)
        assert ask(np.full((2, 3), 0.3)).shape == (2, 3)
        assert ask([]).shape == (0,)
    assert type(curve.advantage) is float


@pytest.mark.parametrize("bad", [-1e-9, 1.0000001, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("ask", "name"), [("beta", "alpha"), ("tpr", "fpr"), ("epsilon", "delta")])
def test_what_is_no_probability_is_refused_by_name(ask, name, bad):
    curve = tradeoff_curve(Gaussian(sigma=1.0))
    for value in (bad, [0.5, bad]):
        with pytest.raises(InvalidArgument, match=rf"{name}={bad!r} is outside \[0, 1\]"):
            getattr(curve, ask)(value)


def test_an_epsilon_that_is_not_a_number_is_refused():
    with pytest.raises(InvalidArgument, match="epsilon=nan"):
        tradeoff_curve(Gaussian(sigma=1.0)).delta([1.0, np.nan])


def test_infinite_epsilons_have_their_limits():
    curve = tradeoff_curve(ApproxDP(epsilon=1.0, delta=0.01))
    assert curve.delta(np.inf) == pytest.approx(0.01, rel=1e-12)
    assert curve.delta(-np.inf) == 1.0


def test_a_delta_below_the_mass_at_infinity_has_no_epsilon():
    curve = tradeoff_curve(ApproxDP(epsilon=1.0, delta=0.01))
    assert curve.epsilon(0.005) == np.inf
    assert curve.epsilon(0.0101) <= 1.0
    assert curve.epsilon(0.9) == 0.0


def test_releasing_nothing_leaves_the_diagonal():
    curve = tradeoff_curve(Gaussian(sigma=1.0) * 0)
    alphas = np.linspace(0.0, 1.0, 11)
    assert curve.beta(alphas).tolist() == (1.0 - alphas).tolist()
    assert curve.tpr(alphas).tolist() == alphas.tolist()
    assert (curve.advantage, curve.mass_at_infinity) == (0.0, 0.0)
    assert curve.epsilon([0.0, 0.5]).tolist() == [0.0, 0.0]


def test_a_curve_shows_its_advantage_and_mass_at_infinity():
    shown = repr(tradeoff_curve(ApproxDP(epsilon=1.0, delta=0.25)))
    assert shown.startswith("PiecewiseCurve(advantage=0.59")
    assert "mass_at_infinity=0.25" in shown
