"""Trade-off curves by formula: bounds that hold where the engine has none."""

from __future__ import annotations

import math
from contextlib import suppress

from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import UnsupportedMechanism
from gdpnum.measures.unslacked import mu_without_slack
from gdpnum.mechanisms import FixedSize, Mechanism, PoissonSampled
from gdpnum.releases import largest_loss, releases
from gdpnum.representations import ApproxDP, PureDP

# Beyond it exp(epsilon) overflows.
_LARGEST_LOSS = 700.0


def formula_curves(mechanism: Mechanism) -> list[TradeoffCurve]:
    """Curves that each bound the mechanism's from below.

    Of a record revealed whenever it takes part, of the largest loss, and of full participation.
    """
    curves = [ApproxDP(epsilon=0.0, delta=participation(mechanism)).curve()]
    epsilon = largest_loss(releases(mechanism).above)
    if epsilon < _LARGEST_LOSS:
        curves.append(PureDP(epsilon=epsilon).curve())
    with suppress(UnsupportedMechanism):
        curves.append(GaussianCurve(mu_without_slack(mechanism)))
    return curves


def participation(mechanism: Mechanism) -> float:
    """The probability that a record takes part in any release: 1 - prod (1 - rate_i)^n_i."""
    log_absent = 0.0
    for leaf, count in mechanism.parts:
        rate, records = 1.0, 1
        if isinstance(leaf, PoissonSampled):
            rate, records = leaf.rate, leaf.records_per_person
        elif isinstance(leaf, FixedSize):
            # Drawn with replacement a record is in a batch less often, and then perhaps twice.
            rate, records = leaf.batch_size / leaf.dataset_size, leaf.records_per_person
        log_absent += count * records * math.log1p(-rate) if rate < 1.0 else -math.inf
    # A product rounded down would flatter.
    return min(1.0, abs(math.expm1(log_absent)) * (1.0 + 1e-14))
