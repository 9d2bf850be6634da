"""What the paper says between its tables and figures: definitions, theorems, algorithms."""

from __future__ import annotations

import numpy as np

import gdpnum
from paper.claim import Claim
from paper.result import Section, Table, bound

__all__ = ["background"]

_ALPHA = 0.1
_ORDERS = (1.5, 2.0, 4.0, 8.0, 16.0)


def background() -> Section:
    """Two formulas of the paper, by example, and the claims that no table or figure has."""
    formula, true = _three_terms()
    orders, every = _by_order()
    rows = tuple((f"order {order:g}", bound(beta)) for order, beta in orders.items())
    return Section(
        slug="formulas",
        title="Two formulas, by example",
        lead=(
            "Two formulas of the paper need a correction before they are used. They are shown "
            "wrong by example here, and right in the ledger below."
        ),
        tables=(
            Table(
                "formulas-orders",
                f"The least FNR at FPR {_ALPHA:g} that Renyi divergences of mu = 1 allow",
                ("what is known", "FNR, at least"),
                (
                    *rows,
                    ("their minimum, as the paper says", bound(min(orders.values()))),
                    ("all of them, which is their maximum", bound(every)),
                    ("the truth", bound(gdpnum.GDP(mu=1.0).curve().beta(_ALPHA))),
                ),
            ),
            Table(
                "formulas-terms",
                "The least FNR at FPR 0.3 of a curve that is not symmetric",
                ("formula", "FNR"),
                (
                    ("the curve itself", f"{true:.4f}"),
                    ("three terms over all epsilons, as the paper says", f"{formula:.4f}"),
                    ("one term over all epsilons", f"{_one_term():.4f}"),
                ),
            ),
        ),
        claims=_claims(formula, true, orders, every),
    )


def _asymmetric() -> gdpnum.TradeoffCurve:
    """A trade-off curve of one ordered pair, steeper at one end than flat at the other."""
    return gdpnum.TradeoffCurve.from_vertices([0.0, 0.1, 1.0], [1.0, 0.5, 0.0])


_EPSILONS = np.linspace(-8.0, 8.0, 160_001)


def _three_terms(alpha: float = 0.3) -> tuple[float, float]:
    """What the formula with three terms makes of a curve's profile, and the curve itself."""
    curve = _asymmetric()
    deltas = np.asarray(curve.delta(_EPSILONS))
    both = (
        1.0 - deltas - np.exp(_EPSILONS) * alpha,
        np.exp(-_EPSILONS) * (1.0 - deltas - alpha),
    )
    return max(0.0, float(np.maximum(*both).max())), float(curve.beta(alpha))


def _one_term(alpha: float = 0.3) -> float:
    deltas = np.asarray(_asymmetric().delta(_EPSILONS))
    return float((1.0 - deltas - np.exp(_EPSILONS) * alpha).max())


def _by_order() -> tuple[dict[float, float], float]:
    """The FNR that each order alone guarantees, and all together."""
    divergences = {order: 0.5 * order for order in _ORDERS}
    alone = {
        order: float(gdpnum.RDP(orders=[order], epsilons=[value]).curve().beta(_ALPHA))
        for order, value in divergences.items()
    }
    every = gdpnum.RDP(orders=list(divergences), epsilons=list(divergences.values())).curve()
    return alone, float(every.beta(_ALPHA))


def _claims(
    formula: float, true: float, orders: dict[float, float], every: float
) -> tuple[Claim, ...]:
    return (
        Claim(
            "Section 2",
            "f is the supremum over all real epsilons of the largest of three terms, of which the "
            "last is exp(-epsilon)(1 - delta - alpha) (Theorem 2.4).",
            "Over epsilon >= 0 and for a symmetric profile. Over all epsilons it is the larger of "
            f"f and its inverse, which flatters: {formula:.3f} where f is {true:.3f}.",
            "holds with a condition",
        ),
        Claim(
            "Section 2",
            "If f is nowhere above g, the mechanism of g is uniformly more private (Blackwell).",
            "A theorem; blackwell_order decides by it.",
            "holds",
        ),
        Claim(
            "Section 2",
            "Profiles of accountants nearly match what audits find, so they may be taken as exact.",
            "Not unchecked: the published mu was too small in 83 of 120 random settings, by up to "
            "a factor of 7 (documentation, Why mu changed). Here every error is bounded and "
            "charged.",
            "does not hold",
        ),
        Claim(
            "Section 3",
            "Zero-concentrated and Gaussian DP compose simply: rho adds, mu^2 adds.",
            "A theorem.",
            "holds",
        ),
        Claim(
            "Section 3",
            "Only profiles and curves describe every mechanism completely.",
            "Of those compared, by computation: only their regret is 0 in Figure 1c.",
            "holds",
        ),
        Claim(
            "Appendix A",
            "The curve of several Renyi orders is the minimum over the orders.",
            f"It is the maximum, as each is a guarantee. At FPR {_ALPHA:g}, mu = 1: minimum "
            f"{min(orders.values()):.3f}, maximum {max(orders.values()):.3f}, all together "
            f"{every:.3f}.",
            "does not hold",
        ),
        Claim(
            "Appendix A",
            "f-DP is (epsilon, 1 + f*(-exp(epsilon)))-DP for all real epsilon; epsilon >= 0 is "
            "enough if f is symmetric.",
            "A theorem; the profiles of the library are computed so.",
            "holds",
        ),
        Claim(
            "Appendix A",
            "Composition of pairs of epsilon and delta is #P-complete in general; conversions from "
            "Renyi divergences always lose; connect-the-dots is optimal.",
            "Cited from others.",
            "not judged",
        ),
        Claim(
            "Appendix A",
            "The central-limit mu of DP-SGD is no valid bound.",
            "See the claim in Section 1: it is below what the run of Figure 1 needs.",
            "holds",
        ),
        Claim(
            "Appendix C",
            "Mu may be read off the vertices of a piecewise linear curve (its first proposition).",
            "Convexity proves it. The vertices must be all of them, with that of the largest loss; "
            "and f(0) < 1, as it is with any truncation, makes mu infinite, hence the slack.",
            "holds with a condition",
        ),
        Claim(
            "Appendix C",
            "The regret returned is the lower end of the last interval, so that Delta is "
            "underestimated.",
            "So it is, and that is the wrong side: a regret too small makes mu look more complete "
            "than it is. Ours is an upper bound.",
            "holds",
        ),
        Claim(
            "Appendix C",
            "If f_mu <= f, the symmetric Delta is Delta(f, f_mu).",
            "Delta the other way is 0 by definition.",
            "holds",
        ),
        Claim(
            "Appendix D",
            "The error of the accountant's curve is negligible and ignored.",
            "See Section 2: it is not negligible in the tails that decide mu.",
            "does not hold",
        ),
        Claim(
            "Appendix D",
            "Delta < 0.01 changes the error of any attack by at most a percentage point.",
            "By the definition as a difference of errors (Figure 2).",
            "holds",
        ),
        Claim(
            "Appendix D",
            "mu* is always a valid bound, whatever the regret.",
            "With its slack, yes.",
            "holds with a condition",
        ),
        Claim(
            "Appendix E",
            "The curve of mu passes through (0, 1), the corner of randomised response and (1, 0).",
            "So the proof of Prop. 6.1 shows; the text prints (1, 0) twice, for (0, 1) and (1, 0).",
            "holds",
        ),
    )
