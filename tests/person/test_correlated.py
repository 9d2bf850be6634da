"""Correlated noise: sensitivities of strategies, and the mechanism they make."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdpnum import (
    DPSGD,
    BestOf,
    Composed,
    Gaussian,
    InvalidArgument,
    InvalidType,
    MatrixMechanism,
    UnsupportedMechanism,
    epsilon_from_mu,
    fit_gdp,
    mu_from_rho,
    statement,
    tradeoff_curve,
)
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.measures.divergence import delta_divergence
from gdpnum.pairs.sensitivity import _by_lags, _by_rows, _diagonal, _sensitivity, sensitivity
from tests.examples import examples

SQUARE_ROOT = np.cumprod(np.append(1.0, 1.0 - 0.5 / np.arange(1.0, 10_000.0)))


def made(**given):
    return MatrixMechanism(**{"noise_multiplier": 1.0, **given})


def sens(**given):
    return sensitivity(made(**given))


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (
            {"strategy": [1.0, 0.5], "steps": 6, "min_separation": 2, "max_participations": 3},
            1.93649,
        ),
        (
            {"strategy": [1.0, 0.5], "steps": 6, "min_separation": 1, "max_participations": 3},
            2.39792,
        ),
        ({"strategy": "tree", "steps": 8}, 2.0),
        ({"strategy": "tree", "steps": 8, "min_separation": 4, "max_participations": 2}, 3.16228),
        ({"strategy": "tree", "steps": 8, "min_separation": 1, "max_participations": 2}, 3.74166),
        ({"strategy": np.tri(8), "min_separation": 4, "max_participations": 2}, 4.47214),
        (
            {
                "strategy": SQUARE_ROOT[:16],
                "steps": 16,
                "min_separation": 8,
                "max_participations": 2,
            },
            2.18406,
        ),
    ],
)
def test_known_sensitivities(given, value):
    found = sens(**given)
    assert found.value == pytest.approx(value, abs=5e-6)
    assert found.exact
    assert found.lower <= found.value <= found.lower * (1.0 + 1e-12)


def test_the_bound_by_rows_is_valid_and_not_tight():
    gram = (np.eye(6) + 0.5 * np.eye(6, k=-1)).T @ (np.eye(6) + 0.5 * np.eye(6, k=-1))
    found = _by_rows(gram, 1, 3)
    assert found.value == pytest.approx(2.59808, abs=5e-6)
    assert found.lower == pytest.approx(2.39792, abs=5e-6)
    assert not found.exact


def patterns(size, apart, most):
    for count in range(1, most + 1):
        for steps in itertools.combinations(range(size), count):
            if all(b - a >= apart for a, b in itertools.pairwise(steps)):
                yield list(steps)


def brute_force(matrix, chosen):
    """The largest movement over patterns and signs: no less than that is possible."""
    gram = matrix.T @ matrix
    best = 0.0
    for steps in chosen:
        block = gram[np.ix_(steps, steps)]
        for signs in itertools.product([1.0, -1.0], repeat=len(steps) - 1):
            s = np.array([1.0, *signs])
            best = max(best, float(s @ block @ s))
    return math.sqrt(best)


def absolute(matrix, chosen):
    """The largest sum of |X_ij| over patterns: no more than that is possible."""
    gram = np.abs(matrix.T @ matrix)
    return math.sqrt(max(float(gram[np.ix_(steps, steps)].sum()) for steps in chosen))


@examples(60)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 7),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from(["banded", "dense", "toeplitz", "falling", "nonnegative"]),
)
def test_every_sensitivity_lies_between_brute_forces(seed, size, apart, most, kind):
    rng = np.random.default_rng(seed)
    most = min(most, -(-size // apart))
    coefficients = rng.normal(size=size) + np.array([3.0] + [0.0] * (size - 1))
    if kind == "falling":
        coefficients = np.sort(np.abs(coefficients))[::-1].copy()
    toeplitz = sum(c * np.eye(size, k=-i) for i, c in enumerate(coefficients))
    matrix = {
        "toeplitz": toeplitz,
        "falling": toeplitz,
        "dense": np.tril(rng.normal(size=(size, size))) + 2.0 * np.eye(size),
        "nonnegative": np.tril(rng.random((size, size))) + np.eye(size),
        "banded": np.tril(rng.normal(size=(size, size)))
        * (np.tri(size, k=0) - np.tri(size, k=-apart))
        + 2.0 * np.eye(size),
    }[kind]
    given = {"strategy": matrix}
    if kind in ("toeplitz", "falling"):
        given = {"strategy": coefficients, "steps": size}
    chosen = list(patterns(size, apart, most))
    found = sens(**given, min_separation=apart, max_participations=most)
    possible = brute_force(matrix, chosen)
    assert found.value >= possible * (1.0 - 1e-14)
    assert found.lower <= possible * (1.0 + 1e-13)
    if found.exact:
        assert found.value == pytest.approx(possible, rel=2e-9)
    if kind in ("banded", "falling"):
        assert found.exact
    if size % most == 0:
        epochs = [list(range(start, size, size // most)) for start in range(size // most)]
        fixed = sens(**given, epochs=most)
        assert fixed.value >= brute_force(matrix, epochs) * (1.0 - 1e-14)
        assert fixed.value <= absolute(matrix, epochs) * (1.0 + 1e-12)
        assert fixed.exact or kind in ("toeplitz", "dense")


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 6, 8, 13])
def test_the_tree_is_the_one_of_its_complete_nodes(steps):
    rows = [
        [1.0 if (leaf >> level) == node else 0.0 for leaf in range(steps)]
        for level in range(steps.bit_length())
        for node in range(steps >> level)
    ]
    matrix = np.array(rows)
    for apart, most in ((1, 1), (1, 2), (2, 2)):
        if most <= -(-steps // apart):
            found = sens(
                strategy="tree", steps=steps, min_separation=apart, max_participations=most
            )
            possible = brute_force(matrix, list(patterns(steps, apart, most)))
            assert found.value >= possible * (1.0 - 1e-14)
            assert not found.exact or found.value == pytest.approx(possible, rel=2e-9)


def test_ten_thousand_steps_of_a_toeplitz_strategy():
    found = sens(strategy=SQUARE_ROOT, steps=10_000, min_separation=100, max_participations=100)
    assert found.exact
    moved = np.zeros(10_000)
    for start in range(0, 10_000, 100):
        moved[start:] += SQUARE_ROOT[: 10_000 - start]
    assert found.value == pytest.approx(math.sqrt((moved**2).sum()), rel=2e-12)


def test_lag_by_lag_is_a_bound_too():
    rng = np.random.default_rng(3)
    coefficients = np.append(1.0, 0.2 * rng.normal(size=11))
    run = made(strategy=coefficients, steps=12, min_separation=2, max_participations=3)
    by_lags = _by_lags(run, _diagonal(run))
    exact = _sensitivity(run)
    assert by_lags.value >= exact.lower
    assert by_lags.lower <= exact.value


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**900])
def test_tiny_and_huge_strategies_are_those_scaled(scale):
    coefficients = np.array([1.0, -0.5, 0.25])
    with np.errstate(all="raise"):
        usual = sens(strategy=coefficients, steps=6, max_participations=3)
        scaled = sens(strategy=coefficients * scale, steps=6, max_participations=3)
    assert scaled.value == usual.value * scale
    assert scaled.lower == usual.lower * scale


def test_a_fresh_shuffle_every_epoch_keeps_no_distance():
    far = sens(strategy=[1.0, 0.5], steps=12, epochs=3)
    near = sens(strategy=[1.0, 0.5], steps=12, min_separation=1, max_participations=3)
    assert near.value > far.value


# --- the mechanism ------------------------------------------------------------------------------


def test_mu_is_sensitivity_over_noise_and_regret_is_zero_where_exact():
    run = made(strategy=SQUARE_ROOT[:16], steps=16, noise_multiplier=3.0, epochs=2)
    fit = fit_gdp(run)
    assert fit.mu == pytest.approx(2.18406 / 3.0, rel=1e-5)
    assert fit_gdp(run, slack=0.0).regret == 0.0
    assert fit.neighbouring == "zero_out"
    assert fit_gdp(made(strategy=[1.0], steps=4, neighbouring="replace")).mu == pytest.approx(2.0)


def test_a_bound_says_that_it_is_one():
    rng = np.random.default_rng(5)
    matrix = np.tril(rng.normal(size=(8, 8))) + 2.0 * np.eye(8)
    run = made(strategy=matrix, noise_multiplier=5.0, max_participations=4)
    found, fit = sensitivity(run), fit_gdp(run)
    assert not found.exact
    assert fit.mu == pytest.approx(found.value / 5.0)
    # An engine finds what the pattern that was found calls for, to its tolerance.
    assert (1.0 - fit.tolerance) * found.lower / 5.0 <= fit.mu_lower <= found.lower / 5.0
    exact = delta_divergence(GaussianCurve(found.lower / 5.0), fit.curve()).value
    assert exact <= fit.regret <= exact + fit.tolerance
    # What dominates is Gaussian, so its curve is no lattice's.
    assert tradeoff_curve(run).epsilon(1e-6) == epsilon_from_mu(fit.mu, 1e-6)
    assert "what theory does not know" in " ".join(str(statement(run)).split())


def test_it_composes_with_the_rest():
    run = made(strategy=[1.0, 0.5], steps=6, noise_multiplier=2.0)
    both = run * 3 + Gaussian(sigma=4.0, neighbouring="zero_out")
    assert fit_gdp(both).mu == pytest.approx(math.sqrt(3 * 1.25 / 4.0 + 1.0 / 16.0))


def test_an_independent_identity_is_plain_noise():
    run = made(strategy=np.eye(5), noise_multiplier=2.0, max_participations=5)
    assert fit_gdp(run).mu == pytest.approx(math.sqrt(5) / 2.0)


@pytest.mark.parametrize(
    ("sigma", "rate", "bands", "steps", "epsilon"),
    [(1.0, 0.01, 4, 1000, 4.185), (2.0, 0.005, 10, 2000, 1.560), (1.0, 0.02, 8, 800, 11.472)],
)
def test_bands_under_cyclic_sampling(sigma, rate, bands, steps, epsilon):
    strategy = SQUARE_ROOT[:bands]
    run = made(
        strategy=strategy,
        steps=steps,
        noise_multiplier=sigma * float(np.linalg.norm(strategy)),
        sample_rate=rate,
        neighbouring="add_remove",
    )
    ((step, count),) = run.parts
    assert count == math.ceil(steps / bands)
    assert step.rate == pytest.approx(rate * bands)
    assert step.inner.sigma == pytest.approx(sigma, rel=1e-14)
    assert step.inner.sigma <= sigma * (1.0 + 1e-15)
    assert tradeoff_curve(run, tolerance=1e-5).epsilon(1e-5) == pytest.approx(epsilon, abs=1e-3)
    plain = DPSGD(noise_multiplier=sigma, sample_rate=rate * bands, steps=count)
    assert fit_gdp(run).mu == pytest.approx(fit_gdp(plain).mu, rel=1e-3)


def test_the_published_deployment_is_exactly_gaussian():
    """Gboard's Spanish model: DP-FTRL with rho = .81 of zCDP is mu = sqrt(2 rho)."""
    assert mu_from_rho(0.81, assuming="gaussian") == pytest.approx(1.2728, abs=1e-4)


