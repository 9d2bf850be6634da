"""OpenDP: what its measurements promise, and privacy profiles in and out."""

from __future__ import annotations

from typing import Any, overload

from gdpnum import _validate
from gdpnum._optional import imported
from gdpnum.account import as_curve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument, InvalidType, UnsupportedMechanism
from gdpnum.mechanisms import Mechanism
from gdpnum.renyi.divergences import ORDERS
from gdpnum.representations import RDP, ZCDP, ApproxDP, KnownCurve, PureDP
from gdpnum.subject import HasCurve

__all__ = ["from_opendp", "to_opendp"]


@overload
def from_opendp(source: object, *, d_in: None = ..., measure: None = ...) -> TradeoffCurve: ...
@overload
def from_opendp(source: object, *, d_in: Any = ..., measure: object = ...) -> Mechanism: ...
def from_opendp(
    source: object, *, d_in: Any = None, measure: object = None
) -> Mechanism | TradeoffCurve:
    """What OpenDP promises: of a measurement at ``d_in``, of a number, or of a ``PrivacyProfile``.

    A measurement is read by its output measure, without a detour: what it maps ``d_in`` to becomes
    `PureDP` (max divergence), `ZCDP`, `RDP` (Renyi), or the curve of its profile (smoothed max
    divergence); an ``Approximate`` of one of these is it together with ``ApproxDP(epsilon=0,
    delta)``. The same of a plain number, such as a compositor's ``d_out``, whose ``measure`` is
    named: OpenDP's object, or "MaxDivergence" and so on. A profile alone becomes its curve, read
    at some thousand epsilons and joined pessimistically, as `TradeoffCurve.from_profile` does.

    Guarantee: no attack on a mechanism of which OpenDP promises that does better.

    A promise is no better than its route. A Gaussian measurement of scale 2 at distance 1 has
    rho = 0.125, and mu = 0.63 by that; mapped to a profile with ``make_zCDP_to_approxDP`` first, it
    has 0.74, as the profile is a generic bound for its rho. ``Gaussian(sigma=2.0)`` has 0.5: where
    you know what was run, describe it.

    >>> from_opendp(0.125, measure="ZeroConcentratedDivergence")
    ZCDP(rho=0.125)
    >>> from types import SimpleNamespace
    >>> profile = SimpleNamespace(delta=lambda epsilon: 1e-6 if epsilon >= 0.5 else 1.0)
    >>> round(from_opendp(profile).epsilon(1e-6), 3)
    0.5
    """
    if measure is not None:
        if d_in is not None:
            raise InvalidArgument(
                f"d_in={_validate.brief(d_in)} and measure={_validate.brief(measure)} are for a "
                "measurement and for its loss; pass one of them"
            )
        return _promise(source, _name(measure))
    if hasattr(source, "output_measure") and hasattr(source, "map"):
        if d_in is None:
            raise InvalidArgument(
                "d_in is missing: what a measurement promises depends on how far apart neighbours "
                "are; pass d_in=1 for one record, say"
            )
        return _promise(source.map(d_in), _name(source.output_measure))
    if d_in is not None:
        raise InvalidType(
            f"source={_validate.brief(source)} is no measurement of OpenDP, so that "
            f"d_in={_validate.brief(d_in)} says nothing; pass a measurement, or no d_in"
        )
    return _profile_curve(source)


def _name(measure: Any) -> str:
    """A measure by name, such as Approximate(MaxDivergence)."""
    return str(getattr(measure, "type", measure)).replace("<", "(").replace(">", ")")


def _promise(loss: Any, measure: str) -> Mechanism:
    """A mechanism of which only a loss in a measure is known."""
    if measure.startswith("Approximate(") and measure.endswith(")"):
        try:
            inner, delta = loss
        except (TypeError, ValueError):
            raise InvalidType(
                f"source={_validate.brief(loss)} is no loss in {measure}; pass (loss, delta)"
            ) from None
        found = _promise(inner, measure.removeprefix("Approximate(")[:-1])
        if isinstance(found, PureDP):
            return ApproxDP(epsilon=found.epsilon, delta=delta) if delta else found
        # With probability delta anything may be told: (1 - delta) f(alpha / (1 - delta)).
        return found + ApproxDP(epsilon=0.0, delta=delta) if delta else found
    if measure == "MaxDivergence":
        return PureDP(epsilon=loss)
    if measure == "ZeroConcentratedDivergence":
        return ZCDP(rho=loss)
    if measure == "SmoothedMaxDivergence":
        return KnownCurve(_profile_curve(loss))
    if measure == "RenyiDivergence":
        if not callable(loss):
            raise InvalidType(
                f"source={_validate.brief(loss)} is no loss in {measure}; pass epsilon as a "
                "function of the order"
            )
        orders = [order for order in ORDERS.tolist() if order > 1.0]
        return RDP(orders=orders, epsilons=[float(loss(order)) for order in orders])
    raise UnsupportedMechanism(
        f"measure={_validate.brief(measure)} is not known here; pass a loss in MaxDivergence, "
        "SmoothedMaxDivergence, ZeroConcentratedDivergence or RenyiDivergence, or in an "
        "Approximate of one of them"
    )


def _profile_curve(profile: Any) -> TradeoffCurve:
    """The curve of a profile, from below."""
    if not callable(getattr(profile, "delta", None)):
        raise InvalidType(
            f"source={_validate.brief(profile)} has no method delta; pass a PrivacyProfile of "
            "OpenDP, a measurement with d_in=..., or a loss with measure=..."
        )

    def delta(epsilon: float) -> float:
        value = float(profile.delta(epsilon))
        # Rounding may leave [0, 1] by a little; anything else is for the curve to refuse.
        return min(1.0, max(0.0, value)) if -1e-9 <= value <= 1.0 + 1e-9 else value

    return TradeoffCurve.from_profile(delta)


def to_opendp(subject: TradeoffCurve | HasCurve | Mechanism, *, tolerance: float = 1e-3) -> Any:
    """The privacy profile of a mechanism or a curve, as an OpenDP ``PrivacyProfile``.

    Its deltas are upper bounds, for both directions. OpenDP asks for the features "contrib" and
    "honest-but-curious" to be enabled: it cannot check what we say.
    """
    package = imported("opendp.measures", extra="opendp")
    curve = as_curve("subject", subject, tolerance=tolerance).symmetrised()

    def delta(epsilon: float) -> float:
        if not epsilon >= 0.0:
            raise InvalidArgument(f"epsilon={epsilon!r} is not 0 or above; pass such an epsilon")
        return curve.delta(epsilon)

    return package.new_privacy_profile(delta)
