"""Figure 6: a privacy profile, and the bounds on membership inference that its points imply."""

from __future__ import annotations

import numpy as np

import gdpnum
from paper.canvas import FONT, GREY, ORANGE, RUN, figure_of, panels
from paper.claim import Claim
from paper.result import Picture, Section, Table, bound, chosen

__all__ = ["attacks"]

_EPSILON, _DELTA = 8.0, 1e-5
_DELTAS = (1e-9, 1e-7, 1e-3, 0.03, 0.3)
_MANY = np.geomspace(0.5, 1e-12, 60)  # so that epsilons rise
_FPRS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)


def attacks() -> Section:
    """Figure 6."""
    mu = gdpnum.mu_from_epsilon_delta(_EPSILON, _DELTA)
    gdp = gdpnum.GDP(mu=mu)
    alone = gdpnum.ApproxDP(epsilon=_EPSILON, delta=_DELTA).curve()
    epsilons = [gdpnum.epsilon_from_mu(mu, float(delta)) for delta in _MANY]
    envelope = gdpnum.TradeoffCurve.from_profile(epsilons, _MANY.tolist())
    rows = tuple(
        (
            chosen(fpr),
            bound(gdp.curve().tpr(fpr)),
            bound(envelope.tpr(fpr)),
            bound(alone.tpr(fpr)),
        )
        for fpr in _FPRS
    )
    head = ("FPR", "TPR by mu", f"TPR by {len(_MANY)} pairs", "TPR by (8, 1e-5) alone")
    return Section(
        slug="figure-6",
        title="Figure 6: bounds on membership inference",
        lead=(
            f"The Gaussian mechanism that is just (8, 1e-5)-DP has mu = {mu:.4f}. Each point of "
            "its profile is a pair of epsilon and delta that bounds the TPR well at one FPR only; "
            "the lower envelope of all of them is what mu says at once."
        ),
        tables=(Table("figure-6", "The most TPR at an FPR", head, rows),),
        pictures=(_picture(gdp),),
        claims=_claims(gdp, envelope, alone),
    )


def _picture(gdp: gdpnum.GDP) -> Picture:
    upper, lower = panels(1, 2, size=(3.6, 2.7))
    for ax, horizontal, vertical in (
        (upper, "Epsilon", "Delta"),
        (lower, "False positive rate", "True positive rate, at most"),
    ):
        ax.set_xlabel(horizontal, fontsize=FONT)
        ax.set_ylabel(vertical, fontsize=FONT)
        ax.tick_params(labelsize=FONT - 1.0)
        ax.spines[["top", "right"]].set_visible(False)
    epsilons = np.linspace(0.0, 12.5, 300)
    upper.plot(epsilons, np.asarray(gdp.curve().delta(epsilons)), color=RUN, linewidth=2.2)
    others = [gdpnum.epsilon_from_mu(gdp.mu, delta) for delta in _DELTAS]
    upper.plot(others, _DELTAS, "o", color=ORANGE, markersize=4.5)
    upper.plot([_EPSILON], [_DELTA], "o", color=RUN, markersize=10.0, markeredgecolor="#222222")
    upper.annotate(
        "(8, 1e-5)", (_EPSILON, _DELTA), xytext=(9.0, 7.0), textcoords="offset points",
        fontsize=FONT,
    )  # fmt: skip
    upper.set(yscale="log", xlim=(0.0, 12.5), ylim=(1e-10, 2.0))
    fprs = np.geomspace(1e-6, 1.0, 500)
    for delta, epsilon in zip(_DELTAS, others, strict=True):
        curve = gdpnum.ApproxDP(epsilon=epsilon, delta=delta).curve()
        tprs = np.asarray(curve.tpr(fprs))
        lower.plot(fprs, tprs, color=ORANGE, linewidth=0.9, linestyle="--")
    alone = gdpnum.ApproxDP(epsilon=_EPSILON, delta=_DELTA).curve()
    lower.plot(fprs, np.asarray(gdp.curve().tpr(fprs)), color=RUN, linewidth=2.8)
    lower.plot(fprs, np.asarray(alone.tpr(fprs)), color="#222222", linewidth=1.3)
    lower.plot(fprs, fprs, color=GREY, linewidth=0.6)
    lower.annotate(
        "(8, 1e-5) alone", (4e-6, alone.tpr(4e-6)), xytext=(2e-4, 3e-5), fontsize=FONT,
        arrowprops={"arrowstyle": "-", "color": "#222222", "linewidth": 0.5},
    )  # fmt: skip
    lower.annotate(
        f"mu = {bound(gdp.mu, digits=3).shown}: the envelope", (3e-3, gdp.curve().tpr(3e-3)),
        xytext=(1.2e-2, 2e-3), fontsize=FONT,
        arrowprops={"arrowstyle": "-", "color": RUN, "linewidth": 0.5},
    )  # fmt: skip
    lower.set(xscale="log", yscale="log", xlim=(1e-6, 1.0), ylim=(1e-6, 1.5))
    return Picture(
        {"figure-6": figure_of(upper)},
        "Figure 6. Top: the profile of the Gaussian mechanism through (8, 1e-5), the large dot, "
        "with other points of it at delta = "
        + ", ".join(map(chosen, _DELTAS))
        + ". Bottom: the most TPR at an FPR by (8, 1e-5) alone (thin, dark), by the other points "
        "(dashed) and by all of them, which is mu (thick).",
        "Top, a falling curve with a large dot at epsilon 8 and small ones along it. Bottom, each "
        "point's bound touches the thick line at one place and is above it elsewhere; that of "
        "(8, 1e-5) reaches 1 at an FPR of a few ten-thousandths.",
    )


def _claims(
    gdp: gdpnum.GDP, envelope: gdpnum.TradeoffCurve, alone: gdpnum.TradeoffCurve
) -> tuple[Claim, ...]:
    fprs = np.array(_FPRS)
    apart = np.asarray(envelope.tpr(fprs)) / np.asarray(gdp.curve().tpr(fprs))
    return (
        Claim(
            "Appendix B",
            "The bound by (8, 1e-5) alone much understates the protection.",
            f"At FPR 0.001 it allows a TPR of {alone.tpr(1e-3):.3f} where "
            f"{gdp.curve().tpr(1e-3):.4f} is the most.",
            "holds",
        ),
        Claim(
            "Appendix B",
            "The best bound is the lower envelope over delta.",
            f"Sixty points of the profile are within {100.0 * (apart.max() - 1.0):.1f} % of it.",
            "holds",
        ),
    )
