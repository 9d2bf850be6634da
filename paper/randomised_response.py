"""Figure 4b: randomised response, where mu is a poor summary, and Propositions 6.1 and 6.2."""

from __future__ import annotations

import gdpnum
from gdpnum import plot
from paper.canvas import figure_of, panels, relabelled
from paper.result import Picture, Section, Table, bound

__all__ = ["randomised_response"]

_EPSILON = 1.0


def randomised_response() -> Section:
    """Figure 4b."""
    run = gdpnum.RandomizedResponse(epsilon=_EPSILON)
    curve = gdpnum.tradeoff_curve(run)
    fit = gdpnum.fit_gdp(run)
    lone = gdpnum.fit_gdp(gdpnum.ApproxDP(epsilon=_EPSILON, delta=1e-5))
    rows = (
        (
            "mu, by Prop. 6.1: -2 Phi^-1(1/(e + 1))",
            bound(gdpnum.mu_from_epsilon(_EPSILON), digits=6),
        ),
        (
            "mu of randomised response, slack 1e-10",
            bound(fit.mu, digits=6),
        ),
        ("regret of mu", bound(fit.regret, "0.058", digits=3)),
        ("mu of a lone (1, 1e-5)-DP guarantee, by Prop. 6.2", bound(lone.mu)),
    )
    (ax,) = panels(1, square=True)
    plot.tradeoff(curve, ax=ax, mu=fit.mu)
    relabelled(ax, {"this run": "this run", "mu": f"mu = {bound(fit.mu).shown}"})
    return Section(
        slug="figure-4b",
        title="Figure 4b: randomised response, epsilon = 1",
        lead=(
            "Mu is not for every mechanism. Every epsilon-DP mechanism has a finite mu, and "
            "randomised response needs all of it; its regret is above 0.01, so its curve, or here "
            "simply epsilon, is the better report. A lone (epsilon, delta)-DP guarantee has none: "
            f"{(lone.reason or '').partition(';')[0]}."
        ),
        tables=(Table("figure-4b", "Randomised response", ("number", "here"), rows),),
        pictures=(
            Picture(
                "figure-4b",
                figure_of(ax),
                "Figure 4b. The trade-off curve of randomised response (thick) has one corner, "
                "which the curve of mu (dashed) touches.",
                "Two straight lines that meet in a corner; the curve of mu runs below them.",
            ),
        ),
    )
