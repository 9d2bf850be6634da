"""Regret: how much a summary gives away, Delta(f, g) for the true curve f of a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gdpnum.account import account, as_curve
from gdpnum.bounds.accuracy import Accuracy, accuracy
from gdpnum.bounds.attacks import Attacks
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument
from gdpnum.floats import NUMPY, Floats
from gdpnum.measures.divergence import DeltaDivergence, delta_divergence, prior_weight
from gdpnum.subject import Subject

__all__ = ["regret", "regret_bound"]

# An attack that beats a summary by more than this shows that it does not hold.
_FLATTERED = 1e-6


def regret(
    representation: Subject,
    mechanism: Subject,
    *,
    tolerance: float | None = None,
) -> DeltaDivergence:
    """The regret of a representation of a mechanism, Delta(f, g), from above.

    f is the mechanism's trade-off curve, g that of the representation. Against attacks that exist
    the regret is bounded, so it is not understated; for Gaussians, and where a curve is given in
    place of the mechanism, it is exact. Below 0.01 the representation is a practically complete
    report.

    Raises `InvalidArgument` where an attack beats the representation: it does not hold.

    >>> from gdpnum import ApproxDP, Gaussian, Laplace, PureDP, regret
    >>> f"{regret(PureDP(epsilon=1.0), Laplace(scale=1.0), tolerance=1e-5):.4f}"
    '0.0343'
    >>> run = Gaussian(sigma=0.7)
    >>> f"{regret(ApproxDP.fit(run, delta=1e-5), run):.3f}"
    '0.236'
    """
    with np.errstate(**NUMPY):
        return _regret(representation, mechanism, accuracy(tolerance))


def _regret(representation: Subject, mechanism: Subject, asked: Accuracy) -> DeltaDivergence:
    summary = as_curve("representation", representation)
    found = account(mechanism, asked)
    if found.known is not None:
        _refuse_flattery(representation, delta_divergence(summary, found.curve))
        return delta_divergence(found.curve, summary)
    tests = found.attacks
    _refuse_beaten(representation, summary, tests)
    value, epsilon = regret_bound(summary.delta, tests)
    steep = DeltaDivergence(value, epsilon=epsilon, alpha=_touched(summary, epsilon)[0])
    if summary.is_symmetric:
        return steep
    # The mechanism's curve is symmetric; of the summary's, the other half counts as well.
    inverse = summary.inverse()
    _refuse_beaten(representation, inverse, tests)
    value, epsilon = regret_bound(inverse.delta, tests)
    beta = _touched(inverse, epsilon)[1]
    return max(steep, DeltaDivergence(value, epsilon=-epsilon, alpha=beta))


def _touched(curve: TradeoffCurve, epsilon: float) -> tuple[float, float]:
    """The point (alpha, beta) of a curve where its slope is -exp(eps)."""
    alphas, betas = curve.tangents(np.array([epsilon]))
    return float(alphas[0]), max(0.0, float(betas[0]))


def regret_bound(
    profile: Callable[[Floats], float | Floats], directions: Sequence[Attacks]
) -> tuple[float, float]:
    """An upper bound on sup over eps >= 0 of (delta_g(eps) - delta(eps)) / (1 + exp(eps)).

    And the eps at which it is reached. ``profile`` is delta_g, of a symmetric curve. A test with
    (alpha, tpr) shows delta(eps) >= tpr - exp(eps) alpha. On a cell of eps one such line is held
    fixed; delta_g is convex in exp(eps), so the ratio is quasi-convex there and its largest value
    is at an end of the cell. Where the line falls below zero, delta >= 0 takes over;
    delta_g / (1 + exp(eps)) falls, so its largest value is where that begins. Of several
    directions, and of neighbouring tests, each cell takes the better one.
    """
    if not directions:
        # No attack is known; the most that a summary can give away is against perfect privacy.
        return 0.5 * float(np.asarray(profile(np.zeros(1)))[0]), 0.0
    ends = _ends(directions[0])
    edges = ends[ends > 0.0]
    # The last cell has no end: what is left of the ratio there, at most exp(-1e4), is nothing.
    edges = np.concatenate([[0.0], edges, [1e4 + 2.0 * float(edges.max(initial=0.0))]])
    summarised = np.asarray(profile(edges))
    found = [
        _cells(profile, summarised, edges, one, further)
        for one in directions
        for further in _neighbours(one)
    ]
    cells = np.min(found, axis=0) if len(found) > 1 else found[0]
    worst = int(np.argmax(cells))
    return max(0.0, float(cells[worst])), float(edges[worst])


def _ends(tests: Attacks) -> Floats:
    """Where one test gives way to the next: half way between the epsilons at which each is best."""
    return 0.5 * (tests.losses[:-1] + tests.losses[1:] - tests.step)


def _neighbours(tests: Attacks) -> tuple[int, ...]:
    """The tests to look at on a cell, from the nearest up.

    Where there is one for each step of the rounding, that is the best of all. Where there is not,
    the next one does better if what is between the two is mostly at the lower.
    """
    apart = tests.losses.size > 1 and tests.losses[1] - tests.losses[0] > 1.5 * tests.step
    return (0, 1) if apart else (0,)


def _cells(
    profile: Callable[[Floats], float | Floats],
    summarised: Floats,
    edges: Floats,
    tests: Attacks,
    further: int,
) -> Floats:
    """The largest ratio on each cell of eps, from the line of one test: the nearest, or further."""
    left, right = edges[:-1], edges[1:]
    chosen = np.searchsorted(_ends(tests), 0.5 * (left + right)) + further
    chosen = np.minimum(chosen, tests.losses.size - 1)
    tpr, log_alpha = tests.tpr[chosen], tests.log_alpha[chosen]
    with np.errstate(divide="ignore", invalid="ignore"):
        sunk = np.log(np.maximum(tpr, 0.0)) - log_alpha

    def ratio(epsilons: Floats, summarised: Floats, weight: Floats) -> Floats:
        with np.errstate(over="ignore"):
            shown = tpr - np.exp(epsilons + log_alpha)
        return (summarised - np.maximum(shown, 0.0)) * weight

    weight = prior_weight(edges)
    # The line holds up to where it sinks below zero, or to the end of the cell.
    until, at_until, weight_until = right.copy(), summarised[1:].copy(), weight[1:].copy()
    sinks = sunk < right
    until[sinks] = np.maximum(sunk, left)[sinks]
    at_until[sinks] = profile(until[sinks])
    weight_until[sinks] = prior_weight(until[sinks])
    return np.maximum(
        ratio(left, summarised[:-1], weight[:-1]), ratio(until, at_until, weight_until)
    )


def _refuse_flattery(representation: object, excess: DeltaDivergence) -> None:
    if excess > _FLATTERED:
        raise InvalidArgument(
            f"{representation!r} does not hold: the curve's delta({excess.epsilon:.4g}) is above "
            "what it allows; pass a representation fitted to the curve"
        )


def _refuse_beaten(
    representation: object, summary: TradeoffCurve, directions: Sequence[Attacks]
) -> None:
    for tests in directions:
        alphas = np.exp(np.minimum(tests.log_alpha, 0.0))
        beaten = tests.tpr - np.asarray(summary.tpr(alphas))
        worst = int(np.argmax(beaten))
        if beaten[worst] > _FLATTERED:
            raise InvalidArgument(
                f"{representation!r} does not hold: an attack with FPR {alphas[worst]:.3g} has a "
                f"TPR of {tests.tpr[worst]:.4g}, more than it allows; pass a representation fitted "
                "to the mechanism"
            )
