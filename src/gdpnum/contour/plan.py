"""The plan of a transform: up to which frequency, how long a period, how many nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gdpnum.contour.decay import Decay, decay, power_bound, weighed
from gdpnum.contour.grid import PULL, QUANTUM, grid, lifted_spacing
from gdpnum.contour.ladder import reach
from gdpnum.contour.pairs import Nodes, Steps
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.rungs import Ladder
from gdpnum.contour.transform import Quadrature, Transform, transform
from gdpnum.floats import Floats

# Candidates for the last frequency, as multiples of that of a Gaussian of the same variance.
_CANDIDATES = np.array([0.7, 0.9, 1.1, 1.4, 2.0, 3.2, 6.0, 15.0, 60.0, 600.0, 10000.0])

# And others: for few segments at once, elsewhere where it takes more than so much. Then between
# the first and the one before it, too.
_OTHERS = np.array([0.8, 0.85, 0.95, 1.0, 1.05, 1.2, 1.25, 1.6, 1.8, 2.5, 4.2, 9.0, 25.0, 150.0])
_FEW, _CLOSE, _BETWEEN = 4, 3.3, np.linspace(0.0, 1.0, 7)[1:-1]
_EVERY = np.sort(np.concatenate([_CANDIDATES, _OTHERS]))

# What is as much smaller than all that is left out (a log) adds nothing that shows.
_GONE = 20.0

# Then about where it just is enough, and a little further.
_JUST = np.array([1.004, 1.03])

# The log of what a bound on the decay of a run may be larger by, as a log, for want of nodes.
_ROUGHLY = -4.0

# Runs are taken apart where padding makes this much of what they would take alone, and of it.
_UNEVEN, _SMALL = 4.0, 1e7

# Frequencies times nodes times lines that another group of segments is worth.
_TABLE = 2e5


class Plan(NamedTuple):
    """What each line of a transform takes."""

    tilts: Floats
    limits: Floats
    """The last frequency, by run and line."""
    periods: Floats
    decayed: Decay
    error: float

    def only(self, lines: list[int]) -> Plan:
        """Some of the lines."""
        return Plan(
            self.tilts[:, lines],
            self.limits[:, lines],
            self.periods[:, lines],
            self.decayed.only(lines),
            self.error,
        )

    def part(self, runs: npt.NDArray[np.intp]) -> Plan:
        """Some of the runs."""
        tilts, limits, periods = self.tilts[runs], self.limits[runs], self.periods[runs]
        return Plan(tilts, limits, periods, self.decayed.part(runs), self.error)

    @property
    def numbers(self) -> Floats:
        """How many frequencies the lines of each run take together."""
        found: Floats = self.limits.max(axis=1) * self.periods.max(axis=1) * (0.5 / np.pi)
        return found


def planned(
    steps: Steps, ladder: Ladder, tilts: Floats, periods: Floats, *, digits: Floats, error: float
) -> Plan:
    """The plan for lines Re s = tilts; ``digits`` (natural) by line for what is left out."""
    # On all lines the transform dies out with the bulk of the losses, as in the middle.
    guess = (np.sqrt(2.0 * digits) / ladder.deviation[:, None])[:, :, None]
    few = steps.c.size <= _FEW
    multiples = _EVERY if few else _CANDIDATES
    thetas, places = guess * multiples, weighed(steps, *_places(steps, tilts, digits), tilts)
    near = int(np.searchsorted(multiples, _CLOSE))
    logs = decay(steps, places, thetas[:, :, :near])
    if (logs[:, :, -1] < -digits - _GONE).all():
        # A bound at one theta holds at all larger ones.
        rest = logs[:, :, -1:].repeat(multiples.size - near, axis=2)
    else:
        rest = np.minimum(logs[:, :, -1:], decay(steps, places, thetas[:, :, near:]))
    logs = np.concatenate([logs, rest], axis=2)
    found = Decay(thetas, logs, *power_bound(steps, tilts, thetas[:, :, -1]))
    first = found.first(digits)
    if (found.at(first)[0] > _CLOSE * guess).any():
        # Far from a Gaussian: once more, from the ladder's nodes, which are closer.
        places, thetas = weighed(steps, ladder.nodes, ladder.step, tilts), guess * _EVERY
        found = found.joined(thetas, decay(steps, places, thetas))
        first = found.first(digits)
        (start, _), (end, _) = found.at(np.maximum(first - 1, 0)), found.at(first)
        thetas = start * (end / start) ** _BETWEEN
        found = found.joined(thetas, decay(steps, places, thetas))
    elif not few:
        (start, before), (end, after) = found.at(np.maximum(first - 1, 0)), found.at(first)
        # Nearly a power of theta.
        low, high = (np.log(np.maximum(-one, 1e-3)) for one in (before, after))
        share = np.where(first > 0, (np.log(digits)[:, :, None] - low) / (high - low), 1.0)
        thetas = np.minimum(start * (end / start) ** np.fmin(share, 1.0) * _JUST, end)
        found = found.joined(thetas, decay(steps, places, thetas))
    # The ladder from the first on; earlier ones repeat it, which adds nothing.
    index = np.maximum(np.arange(found.thetas.shape[2]), found.first(digits))
    thetas, logs = found.at(index)
    found = found._replace(thetas=thetas, logs=logs)
    return Plan(tilts, thetas[:, :, 0], periods * 1.01, found, error)


def _places(steps: Steps, tilts: Floats, digits: Floats) -> tuple[Nodes, Floats]:
    """Nodes for R_a on these lines, and how far apart they are.

    Up to where it has died out by the digits, as roughly as does not show in all releases.
    """
    # How much of it is a release's own, and as much again for the height of its line.
    own = steps.rate**2 * np.expm1(np.minimum((steps.shifts * steps.c) ** 2, 2.0))
    share = own / steps.total(steps.counts * own)[steps.owner]
    total = steps.total(steps.counts)[steps.owner]
    need = np.log(total) + 2.5 * digits.max(axis=1)[steps.owner] * share - _ROUGHLY
    # The least that any height leaves of the strip.
    b = np.minimum(0.25 * np.pi / (steps.c * steps.shifts), np.sqrt(2.0 * need))
    step = np.maximum(np.floor(2.0 * np.pi * b / (need + 0.5 * b * b) / QUANTUM), 1.0) * QUANTUM
    return steps.at(grid(step, *reach(steps, tilts, need))), step


def kept(steps: Steps, ladder: Ladder, tilts: Floats, need: Floats) -> tuple[Floats, Floats]:
    """The range of nodes that matter on these lines, by segment."""
    nodes = ladder.nodes
    s = np.concatenate([tilts, np.broadcast_to([0.0, 1.0], (tilts.shape[0], 2))], axis=1)
    exponent = s[steps.owner][:, :, None] * nodes.loss[:, None, :] + ladder.exponents[:, None, :]
    matters = (exponent > exponent.max(axis=2, keepdims=True) - need[:, None, None]).any(axis=1)
    first = np.maximum(np.argmax(matters, axis=1) - 1, 0)
    last = nodes.u.shape[1] - np.argmax(matters[:, ::-1], axis=1)
    rows = np.arange(first.size)
    low, high = nodes.u[rows, first], nodes.u[rows, np.minimum(last, nodes.u.shape[1] - 1)]
    # The ladder's own nodes may end before.
    low = np.where(
        first == 0, -np.sqrt(low * low + 2.0 * np.maximum(need - 0.5 * low * low, 0.0)), low
    )
    # As far as the steepest slope of the tilt can pull, unless chords bound what lies beyond.
    pull = tilts.max(axis=1)[steps.owner] * steps.slope
    far = (pull > PULL) & (steps.replaced == 0.0)
    return low, np.where(far, high, np.maximum(high, pull + 1.5))


def carried_out(
    steps: Steps, ladder: Ladder, plan: Plan, most: float, centre: Floats | None = None
) -> Transform:
    """The transform as planned: the lines share their frequencies and nodes.

    About a ``centre`` of one loss by segment, or else its mean on the last line.

    Raises `OutOfReach` if frequencies times nodes, over all segments, are more than ``most``.
    """
    limit, numbers = plan.limits.max(axis=1), np.maximum(np.ceil(plan.numbers), 4.0)
    number = numbers.max()
    need = np.log(steps.counts) - np.log(plan.error)
    step, missed, turned, height = lifted_spacing(steps, need, plan.tilts, limit * (1.0 + 1e-6))
    low, high = kept(steps, ladder, plan.tilts, need)
    nodes = (high - low) / step + 2.0
    worth = _TABLE / (number * plan.tilts.shape[1])
    apart = [np.flatnonzero(height > 0.0), np.flatnonzero(~(height > 0.0))]
    groups = [own for some in apart for own in grouped(some, nodes, worth)]
    # All are padded to the most frequencies, and to the most nodes of their group.
    work = float(number * sum(float(nodes[own].max()) * own.size for own in groups))
    alone = numbers * steps.total(nodes) if steps.runs > 1 else np.full(1, work)
    uneven = steps.runs > 1 and work > _UNEVEN * float(alone.sum()) + _SMALL
    if not work <= most or not number <= most or uneven:
        raise OutOfReach(
            f"the contour takes {number:.3g} frequencies times {float(nodes.max()):.3g} nodes for "
            f"{steps.c.size} segments, {work:.3g} in all and more than {most:.3g}; use the lattice",
            alone,
        )
    # Few bits, so that the frequencies are exact; a hair wider, so that the last is not short.
    width = (limit * ((1.0 + 2e-7) / number)).astype(np.float32)
    frequencies = width.astype(np.float64)[:, None] * (np.arange(int(number)) + 0.5)
    return transform(
        steps,
        Quadrature(step, low, high, missed, turned, height),
        groups,
        tilts=plan.tilts,
        frequencies=frequencies,
        centre=centre,
    )


def grouped(every: npt.NDArray[np.intp], sizes: Floats, worth: float) -> list[npt.NDArray[np.intp]]:
    """Groups of about one size, where padding all of a group to its largest spares so much."""
    if every.size < 2:
        return [every][: every.size]
    order = every[np.argsort(-sizes[every], kind="stable")]
    # Those before and those after, so much less for each of the latter.
    spared = np.arange(order.size - 1, 0, -1) * (sizes[order[0]] - sizes[order[1:]])
    if not float(spared.max(initial=0.0)) > worth:
        return [np.sort(every)]
    first = int(np.argmax(spared)) + 1
    return [np.sort(order[:first]), *grouped(order[first:], sizes, worth)]
