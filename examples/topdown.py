"""The TopDown algorithm of the 2020 US census, in Gaussian DP: a fraction of a second."""

import math

import gdpnum

# Shares of the privacy budget by geographic level, from the nation to the blocks.
SHARES = [0.02, 0.274, 0.085, 0.131, 0.131, 0.238, 0.118, 0.003]
RHO, QUERIES = 3.65, 10

# Each level answers ten queries with discrete Gaussian noise.
sigmas = [math.sqrt(QUERIES / (2 * share * RHO)) for share in SHARES]
run = gdpnum.Composed(gdpnum.DiscreteGaussian(sigma=sigma) * QUERIES for sigma in sigmas)

fit = gdpnum.fit_gdp(run, tolerance=2e-7)
print(f"mu = {fit.mu:.4f}, between {fit.mu_lower:.7f} and {fit.mu:.7f}, slack {fit.slack:g}")
print(f"sqrt(2 rho) = {math.sqrt(2 * RHO):.4f}, the mu of Gaussian noise")
print(f"regret below 1e-7: {fit.regret < 1e-7}")
