"""Choose the noise of DP-SGD by the risk you accept, not by an epsilon."""

import gdpnum

# 20 epochs over 50,000 records in batches of 500. The risk accepted: an attacker who wrongly
# accuses 1 in 1,000 non-members finds out at most 1 in 100 members.
found = gdpnum.calibrate_dpsgd(sample_rate=500 / 50_000, steps=2000, tpr=0.01, fpr=0.001)

print(f"noise multiplier {found.noise_multiplier:.3f}")
print(f"TPR <= {found.achieved:.5f} at FPR = 0.001")

# What that means in other words.
fit = gdpnum.fit_gdp(found.mechanism)
curve = gdpnum.tradeoff_curve(found.mechanism)
share = gdpnum.risk.positive_predictive_value(found.mechanism, prior=0.01, fpr=0.001)
print(f"mu = {fit.mu:.3f} with slack {fit.slack:g} and regret {fit.regret:.3f}")
print(f"epsilon = {curve.epsilon(1e-5):.2f} at delta = 1e-5")
print(f"of those accused, at most {100 * share:.0f} % are members, if 1 in 100 is one")
