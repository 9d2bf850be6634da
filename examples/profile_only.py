"""A mechanism of which only the privacy profile is known, delta as a function of epsilon."""

import math

import gdpnum


def profile(epsilon: float) -> float:
    """The delta that its paper proves."""
    return 1.0 - math.exp((epsilon - 1.0) / 2.0) if epsilon < 1.0 else 0.0


# Between epsilons it is read pessimistically, so what follows holds.
curve = gdpnum.TradeoffCurve.from_profile(profile)
fit = gdpnum.fit_gdp(curve)
print(f"mu = {fit.mu:.3f} with slack {fit.slack:g} and regret {fit.regret:.3f}")
print(f"TPR <= {curve.tpr(0.01):.4f} at FPR = 0.01")

# The regret is above 0.01, so mu alone is not a good report; the statement has the tables too.
print(gdpnum.statement(curve).verdict)

# A table of pairs is a profile as well. Its last delta stays, however large epsilon, so mu is
# infinite at a smaller slack; the TPRs are bounded all the same.
table = gdpnum.TradeoffCurve.from_profile([0.5, 1.0, 2.0, 4.0], [0.2, 0.08, 1e-3, 1e-6])
print(f"TPR <= {table.tpr(0.01):.4f} at FPR = 0.01, and mu is {gdpnum.fit_gdp(table).mu}")

# Five such releases together.
five = gdpnum.fit_gdp(gdpnum.KnownCurve(curve) * 5)
print(f"five of them: mu = {five.mu:.3f}")