def test_equal_descriptions_are_equal():
    dense = made(strategy=np.array([[1.0, 0.0], [0.5, 1.0]]))
    assert dense == made(strategy=[[1.0], [0.5, 1.0]])
    assert hash(dense) == hash(made(strategy=((1.0, 0.0), (0.5, 1.0))))
    assert repr(dense) == "MatrixMechanism(strategy=<2 x 2 array>, noise_multiplier=1.0)"
    assert Composed([dense, dense]).parts == ((dense, 2),)


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        ({"strategy": [[1.0, 0.1], [0.5, 1.0]]}, InvalidArgument, "above the diagonal"),
        ({"strategy": [[1.0, 0.0], [0.5, 0.0]]}, InvalidArgument, "full rank"),
        ({"strategy": [0.0, 1.0], "steps": 3}, InvalidArgument, "full rank"),
        ({"strategy": [1.0, math.nan], "steps": 3}, InvalidArgument, "finite"),
        ({"strategy": [[1.0, 0.0], [math.inf, 1.0]]}, InvalidArgument, "finite"),
        ({"strategy": [[1.0, 0.0], [0.5]]}, InvalidArgument, "square"),
        ({"strategy": np.ones((2, 3))}, InvalidArgument, "square"),
        ({"strategy": [1.0, 0.5]}, InvalidArgument, "steps is missing"),
        ({"strategy": [1.0, 0.5, 0.25], "steps": 2}, InvalidArgument, "3 coefficients"),
        ({"strategy": np.eye(3), "steps": 4}, InvalidArgument, "agree"),
        ({"strategy": 3.0}, InvalidType, "strategy"),
        ({"strategy": []}, InvalidType, "strategy"),
        ({"strategy": "forest", "steps": 3}, InvalidArgument, "tree"),
        ({"strategy": np.eye(1025)}, InvalidArgument, "1024"),
        ({"strategy": np.eye(3), "min_separation": -1}, InvalidArgument, "min_separation"),
        ({"strategy": np.eye(3), "min_separation": 0}, InvalidArgument, "min_separation"),
        ({"strategy": np.eye(3), "max_participations": 0}, InvalidArgument, "max_participations"),
        ({"strategy": np.eye(3), "max_participations": 1.5}, InvalidType, "max_participations"),
        ({"strategy": np.eye(3), "max_participations": 4}, InvalidArgument, "cannot happen"),
        (
            {"strategy": np.eye(6), "min_separation": 4, "max_participations": 3},
            InvalidArgument,
            "cannot",
        ),
        ({"strategy": np.eye(6), "epochs": 4}, InvalidArgument, "does not divide"),
        ({"strategy": np.eye(6), "epochs": 2, "max_participations": 2}, InvalidArgument, "beside"),
        ({"strategy": np.eye(3), "noise_multiplier": 0.0}, InvalidArgument, "noise_multiplier"),
        ({"strategy": np.eye(3), "neighbouring": "add_remove"}, UnsupportedMechanism, "zero_out"),
        ({"strategy": np.eye(3), "records_per_person": 0}, InvalidArgument, "records_per_person"),
        ({"strategy": np.eye(3), "sample_rate": 1.5}, InvalidArgument, "sample_rate"),
        ({"strategy": np.tri(3), "sample_rate": 0.5}, InvalidArgument, "3 bands is above 1"),
        (
            {"strategy": np.eye(3), "sample_rate": 0.5, "epochs": 3},
            InvalidArgument,
            "beside sample_rate",
        ),
        (
            {"strategy": np.eye(3), "sample_rate": 0.5, "neighbouring": "replace"},
            UnsupportedMechanism,
            "cyclic",
        ),
        (
            {"strategy": np.eye(3), "sample_rate": 0.5, "records_per_person": 2},
            UnsupportedMechanism,
            "several groups",
        ),
    ],
)
def test_bad_input_is_refused_with_advice(given, error, match):
    with pytest.raises(error, match=match):
        made(**given)


def test_two_dense_strategies_of_one_size_are_told_apart_in_a_sweep():
    from gdpnum.sweeps.setting import identity

    first, second = made(strategy=np.eye(2)), made(strategy=2.0 * np.eye(2))
    assert repr(first) == repr(second)
    assert identity(first) != identity(second)
    assert identity(BestOf(first, number="poisson", mean=2)) != identity(
        BestOf(second, number="poisson", mean=2)
    )
