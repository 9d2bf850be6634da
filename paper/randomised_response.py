"""Figure 5b: randomised response, where mu is a poor summary, and Propositions 6.1 and 6.2."""

from __future__ import annotations

import gdpnum
from gdpnum import plot
from paper.canvas import figure_of, panels, relabelled
from paper.claim import Claim
from paper.result import Picture, Section, Table, bound

__all__ = ["randomised_response"]

_EPSILON = 1.0


def randomised_response() -> Section:
    """Figure 5b."""
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
        slug="figure-5b",
        title="Figure 5b: randomised response, epsilon = 1",
        lead=(
            "Mu is not for every mechanism. Every epsilon-DP mechanism has a finite mu, and "
            "randomised response needs all of it; its regret is above 0.01, so its curve, or here "
            "simply epsilon, is the better report. A lone (epsilon, delta)-DP guarantee has none: "
            f"{(lone.reason or '').partition(';')[0]}."
        ),
        tables=(Table("figure-5b", "Randomised response", ("number", "here"), rows),),
        pictures=(
            Picture(
                {"figure-5b": figure_of(ax)},
                "Figure 5b. The trade-off curve of randomised response (thick) has one corner, "
                "which the curve of mu (dashed) touches.",
                "Two straight lines that meet in a corner; the curve of mu runs below them.",
            ),
        ),
        claims=_claims(curve, fit, lone),
    )


def _claims(
    curve: gdpnum.TradeoffCurve, fit: gdpnum.GDPFit, lone: gdpnum.GDPFit
) -> tuple[Claim, ...]:
    fpr = 1e-4
    by_mu = gdpnum.tpr_from_mu(fit.mu, fpr)
    select = gdpnum.mu_from_epsilon(0.5 * _EPSILON)
    return (
        Claim(
            "Section 6",
            "Any epsilon-DP mechanism is mu-GDP with mu = -2 Phi^-1(1/(exp(epsilon) + 1)) "
            "(Prop. 6.1).",
            f"epsilon = 1: {gdpnum.mu_from_epsilon(1.0):.5f}; randomised response needs "
            f"{fit.mu_lower:.5f} at least, even with a slack of 1e-10.",
            "holds",
        ),
        Claim(
            "Section 6",
            "For randomised response with epsilon = 1 the regret of mu is 0.058.",
            f"{fit.regret:.4f}.",
            "holds",
        ),
        Claim(
            "Section 6",
            "There mu is tight at the corner and at FPR 0 and 1, and very conservative at small "
            "FPRs.",
            f"At FPR {fpr:g} the TPR is at most {curve.tpr(fpr):.2e}; mu would allow {by_mu:.2e}, "
            f"{by_mu / curve.tpr(fpr):.0f} times as much.",
            "holds",
        ),
        Claim(
            "Section 6",
            "A mechanism known only by (epsilon, delta > 0) may have no finite mu (Prop. 6.2).",
            f"(1, 1e-5): mu = {lone.mu:g}; {(lone.reason or '').partition(':')[0]}.",
            "holds",
        ),
        Claim(
            "Section 6",
            "Whether report noisy max has a closed form in general is open.",
            "With Gumbel noise, which is the exponential mechanism, it has one: the curve "
            "(1 - a)/(1 + (exp(epsilon) - 1) a), hence mu = -2 Phi^-1(1/(exp(epsilon/2) + 1)), "
            f"{select:.4f} at epsilon = 1. With Laplace or exponential noise its curve is nowhere "
            "below that of the Laplace mechanism. See the page on selection in the documentation.",
            "holds with a condition",
        ),
        Claim(
            "Section 6",
            "Smooth sensitivity and propose-test-release are analysed by epsilon and delta only.",
            "gdpnum computes nothing for them but what PureDP or ApproxDP says.",
            "not judged",
        ),
        Claim(
            "Section 8",
            "As mu is a bound whatever the regret, values of mu are comparable across any "
            "mechanisms.",
            f"As bounds they are, at one slack. But randomised response (mu = {fit.mu:.3f}) beats "
            f"the Gaussian mechanism with mu = 1 at FPR {fpr:g}: TPR {curve.tpr(fpr):.1e} against "
            f"{gdpnum.tpr_from_mu(1.0, fpr):.1e}. Where the regret is not small, compare the "
            "curves: gdpnum.compare does.",
            "holds with a condition",
        ),
    )
