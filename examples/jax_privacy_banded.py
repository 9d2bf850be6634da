"""Banded matrix factorisation with JAX-Privacy, calibrated by gdpnum and reported in Gaussian DP.

Needs ``pip install '.[jax]'``.
"""

import dp_accounting
import numpy as np

import gdpnum
from gdpnum.integrations.dp_accounting import GdpnumAccountant, from_dp_event

try:
    from jax_privacy import execution_plan
except ImportError:
    from jax_privacy.experimental import execution_plan  # 2.0

# Four bands: a record may join one step in four, each with probability 0.04, ten times in all.
strategy = np.array([1.0, 0.5, 0.375, 0.3125])

# JAX-Privacy calibrates the noise with our accountant, and tells what it will run.
if hasattr(execution_plan, "BandMFConfig"):
    plan = (
        execution_plan.BandMFConfig(iterations=1000, strategy=strategy, expected_participations=10)
        .calibrate(epsilon=2.0, delta=1e-5, accountant_fn=GdpnumAccountant)
        .make()
    )
    event, relation = plan.dp_event, plan.neighboring_relation
elif hasattr(execution_plan.BandMFExecutionPlanConfig, "calibrate"):  # 2.2
    plan = (
        execution_plan.BandMFExecutionPlanConfig(
            iterations=1000, strategy=strategy, sampling_prob=0.04
        )
        .calibrate(epsilon=2.0, delta=1e-5, accountant_fn=GdpnumAccountant)
        .make()
    )
    event, relation = plan.dp_event, plan.neighboring_relation
else:  # 2.0, by default for a record replaced by one that contributes nothing
    relation = dp_accounting.NeighboringRelation.REPLACE_SPECIAL
    config = execution_plan.BandMFExecutionPlanConfig(
        iterations=1000,
        strategy=strategy,
        epsilon=2.0,
        delta=1e-5,
        sampling_prob=0.04,
        accountant=GdpnumAccountant(relation),
    )
    event = config.plan.dp_event

run = from_dp_event(event, neighbouring=relation)

fit = gdpnum.fit_gdp(run)
curve = gdpnum.tradeoff_curve(run)
print(run)
print(f"mu = {fit.mu:.3f} with slack {fit.slack:g} and regret {fit.regret:.3f}")
print(f"epsilon = {curve.epsilon(1e-5):.3f} at delta = 1e-5")
