"""A reading of one run of sampled Gaussians in which jumps have their say.

K turns steep early, so that mu is decided elsewhere than a Gaussian's would be, and the transform
takes more frequencies. Bounds are those of `gdpnum.contour.ordinary`, by the same lemmas.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gdpnum.contour.decay import Decay
from gdpnum.contour.draft import tail_rung
from gdpnum.contour.ladder import turning
from gdpnum.contour.line import CLOSE, FAR, Knots, Line, Picked, Reading, stacked
from gdpnum.contour.located import nearer, settled
from gdpnum.contour.ordinary import (
    LAM,
    WORK,
    Grid,
    Ordinary,
    Tilted,
    Wanted,
    beyond,
    decays,
    frequencies,
    joined,
    meeting,
    one_ladder,
    placed,
    tilted_weights,
    transformed,
    wanted_at,
)
from gdpnum.contour.pairs import Steps
from gdpnum.contour.plan import Plan, carried_out
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.reading import limits
from gdpnum.contour.rungs import Approximate, Ladder, first_knots, guessed, period
from gdpnum.contour.transform import Transform
from gdpnum.floats import Floats

# Where the last frequency is looked for, as multiples of that of a Gaussian of the same variance.
_CANDIDATES = np.array(
    [0.85, 1.0, 1.2, 1.45, 1.8, 2.3, 3.0, 4.0, 5.5, 8.0, 12.0, 18.0, 28.0, 50.0, 100.0, 1e3, 1e4]
)

# Digits that the line in the middle has left after rounding.
_MOST_DIGITS = 35.0

# So many times what delta of adding may be wrong by hide it: all that it is held against.
_HIDDEN = 120.0

# As in `gdpnum.contour.reading`; here frequencies cost less, and digits more.
_ROOM = 29.0

# More frequencies than this are worth a closer look at how many it takes.
_MANY = 100.0

# Where images are bounded best for a line that is read from zero to its epsilon, and beyond.
_ALL = np.array([[0.0, 0.6, 1.02]])

# Of lines for removing and the middle: the last for both directions, then the first, and the last
# in place of one for adding.
_PICKED, _PICKED_APART = Picked.of([[1, 1], [0, 1]]), (Picked.of([[0]]), Picked.of([[0, 0]]))

# So many frequencies fewer are worth a transform for each line.
_APART = 300.0


@dataclass(frozen=True, eq=False)
class Jumpy(Ordinary):
    """A run as an ordinary one has it, but adding is read off the line in the middle."""

    found: tuple[Reading, Knots]

    @cached_property
    def read(self) -> tuple[Ladder, Reading, Knots]:
        """The ladder, the lines as a reading, and that at the first knots."""
        return self.ladder, *self.found

    @property
    def tail(self) -> Reading:
        """The same reading."""
        return self.found[0]


def jumpy(
    steps: Steps, mu: float, steep: float, slack: Floats, tolerance: float, most: float
) -> Jumpy:
    """A run in which jumps have their say, read to ``tolerance`` times the slack.

    ``mu`` is about its own, and ``steep`` how far its ladder reaches (`outlook`).
    Raises `OutOfReach` where it is for the general way.
    """
    adding = LAM * (1.0 / mu)
    lam = np.concatenate([turning(steps, steep * adding[-1:]), adding[None, :]])
    places = placed(steps, float(lam[0, -1]), float(adding[-1]), 0.0)
    ladder, tilted = one_ladder(steps, places, lam, steep)
    near = Approximate.of(ladder.rungs)
    guess = guessed(near, ladder.rungs, 1, slack)
    wanted = wanted_at(near, ladder, guess, float(np.log(slack[0])), tolerance)
    if not _middle_digits(ladder, wanted) < _MOST_DIGITS:
        raise OutOfReach("adding takes a line of its own")
    guess, sure = settled(near, steps, ladder, guess, slack)
    wanted = wanted._replace(epsilons=guess)
    found = _read(steps, places, ladder, tilted, wanted, slack, most, sure=bool(sure[0]))
    _check_adding(found[1], wanted)
    return Jumpy(slack, ladder, guess, found[0].lines[1], found)


def _middle_digits(ladder: Ladder, wanted: Wanted) -> float:
    """Digits of the line in the middle: for zero, and for adding where that decides."""
    middle, (_, adding), (_, added) = float(ladder.middle[0]), wanted.epsilons, wanted.errors
    return max(middle - wanted.fine, middle + 0.5 * float(adding) - float(added), 5.0)


def _check_adding(knots: Knots, wanted: Wanted) -> None:
    """Raises `OutOfReach` where rounding hides adding on the line in the middle."""
    at = min(int(np.searchsorted(knots.epsilons[1], wanted.epsilons[1])), knots.epsilons.shape[1])
    if float(knots.delta_error[1, at - 1]) > _HIDDEN * math.exp(wanted.errors[1]):
        raise OutOfReach("adding takes a line of its own")


def _read(
    steps: Steps,
    places: Grid,
    ladder: Ladder,
    tilted: Tilted,
    wanted: Wanted,
    slack: Floats,
    most: float,
    *,
    sure: bool,
) -> tuple[Reading, Knots]:
    """Re z = -1/2 for removing and adding, and a line in the tail of removing, at first knots.

    Unless it is ``sure`` where mu is decided, the line in the tail tells that first.
    """
    rungs = ladder.rungs
    others = rungs.rows(slice(None, None, -1))
    own, other = rungs.rows(slice(0, 1)), rungs.rows(slice(1, 2))
    (eps, adding), (error, added), fine, (end, there) = wanted
    digits = _middle_digits(ladder, wanted)
    # In the middle at zero, and where adding has fallen to the slack.
    at, allowed = np.zeros((2, 2)), np.full((2, 2), fine)
    at[1, 1], allowed[1, 1] = adding, added
    length = float(period(rungs, others, np.full((2, 2), -0.5), at, allowed).max())
    # In the tail where mu is decided, half way to zero, and up to the last knot.
    tail, wrong = np.array([eps]), np.array([error])
    free = np.array([length]), np.array([math.sqrt(digits)])
    best = int(tail_rung(own, tail, wrong, *free, _ROOM)[0])
    lam, near = own.lam[:, best], 0.5 * (error + fine)
    at, allowed = np.array([[eps], [0.5 * eps], [end]]), np.array([[error], [near], [there]])
    longest = period(own, other, lam, at, allowed)
    lengths = np.array([1.01 * float(longest.max()), 1.01 * length])
    least = float(own.values[0, best]) - float(lam[0]) * eps - error
    needs = np.array([[max(least, 5.0)], [digits]])
    two = tilted.only([best, 2 * rungs.lam.shape[1]])
    decayed = _decay(steps, places, two, needs, ladder, lengths)
    both = np.concatenate([slack, slack])
    # Adding is read off the middle all the way.
    far = wanted.references(np.concatenate([CLOSE, _ALL]), np.concatenate([FAR, _ALL]))
    ends = decayed.thetas[0, :, 0]
    numbers = ends * lengths
    if float(ends.max() * lengths.max() - 0.6 * numbers.sum()) < 2.0 * math.pi * _APART:
        found = _transform(steps, ladder, two.tilts, two.centre, decayed, lengths, most)
        four = stacked(found, decayed, rungs, _PICKED, far)
        limit = meeting(four)
        limit[1] = np.inf
        guess = tail if sure else nearer(four.rows(slice(2, 3)), tail, slack)
        return joined(four, *first_knots(ladder, both, guess, limit, found=not sure), limit)
    parts: list[Line] = []
    # The tail first: where it takes too many, no more is done.
    references = [far[1][:1], far[0]]
    for line, picked, reference in zip((0, 1), _PICKED_APART, references, strict=True):
        only, tilts = decayed.only([line]), two.tilts[[line]]
        found = _transform(steps, ladder, tilts, two.centre, only, lengths[[line]], most)
        parts.append(stacked(found, only, rungs, picked, [reference]))
    rest, first = parts
    limit = np.array([[float(limits(first.rows(slice(0, 1)), rest, tail)[0]), np.inf]])
    lines = Reading((first, rest.rows(np.zeros(2, np.intp))), limit)
    guess = tail if sure else nearer(rest, tail, slack)
    knots = first_knots(ladder, both, guess, limit[-1], found=not sure)
    return lines, lines.at(np.concatenate(knots, axis=1))


def _decay(
    steps: Steps, places: Grid, tilted: Tilted, digits: Floats, ladder: Ladder, lengths: Floats
) -> Decay:
    """R_a of each line from the last frequency on that it needs (Lemma T3)."""
    guess = np.sqrt(2.0 * digits) * (1.0 / float(ladder.deviation[0]))
    thetas = guess * _CANDIDATES
    total = decays(steps, places, tilted, thetas, tilted.weights)
    enough = total <= -digits
    enough[:, -1] = True
    chosen = enough.argmax(axis=1)[:, None]
    rows, index = np.arange(2)[:, None], np.maximum(np.arange(_CANDIDATES.size), chosen)
    kept, bounds = thetas[rows, index], total[rows, index]
    if float((kept[:, 0] * lengths).max()) > 2.0 * math.pi * _MANY:
        # Between the first that is enough and the one before, about where it just is.
        about = [
            np.interp(math.log(1.02 * need), np.log(-row[: i + 1]), np.log(at[: i + 1]))
            for need, row, at, i in zip(digits[:, 0], total, thetas, chosen[:, 0], strict=True)
        ]
        nearer = np.exp(np.array(about))[:, None]
        closer = decays(steps, places, tilted, nearer, tilted.weights)
        fine = closer <= -digits
        kept = np.concatenate([np.where(fine, nearer, kept[:, :1]), kept], axis=1)
        bounds = np.concatenate([np.where(fine, closer, bounds[:, :1]), bounds], axis=1)
        bounds = np.minimum.accumulate(bounds, axis=1)
    last, falling = np.array([beyond(steps, 0.0, float(one[-1])) for one in thetas]).T
    return Decay(kept[None], bounds[None], last[None, :], falling[None, :])


def _transform(
    steps: Steps,
    ladder: Ladder,
    tilts: Floats,
    centre: Floats,
    decayed: Decay,
    lengths: Floats,
    most: float,
) -> Transform:
    """The transform on lines, from nodes as close as its frequencies need."""
    last, length = float(decayed.thetas[0, :, 0].max()), float(lengths.max())
    number = max(math.ceil(last * length / (2.0 * math.pi)), 4)
    with suppress(OutOfReach):
        places = placed(steps, max(float(tilts[0]) - 1.0, 0.0), 0.0, last * (1.0 + 1e-6))
        if number * places.nodes.u.size < WORK:
            own = tilted_weights(places, tilts)[0].only(list(range(tilts.size)))
            own = own._replace(centre=centre)
            return transformed(steps, places, own, frequencies(last, number), closely=True)
    # The general way has nodes for many frequencies, which are further apart.
    ends, long = np.full((1, tilts.size), last), np.full((1, tilts.size), length)
    plan = Plan(tilts[None, :], ends, long, decayed, 1e-15)
    return carried_out(steps, ladder, plan, most, centre=centre)
