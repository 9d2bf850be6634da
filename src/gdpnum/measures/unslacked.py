"""mu without slack: by formula, from the records of what was released."""

from __future__ import annotations

from gdpnum.formulas.mass_at_infinity import joint_mass_at_infinity
from gdpnum.kind import kind_of
from gdpnum.mechanisms.mechanism import Mechanism
from gdpnum.releases import composed_mu


def mu_without_slack(mechanism: Mechanism) -> float:
    """sqrt(sum n_i mu_i^2) with mu_i that of one release at slack zero: always a valid mu."""
    return composed_mu((kind_of(leaf).squared_mu(leaf), count) for leaf, count in mechanism.parts)


def is_tight_without_slack(mechanism: Mechanism) -> bool:
    """Whether that is the smallest valid mu, not only a valid one.

    It is for Gaussians, and for add/remove DP-SGD, where the worst case is to be sampled always.
    """
    return all(kind_of(leaf).is_tight(leaf) for leaf, _ in mechanism.parts)


def mass_at_infinity(mechanism: Mechanism) -> float:
    """The probability that a loss is infinite: 1 - prod (1 - m_i)^n_i."""
    return joint_mass_at_infinity(
        (kind_of(leaf).mass_at_infinity(leaf), count) for leaf, count in mechanism.parts
    )
