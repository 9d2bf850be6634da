"""The mass at infinity of several releases together."""

from __future__ import annotations

import math
from collections.abc import Iterable

from gdpnum import charges


def joint_mass_at_infinity(masses: Iterable[tuple[float, int]]) -> float:
    """1 - prod (1 - m_i)^n_i of masses m_i released n_i times each, without cancellation.

    From above, and 1 as soon as one of the masses is.
    """
    known = [(min(mass, 1.0), times) for mass, times in masses if mass > 0.0 and times > 0]
    if not known:
        return 0.0
    if any(mass == 1.0 for mass, _ in known):
        return 1.0
    if len(known) == 1 and known[0][1] == 1:
        return known[0][0]
    joint = -math.expm1(sum(times * math.log1p(-mass) for mass, times in known))
    # Masses so small that the logarithm of their complement is lost still add up.
    least = max(mass for mass, _ in known)
    return min(1.0, max(joint, least) * (1.0 + charges.joint_mass(len(known))))
