"""Appendix B: bounds on membership inference, by mu and by pairs of epsilon and delta."""

from __future__ import annotations

import numpy as np

import gdpnum
from gdpnum import plot
from paper.canvas import FONT, GREY, figure_of, panels, relabelled
from paper.result import Picture, Section, Table, bound
from gdpnum.statements.numbers import delta_shown

__all__ = ["attacks"]

_EPSILON, _DELTA = 8.0, 1e-5
_DELTAS = (1e-9, 1e-5, 1e-3, 0.03, 0.3)
_MANY = np.geomspace(0.5, 1e-12, 60)  # so that epsilons rise
_FPRS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)


def attacks() -> Section:
    """The figure of appendix B."""
    mu = gdpnum.mu_from_epsilon_delta(_EPSILON, _DELTA)
    gdp = gdpnum.GDP(mu=mu)
    alone = gdpnum.ApproxDP(epsilon=_EPSILON, delta=_DELTA).curve()
    epsilons = [gdpnum.epsilon_from_mu(mu, float(delta)) for delta in _MANY]
    envelope = gdpnum.TradeoffCurve.from_profile(epsilons, _MANY.tolist())
    rows = tuple(
        (
            delta_shown(fpr),
            bound(gdp.curve().tpr(fpr)),
            bound(envelope.tpr(fpr)),
            bound(alone.tpr(fpr)),
        )
        for fpr in _FPRS
    )
    head = ("FPR", "TPR by mu", f"TPR by {len(_MANY)} pairs", "TPR by (8, 1e-5) alone")
    return Section(
        slug="appendix-b",
        title="Appendix B: bounds on membership inference",
        lead=(
            f"The Gaussian mechanism that is just (8, 1e-5)-DP has mu = {mu:.4f}. Each pair of "
            "epsilon and delta bounds the TPR well at one FPR only; the lower envelope of many is "
            "what mu says at once."
        ),
        tables=(Table("appendix-b", "The most TPR at an FPR", head, rows),),
        pictures=(_picture(gdp, envelope),),
    )


def _picture(gdp: gdpnum.GDP, envelope: gdpnum.TradeoffCurve) -> Picture:
    (ax,) = panels(1, square=True, titles=True)
    fprs = np.geomspace(1e-6, 1.0, 400)
    plot.roc(envelope, ax=ax, mu=gdp.mu)
    tops = {}
    for delta in _DELTAS:
        epsilon = gdpnum.epsilon_from_mu(gdp.mu, delta)
        curve = gdpnum.ApproxDP(epsilon=epsilon, delta=delta).curve()
        tprs = np.asarray(curve.tpr(fprs))
        ax.plot(
            fprs, tprs, color=GREY, linewidth=0.8, linestyle=(0, (1, 1.5)), label="a pair", zorder=1
        )
        # Where the pair begins to allow everything.
        tops[delta_shown(delta)] = float(fprs[np.argmax(tprs > 0.98)])
    lines = {"this run": "envelope of 60", "mu": f"mu = {bound(gdp.mu, digits=3).shown}"}
    relabelled(ax, lines)
    for name, at in {"delta:": 2e-6, **tops}.items():
        ax.text(at, 1.6, name, ha="center", va="bottom", fontsize=FONT - 1.0, color="#222222")
    return Picture(
        "appendix-b",
        figure_of(ax),
        "Appendix B. The most TPR at an FPR: by single pairs of epsilon and delta (dotted), by the "
        "lower envelope of sixty of them (thick) and by mu (dashed).",
        "Dotted curves, one for each delta, touch the line of mu from above at one point each; "
        "their lower envelope lies on it.",
    )
