"""JAX-Privacy, through the events it makes."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import gdpnum
from gdpnum import DPSGD, FixedSize, TruncatedPoisson, fit_gdp
from gdpnum.integrations.dp_accounting import (
    GdpnumAccountant,
    from_dp_accountant,
    from_dp_event,
)

theirs = pytest.importorskip("dp_accounting")
pytest.importorskip("jax_privacy")

try:
    from jax_privacy import accounting, execution_plan
except ImportError:  # 2.0
    from jax_privacy.experimental import accounting, execution_plan

# June 2026 on, 2.2 and 2.0.
Config = getattr(execution_plan, "BandMFConfig", None) or execution_plan.BandMFExecutionPlanConfig
IS_2_0 = not hasattr(Config, "calibrate")

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_dpsgd_is_the_native_mechanism():
    event = accounting.dpsgd_event(1.0, 300, sampling_prob=0.01)
    native = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=300)
    assert from_dp_event(event, neighbouring="add_remove") == native


def test_bands_divide_the_steps():
    event = accounting.amplified_bandmf_event(1.0, 1000, num_bands=4, sampling_prob=0.04)
    native = DPSGD(noise_multiplier=1.0, sample_rate=0.04, steps=250, neighbouring="zero_out")
    assert from_dp_event(event, neighbouring="replace_special") == native


def participating(rate, **more):
    """A plan of 8 iterations and two bands, whose records join a step with that probability."""
    if hasattr(execution_plan, "BandMFConfig"):
        more["expected_participations"] = rate * 8 / 2
    else:
        more["sampling_prob"] = rate
    return Config(iterations=8, strategy=np.array([1.0, 0.5]), **more)


@pytest.mark.skipif(not IS_2_0, reason="the plan of JAX-Privacy 2.0")
def test_a_plan_of_the_first_version_says_what_it_runs():
    config = participating(0.5, epsilon=None, delta=None, noise_multiplier=2.0)
    relation = config.accountant.neighboring_relation
    run = from_dp_event(config.plan.dp_event, neighbouring=relation)
    assert run == DPSGD(noise_multiplier=2.0, sample_rate=0.5, steps=4, neighbouring="zero_out")


@pytest.mark.skipif(IS_2_0, reason="the plans of JAX-Privacy from 2.2 on")
def test_a_plan_says_what_it_runs_and_for_which_neighbours():
    plan = participating(0.5, noise_multiplier=2.0).make()
    run = from_dp_event(plan.dp_event, neighbouring=plan.neighboring_relation)
    assert run == DPSGD(noise_multiplier=2.0, sample_rate=0.5, steps=4)
    assert run.neighbouring == "add_remove"
    public = participating(0.5, noise_multiplier=2.0, num_examples=100).make()
    run = from_dp_event(public.dp_event, neighbouring=public.neighboring_relation)
    assert run.neighbouring == "zero_out"


@pytest.mark.skipif(IS_2_0, reason="the plans of JAX-Privacy from 2.2 on")
@pytest.mark.parametrize("more", [{}, {"num_examples": 40, "truncated_batch_size": 12}])
def test_a_plan_is_calibrated_by_our_accountant(more):
    plain = participating(0.5, **more)
    config = plain.calibrate(epsilon=2.0, delta=1e-5, accountant_fn=GdpnumAccountant)
    accountant = GdpnumAccountant(config.make().neighboring_relation)
    accountant.compose(config.make().dp_event)
    assert 1.999 <= accountant.get_epsilon(1e-5) <= 2.0
    # Theirs is a bound from above too, of truncated batches a loose one (docs/batches.md).
    by_theirs = plain.calibrate(epsilon=2.0, delta=1e-5).noise_multiplier
    assert config.noise_multiplier <= 1.001 * by_theirs
    if not more:
        assert config.noise_multiplier == pytest.approx(by_theirs, rel=0.01)


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
