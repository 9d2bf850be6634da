"""JAX-Privacy, through the events it makes."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import gdpnum
from gdpnum import DPSGD, FixedSize, TruncatedPoisson, fit_gdp
from gdpnum.integrations.dp_accounting import from_dp_accountant, from_dp_event

theirs = pytest.importorskip("dp_accounting")
accounting = pytest.importorskip("jax_privacy.experimental.accounting")
execution_plan = pytest.importorskip("jax_privacy.experimental.execution_plan")

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_dpsgd_is_the_native_mechanism():
    event = accounting.dpsgd_event(1.0, 300, sampling_prob=0.01)
    native = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=300)
    assert from_dp_event(event, neighbouring="add_remove") == native


def test_bands_divide_the_steps():
    event = accounting.amplified_bandmf_event(1.0, 1000, num_bands=4, sampling_prob=0.04)
    native = DPSGD(noise_multiplier=1.0, sample_rate=0.04, steps=250, neighbouring="zero_out")
    assert from_dp_event(event, neighbouring="replace_special") == native


def test_an_execution_plan_says_what_it_runs():
    config = execution_plan.BandMFExecutionPlanConfig(
        iterations=8,
        strategy=np.array([1.0, 0.5]),
        epsilon=None,
        delta=None,
        noise_multiplier=2.0,
        sampling_prob=0.5,
    )
    relation = config.accountant.neighboring_relation
    run = from_dp_event(config.plan.dp_event, neighbouring=relation)
    assert run == DPSGD(noise_multiplier=2.0, sample_rate=0.5, steps=4, neighbouring="zero_out")


def test_truncated_batches_cost_little_but_in_rare_events():
    event = accounting.truncated_dpsgd_event(
        1.0, 100, sampling_prob=0.05, num_examples=1000, truncated_batch_size=80
    )
    run = from_dp_event(event, neighbouring="replace_special")
    ((leaf, count),) = run.parts
    assert isinstance(leaf, TruncatedPoisson)
    assert count == 100
    # A batch is cut once in some hundred thousand steps, and then tells more of its records.
    plain_run = DPSGD(noise_multiplier=1.0, sample_rate=0.05, steps=100)
    plain = fit_gdp(plain_run)
    # Both advantages are upper bounds, each within its tolerance of 1e-3.
    assert plain.advantage <= fit_gdp(run).advantage <= 1.002 * plain.advantage
    assert plain.mu_lower <= fit_gdp(run).mu
    assert fit_gdp(run, slack=1e-3).mu <= 1.01 * fit_gdp(plain_run, slack=1e-3).mu


def test_a_fixed_batch_size_is_no_poisson_sample():
    event = accounting.fixed_dpsgd_event(1.0, 100, dataset_size=1000, batch_size=10)
    ((leaf, count),) = from_dp_event(event, neighbouring="replace").parts
    assert isinstance(leaf, FixedSize)
    assert count == 100
    with pytest.raises(gdpnum.GdpnumError):
        from_dp_event(event, neighbouring="add_remove")


def test_users_with_several_examples_are_a_mixture():
    # What its user-level accountant composes, step by step.
    accountant = theirs.pld.PLDAccountant(value_discretization_interval=1e-2)
    event = theirs.dp_event.MixtureOfGaussiansDpEvent(2.0, [0, 1, 2], [0.81, 0.18, 0.01])
    accountant.compose(event, 50)
    run = from_dp_accountant(accountant)
    one = fit_gdp(DPSGD(noise_multiplier=2.0, sample_rate=0.19, steps=50))
    two = fit_gdp(DPSGD(noise_multiplier=1.0, sample_rate=0.19, steps=50))
    assert one.mu_lower <= fit_gdp(run).mu <= two.mu


@pytest.mark.parametrize(
    ("name", "mu"), [("jax_privacy_dpsgd.py", "0.392"), ("jax_privacy_banded.py", "0.526")]
)
def test_the_examples_run(name, mu, capsys):
    runpy.run_path(str(EXAMPLES / name))
    assert f"mu = {mu} " in capsys.readouterr().out
