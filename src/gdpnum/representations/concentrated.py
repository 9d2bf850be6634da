"""ZCDP and TruncatedCDP: one rho for many orders, for all of them or up to a cap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from gdpnum import _validate
from gdpnum.bounds.better import better_of
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument
from gdpnum.floats import Floats
from gdpnum.kind import Knob, no_mu, register
from gdpnum.pairs.pair import Divergences
from gdpnum.renyi.bound import concentrated_delta, concentrated_lines
from gdpnum.renyi.concentration import limiting_rho, rho_up_to
from gdpnum.renyi.region import region_lines
from gdpnum.representations.renyi import Method, as_mechanism, at_epsilons
from gdpnum.representations.representation import Representation, representation_kind
from gdpnum.subject import Subject

_RHO_ADVICE = "pass the bound on D_t / t, 0 or more"

# Orders by which the optimal curve is found: some hundred between 1 and the cap.
_ORDERS, _LARGEST_ORDER = 160, 1e4


class _Concentrated(Representation):
    """D_t <= rho t at the orders 1 < t <= cap."""

    __slots__ = ()
    rho: float
    cap: float

    def curve(self, method: Method = "optimal") -> TradeoffCurve:
        """The trade-off curve that rho implies at its orders; the methods are those of `RDP`."""
        _validate.choice("method", method, ("optimal", "closed_form"))
        closed_form = concentrated_lines(self.rho, self.cap)
        if method == "closed_form":
            return PiecewiseCurve(closed_form)
        most = min(self.cap, _LARGEST_ORDER) - 1.0
        orders = np.minimum(1.0 + np.geomspace(min(1e-4, 0.01 * most), most, _ORDERS), self.cap)
        # D_t grows with t, so what holds at orders above 1 holds below, at its limit.
        orders = np.concatenate([[0.5, 0.75, 1.0], orders])
        # Some hundred orders are not all: the closed form, over all of them, may be better.
        lines = region_lines(orders, self.rho * np.maximum(orders, 1.0))
        return PiecewiseCurve(better_of(lines, closed_form))

    def closed_form_delta(self, epsilon: ArrayLike) -> float | Floats:
        """The bound of `RDP.closed_form_delta`, minimised over its orders."""
        return at_epsilons(lambda at: concentrated_delta(self.rho, self.cap, at), epsilon)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ZCDP(_Concentrated):
    """Any mechanism of which only rho-zCDP is known: D_t <= rho t at all orders t > 1.

    >>> ZCDP(rho=0.5)
    ZCDP(rho=0.5)
    """

    rho: float
    cap = math.inf

    def __post_init__(self) -> None:
        _validate.field(self, "rho", _validate.non_negative, advice=_RHO_ADVICE)

    @classmethod
    def fit(cls, subject: Subject) -> ZCDP:
        """The smallest rho, from above, that holds at all orders.

        For DP-SGD that is steps / (2 noise_multiplier^2), with no amplification by sampling:
        `TruncatedCDP.fit`, up to an order, has more to say.

        >>> from gdpnum import Laplace
        >>> f"{ZCDP.fit(Laplace(scale=1.0)).rho:.4f}"
        '0.3679'
        """
        return cls(rho=limiting_rho(as_mechanism("subject", subject)))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedCDP(_Concentrated):
    """Any mechanism of which only (rho, cap)-truncated CDP is known: D_t <= rho t for 1 < t <= cap.

    (Bun, Dwork, Rothblum and Steinke 2018.) Its rho is not that of zCDP: nothing is known about
    orders above the cap, and no formula for all orders may be fed with it.

    >>> TruncatedCDP(rho=0.01, cap=64.0)
    TruncatedCDP(rho=0.01, cap=64.0)
    """

    rho: float
    cap: float

    def __post_init__(self) -> None:
        _validate.field(self, "rho", _validate.non_negative, advice=_RHO_ADVICE)
        _validate.settle(self, cap=_cap(self.cap))

    @classmethod
    def fit(cls, subject: Subject, *, cap: float = 64.0) -> TruncatedCDP:
        """The smallest rho, from above, that holds at orders up to the cap.

        >>> from gdpnum import DPSGD
        >>> run = DPSGD(noise_multiplier=1.0, sample_rate=0.001, steps=1000)
        >>> f"{TruncatedCDP.fit(run, cap=8.0).rho:.1e}"
        '8.7e-04'
        """
        cap = _cap(cap)
        return cls(rho=rho_up_to(as_mechanism("subject", subject), cap), cap=cap)


def _divergences(leaf: _Concentrated, orders: Floats) -> Divergences:
    # Divergences grow with the order; at orders up to 1 they are at most their limit there.
    found = np.where(orders <= leaf.cap, leaf.rho * np.maximum(orders, 1.0), np.inf)
    return Divergences(found, found)


def _cap(value: float) -> float:
    cap = _validate.positive("cap", value, advice="pass the largest order, above 1")
    if not 1.0 < cap <= 1e6:
        raise InvalidArgument(f"cap={cap!r} is outside (1, 1e6]; pass the largest order, above 1")
    return cap


register(
    representation_kind(
        ZCDP(rho=0.5),
        squared_mu=no_mu,
        divergences=_divergences,
        concentration=lambda leaf, _: leaf.rho,
        is_by_divergences=True,
        knob=Knob("rho", is_noise=False, between=(1e-9, 1e3)),
    ),
    representation_kind(
        TruncatedCDP(rho=0.01, cap=64.0),
        squared_mu=no_mu,
        divergences=_divergences,
        is_by_divergences=True,
        knob=Knob("rho", is_noise=False, between=(1e-9, 1e3)),
    ),
)
