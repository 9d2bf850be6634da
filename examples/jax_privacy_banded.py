"""Banded matrix factorisation with JAX-Privacy, calibrated by gdpnum and reported in Gaussian DP.

Needs ``pip install '.[jax]'``.
"""

import dp_accounting
import numpy as np
from jax_privacy.experimental import execution_plan

import gdpnum
from gdpnum.integrations.dp_accounting import GdpnumAccountant, from_dp_event

# The default of JAX-Privacy for banded factorisations: a record is replaced by one that
# contributes nothing.
accountant = GdpnumAccountant(dp_accounting.NeighboringRelation.REPLACE_SPECIAL)

# Four bands: a record may join one step in four, each with the sampling probability.
config = execution_plan.BandMFExecutionPlanConfig(
    iterations=1000,
    strategy=np.array([1.0, 0.5, 0.375, 0.3125]),
    epsilon=2.0,
    delta=1e-5,
    sampling_prob=0.04,
    accountant=accountant,
)

# JAX-Privacy calibrates the noise with our accountant, and tells what it will run. gdpnum has no
# name for that relation and warns that it labels the run "add_remove", which has the same numbers.
run = from_dp_event(config.plan.dp_event, neighbouring=accountant.neighboring_relation)

fit = gdpnum.fit_gdp(run)
curve = gdpnum.tradeoff_curve(run)
print(run)
print(f"mu = {fit.mu:.3f} with slack {fit.slack:g} and regret {fit.regret:.3f}")
print(f"epsilon = {curve.epsilon(1e-5):.3f} at delta = 1e-5")
