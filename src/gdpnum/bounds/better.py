"""Two valid profiles are better than one: at each epsilon the smaller of two, made convex again."""

from __future__ import annotations

import math

import numpy as np

from gdpnum import charges
from gdpnum.bounds.claims import lines_of_claims
from gdpnum.bounds.lines import Lines

__all__ = ["better_of", "bounded_by"]


def better_of(first: Lines, second: Lines) -> Lines:
    """Lines of the hull of two profiles that both hold: nowhere above either.

    A profile is convex in exp(eps), so every chord between two claims holds.
    """
    epsilons = np.union1d(np.append(first.epsilons, 0.0), second.epsilons)
    deltas = np.minimum(first.delta(epsilons), second.delta(epsilons))
    return lines_of_claims(epsilons, np.minimum(deltas, 1.0))


def bounded_by(lines: Lines, largest: float) -> Lines:
    """The same with a delta of zero from the largest loss on, and a chord that leads there."""
    ends_before = lines.mass_at_infinity == 0.0 and lines.epsilons[-1] <= largest
    return lines if math.isinf(largest) or ends_before else _ended(lines, largest)


def _ended(lines: Lines, largest: float) -> Lines:
    kept = int(np.searchsorted(lines.epsilons, largest))
    before = lines.epsilons[:kept]
    start = float(before[-1]) if kept else 0.0
    delta = min(1.0, float(lines.delta(np.array([start]))[0]))
    # exp(eps) alpha at the end of a chord from (start, delta) to (largest, 0).
    weight = delta / -math.expm1(start - largest) * (1.0 + charges.chord())
    if weight == 0.0:
        return Lines(before, lines.log_alphas[:kept], lines.tprs[:kept], 0.0) if kept else lines
    log_alpha = math.log(weight) - largest - charges.chord() * (1.0 + largest)
    if kept:
        log_alpha = min(log_alpha, float(lines.log_alphas[kept - 1]))
    return Lines(
        np.append(before, largest),
        np.append(lines.log_alphas[:kept], log_alpha),
        np.append(lines.tprs[:kept], min(weight, float(lines.tprs[kept - 1])) if kept else weight),
        0.0,
    )
