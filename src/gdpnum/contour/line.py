"""Lines of a transform, and a reading: delta and exp(eps) alpha at epsilons, with their errors.

Rows are runs, those of removing first and then, unless a run is symmetric, those of adding.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from gdpnum import charges
from gdpnum.contour.decay import Decay
from gdpnum.contour.rungs import Rungs
from gdpnum.contour.transform import Transform
from gdpnum.contour.turns import Complexes, powers, product, turns
from gdpnum.floats import UNIT, Floats

Rows: TypeAlias = slice | npt.NDArray[np.intp]

_Number = TypeVar("_Number", np.float64, np.complex128)

# Up to so many epsilons a plain sum over the frequencies is the quicker one.
_FEW = 140

# Sums this short may be taken in any order: fewer roundings than are charged.
_SHORT = 40

# Longer ones are sums of blocks: exp(-i theta eps) is one of a few, times one for the block.
_BLOCK = 16

# Numbers of a table that are held at once.
_NEAR = 240_000

# For the rounding of bounds themselves.
_UP = 1.0 + 1e-12

#: Where images are bounded best, as multiples of the epsilon a line is for.
FAR, CLOSE = np.array([[0.5, 1.0, 1.25]]), np.array([[0.0, 0.1, 0.4]])


class Line(NamedTuple):
    """Sums over frequencies, by row.

    Two are kept side by side: for delta (where -1 < lam < 0: delta - 1, which keeps the digits of
    1 - delta) and for exp(eps) alpha.
    """

    lam: Floats
    cumulant: Floats
    centre: Floats
    frequencies: Floats
    blocks: Complexes
    """What to multiply exp(-i theta (eps - c)) by: by row, which and block, and frequency."""
    errors: tuple[Floats, Floats, Floats]
    """Over exp(K - lam eps), by row and which: constant, per |eps - c|, per |lam eps|."""
    images: tuple[Floats, Floats, Floats]
    """Logs and slopes of bounds on images, by row, side and candidate; and by row, which and side
    what they are multiplied by."""
    known: tuple[Floats, Floats]
    """The images that are known: log of what exp(eps) is multiplied by, and a constant."""
    bend: Floats
    """A bound on the fourth derivative of the sum for delta, over exp(K - lam eps)."""
    rounded: Floats
    """The constant of the errors of exp(eps) alpha without what is left out of its sum."""
    left: Floats
    """What is left out of the sum for delta, over exp(K - lam eps): a part of its constant."""

    def rows(self, kept: Rows) -> Line:
        """Some of the rows."""
        return Line(
            self.lam[kept],
            self.cumulant[kept],
            self.centre[kept],
            self.frequencies[kept],
            self.blocks[kept],
            (self.errors[0][kept], self.errors[1][kept], self.errors[2][kept]),
            (self.images[0][kept], self.images[1][kept], self.images[2][kept]),
            (self.known[0][kept], self.known[1][kept]),
            self.bend[kept],
            self.rounded[kept],
            self.left[kept],
        )

    def halves(self) -> tuple[Line, Line]:
        """The first half of the rows, and the second."""
        half = self.lam.shape[0] // 2
        return self.rows(slice(0, half)), self.rows(slice(half, None))

    def before(self, other: Line) -> Line:
        """The rows of this line, then those of another; the shorter one's terms end in zeros."""
        number = max(self.frequencies.shape[1], other.frequencies.shape[1])
        one, two = self._longer(number), other._longer(number)
        return Line(
            np.concatenate([one.lam, two.lam]),
            np.concatenate([one.cumulant, two.cumulant]),
            np.concatenate([one.centre, two.centre]),
            np.concatenate([one.frequencies, two.frequencies]),
            np.concatenate([one.blocks, two.blocks]),
            _after(one.errors, two.errors),
            _after(one.images, two.images),
            _after(one.known, two.known),
            np.concatenate([one.bend, two.bend]),
            np.concatenate([one.rounded, two.rounded]),
            np.concatenate([one.left, two.left]),
        )

    def _longer(self, number: int) -> Line:
        rows, old = self.frequencies.shape
        frequencies, terms = np.zeros((rows, number)), zero_terms(rows, number)
        frequencies[:, :old], terms[:, :, :old] = self.frequencies, self.terms
        return self._replace(frequencies=frequencies, blocks=in_blocks(terms))

    @property
    def terms(self) -> Complexes:
        """The blocks by row, which and frequency."""
        rows, number = self.frequencies.shape
        return self.blocks.reshape(rows, 2, -1)[:, :, :number]

    def at(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """(delta, exp(eps) alpha) at epsilons by row, and their errors; axis 1 is which.

        After the errors come a bound on the fourth derivative of delta's sum, and that part of
        delta's error which is omitted from the sum.
        """
        away = epsilons - self.centre
        short = self.frequencies.shape[1] <= _SHORT and away.size < _FEW
        values = self._summed(away) if short else by_blocks(self.frequencies, self.blocks, away)
        moved = self.lam * epsilons
        scale = np.exp(self.cumulant - moved)[:, None, :]
        lifted = np.exp(epsilons + self.known[0])
        values *= scale
        values[:, 0] -= lifted - self.known[1]
        values[:, 1] += lifted
        wrong = np.empty((values.shape[0], 4, values.shape[2]))
        errors, bends, omitted = wrong[:, :2], wrong[:, 2], wrong[:, 3]
        np.abs(away, out=away)
        images = self._wrong(epsilons, away, np.abs(moved, out=moved), scale, lifted, out=errors)
        np.multiply(scale[:, 0], self.bend, out=bends)
        bends += lifted
        np.multiply(scale[:, 0], self.left, out=omitted)
        omitted += images
        if not errors.max(initial=0.0) < np.inf:
            unknown = ~(errors < np.inf)
            values[unknown], errors[unknown] = 0.0, np.inf
        return values, wrong

    def errors_at(self, epsilons: Floats) -> Floats:
        """How wrong delta may be at epsilons by row."""
        moved = self.lam * epsilons
        scale = np.exp(self.cumulant - moved)[:, None, :]
        lifted = np.exp(epsilons + self.known[0])
        away, errors = np.abs(epsilons - self.centre), np.empty((moved.shape[0], 2, moved.shape[1]))
        self._wrong(epsilons, away, np.abs(moved), scale, lifted, out=errors)
        return errors[:, 0]

    def slope_errors(self, epsilons: Floats) -> Floats:
        """How wrong the slope of the sum for delta may be at epsilons by row."""
        moved, lifted = self.lam * epsilons, np.exp(epsilons + self.known[0])
        wrong = self.errors[1][:, 1:] * np.abs(epsilons - self.centre)
        wrong += self.errors[2][:, 1:] * np.abs(moved)
        wrong += self.rounded
        wrong *= np.exp(self.cumulant - moved)
        exponent = np.abs(epsilons) - self.known[0]
        return wrong + charges.known_images(lifted, self.known[1], exponent)

    def _wrong(
        self,
        epsilons: Floats,
        away: Floats,
        moved: Floats,
        scale: Floats,
        lifted: Floats,
        *,
        out: Floats,
    ) -> Floats:
        """Writes the errors, and returns the images in that of delta."""
        constant, distant, far = self.errors
        logs, slopes, shares = self.images
        wrong = np.multiply(distant[:, :, None], away[:, None, :], out=out)
        wrong += far[:, :, None] * moved[:, None, :]
        wrong += constant[:, :, None]
        wrong *= scale
        exponent = np.abs(epsilons) - self.known[0]
        wrong += charges.known_images(lifted, self.known[1], exponent)[:, None, :]
        bounds = logs[..., None] + slopes[..., None] * epsilons[:, None, None, :]
        images: Floats = shares @ np.exp(bounds.min(axis=2))
        wrong += images
        wrong *= _UP
        return images[:, 0]

    def _summed(self, away: Floats) -> Floats:
        """The same, by a sum over frequencies."""
        turn, terms = turns(self.frequencies[:, :, None] * away[:, None, :]), self.terms
        found: Floats = terms.real @ turn.real + terms.imag @ turn.imag
        return found


def by_blocks(frequencies: Floats, blocks: Complexes, away: Floats) -> Floats:
    """Sums over frequencies, by blocks: what one has is turned by one of a few.

    ``away`` is eps - c by row, ``frequencies`` have zeros where a row has fewer.
    """
    rows, size = away.shape
    found, number = np.empty((rows, 2, size)), blocks.shape[1] // 2
    # Some rows at a time, so that tables stay near the processor.
    some = max(1, _NEAR // ((_BLOCK + 3 * number) * size))
    for begin in range(0, rows, some):
        own = slice(begin, begin + some)
        turn, few = away[own] * (-2.0 * frequencies[own, :1]), blocks[own]
        if some < rows:
            number = -(-int(frequencies[own].any(axis=0).sum()) // _BLOCK)
            few = few.reshape(-1, 2, blocks.shape[1] // 2, _BLOCK)[:, :, :number]
            few = few.reshape(-1, 2 * number, _BLOCK)
        inner = product(few, powers(0.5 * turn, turn, _BLOCK)).reshape(-1, 2, number, size)
        if number > 1:
            inner *= powers(None, float(_BLOCK) * turn, number)[:, None]
        found[own] = inner.real.sum(axis=2)
    return found


class Picked(NamedTuple):
    """Which lines of a transform the rows of a stack are, and for which direction."""

    lines: npt.NDArray[np.intp]
    """By line of the stack and direction; all runs have the same."""
    run: npt.NDArray[np.intp]
    """That of each row."""
    removing: npt.NDArray[np.bool_]
    """By row, as a column."""
    both: npt.NDArray[np.intp]
    """The rows among the rungs of its own direction and of the other one, by row."""

    @classmethod
    def of(
        cls, picks: list[list[int]], *, runs: int = 1, directions: int = 2, first: int = 0
    ) -> Picked:
        """Lines, each given by the ones picked for its directions; one's rows after the other's.

        ``directions`` are those of the rungs, ``first`` is that of each line's first pick: zero for
        removing, one for adding.
        """
        lines = np.array([i for one in picks for i in one])
        row = np.arange(lines.size * runs)
        # The last line may be for removing alone.
        own = first * runs + row % (len(picks[0]) * runs)
        both = np.array([own, (own + runs) % (directions * runs)]).T
        return cls(lines, row % runs, (own < runs)[:, None], both)


def stacked(
    found: Transform, decayed: Decay, rungs: Rungs, picked: Picked, references: list[Floats]
) -> Line:
    """Lines as they are picked from a transform.

    Images are bounded best at the references, by line and row.
    """
    runs, theta = found.tilts.shape[0], found.frequencies
    number, (lines, run, removing, both) = theta.shape[1], picked

    def by_row(values: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
        found: npt.NDArray[_Number]
        if runs == 1:
            found = values[0].take(lines, axis=0)
        else:
            found = values.take(lines, axis=1).swapaxes(0, 1).reshape(run.size, *values.shape[2:])
        return found

    tilt, k, k_error = (
        by_row(one)[:, None] for one in (found.tilts, found.cumulants, found.cumulant_errors)
    )
    values, wrong = by_row(found.values), by_row(found.errors)
    # Adding: the complex conjugate at -lam, about the centre's mirror image.
    sign = 2.0 * removing - 1.0
    lam = sign * (tilt - removing)
    values.imag *= sign
    if runs > 1:
        theta = theta[run]
    width = theta[:, :1] * (2.0 / np.pi)
    summands, weights = coefficients(values, theta, lam, width)
    sizes = (np.abs(values) + wrong)[:, None, :] * weights
    terms = sizes.sum(axis=2)
    moment = (sizes @ theta[:, :, None])[:, :, 0]
    constant, distant, far = charges.evaluation(
        terms, moment * (0.5 / theta[:, :1]), moment, np.abs(k)
    )
    constant += (weights @ wrong[:, :, None])[:, :, 0]
    centre_error = found.centre_error[run, None]
    constant += np.expm1(np.minimum(k_error, 700.0)) * terms + moment * centre_error
    logs, thetas = by_row(decayed.logs), by_row(decayed.thetas)
    left = charges.left_out(logs[:, 0], thetas[:, 0])
    constant[:, 0] += left
    # A cell of the sum may reach over an end of an interval: 1 / M more.
    ratios = np.empty_like(thetas)
    ratios[:, :-1] = np.log(thetas[:, 1:] / thetas[:, :-1])
    ratios[:, -1] = 1.0 / by_row(decayed.power)
    logs[:, -1] = np.minimum(by_row(decayed.last), 600.0)
    rounded = constant[:, 1:].copy()
    constant[:, 1] += charges.left_out_slowly(logs, ratios + 1.0 / number)
    squares = lam * lam + theta * theta
    bend = (sizes[:, :1] @ (squares * squares)[:, :, None])[:, :, 0] * np.exp(k_error)
    period, one = 2.0 / width, 1.0 + lam
    up, first = np.exp(-one * period), np.exp(-np.abs(lam) * period)
    level = np.sign(lam) * (first / (1.0 + first))
    lift = -one * period - np.log1p(up)
    images = _images(rungs, both, lam, period, np.concatenate(references))
    return Line(
        lam,
        k,
        sign * found.centre[run, None],
        theta if runs > 1 else theta.repeat(run.size, axis=0),
        in_blocks(summands),
        (constant, distant, far),
        images,
        (lift, level),
        bend,
        rounded,
        _UP * left[:, None],
    )


_Arrays = TypeVar("_Arrays", bound=tuple[Floats, ...])


def _after(one: _Arrays, two: _Arrays) -> _Arrays:
    """Each array of one, with that of the other after it."""
    return type(one)(np.concatenate(both) for both in zip(one, two, strict=True))


def zero_terms(rows: int, number: int) -> Complexes:
    """Zeros by row, which and frequency, up to the end of the last block."""
    return np.zeros((rows, 2, -(-number // _BLOCK) * _BLOCK), dtype=np.complex128)


def in_blocks(terms: Complexes) -> Complexes:
    """Such terms by row, which and block, and frequency."""
    return terms.reshape(terms.shape[0], -1, _BLOCK)


def coefficients(
    values: Complexes, theta: Floats, lam: Floats, width: Floats
) -> tuple[Complexes, Floats]:
    """The values times 1 / (z (z + 1)) and 1 / (z + 1), z = lam + i theta, and those moduli.

    Thetas are by row, or the same for all. The first end in zeros, up to the end of the last block.
    """
    squares, conjugate = theta * theta, lam - 1j * theta
    upper, lower = (1.0 + lam) ** 2 + squares, lam * lam + squares
    rows, number = values.shape
    found, weights = zero_terms(rows, number), np.empty((rows, 2, number))
    over = values * ((conjugate + 1.0) * (width / upper))
    found[:, 1, :number] = over
    over *= conjugate * (1.0 / lower)
    found[:, 0, :number] = over
    weights[:, 1] = width / np.sqrt(upper)
    weights[:, 0] = weights[:, 1] / np.sqrt(lower)
    return found, weights


# Images above fall with the own direction's rungs, those below with the other's.
_ABOVE, _BELOW, _SIDES = np.array([[1.0], [-1.0]]), np.array([[0.0], [1.0]]), np.arange(2)[:, None]


def _images(
    rungs: Rungs, both: npt.NDArray[np.intp], lam: Floats, period: Floats, references: Floats
) -> tuple[Floats, Floats, Floats]:
    """For each reference epsilon the best rung, above and below: logs and slopes of its bound.

    k > 0: exp(K(l) - l eps - (l - lam) p). k < 0: exp(K(l) + (1 + l) eps - (1 + l + lam) p), with
    the rungs of the other direction. For delta they are multiplied by kappa, the largest of those.
    ``both`` are the rows of these directions among the rungs.
    """
    slope = _BELOW - _ABOVE * rungs.lam[both]
    ratio = (slope + lam[:, :, None]) * (_ABOVE * period[:, :, None])
    bounds = charges.aliases(rungs.values[both], ratio)
    every = bounds[:, :, None] + slope[:, :, None] * references[:, None, :, None]
    best = np.arange(lam.shape[0])[:, None, None], _SIDES, every.argmin(axis=3)
    shares = np.full((lam.shape[0], 2, 2), _UP)
    shares[:, 0] *= np.exp(np.maximum.reduce(rungs.log_kappa[both[:, :, None], best[2]], axis=2))
    return bounds[best], slope[best], shares


class Knots(NamedTuple):
    """delta and exp(eps) alpha at epsilons, by row, and how wrong they may be."""

    epsilons: Floats
    delta: Floats
    delta_error: Floats
    lifted_alpha: Floats
    lifted_alpha_error: Floats
    bends: Floats
    """Bounds on the fourth derivative of the sum for delta."""
    omitted: Floats
    """What that sum lacks: images and frequencies left out, a part of delta's error."""


def knots_of(epsilons: Floats, values: Floats, errors: Floats) -> Knots:
    """Knots from what a line has there."""
    return Knots(
        epsilons,
        values[:, 0],
        errors[:, 0],
        values[:, 1],
        errors[:, 1],
        errors[:, 2],
        errors[:, 3],
    )


class Reading(NamedTuple):
    """Lines by increasing lam: the one in the middle, and some beyond it."""

    lines: tuple[Line, ...]
    limits: Floats
    """From where on the next line is the better one, by line and row."""

    def rows(self, kept: Rows) -> Reading:
        """Some of the rows."""
        return Reading(tuple(one.rows(kept) for one in self.lines), self.limits[:, kept])

    @property
    def frequencies(self) -> int:
        """How many of them its lines have, at most."""
        return max(int(line.frequencies.shape[1]) for line in self.lines)

    def across(self, epsilons: Floats) -> npt.NDArray[np.bool_]:
        """Whether each two epsilons are read off two lines, by row."""
        found = np.zeros((epsilons.shape[0], epsilons.shape[1] - 1), np.bool_)
        for limit in self.limits:
            beyond = epsilons > limit[:, None]
            found |= beyond[:, 1:] > beyond[:, :-1]
        return found

    def slope_errors(self, epsilons: Floats) -> Floats:
        """How wrong the slopes of the sums for delta may be at epsilons by row."""
        found = self.lines[0].slope_errors(epsilons)
        for line, at in zip(self.lines[1:], self.limits, strict=True):
            np.copyto(found, line.slope_errors(epsilons), where=epsilons > at[:, None])
        return found

    def at(self, epsilons: Floats) -> Knots:
        """Bounds from the best line at each epsilon; epsilons increase in each row."""
        if epsilons.shape[0] == 1 and epsilons.size:
            return self._at_one(epsilons)
        number = self._own_line(epsilons)
        if number is not None:
            return knots_of(epsilons, *_from_line(self.lines[number], epsilons))
        values, errors = (np.empty((epsilons.shape[0], i, epsilons.shape[1])) for i in (2, 4))
        # By line and row, the first epsilon that is better on a later one.
        ends = [(epsilons <= at[:, None]).sum(axis=1) for at in self.limits]
        places, starts = np.arange(epsilons.shape[1]), np.zeros(epsilons.shape[0], np.intp)
        for i, line in enumerate(self.lines):
            stops = ends[i] if i < len(ends) else np.full_like(starts, places.size)
            asked = starts < stops
            if asked.any():
                # Of two rows often one only.
                rows = slice(None) if asked.all() else np.flatnonzero(asked)
                some = slice(int(starts[asked].min()), int(stops[asked].max()))
                one = line if isinstance(rows, slice) else line.rows(rows)
                found, wrong = _from_line(one, epsilons[rows, some])
                own = (places[some] >= starts[:, None]) & (places[some] < stops[:, None])
                for kept, new in ((values, found), (errors, wrong)):
                    kept[rows, :, some] = np.where(own[rows, None], new, kept[rows, :, some])
            starts = stops
        return knots_of(epsilons, values, errors)

    def _own_line(self, epsilons: Floats) -> int | None:
        """The number of the line that is the best one at all the epsilons, if there is one."""
        if not epsilons.size:
            return None
        ends = epsilons[:, :: max(epsilons.shape[1] - 1, 1)]
        # A line is the best up to its own limit, whatever those after it say.
        beyond = np.logical_and.accumulate(ends > self.limits[:, :, None], axis=0)
        before = beyond.sum(axis=0)
        number = int(before[0, 0])
        return number if (before == number).all() else None

    def _at_one(self, epsilons: Floats) -> Knots:
        """The same for one row, each line where it is the best."""
        ends = [*epsilons[0].searchsorted(self.limits[:, 0], "right").tolist(), epsilons.shape[1]]
        parts, start = [], 0
        for number, end in enumerate(ends):
            if start < end:
                parts.append(_from_line(self.lines[number], epsilons[:, start:end]))
                start = end
        values, errors = parts[0]
        if len(parts) > 1:
            values, errors = (np.concatenate(both, axis=2) for both in zip(*parts, strict=True))
        return knots_of(epsilons, values, errors)


def _from_line(line: Line, epsilons: Floats) -> tuple[Floats, Floats]:
    """Values and errors from a line, whose lam are all above zero or all below: delta - 1 there."""
    found, wrong = line.at(epsilons)
    if line.lam[0, 0] < 0.0:
        found[:, 0] += 1.0
        wrong[:, 0] += UNIT
    return found, wrong
