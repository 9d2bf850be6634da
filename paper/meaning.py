"""Figure 2: what Delta means, a shift along the diagonal."""

from __future__ import annotations

import numpy as np

import gdpnum
from gdpnum import plot
from paper.canvas import FONT, GREY, figure_of, panels, relabelled
from paper.claim import Claim
from paper.result import Picture, Section, Table, bound

__all__ = ["meaning"]

# A guarantee that gives so much away that it can be seen.
_DELTA = 0.1


def meaning() -> Section:
    """Figure 2."""
    mechanism = gdpnum.Gaussian(sigma=1.0)
    f = gdpnum.tradeoff_curve(mechanism)
    summary = gdpnum.ApproxDP.fit(mechanism, delta=_DELTA)
    g = summary.curve()
    found = gdpnum.delta_divergence(f, g)
    errors = [gdpnum.risk.bayes_error(one, prior=_prior(found.epsilon)) for one in (f, g)]
    rows = (
        ("Delta(f, g)", bound(found.value)),
        ("probability of error that f leaves the attacker", f"{errors[0]:.4f}"),
        ("probability of error that g leaves the attacker", f"{errors[1]:.4f}"),
        ("their difference", f"{errors[0] - errors[1]:.4f}"),
    )
    return Section(
        slug="figure-2",
        title="Figure 2: what Delta means",
        lead=(
            "Delta is the least k for which f, moved by k to the left and by k down, is nowhere "
            "above g. It is also the most by which g can understate an attacker's probability of "
            f"error, over all priors: here it does so at a prior of {_prior(found.epsilon):.2f}. "
            f"f is the Gaussian mechanism with sigma = 1, g what ({summary.epsilon:.2f}, "
            f"{_DELTA:g})-DP alone says of it."
        ),
        tables=(Table("figure-2", "Delta by its two definitions", ("number", "here"), rows),),
        pictures=(_picture(f, g, found),),
        claims=_claims(found, errors),
    )


def _claims(found: gdpnum.DeltaDivergence, errors: list[float]) -> tuple[Claim, ...]:
    run = gdpnum.GDP(mu=1.0).curve()
    perfect = gdpnum.delta_divergence(gdpnum.GDP(mu=0.0).curve(), run).value
    apart = gdpnum.GDP(mu=1.2).curve()
    gain = apart.advantage - run.advantage
    most = 2.0 * gdpnum.delta_divergence(run, apart).value
    return (
        Claim(
            "Appendix D",
            "Delta is the most, over priors, by which the summary understates an attacker's "
            "probability of error.",
            f"In Figure 2 Delta is {found.value:.4f}, and so is the difference of the errors at "
            f"the worst prior: {errors[0] - errors[1]:.4f}.",
            "holds",
        ),
        Claim(
            "Appendix D",
            "From perfect privacy Delta is half the advantage.",
            f"mu = 1: Delta {perfect:.6f}, half the advantage {0.5 * run.advantage:.6f}.",
            "holds",
        ),
        Claim(
            "Section 4",
            "Advantages differ by at most twice Delta; a regret below 0.01 overstates the "
            "advantage by at most 2 percentage points.",
            f"mu = 1 against 1.2: {gain:.5f}, at most {most:.5f}.",
            "holds",
        ),
    )


def _prior(epsilon: float) -> float:
    """The prior of membership at which the slope of the curve is -exp(epsilon)."""
    return 1.0 / (1.0 + float(np.exp(epsilon)))


def _picture(
    f: gdpnum.TradeoffCurve, g: gdpnum.TradeoffCurve, found: gdpnum.DeltaDivergence
) -> Picture:
    (ax,) = panels(1, square=True)
    shift = found.value
    plot.comparison({"f": f, "g": g}, ax=ax)
    alphas = np.linspace(0.0, 1.0, 801)
    ax.plot(
        alphas - shift,
        np.asarray(f.beta(alphas)) - shift,
        color=GREY,
        linestyle=(0, (2, 1.5)),
        linewidth=1.0,
        label="moved",
    )
    touched = found.alpha + shift
    relabelled(ax, {"moved": "f, moved by Delta"})
    for at in (0.16, touched, 0.55):
        ax.annotate(
            "",
            (at - shift, f.beta(at) - shift),
            (at, f.beta(at)),
            arrowprops={
                "arrowstyle": "-|>",
                "color": "#222222",
                "linewidth": 0.8 if at == touched else 0.4,
                "shrinkA": 0.0,
                "shrinkB": 0.0,
            },
        )
    # By hand: the arrows are no lines, which labels would avoid.
    flat, steep = 0.62, 0.4
    for name, place, offset in (
        ("Delta", (touched, f.beta(touched)), (3.0, 3.0)),
        ("f", (flat, f.beta(flat)), (3.0, 4.0)),
        ("g", (steep, g.beta(steep)), (-8.0, -8.0)),
    ):
        ax.annotate(
            name, place, xytext=offset, textcoords="offset points", fontsize=FONT, color="#222222"
        )
    return Picture(
        {"figure-2": figure_of(ax)},
        f"Figure 2. Moved by Delta = {shift:.3f} to the left and down, f (solid) touches g "
        "(dashed) and is nowhere above it.",
        "Two falling curves; arrows along the diagonal lead from the upper to the lower one.",
    )
