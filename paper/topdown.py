"""Figure 4a: the TopDown algorithm of the 2020 US census."""

from __future__ import annotations

import math
import time

import gdpnum
from gdpnum import plot
from paper import settings
from paper.canvas import figure_of, panels, relabelled
from paper.result import Picture, Section, Table, bound
from gdpnum.statements.numbers import delta_shown

__all__ = ["topdown"]

# Enough for a regret whose bound is below 1e-7, in a fraction of a second.
_TOLERANCE = 2e-7


def topdown() -> Section:
    """Figure 4a, with how long it took."""
    run = settings.topdown()
    begun = time.perf_counter()
    fit = gdpnum.fit_gdp(run, tolerance=_TOLERANCE)
    seconds = time.perf_counter() - begun
    curve = gdpnum.tradeoff_curve(run, tolerance=1e-5)
    rows = (
        ("mu, at slack 1e-10", bound(fit.mu, "2.702", digits=7)),
        ("sqrt(2 rho), the mu of Gaussian noise", f"{math.sqrt(2 * settings.TOPDOWN_RHO):.6f}"),
        ("regret of mu, at most", bound(fit.regret, digits=2)),
        ("epsilon at delta = 1e-10", bound(curve.epsilon(1e-10))),
        ("seconds for mu and its regret", f"{seconds:.2f}"),
    )
    return Section(
        slug="figure-4a",
        title="Figure 4a: TopDown, the 2020 US census",
        lead=(
            "Eighty queries with discrete Gaussian noise, ten on each of eight geographic levels, "
            "rho = 3.65 in all. Integer noise of this size is as good as Gaussian noise: mu is "
            "sqrt(2 rho). The paper has a regret below 1e-7, and so have we, as a bound. The "
            "accounting published before took over 9 hours on 96 CPUs."
        ),
        tables=(
            Table("figure-4a", "Mu of TopDown", ("number", "here"), rows),
            _levels(),
        ),
        pictures=(_picture(curve, fit.mu),),
        notes=(
            "That regret is a bound, printed as measured, at a tolerance of "
            f"{delta_shown(_TOLERANCE)}. At the usual tolerance of 1e-3 the bound is 4e-4: what is "
            "known then, not what is true.",
        ),
    )


def _levels() -> Table:
    rows = tuple(
        (f"{number}", f"{share:g} %", f"{settings.topdown_sigma(share):.4f}")
        for number, share in enumerate(settings.TOPDOWN_SHARES, start=1)
    )
    return Table("figure-4a-levels", "The eight levels", ("level", "share of rho", "sigma"), rows)


def _picture(curve: gdpnum.TradeoffCurve, mu: float) -> Picture:
    axes = panels(2, square=True)
    plot.tradeoff(curve, ax=axes[0], mu=mu)
    plot.profile(curve, ax=axes[1], mu=mu)
    for ax in axes:
        relabelled(ax, {"this run": "TopDown", "mu": f"mu = {bound(mu).shown}"})
    return Picture(
        "figure-4a",
        figure_of(axes[0]),
        "Figure 4a. TopDown's trade-off curve (left) and privacy profile (right), each with that "
        "of mu.",
        "In both panels the line of mu lies on that of TopDown.",
    )
