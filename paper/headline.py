"""Figures 1a and 1b: what mu, the whole curve and one (epsilon, delta) say of the same run."""

from __future__ import annotations

from typing import Any

import numpy as np

import gdpnum
from gdpnum import plot
from paper.canvas import figure_of, panels, relabelled
from paper.result import Picture, Section, Table, bound
from paper.settings import HEADLINE

__all__ = ["headline"]

_DELTA, _FPR = 1e-5, 0.1


def headline() -> Section:
    """Figures 1a and 1b, with the numbers of the text."""
    found = gdpnum.statement(HEADLINE, tolerance=1e-5)
    curve = gdpnum.tradeoff_curve(HEADLINE, tolerance=1e-5)
    pair = gdpnum.ApproxDP.fit(HEADLINE, delta=_DELTA, tolerance=1e-5)
    by_mu = gdpnum.GDP(mu=found.mu, slack=found.slack)
    rows = (
        ("mu, at slack 1e-10", bound(found.mu, "1.57")),
        ("regret of mu", bound(found.regret, "0.001")),
        ("TPR at FPR 10 %, in %: the whole curve", bound(100.0 * curve.tpr(_FPR), "61")),
        ("TPR at FPR 10 %, in %: mu alone", bound(100.0 * gdpnum.risk.tpr(by_mu, _FPR), "61")),
        (
            f"TPR at FPR 10 %, in %: ({pair.epsilon:.2f}, 1e-5)-DP alone",
            bound(100.0 * pair.curve().tpr(_FPR), "99.95", digits=5),
        ),
    )
    return Section(
        slug="figure-1ab",
        title="Figures 1a and 1b: one run, three ways to report it",
        lead=(
            "DP-SGD with noise multiplier 9.4, batches of 16,384 out of 50,000 records and 2,000 "
            "steps. Mu says nearly what the whole curve says; the single pair of epsilon and delta "
            "says next to nothing."
        ),
        tables=(Table("figure-1ab", "The numbers of the text", ("number", "here"), rows),),
        pictures=(_tradeoff(found), _beside_pair(found, pair)),
    )


def _tradeoff(found: gdpnum.Statement) -> Picture:
    (ax,) = panels(1, square=True)
    plot.tradeoff(found, ax=ax)
    return Picture(
        "figure-1a",
        figure_of(ax),
        "Figure 1a. The trade-off curve f of the run (thick) and f_mu (thin, dashed).",
        "Two curves that fall from (0, 1) to (1, 0), one on top of the other.",
    )


def _beside_pair(found: gdpnum.Statement, pair: gdpnum.ApproxDP) -> Picture:
    linear, log = panels(2, square=True)
    plot.tradeoff(found, ax=linear)
    plot.roc(found, ax=log)
    name = f"({pair.epsilon:.2f}, 1e-5)-DP"
    fprs = np.array([0.0, *np.geomspace(1e-6, 1.0, 400)])
    tprs = np.asarray(pair.curve().tpr(fprs))
    style: dict[str, Any] = {"color": "#000000", "linestyle": "-.", "linewidth": 1.2}
    linear.plot(fprs, 1.0 - tprs, **style, label=name, clip_on=False)
    log.plot(fprs[1:], tprs[1:], **style, label=name)
    for ax in (linear, log):
        by_mu = f"mu = {bound(found.mu, digits=3).shown}"
        relabelled(ax, {"this run": "this run", "mu": by_mu, "(": name})
    return Picture(
        "figure-1b",
        figure_of(linear),
        "Figure 1b. The same with what the pair of epsilon and delta alone allows (dash-dotted). "
        "Left: the least FNR. Right: the most TPR, on logarithmic axes.",
        "The curve of the pair hugs the axes, far from the run; that of mu lies on the run's.",
    )
