"""Table 1: what a representation should offer, by computation: few numbers, an order, no regret."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import gdpnum
from paper.claim import Claim
from paper.result import Cell, Section, Table, bound
from paper.settings import HEADLINE, LAPLACE

__all__ = ["desiderata"]

_DELTA = 1e-5

_MECHANISMS = {
    "Gaussian, sigma 1": gdpnum.Gaussian(sigma=1.0),
    "Laplace, b 1": LAPLACE,
    "DP-SGD": HEADLINE,
}

# Several mechanisms of about the same strength, whose curves cross.
_SEVERAL = (
    gdpnum.Gaussian(sigma=1.0),
    gdpnum.Gaussian(sigma=0.64),
    LAPLACE,
    gdpnum.Laplace(scale=0.5),
    gdpnum.RandomizedResponse(epsilon=1.0),
)


class _Kind(NamedTuple):
    name: str
    parameters: str
    examples: Sequence[gdpnum.TradeoffCurve]
    regrets: list[Cell]


def desiderata() -> Section:
    """Table 1."""
    kinds = _kinds()
    rows = tuple(
        (kind.name, kind.parameters, _ordered(kind.examples), *kind.regrets) for kind in kinds
    )
    return Section(
        slug="table-1",
        title="Table 1: what a representation should offer",
        lead=(
            "A representation should be concise, have an order (of two guarantees one is the more "
            "private), and be accurate (little regret). The last two can be computed. Ordered: of "
            "all pairs of example guarantees of that kind, those of which one is nowhere worse "
            "than the other. Regret: what the best guarantee of that kind gives away about three "
            "mechanisms."
        ),
        tables=(
            Table(
                "table-1",
                "Order and regret of each representation",
                (
                    "representation",
                    "numbers in it",
                    "pairs ordered",
                    *(f"regret, {n}" for n in _MECHANISMS),
                ),
                rows,
            ),
        ),
        notes=(_against_epsilon(),),
        claims=_claims({str(row[0]): str(row[2]) for row in rows}),
    )


def _claims(ordered: dict[str, str]) -> tuple[Claim, ...]:
    return (
        Claim(
            "Table 1",
            "Concise and ordered are epsilon-DP, zCDP and mu-GDP; only mu-GDP is accurate too.",
            "By computation, the same: pairs of guarantees ordered "
            + ", ".join(f"{name} {ordered[name]}" for name in ("epsilon-DP", "rho-zCDP", "mu-GDP"))
            + "; regrets in the table. Accurate means for DP-SGD.",
            "holds",
        ),
        Claim(
            "Section 3",
            "Pairs of epsilon and delta, and RDP curves, are not ordered: of two, neither need be "
            "the more private.",
            f"Ordered: (epsilon, delta)-DP {ordered['(epsilon, delta)-DP']}, RDP {ordered['RDP']}.",
            "holds",
        ),
        Claim(
            "Section 1",
            "A realistic mechanism with epsilon = 8 at delta = 1e-9 can be more "
            "private in every respect than one with epsilon = 6 at delta = 1e-5.",
            _against_epsilon(),
            "holds",
        ),
    )


def _ordered(curves: Sequence[gdpnum.TradeoffCurve]) -> str:
    relations = [gdpnum.blackwell_order(*pair).relation for pair in combinations(curves, 2)]
    ordered = len(relations) - relations.count("incomparable")
    return f"{ordered} of {len(relations)}"


def _kinds() -> list[_Kind]:
    pure = [gdpnum.PureDP(epsilon=epsilon) for epsilon in (0.5, 1.0, 2.0, 4.0, 8.0)]
    pairs = [
        gdpnum.ApproxDP(epsilon=epsilon, delta=delta)
        for epsilon in (1.0, 2.0, 4.0, 8.0)
        for delta in (1e-9, 1e-5)
    ]
    concentrated = [gdpnum.ZCDP(rho=rho) for rho in (0.01, 0.1, 0.5, 1.0, 3.0)]
    gaussian = [gdpnum.GDP(mu=mu) for mu in (0.1, 0.5, 1.0, 2.0, 3.0)]
    renyi = [gdpnum.RDP.fit(mechanism) for mechanism in _SEVERAL]
    whole = [gdpnum.tradeoff_curve(mechanism) for mechanism in _SEVERAL]
    return [
        _Kind("epsilon-DP", "1", _curves(pure), _regrets(gdpnum.PureDP.fit)),
        _Kind(
            "(epsilon, delta)-DP",
            "2",
            _curves(pairs),
            _regrets(lambda run: gdpnum.ApproxDP.fit(run, delta=_DELTA, tolerance=1e-5)),
        ),
        _Kind("rho-zCDP", "1", _curves(concentrated), _regrets(gdpnum.ZCDP.fit)),
        _Kind(
            "mu-GDP",
            "1",
            _curves(gaussian),
            _regrets(lambda run: gdpnum.GDP.fit(run, tolerance=1e-5)),
        ),
        _Kind("RDP", "a curve", _curves(renyi), _regrets(gdpnum.RDP.fit)),
        _Kind("trade-off curve, or profile", "a curve", whole, ["0"] * len(_MECHANISMS)),
    ]


def _curves(
    representations: Sequence[gdpnum.Representation],
) -> list[gdpnum.TradeoffCurve]:
    return [one.curve() for one in representations]


def _regrets(fit: Callable[[gdpnum.Mechanism], gdpnum.Representation]) -> list[Cell]:
    return [_regret(fit, mechanism) for mechanism in _MECHANISMS.values()]


def _regret(
    fit: Callable[[gdpnum.Mechanism], gdpnum.Representation], mechanism: gdpnum.Mechanism
) -> Cell:
    try:
        summary = fit(mechanism)
    except gdpnum.UnsupportedMechanism:
        return "no finite one"
    return bound(gdpnum.regret(summary, mechanism, tolerance=1e-5).value, digits=3)


def _against_epsilon() -> str:
    """Two Gaussian mechanisms by which epsilon misleads."""
    eight = gdpnum.GDP(mu=gdpnum.mu_from_epsilon_delta(8.0, 1e-9))
    six = gdpnum.GDP(mu=gdpnum.mu_from_epsilon_delta(6.0, 1e-5))
    order = gdpnum.compare(eight, six).order
    return (
        f"Epsilon alone is no order. The Gaussian mechanism with epsilon = 8 at delta = 1e-9 "
        f"(mu = {eight.mu:.3f}) is {order} at every FPR than the one with epsilon = 6 at "
        f"delta = 1e-5 (mu = {six.mu:.3f})."
    )
