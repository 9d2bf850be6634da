"""dp-accounting, and what describes its runs by it, such as JAX-Privacy.

``from_dp_event`` and ``from_dp_accountant`` give the mechanism that was run, ``from_pld`` the
trade-off curve of a privacy loss distribution. `GdpnumAccountant` is a ``PrivacyAccountant``, with
which dp-accounting's own helpers calibrate to our bounds::

    import dp_accounting
    from gdpnum.integrations.dp_accounting import GdpnumAccountant

    sigma = dp_accounting.calibrate_dp_mechanism(
        GdpnumAccountant, dp_accounting.GaussianDpEvent, target_epsilon=1.0, target_delta=1e-5
    )
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdpnum.integrations.dp_accountants import (
    CurveAccountant,
    IgnoredSetting,
    accountant_class,
    from_dp_accountant,
)
from gdpnum.integrations.dp_events import from_dp_event
from gdpnum.integrations.pld import from_pld

if TYPE_CHECKING:
    GdpnumAccountant = CurveAccountant

__all__ = [
    "GdpnumAccountant",
    "IgnoredSetting",
    "from_dp_accountant",
    "from_dp_event",
    "from_pld",
]


def __getattr__(name: str) -> object:
    if name == "GdpnumAccountant":
        return accountant_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
