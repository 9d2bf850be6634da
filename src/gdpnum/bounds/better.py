"""Two valid profiles are better than one: at each epsilon the smaller of two, made convex again."""

from __future__ import annotations

import math

import numpy as np

from gdpnum import charges
from gdpnum.bounds.claims import lines_of_claims
from gdpnum.bounds.lines import Lines


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
    """The lines up to one from whose end the chord to (largest, 0) is no steeper than it is."""
    below = int(np.searchsorted(lines.epsilons, largest))
    ends = np.append(0.0, lines.epsilons[:below])
    deltas = np.minimum(lines.delta(ends), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        # exp(eps) alpha at the far end of each chord.
        weights = deltas / -np.expm1(ends - largest)
        log_alphas = np.log(weights) - largest - charges.chord() * (1.0 + largest)
    fits = np.append(True, log_alphas[1:] <= lines.log_alphas[:below])
    kept = int(np.flatnonzero(fits)[-1])
    if not 0.0 < weights[kept] < math.inf:
        return lines._replace(mass_at_infinity=0.0) if below == lines.epsilons.size else lines
    # A curve's mirrored half is read at 1 - TPR, which rounds as well.
    raised = float(weights[kept]) * (1.0 + 64.0 * charges.chord())
    tprs = np.append(lines.tprs[:kept], raised)
    return Lines(
        np.append(lines.epsilons[:kept], largest),
        np.append(lines.log_alphas[:kept], log_alphas[kept]),
        np.maximum.accumulate(tprs[::-1])[::-1],
        0.0,
    )
