"""Regret: how much a summary gives away, Delta(f, g) for the true curve f of a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdpnum import _validate
from gdpnum.account import account, as_curve
from gdpnum.accuracy import Accuracy
from gdpnum.bounds.attacks import Attacks
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument
from gdpnum.floats import NUMPY, Floats
from gdpnum.measures.divergence import DeltaDivergence, delta_divergence, prior_weight
from gdpnum.subject import Subject

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
        return _regret(representation, mechanism, _validate.accuracy(tolerance))


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
    delta_g / (1 + exp(eps)) falls, so its largest value is where that begins.
    """
    if not directions:
        # No attack is known; the most that a summary can give away is against perfect privacy.
        return 0.5 * float(np.asarray(profile(np.zeros(1)))[0]), 0.0
    edges, line = _shown(directions)
    left, right = edges[:-1], edges[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        sunk = np.log(np.maximum(line.tpr, 0.0)) - line.log_alpha
    # The line holds up to where it sinks below zero, or to the end of the cell.
    until, sinks = right.copy(), sunk < right
    until[sinks] = np.maximum(sunk, left)[sinks]
    places = np.concatenate([edges, until[sinks]])
    weight, summarised = prior_weight(places), np.asarray(profile(places))
    weight, weight_until = _ends_of_cells(weight, sinks)
    summarised, at_until = _ends_of_cells(summarised, sinks)
    cells = np.maximum(
        (summarised - np.maximum(line.delta(left), 0.0)) * weight,
        (at_until - np.maximum(line.delta(until), 0.0)) * weight_until,
    )
    worst = int(np.argmax(cells))
    return max(0.0, float(cells[worst])), float(edges[worst])


def _ends_of_cells(values: Floats, sinks: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Values at each cell's left end, and where its line ends.

    They are given at all edges, then where those lines end that sink within their cell.
    """
    right = values[1 : sinks.size + 1].copy()
    right[sinks] = values[sinks.size + 1 :]
    return values[: sinks.size], right


class _Line(NamedTuple):
    """On each cell of eps the line of one test: delta(eps) >= tpr - exp(eps) alpha."""

    tpr: Floats
    log_alpha: Floats

    def delta(self, epsilons: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return self.tpr - np.exp(epsilons + self.log_alpha)

    def on(self, cells: NDArray[np.intp]) -> _Line:
        return _Line(self.tpr[cells], self.log_alpha[cells])


def _shown(directions: Sequence[Attacks]) -> tuple[Floats, _Line]:
    """Cells of eps, by their edges, and on each the line of the test that shows most there.

    Where the lines of two directions cross, a cell ends.
    """
    each = [_ends(one) for one in directions]
    ends = each[0] if len(each) == 1 else np.concatenate(each)
    if not (ends[1:] > ends[:-1]).all():
        ends = np.unique(ends)
    ends = ends[ends > 0.0]
    # The last cell has no end: what is left of the ratio there, at most exp(-1e4), is nothing.
    edges = np.concatenate([[0.0], ends, [1e4 + 2.0 * float(ends.max(initial=0.0))]])
    middles = 0.5 * (edges[:-1] + edges[1:])
    lines = [_nearest(*both, middles) for both in zip(directions, each, strict=True)]
    # Each line with the cells it is known on, which the crossings of the others leave as they are.
    cells, best = edges, lines[0]
    for line in lines[1:]:
        before, cells = cells, _split(cells, best, line.on(_cell_of(edges, cells)))
        best, other = best.on(_cell_of(before, cells)), line.on(_cell_of(edges, cells))
        middles = 0.5 * (cells[:-1] + cells[1:])
        leads = best.delta(middles) >= other.delta(middles)
        best = _Line(*(np.where(leads, *both) for both in zip(best, other, strict=True)))
    return cells, best


def _cell_of(coarse: Floats, fine: Floats) -> NDArray[np.intp]:
    """For each cell of a finer division the cell of the coarser one that it lies in."""
    return np.searchsorted(coarse, fine[:-1], side="right") - 1


def _split(edges: Floats, one: _Line, other: _Line) -> Floats:
    """The cells with an edge wherever two lines cross."""
    at = _crossings(one, other)
    return np.union1d(edges, at[(edges[:-1] < at) & (at < edges[1:])])


def _crossings(one: _Line, other: _Line) -> Floats:
    """The epsilons at which lines cross; not finite where they do not."""
    highest = np.maximum(one.log_alpha, other.log_alpha)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.abs(np.exp(one.log_alpha - highest) - np.exp(other.log_alpha - highest))
        at: Floats = np.log(np.abs(one.tpr - other.tpr)) - np.log(apart) - highest
    return at


def _nearest(tests: Attacks, ends: Floats, epsilons: Floats) -> _Line:
    """The line of the test that is best at each epsilon, with where each test gives way."""
    first = int(np.searchsorted(ends, epsilons[0]))
    if ends.size - first == epsilons.size - 1:
        # Of one direction alone each cell has a test of its own.
        return _Line(tests.tpr[first:], tests.log_alpha[first:])
    chosen = np.searchsorted(ends, epsilons)
    return _Line(tests.tpr[chosen], tests.log_alpha[chosen])


def _ends(tests: Attacks) -> Floats:
    """Where one test gives way to the next: where their lines cross, near the losses of both.

    Which is the loss of what one of them rejects and the other does not. Where that is nothing, or
    rounding only, it does not matter.
    """
    low, high = tests.losses[:-1] - tests.step, tests.losses[1:]
    crossings = _crossings(*(_Line(tests.tpr[one], tests.log_alpha[one]) for one in _PAIRED))
    crossings = np.where(np.isfinite(crossings), crossings, 0.5 * (low + high))
    return np.maximum.accumulate(crossings.clip(low, high))


# Each test and the next.
_PAIRED = (slice(None, -1), slice(1, None))


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
