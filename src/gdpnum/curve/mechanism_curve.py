"""From what was run to its trade-off curve: `tradeoff_curve`, and `as_curve` for anything."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeVar

from gdpnum import _validate
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.lines import NOTHING
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.curve.vertices import curve_of, lines_of
from gdpnum.errors import BudgetExceeded, InvalidArgument, InvalidType
from gdpnum.loss.accountant import upper_bound
from gdpnum.loss.demand import Demand
from gdpnum.loss.dominating import Release, composed_gaussian_mu, releases
from gdpnum.loss.scheme import scheme
from gdpnum.mechanisms import Mechanism
from gdpnum.mechanisms.mechanism import checked

__all__ = [
    "SMALLEST_TPR",
    "HasCurve",
    "as_curve",
    "checked_tolerance",
    "coarsened",
    "demanded",
    "directions",
    "tradeoff_curve",
]

T = TypeVar("T")

#: The smallest true positive rate at which a curve is accurate in relative terms.
SMALLEST_TPR = 1e-12

_LARGEST_TOLERANCE = 0.5


class HasCurve(Protocol):
    """Whatever implies a trade-off curve, such as a representation."""

    def curve(self) -> TradeoffCurve:
        """The trade-off curve."""


def tradeoff_curve(
    mechanism: Mechanism, *, tolerance: float = 1e-3, grid_step: float | None = None
) -> TradeoffCurve:
    """The trade-off curve of a mechanism, from below.

    Guarantee: no attack on the mechanism, at any false positive rate alpha in [0, 1], has a false
    negative rate below ``curve.beta(alpha)``; ``curve.delta`` and ``curve.epsilon`` are upper
    bounds likewise. The curve is accurate in relative terms down to a true positive rate of about
    1e-12: moved by ``tolerance``, relative, in its mu. Compositions of Gaussians have the exact
    curve f_mu.

    >>> import gdpnum
    >>> run = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000)
    >>> curve = gdpnum.tradeoff_curve(run)
    >>> round(curve.advantage, 3), round(curve.epsilon(1e-5), 2)
    (0.161, 1.83)
    """
    checked("mechanism", mechanism)
    demand = demanded(tolerance, SMALLEST_TPR, grid_step)
    mu = composed_gaussian_mu(mechanism)
    if mu is not None:
        return GaussianCurve(mu) if mu > 0.0 else PiecewiseCurve(NOTHING)
    found = releases(mechanism)
    planned = [(one, scheme(one, demand)) for one in directions(found)]
    return curve_of([lines_of(upper_bound(one, plan, demand)) for one, plan in planned])


def as_curve(name: str, subject: object, *, tolerance: float = 1e-3) -> TradeoffCurve:
    """The curve of what was passed, whichever way it has one."""
    if isinstance(subject, TradeoffCurve):
        return subject
    if hasattr(subject, "curve") and not isinstance(subject, type):
        curve = subject.curve()
        if isinstance(curve, TradeoffCurve):
            return curve
    if isinstance(subject, Mechanism):
        return tradeoff_curve(subject, tolerance=tolerance)
    raise InvalidType(
        f"{name}={_validate.brief(subject)} has no trade-off curve; pass a curve, a representation "
        "or a mechanism"
    )


def demanded(tolerance: float, floor: float, grid_step: float | None) -> Demand:
    """The demand, once its numbers are checked."""
    tolerance = checked_tolerance(tolerance)
    if grid_step is not None:
        grid_step = _validate.lattice_step("grid_step", grid_step)
    return Demand(tolerance, floor, grid_step)


def checked_tolerance(value: object) -> float:
    """A relative accuracy that can be asked for."""
    advice = "pass a relative accuracy such as 1e-3"
    tolerance = _validate.positive("tolerance", value, advice=advice)
    if tolerance > _LARGEST_TOLERANCE:
        raise InvalidArgument(f"tolerance={tolerance!r} is above {_LARGEST_TOLERANCE:g}; {advice}")
    return tolerance


def coarsened(ask: Callable[[float], T], *, tolerance: float, coarsest: float) -> T:
    """The answer at a tolerance or, where that is out of reach, at the next coarser within it."""
    try:
        return ask(tolerance)
    except BudgetExceeded:
        while tolerance < coarsest:
            tolerance *= 10.0
            with suppress(BudgetExceeded):
                return ask(tolerance)
        raise  # the first: it says what was out of reach


def directions(found: list[Release]) -> list[list[Release]]:
    """The releases, and where it matters the same with P and Q exchanged."""
    if all(release.pair.symmetric for release in found):
        return [found]
    return [found, [Release(release.pair.reversed(), release.times) for release in found]]
