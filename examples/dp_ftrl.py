"""DP-FTRL as it was deployed: a published rho in Gaussian DP, and strategies of one's own."""

import gdpnum

# Gboard's first language model with a formal guarantee, of Spanish (Google, 2022): rho = .81 of
# zCDP. The mechanism is Gaussian, so mu = sqrt(2 rho) and nothing is lost.
mu = gdpnum.mu_from_rho(0.81, assuming="gaussian")
print(f"published: mu = {mu:.3f}, TPR <= {gdpnum.tpr_from_mu(mu, 0.01):.3f} at FPR = 0.01")

# The tree that DP-FTRL began with, and a banded Toeplitz strategy, both over 2048 rounds in which
# a phone takes part at most six times, at least 256 rounds apart; with noise for that same mu.
for name, strategy in (("tree", "tree"), ("banded", [1.0, 0.5, 0.375, 0.3125])):
    run = gdpnum.MatrixMechanism(
        strategy=strategy,
        steps=2048,
        noise_multiplier=1.0,
        min_separation=256,
        max_participations=6,
    )
    sensitivity = gdpnum.fit_gdp(run).mu
    print(f"{name}: sensitivity {sensitivity:.3f}, noise multiplier {sensitivity / mu:.3f}")
