"""RDP: Renyi divergences at some orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, final

import numpy as np
from numpy.typing import ArrayLike

from gdpnum import _validate
from gdpnum.arguments import column, numbers_of
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve, as_asked
from gdpnum.errors import InvalidArgument
from gdpnum.floats import Floats, quietly
from gdpnum.kind import Missing, no_mu, register
from gdpnum.mechanisms.mechanism import Mechanism
from gdpnum.pairs.pair import Divergences
from gdpnum.renyi.bound import closed_form_delta, closed_form_lines
from gdpnum.renyi.concentration import renyi_epsilons
from gdpnum.renyi.divergences import ORDERS
from gdpnum.renyi.region import region_lines
from gdpnum.representations.known_curve import KnownCurve
from gdpnum.representations.representation import Representation, representation_kind
from gdpnum.subject import Subject, plain

Method = Literal["optimal", "closed_form"]
"""How a curve follows from Renyi divergences; both are sound."""

# Beyond it products overflow; delta falls, so that a smaller epsilon bounds it.
_LARGEST_EPSILON = 1e100


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RDP(Representation):
    """Any mechanism of which only Renyi divergences are known: D_t <= epsilon_t at some orders t.

    Orders lie in [1/2, 1), at 1 (the KL divergence), or above; each bound holds in both directions.

    >>> rdp = RDP(orders=[2.0, 8.0], epsilons=[0.1, 0.4])
    >>> rdp
    RDP(orders=(2.0, 8.0), epsilons=(0.1, 0.4))
    >>> f"{rdp.profile().epsilon(1e-5):.3f}"
    '1.605'
    """

    orders: Sequence[float]
    epsilons: Sequence[float]

    def __post_init__(self) -> None:
        orders, epsilons = (
            tuple(column(name, getattr(self, name)).tolist()) for name in ("orders", "epsilons")
        )
        if len(orders) != len(epsilons):
            raise InvalidArgument(
                f"orders has {len(orders)} entries and epsilons {len(epsilons)}; "
                "pass as many of each"
            )
        for number, (order, epsilon) in enumerate(zip(orders, epsilons, strict=True)):
            if not 0.5 <= order <= 1e6:
                raise InvalidArgument(
                    f"orders[{number}]={order!r} is outside [0.5, 1e6]; pass orders from 1/2 on"
                )
            if not epsilon >= 0.0:
                raise InvalidArgument(
                    f"epsilons[{number}]={epsilon!r} is no divergence; pass 0 or more"
                )
        _validate.settle(self, orders=orders, epsilons=epsilons)

    def __repr__(self) -> str:
        if len(self.orders) > 6:
            return f"RDP({len(self.orders)} orders from {self.orders[0]:g} to {self.orders[-1]:g})"
        return f"RDP(orders={self.orders!r}, epsilons={self.epsilons!r})"

    def curve(self, method: Method = "optimal") -> TradeoffCurve:
        """The trade-off curve that the divergences imply.

        "optimal" takes all that a test can tell: at each order the Bernoulli divergence of its
        errors, in both directions (Balle et al. 2020); orders up to 1 count. "closed_form" is the
        curve of the bound in `closed_form_delta`, which uses orders above 1 only. The optimal one
        is nowhere below it.
        """
        _validate.choice("method", method, ("optimal", "closed_form"))
        lines = region_lines if method == "optimal" else closed_form_lines
        return PiecewiseCurve(lines(np.array(self.orders), np.array(self.epsilons)))

    def closed_form_delta(self, epsilon: ArrayLike) -> float | Floats:
        """The least exp((t - 1) (epsilon_t - epsilon)) / t (1 - 1/t)^(t - 1) over t > 1, at most 1.

        A bound on delta at each epsilon (Canonne, Kamath and Steinke 2020, Prop. 12), but no
        profile: not convex. It is what papers call the conversion from RDP to (epsilon, delta).
        """
        orders, epsilons = np.array(self.orders), np.array(self.epsilons)
        return at_epsilons(lambda at: closed_form_delta(orders, epsilons, at), epsilon)

    @classmethod
    def fit(cls, subject: Subject, *, orders: Sequence[float] | None = None) -> RDP:
        """The divergences of a mechanism, or a curve, at some orders, from above.

        By closed form or quadrature, within 1e-9 of the exact ones.

        >>> from gdpnum import Gaussian
        >>> [f"{epsilon:.3f}" for epsilon in RDP.fit(Gaussian(sigma=1.0), orders=[0.5, 4]).epsilons]
        ['0.250', '2.000']
        """
        chosen = ORDERS if orders is None else column("orders", orders)
        mechanism = as_mechanism("subject", subject)
        epsilons = renyi_epsilons(mechanism, chosen).tolist()
        return cls(orders=chosen.tolist(), epsilons=epsilons)


def _divergences(leaf: RDP, orders: Floats) -> Divergences:
    # Divergences grow with the order: the next known one above bounds those between.
    known = np.argsort(leaf.orders)
    at, epsilons = np.array(leaf.orders)[known], np.array(leaf.epsilons)[known]
    least = np.minimum.accumulate(np.append(epsilons, np.inf)[::-1])[::-1]
    found = least[np.searchsorted(at, orders)]
    return Divergences(found, found)


@quietly
def at_epsilons(delta: Callable[[Floats], Floats], epsilon: ArrayLike) -> float | Floats:
    """The deltas of a closed form at epsilons; at one so large that floats give out, none."""
    at = numbers_of("epsilon", epsilon)
    if np.isnan(at).any():
        raise InvalidArgument(f"epsilon={_validate.brief(epsilon)} holds NaN; pass real epsilons")
    found = delta(np.minimum(at, _LARGEST_EPSILON).ravel())
    return as_asked(found.reshape(at.shape))


def as_mechanism(name: str, subject: Subject) -> Mechanism:
    """What was passed, a curve as the mechanism known by it."""
    found = plain(name, subject)
    return KnownCurve(found) if isinstance(found, TradeoffCurve) else found


register(
    representation_kind(
        RDP(orders=[2.0, 8.0], epsilons=[0.1, 0.4]),
        squared_mu=no_mu,
        divergences=_divergences,
        is_by_divergences=True,
        knob=Missing("divergences at several orders have no one parameter to turn"),
    )
)
