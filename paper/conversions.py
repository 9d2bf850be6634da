"""Tables 3 and 4: mu beside (epsilon, delta), and mu as operational risk."""

from __future__ import annotations

import gdpnum
from paper.claim import Claim
from paper.result import Cell, Section, Table, bound, chosen

__all__ = ["conversions"]

_DELTAS = (1e-5, 1e-6, 1e-9)
_TABLE_3 = {
    0.1: ".03 .03 .02",
    0.5: ".14 .12 .09",
    1.0: ".27 .24 .18",
    2.0: ".50 .45 .35",
    4.0: ".92 .84 .67",
    6.0: "1.31 1.20 .97",
    8.0: "1.67 1.53 1.26",
    10.0: "2.00 1.85 1.54",
}

_FPRS = (1e-4, 1e-3, 0.01, 0.1, 0.25, 0.5, 0.75, 0.95, 0.99)
_TABLE_4 = {
    0.10: ".0399 .0001 .0014 .0130 .1187 .2828 .5398 .7807 .9595 .9924",
    0.25: ".0995 .0003 .0023 .0189 .1511 .3356 .5987 .8224 .9709 .9950",
    0.50: ".1974 .0006 .0048 .0339 .2172 .4307 .6915 .8799 .9840 .9976",
    0.75: ".2923 .0015 .0096 .0575 .2975 .5301 .7734 .9228 .9917 .9990",
    1.00: ".3829 .0033 .0183 .0924 .3891 .6276 .8413 .9530 .9959 .9996",
    1.25: ".4680 .0068 .0329 .1409 .4874 .7175 .8944 .9729 .9981 .9998",
    1.50: ".5467 .0132 .0559 .2043 .5865 .7955 .9332 .9852 .9992 .9999",
    2.00: ".6827 .0428 .1378 .3721 .7638 .9075 .9772 .9963 .9999 1.0000",
}


def conversions() -> Section:
    """Tables 3 and 4."""
    return Section(
        slug="tables-3-4",
        title="Tables 3 and 4: what a mu is worth",
        lead=(
            "Both follow from closed forms: the mu of the Gaussian mechanism that is just "
            "(epsilon, delta)-DP, and the advantage and the TPRs that a mu allows at most."
        ),
        tables=(_epsilons(), _risks()),
        claims=_claims(),
    )


def _claims() -> tuple[Claim, ...]:
    rough = [gdpnum.epsilon_from_mu(mu, 1e-5) for mu in (0.5, 1.0, 2.0)]
    agreeing = [sum(one.agrees for one in part().numbers) for part in (_epsilons, _risks)]
    several = gdpnum.Gaussian(sigma=2.0) * 3 + gdpnum.Gaussian(sigma=1.0)
    return (
        Claim(
            "Table 3",
            "24 values of mu.",
            f"{agreeing[0]} of 24 agree to the printed digits.",
            "holds",
        ),
        Claim(
            "Table 4",
            "80 advantages and TPRs.",
            f"{agreeing[1]} of 80 agree to the printed digits.",
            "holds",
        ),
        Claim(
            "Section 5",
            "At delta = 1e-5 mu = 0.5, 1 and 2 are roughly epsilon = 2, 4 and 10.",
            "{:.2f}, {:.2f} and {:.2f}.".format(*rough),
            "holds",
        ),
        Claim(
            "Section 5",
            "The Gaussian mechanism with (8, 1e-9) is more private than that with (6, 1e-5).",
            f"mu = {gdpnum.mu_from_epsilon_delta(8.0, 1e-9):.4f} against "
            f"{gdpnum.mu_from_epsilon_delta(6.0, 1e-5):.4f}.",
            "holds",
        ),
        Claim(
            "Section 5",
            "Compositions of Gaussian mechanisms need no accountant: mu is known directly.",
            f"Three releases with sigma 2 and one with 1: mu = {gdpnum.fit_gdp(several).mu:.6f} = "
            "sqrt(3/4 + 1), regret 0.",
            "holds",
        ),
        Claim(
            "Section 5",
            "The TPRs and the advantage also bound singling out, attribute inference and "
            "reconstruction, with the baseline for the FPR.",
            "Cited there, from Kulynych et al. 2025; gdpnum.risk.attack_success states it so.",
            "not judged",
        ),
    )


def _epsilons() -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            f"{epsilon:g}",
            *(
                bound(gdpnum.mu_from_epsilon_delta(epsilon, delta), paper)
                for delta, paper in zip(_DELTAS, printed.split(), strict=True)
            ),
        )
        for epsilon, printed in _TABLE_3.items()
    )
    head = ("epsilon", *(f"mu, delta {chosen(delta)}" for delta in _DELTAS))
    return Table("table-3", "Table 3: mu at an epsilon and a delta", head, rows)


def _risks() -> Table:
    rows: list[tuple[Cell, ...]] = []
    for mu, printed in _TABLE_4.items():
        found = [
            gdpnum.advantage_from_mu(mu),
            *(gdpnum.tpr_from_mu(mu, fpr) for fpr in _FPRS),
        ]
        rows.append((f"{mu:.2f}", *map(bound, found, printed.split())))
    head = ("mu", "advantage", *(f"TPR, FPR {fpr:g}" for fpr in _FPRS))
    return Table("table-4", "Table 4: operational risk at a mu", head, tuple(rows))
