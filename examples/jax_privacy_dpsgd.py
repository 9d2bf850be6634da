"""DP-SGD with JAX-Privacy, reported in Gaussian DP.

JAX-Privacy describes a training run by an event of dp-accounting; gdpnum reads the event. Needs
``pip install '.[jax]'``.
"""

import gdpnum
from gdpnum.integrations.dp_accounting import from_dp_event

try:
    from jax_privacy.experimental import accounting  # 2.0
except ImportError:
    from jax_privacy import accounting

# The event that JAX-Privacy accounts for: 3 epochs of MNIST in batches of 600.
event = accounting.dpsgd_event(noise_multiplier=1.0, iterations=300, sampling_prob=0.01)

# An event does not say what its neighbours are, so you do.
run = from_dp_event(event, neighbouring="add_remove")

fit = gdpnum.fit_gdp(run)
curve = gdpnum.tradeoff_curve(run)
print(run)
print(f"mu = {fit.mu:.3f} with slack {fit.slack:g} and regret {fit.regret:.3f}")
print(f"epsilon = {curve.epsilon(1e-5):.3f} at delta = 1e-5")
print(f"TPR <= {curve.tpr(0.01):.4f} at FPR = 0.01")
