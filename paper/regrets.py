"""Figure 1c: the regret of each representation, and why two of the paper's are too large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gdpnum
from paper.claim import Claim
from paper.result import Cell, Finding, Number, Section, Table, bound, chosen
from paper.settings import HEADLINE, LAPLACE

__all__ = ["regrets"]

_DELTA = 1e-5
_LAPLACE_ORDERS = 1.0 + np.geomspace(1e-4, 1e4, 600)
_ORDERS = 1.0 + np.geomspace(1e-4, 63.0, 600)

# Measured once with dp-accounting 0.6.0: its bound on D_t / t for the headline run.
_THEIRS = {1.1: 51.353, 1.5: 24.305, 2.0: 1.2213, 2.5: 2.1858, 3.0: 1.2244}

_NONE = "\N{EN DASH}"


def regrets() -> Section:
    """Figure 1c."""
    head = (
        *("representation", "Laplace", "Laplace, raw", "Laplace, optimal"),
        *("DP-SGD", "DP-SGD, raw", "DP-SGD, optimal"),
    )
    rows = _rows()
    table = Table("figure-1c", "Regret in per cent", head, tuple(rows))
    return Section(
        slug="figure-1c",
        title="Figure 1c: regret of each representation",
        lead=(
            "Laplace noise with b = 1, and the headline run of DP-SGD; delta = 1e-5. Raw takes the "
            "closed-form bound, least over the orders, as if it were a profile, as the paper does. "
            "The plain columns are the regret of the trade-off curve that this bound induces: the "
            "one to report. Optimal uses all that Renyi divergences tell (Balle et al. 2020); it "
            "can only be smaller."
        ),
        tables=(table, _divergences(), _what_orders_cost()),
        findings=(_renyi_finding(), _concentrated_finding(), _last_digits()),
        notes=(
            "The paper's conclusion stands: for DP-SGD the regret of mu is about a hundred times "
            "smaller than that of the others by the bounds that the paper uses, and still some "
            "fifty times smaller than that of the best of them, RDP with all that can be got out "
            "of it.",
        ),
        claims=_claims(rows),
    )


def _claims(rows: list[tuple[Cell, ...]]) -> tuple[Claim, ...]:
    found = {str(row[0]).partition(",")[0].partition(" (")[0]: row for row in reversed(rows)}
    pure, pair, rho, mu, rdp = (
        found[name] for name in ("epsilon-DP", "(epsilon", "rho-zCDP", "mu-GDP", "RDP")
    )
    capped = next(row for row in rows if "up to 64" in str(row[0]))
    return (
        Claim(
            "Figure 1c",
            "Laplace noise: epsilon-DP 3.43 %, (epsilon, delta)-DP 3.42 %, mu-GDP 3.70 %.",
            f"{_value(pure[1]):.3f}, {_value(pair[1]):.3f} and {_value(mu[1]):.3f} %. The second "
            "is the first: delta = 1e-5 buys nothing that shows in three digits.",
            "holds",
        ),
        Claim(
            "Figure 1c",
            "DP-SGD: (epsilon, delta)-DP 21.70 %, mu-GDP 0.10 %.",
            f"{_value(pair[4]):.2f} % and {_value(mu[4]):.3f} % at slack 1e-10: 0.01 more, as ours "
            "are upper bounds over all epsilons.",
            "holds",
        ),
        Claim(
            "Figure 1c",
            "DP-SGD: rho-zCDP 21.80 %.",
            f"Right for zCDP as defined, over all orders: {_value(rho[5]):.2f} %. With orders up "
            f"to 64, which is truncated CDP, {_value(capped[5]):.2f} % by the bound that the paper "
            f"uses and {_value(capped[4]):.2f} % by the curve that follows from it.",
            "holds with a condition",
        ),
        Claim(
            "Figure 1c",
            "DP-SGD: RDP 20.80 %.",
            f"{_value(rdp[5]):.2f} % by the bound that the paper uses, with exact divergences; "
            f"{_value(rdp[4]):.2f} % by the curve that follows from it, {_value(rdp[6]):.2f} % by "
            "the optimal one. At fractional orders the package used returns useless bounds.",
            "does not hold",
        ),
        Claim(
            "Figure 1c",
            "Laplace noise: rho-zCDP 4.83 %, RDP 3.38 %.",
            f"{_value(rho[2]):.3f} and {_value(rdp[2]):.3f} % by the bound that the paper uses; "
            f"{_value(rho[1]):.2f} and {_value(rdp[1]):.2f} % by the curves that follow from it, "
            f"{_value(rho[3]):.2f} and {_value(rdp[3]):.2f} % by the optimal ones.",
            "holds with a condition",
        ),
        Claim(
            "Figure 1c",
            "Mu is the most accurate concise representation of DP-SGD, though not of Laplace "
            "noise.",
            f"For DP-SGD it is {_value(rho[6]) / _value(mu[4]):.0f} times better than the next, "
            f"the optimal curve of zCDP; for Laplace noise {_value(mu[1]):.2f} % is more than the "
            f"{_value(pure[1]):.2f} % of epsilon.",
            "holds",
        ),
        Claim(
            "Section 3",
            "Mu describes DP-SGD better than zCDP and than the whole RDP curve.",
            f"{_value(mu[4]):.3f} % against {_value(rdp[6]):.2f} % for the best that Renyi "
            "divergences of all orders can tell.",
            "holds",
        ),
        Claim(
            "Appendix C",
            "The closed-form conversion of RDP is reasonably close to the optimal one.",
            f"Not where regret is decided: {_value(rdp[5]):.2f} % against {_value(rdp[6]):.2f} % "
            "for DP-SGD.",
            "does not hold",
        ),
        Claim(
            "Appendix C",
            "The regret of zCDP must exceed that of the Renyi divergences it comes from.",
            f"DP-SGD {_value(rho[5]):.2f} against {_value(rdp[5]):.2f} %, Laplace noise "
            f"{_value(rho[2]):.2f} against {_value(rdp[2]):.2f} %.",
            "holds",
        ),
        Claim(
            "Appendix C",
            "The optimal curves of Renyi DP are numerically unstable and slow to work with.",
            "They need not be: the columns named optimal are these, computed within this page's "
            "minute.",
            "does not hold",
        ),
        Claim(
            "Appendix C",
            "The Renyi divergences of DP-SGD are computed to arbitrary precision.",
            "Possible, and done here to 1e-9; the package that the paper used does so at whole "
            "orders only (table of Figure 1c).",
            "holds with a condition",
        ),
    )


def _value(cell: Cell) -> float:
    if isinstance(cell, Number):
        return cell.value
    raise TypeError(f"{cell!r} is no number of a table")


def _rows() -> list[tuple[Cell, ...]]:
    pure = gdpnum.PureDP.fit(LAPLACE)
    pair = gdpnum.ApproxDP.fit(LAPLACE, delta=_DELTA, tolerance=1e-6)
    run_pair = gdpnum.ApproxDP.fit(HEADLINE, delta=_DELTA, tolerance=1e-5)
    mu, run_mu = gdpnum.GDP.fit(LAPLACE), gdpnum.GDP.fit(HEADLINE, tolerance=1e-5)
    rho = gdpnum.ZCDP.fit(LAPLACE)
    run_rho = gdpnum.ZCDP.fit(HEADLINE)
    rdp = gdpnum.RDP.fit(LAPLACE, orders=_LAPLACE_ORDERS.tolist())
    run_rdp = gdpnum.RDP.fit(HEADLINE, orders=_ORDERS.tolist())
    nothing = (_NONE, _NONE, _NONE)
    rows: list[tuple[Cell, ...]] = [
        ("epsilon-DP", _of(pure, LAPLACE, "3.43"), _NONE, _NONE, *nothing),
        (
            "(epsilon, delta)-DP",
            *(_of(pair, LAPLACE, "3.42"), _NONE, _NONE),
            *(_of(run_pair, HEADLINE, "21.70"), _NONE, _NONE),
        ),
        (
            f"rho-zCDP, all orders (rho {rho.rho:.4f}; {run_rho.rho:.2f})",
            *_three(rho, LAPLACE, "4.83"),
            *_three(run_rho, HEADLINE, "21.80"),
        ),
    ]
    for cap in (64.0, 8.0):
        capped = gdpnum.TruncatedCDP.fit(HEADLINE, cap=cap)
        name = f"rho-zCDP, orders up to {cap:g} (rho {capped.rho:.3f})"
        rows.append((name, *nothing, *_three(capped, HEADLINE, "21.80")))
    return [
        *rows,
        (
            f"mu-GDP (mu {mu.mu:.4f}; {run_mu.mu:.4f})",
            *(_of(mu, LAPLACE, "3.70"), _NONE, _NONE),
            *(_of(run_mu, HEADLINE, "0.10"), _NONE, _NONE),
        ),
        ("RDP", *_three(rdp, LAPLACE, "3.38"), *_three(run_rdp, HEADLINE, "20.80")),
        ("trade-off curve, or profile", "0", _NONE, _NONE, "0", _NONE, _NONE),
    ]


def _of(
    summary: gdpnum.Representation | gdpnum.TradeoffCurve,
    mechanism: gdpnum.Mechanism,
    paper: str | None = None,
) -> Cell:
    tolerance = 1e-6 if mechanism is LAPLACE else 1e-5
    found = gdpnum.regret(summary, mechanism, tolerance=tolerance).value
    return bound(100.0 * found, paper, digits=4)


def _three(
    summary: gdpnum.ZCDP | gdpnum.TruncatedCDP | gdpnum.RDP,
    mechanism: gdpnum.Mechanism,
    paper: str,
) -> tuple[Cell, Cell, Cell]:
    """Of the induced curve, of the raw bound, and of the optimal curve."""
    return (
        _of(summary.curve("closed_form"), mechanism),
        bound(_raw(summary.closed_form_delta, mechanism), paper, digits=4),
        _of(summary, mechanism),
    )


def _raw(delta: Callable[[Any], Any], mechanism: gdpnum.Mechanism) -> float:
    """In per cent, of a bound on delta taken as a profile, which it is not; on a dense grid."""
    epsilons = np.linspace(0.0, 20.0, 20_001)
    curve = gdpnum.tradeoff_curve(mechanism, tolerance=1e-6 if mechanism is LAPLACE else 1e-5)
    gain = np.asarray(delta(epsilons)) - np.asarray(curve.delta(epsilons))
    return 100.0 * max(0.0, float((gain / (1.0 + np.exp(epsilons))).max()))


# --- the evidence ---------------------------------------------------------------------------------


def _divergences() -> Table:
    orders = list(_THEIRS)
    found = gdpnum.RDP.fit(HEADLINE, orders=orders).epsilons
    rows = tuple(
        (f"{order:g}", bound(epsilon / order, digits=5), f"{_THEIRS[order]:.5g}")
        for order, epsilon in zip(orders, found, strict=True)
    )
    return Table(
        "figure-1c-divergences",
        "Renyi divergences of the headline run, divided by the order",
        ("order", "here, within 1e-9 of exact", "dp-accounting 0.6.0 (measured once)"),
        rows,
    )


def _what_orders_cost() -> Table:
    whole: Sequence[float] = [float(order) for order in range(2, 65)]
    tried = {
        "600 orders from 1.0001 to 64": _ORDERS.tolist(),
        "whole orders from 2 to 64 only": whole,
    }
    rows = []
    for name, orders in tried.items():
        rdp = gdpnum.RDP.fit(HEADLINE, orders=orders)
        raw = bound(_raw(rdp.closed_form_delta, HEADLINE))
        rows.append(
            (
                name,
                bound(float(rdp.closed_form_delta(0.0))),
                raw,
                _of(rdp.curve("closed_form"), HEADLINE),
            )
        )
    return Table(
        "figure-1c-orders",
        "What the fractional orders below 2 are worth: exact divergences, regret in per cent",
        ("orders", "bound on delta at epsilon = 0", "regret, raw", "regret of its curve"),
        tuple(rows),
    )


def _nothing_at_zero() -> float:
    """The regret, in per cent, of any bound that says nothing at epsilon = 0."""
    return 50.0 * (1.0 - gdpnum.tradeoff_curve(HEADLINE, tolerance=1e-5).advantage)


def _renyi_finding() -> Finding:
    return Finding(
        "RDP of DP-SGD: the paper has 20.80 %; with exact divergences the raw bound has half of "
        "that, and the curve it induces less.",
        (
            "Orders between 1 and 2 carry most of what RDP knows at small epsilons. At such "
            "fractional orders dp-accounting's bound is useless for this run: 51 at order 1.1, "
            "where D_t / t is 1.219 (table below). At whole orders it agrees with ours.",
            "With whole orders only, the bound is 1 at epsilon = 0, so it says nothing there: its "
            f"raw regret is then (1 - eta)/2 = {_nothing_at_zero():.2f} %, about what the paper "
            "prints. We do not know the paper's exact grid and do not reproduce 20.80 itself.",
            "The paper's number is a valid bound, only not a tight one; it makes RDP look worse "
            "than it is, and does not touch what is said of mu.",
        ),
    )


def _concentrated_finding() -> Finding:
    return Finding(
        "zCDP: the paper has 21.80 % for DP-SGD and 4.83 % for Laplace. For all orders we find "
        "21.77 % and 4.812 %; up to an order, half as much for DP-SGD.",
        (
            "Zero-concentrated DP proper speaks of all orders. For DP-SGD the least such rho is "
            "steps / (2 noise multiplier^2) = 11.32, with no amplification by sampling, and says "
            f"nothing at epsilon = 0: {_nothing_at_zero():.2f} %. A rho of 51, from the useless "
            "order 1.1 above, gives the same. So the paper's entry is right for zCDP as defined.",
            "A rho fitted up to an order of 64 or 8 is another guarantee, truncated CDP, and has "
            "about half that regret (table below).",
            "Laplace: 4.812 % where the paper prints 4.83 %. The raw bound depends on how finely "
            "orders are minimised over; ours is minimised over all of them.",
        ),
    )


def _last_digits() -> Finding:
    at = {
        slack: 100.0 * gdpnum.fit_gdp(HEADLINE, slack=slack, tolerance=1e-5).regret
        for slack in (1e-8, 1e-10, 1e-12)
    }
    by_slack = ", ".join(f"{value:.3f} % at slack {chosen(slack)}" for slack, value in at.items())
    return Finding(
        "Three entries differ by 0.01 from the paper's: (epsilon, delta)-DP, and mu for DP-SGD.",
        (
            "Ours are upper bounds over all epsilons, within 0.001 of the exact values. A regret "
            "read off finitely many points is at most that.",
            f"The regret of mu depends on the slack: {by_slack}. The paper states none; its code "
            "leaves out points below 1e-10.",
        ),
    )
