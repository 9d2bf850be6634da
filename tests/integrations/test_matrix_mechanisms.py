"""Sensitivities beside JAX-Privacy's, and its configurations as mechanisms."""

import math

import numpy as np
import pytest

from gdpnum import DPSGD, BestOf, Gaussian, MatrixMechanism, fit_gdp, tradeoff_curve
from gdpnum.errors import InvalidType, UnsupportedMechanism
from gdpnum.integrations.dp_accounting import from_dp_event
from gdpnum.integrations.matrix_mechanisms import (
    from_bandmf,
    from_execution_plan,
    from_tree_event,
)
from gdpnum.pairs.sensitivity import _by_rows, sensitivity

theirs = pytest.importorskip("dp_accounting")
jax = pytest.importorskip("jax")
execution_plan = pytest.importorskip("jax_privacy.experimental.execution_plan")
peer = pytest.importorskip("jax_privacy.matrix_factorization.sensitivity")
toeplitz = pytest.importorskip("jax_privacy.matrix_factorization.toeplitz")

# Theirs is in single precision unless told otherwise.
SINGLE = 3e-6


@pytest.mark.parametrize("seed", range(6))
def test_banded_matrices(seed):
    rng = np.random.default_rng(seed)
    size, bands = int(rng.integers(4, 24)), int(rng.integers(1, 5))
    matrix = np.tril(rng.normal(size=(size, size))) + 2.0 * np.eye(size)
    matrix *= np.tri(size) - np.tri(size, k=-bands)
    most = int(rng.integers(1, -(-size // bands) + 1))
    ours = sensitivity(
        MatrixMechanism(
            strategy=matrix, noise_multiplier=1.0, min_separation=bands, max_participations=most
        )
    )
    assert ours.exact
    assert ours.value == pytest.approx(
        peer.get_sensitivity_banded(jax.numpy.array(matrix), bands, most), rel=SINGLE
    )


@pytest.mark.parametrize("seed", range(6))
def test_falling_toeplitz_matrices(seed):
    rng = np.random.default_rng(seed)
    size, count = int(rng.integers(5, 200)), int(rng.integers(1, 5))
    coefficients = np.sort(rng.random(min(count * 3, size)))[::-1].copy()
    apart = int(rng.integers(1, size))
    most = int(rng.integers(1, -(-size // apart) + 1))
    ours = sensitivity(
        MatrixMechanism(
            strategy=coefficients,
            steps=size,
            noise_multiplier=1.0,
            min_separation=apart,
            max_participations=most,
        )
    )
    squared = toeplitz.minsep_sensitivity_squared(
        jax.numpy.array(coefficients), apart, most, n=size
    )
    assert ours.exact
    assert ours.value == pytest.approx(math.sqrt(float(squared)), rel=SINGLE)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.filterwarnings("ignore:Explicitly requested dtype int64")
def test_dense_matrices(seed):
    rng = np.random.default_rng(seed)
    size = 12
    matrix = np.tril(rng.normal(size=(size, size))) + 2.0 * np.eye(size)
    apart, most = int(rng.integers(1, 6)), 2
    # Their bound by rows is ours, where ours does not know better.
    ours = _by_rows(matrix.T @ matrix, apart, most)
    bound = peer.get_min_sep_sensitivity_upper_bound(jax.numpy.array(matrix), apart, most)
    assert ours.value == pytest.approx(bound, rel=SINGLE)
    for epochs in (1, 2, 3, 4):
        fixed = sensitivity(MatrixMechanism(strategy=matrix, noise_multiplier=1.0, epochs=epochs))
        assert fixed.value == pytest.approx(
            peer.fixed_epoch_sensitivity(jax.numpy.array(matrix), epochs), rel=SINGLE
        )
    single = sensitivity(MatrixMechanism(strategy=matrix, noise_multiplier=1.0))
    assert single.value == pytest.approx(
        float(peer.single_participation_sensitivity(jax.numpy.array(matrix))), rel=SINGLE
    )


def config(**given):
    usual = {
        "iterations": 100,
        "strategy": np.array([1.0, 0.5, 0.25]),
        "epsilon": None,
        "delta": None,
        "noise_multiplier": 2.0,
        "sampling_prob": 0.3,
    }
    return execution_plan.BandMFExecutionPlanConfig(**{**usual, **given})


@pytest.mark.parametrize("normalised", [False, True])
def test_a_configuration_is_the_mechanism_of_its_plan(normalised):
    given = config(column_normalize=normalised)
    run = from_bandmf(given)
    ((step, count),) = run.parts
    assert count == 34
    assert step.rate == pytest.approx(0.3, rel=1e-15)
    assert run.neighbouring == "zero_out"
    # With columns of norm one and their noise in units of the strategy's, there is more of it.
    sigma = 2.0 * (float(np.linalg.norm(given.strategy)) if normalised else 1.0)
    assert step.inner.sigma == pytest.approx(sigma, rel=1e-14)
    if not normalised:
        event = from_execution_plan(given.plan, neighbouring="replace_special")
        assert fit_gdp(run).mu == pytest.approx(fit_gdp(event).mu, rel=2e-3)
        assert event == DPSGD(
            noise_multiplier=2.0, sample_rate=0.3, steps=34, neighbouring="zero_out"
        )


def test_a_calibrated_configuration_tells_its_noise():
    given = config(noise_multiplier=None, epsilon=2.0, delta=1e-5)
    run = from_bandmf(given)
    assert tradeoff_curve(run).epsilon(1e-5) == pytest.approx(2.0, rel=2e-2)


def test_truncated_batches_and_other_objects_are_refused():
    with pytest.raises(UnsupportedMechanism, match="truncated"):
        from_bandmf(config(truncated_batch_size=20, num_examples=300))
    with pytest.raises(InvalidType, match="strategy"):
        from_bandmf(3)
    with pytest.raises(InvalidType, match="dp_event"):
        from_execution_plan(3, neighbouring="add_remove")


@pytest.mark.parametrize("steps", [1, 5, 8, [3, 9, 4]])
def test_tree_events_are_trees(steps):
    event = theirs.dp_event.SingleEpochTreeAggregationDpEvent(2.0, steps)
    run = from_tree_event(event)
    levels = int(np.max(steps)).bit_length()
    assert fit_gdp(run).mu == pytest.approx(math.sqrt(levels) / 2.0, rel=1e-14)
    # The reader of events knows the same by one Gaussian a level.
    other = from_dp_event(event, neighbouring="replace")
    assert fit_gdp(from_tree_event(event, neighbouring="replace")).mu == pytest.approx(
        fit_gdp(other).mu, rel=1e-14
    )
    with pytest.raises(InvalidType, match="Tree"):
        from_tree_event(3)


@pytest.mark.parametrize(
    ("shape", "number"),
    [(1.0, "geometric"), (math.inf, "poisson"), (0.0, "truncated_negative_binomial")],
)
def test_repeat_and_select_comes_out_better_than_its_renyi_bound(shape, number):
    event = theirs.dp_event.RepeatAndSelectDpEvent(
        theirs.dp_event.GaussianDpEvent(1.0 / 0.665), mean=10.0, shape=shape
    )
    run = from_dp_event(event, neighbouring="add_remove")
    assert isinstance(run, BestOf)
    assert run.number == number
    assert run.run == Gaussian(sigma=1.0 / 0.665)
    accountant = theirs.rdp.RdpAccountant()
    accountant.compose(event)
    assert tradeoff_curve(run).epsilon(1e-5) < accountant.get_epsilon(1e-5)
