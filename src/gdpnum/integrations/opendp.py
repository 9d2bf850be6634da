"""OpenDP's privacy profiles, in and out."""

from __future__ import annotations

from typing import Any

from gdpnum._optional import imported
from gdpnum.account import as_curve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.mechanisms import Mechanism
from gdpnum.subject import HasCurve

__all__ = ["from_opendp", "to_opendp"]


def from_opendp(profile: object) -> TradeoffCurve:
    """The trade-off curve of an OpenDP ``PrivacyProfile``, from below.

    Guarantee: no attack on a mechanism with that profile does better. The profile is read at some
    thousand epsilons and joined pessimistically, as `TradeoffCurve.from_profile` does.

    A curve is no better than its profile. That of a Gaussian measurement, mapped with
    ``make_zCDP_to_approxDP``, is the generic bound for its rho, which says less than the mechanism
    does: for sigma = 2 it has mu = 0.74 at the default slack, ``Gaussian(sigma=2.0)`` has 0.5.
    Where you know what was run, describe it.

    >>> from types import SimpleNamespace
    >>> profile = SimpleNamespace(delta=lambda epsilon: 1e-6 if epsilon >= 0.5 else 1.0)
    >>> round(from_opendp(profile).epsilon(1e-6), 3)
    0.5
    """
    source: Any = profile
    if not callable(getattr(source, "delta", None)):
        raise InvalidType(
            f"profile={profile!r} has no method delta; pass a PrivacyProfile of OpenDP, "
            "as measurement.map(d_in) returns for smoothed max divergence"
        )

    def delta(epsilon: float) -> float:
        value = float(source.delta(epsilon))
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
