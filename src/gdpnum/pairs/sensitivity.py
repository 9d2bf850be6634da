"""The sensitivity of a strategy C: how far one record's contributions move C G.

With X = C^T C a record that takes part in the steps S, with unit vectors u_i, moves it by
(sum over i, j in S of X_ij <u_i, u_j>)^(1/2), at most (sum of |X_ij|)^(1/2) and exactly that where
one sign for each step makes all terms positive. The largest over the patterns S is wanted.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdpnum import charges
from gdpnum.errors import InvalidArgument
from gdpnum.floats import Floats
from gdpnum.mechanisms.correlated import MatrixMechanism

Places = NDArray[np.intp]

# A Gram matrix of more steps than this is bounded lag by lag.
_LARGEST_GRAM = 2048


class Sensitivity(NamedTuple):
    """A bracket of the sensitivity; ``exact`` where its ends are the same but for rounding."""

    value: float
    lower: float
    exact: bool


@lru_cache(maxsize=64)
def sensitivity(mechanism: MatrixMechanism) -> Sensitivity:
    """The sensitivity of one record, C as given and clipping norm one."""
    scale = 2.0 ** _exponent(mechanism)
    with np.errstate(under="ignore"):
        value, lower, exact = _sensitivity(mechanism)
    return Sensitivity(scale * value, scale * lower, exact)


def _sensitivity(mechanism: MatrixMechanism) -> Sensitivity:  # noqa: PLR0911  (one a case)
    """The same of C scaled by a power of two, so that squares neither overflow nor vanish."""
    size = mechanism.size
    most, apart = mechanism.max_participations, mechanism.min_separation
    if mechanism.epochs is not None:
        most, apart = mechanism.epochs, size // mechanism.epochs
    diagonal = _diagonal(mechanism)
    if most == 1:
        return _exact(float(diagonal.max()), size)
    if mechanism.bands <= apart:
        # Columns that far apart have no row in common.
        if mechanism.epochs is not None:
            return _exact(float(diagonal.reshape(most, apart).sum(axis=0).max()), size + most)
        return _exact(_best(diagonal, apart, most), size + most)
    falling = _falling_coefficients(mechanism)
    if falling is not None:
        # The worst steps are 0, b, 2b, ...: later ones, and wider apart, have less in common.
        return _exact(float((_moved(falling, apart, most, size) ** 2).sum()), size + 2 * most)
    if mechanism.epochs is not None:
        return _of_epochs(mechanism, mechanism.epochs, diagonal)
    if size > _LARGEST_GRAM:
        return _by_lags(mechanism, diagonal)
    return _by_rows(_gram(mechanism), apart, most)


def _exact(square: float, terms: int) -> Sensitivity:
    return Sensitivity(_root_up(square, terms), _root_down(square, terms), exact=True)


def _exponent(mechanism: MatrixMechanism) -> int:
    """The power of two next to the largest entry of C, as far as its inverse is a number."""
    if mechanism.strategy == "tree":
        return 0
    entries = [entry for row in mechanism.rows for entry in row] or mechanism.strategy
    largest = max(abs(entry) for entry in entries if not isinstance(entry, (str, tuple)))
    return max(-1000, min(1000, math.frexp(largest)[1]))


def _coefficients(mechanism: MatrixMechanism) -> Floats | None:
    """The first column of C, scaled, if it is Toeplitz, by its coefficients or row by row."""
    strategy = mechanism.strategy
    if isinstance(strategy, str):
        return None
    if not isinstance(strategy[0], tuple):
        return np.asarray(np.ldexp(np.array(strategy), -_exponent(mechanism)))
    rows = mechanism.rows
    last = rows[-1]
    if any(row != last[-len(row) :] for row in rows):
        return None
    return np.asarray(np.ldexp(np.array(last[::-1][: mechanism.bands]), -_exponent(mechanism)))


def _falling_coefficients(mechanism: MatrixMechanism) -> Floats | None:
    """The coefficients, if they are non-negative and do not rise, but for one common sign."""
    found = _coefficients(mechanism)
    if found is None:
        return None
    found = found * np.sign(found[0])
    return found if (found >= 0.0).all() and (np.diff(found) <= 0.0).all() else None


def _dense(mechanism: MatrixMechanism) -> Floats:
    found = np.zeros((mechanism.size, mechanism.size))
    for number, row in enumerate(mechanism.rows):
        found[number, : number + 1] = row
    return np.asarray(np.ldexp(found, -_exponent(mechanism)))


def _diagonal(mechanism: MatrixMechanism) -> Floats:
    """The squared norms of the columns of C."""
    if mechanism.strategy == "tree":
        return _shared(np.arange(mechanism.size), np.arange(mechanism.size), mechanism.size)
    coefficients = _coefficients(mechanism)
    if coefficients is None:
        return np.asarray((_dense(mechanism) ** 2).sum(axis=0))
    padded = np.zeros(mechanism.size)
    padded[: coefficients.size] = coefficients**2
    return np.asarray(np.cumsum(padded)[::-1].copy())


def _shared(first: Places, second: Places, size: int) -> Floats:
    """In how many nodes of the tree, complete after so many steps, two leaves both are."""
    found = np.zeros(np.broadcast(first, second).shape)
    for level in range(size.bit_length()):
        node = first >> level
        found += (node == second >> level) & (((node + 1) << level) <= size)
    return found


def _lag(coefficients: Floats, lag: int, size: int) -> Floats:
    """X_(i, i + lag) of a Toeplitz matrix for all i, the last first."""
    products = np.zeros(size - lag)
    overlap = coefficients[: max(coefficients.size - lag, 0)] * coefficients[lag:]
    products[: overlap.size] = overlap
    return np.cumsum(products)


def _gram(mechanism: MatrixMechanism) -> Floats:
    """X, entries off the diagonal raised in size by their rounding."""
    size = mechanism.size
    if mechanism.strategy == "tree":
        places = np.arange(size)
        return _shared(places[:, None], places[None, :], size)
    coefficients = _coefficients(mechanism)
    if coefficients is None:
        dense = _dense(mechanism)
        # Not a matrix product of a library: its sums may differ with the number of threads.
        found = np.einsum("ki,kj->ij", dense, dense)
    else:
        found = np.zeros((size, size))
        for lag in range(min(coefficients.size, size)):
            entries = _lag(coefficients, lag, size)[::-1]
            places = np.arange(size - lag)
            found[places, places + lag] = found[places + lag, places] = entries
    norms = np.sqrt(np.diag(found))
    return _raised(found, np.outer(norms, norms), size)


def _best(values: Floats, apart: int, most: int) -> float:
    """The largest sum of at most so many entries, at least so far apart."""
    return float(_bests(values[None, :], apart, most)[0])


def _bests(rows: Floats, apart: int, most: int) -> Floats:
    """The same for each row: F[i, k] = max(x_i + F[i + b, k - 1], F[i + 1, k])."""
    count, size = rows.shape
    reached = np.zeros((count, size + apart))
    for _ in range(most):
        reached[:, :size] = rows + reached[:, apart:]
        # From the right: not to choose i is to choose a later one.
        reached[:, size - 1 :: -1] = np.maximum.accumulate(reached[:, size - 1 :: -1], axis=1)
    return reached[:, 0]


def _pattern(values: Floats, apart: int, most: int) -> Places:
    """The places of a largest sum as `_best` finds it."""
    size = values.size
    tables = [np.zeros(size + apart)]
    for _ in range(most):
        reached = np.zeros(size + apart)
        reached[:size] = values + tables[-1][apart:]
        reached[size - 1 :: -1] = np.maximum.accumulate(reached[size - 1 :: -1])
        tables.append(reached)
    places, place = [], 0
    for left in range(most, 0, -1):
        while place < size and tables[left][place] == tables[left][place + 1]:
            place += 1
        if place >= size:
            break
        places.append(place)
        place += apart
    return np.array(places, dtype=np.intp)


def _moved(coefficients: Floats, apart: int, most: int, size: int) -> Floats:
    """The sum of the columns 0, b, 2b, ... of a Toeplitz matrix."""
    columns = np.zeros(size)
    for start in range(0, apart * most, apart):
        column = coefficients[: max(size - start, 0)]
        columns[start : start + column.size] += column
    return columns


def _of_epochs(mechanism: MatrixMechanism, epochs: int, diagonal: Floats) -> Sensitivity:
    """The largest over the places in an epoch of the sum of |X_ij| over the same place in all."""
    size = mechanism.size
    period = size // epochs
    coefficients = _coefficients(mechanism)
    # Of a Toeplitz matrix the first place is the worst: the others see the same columns cut off.
    starts = range(period if coefficients is None else 1)
    dense = None if mechanism.strategy == "tree" or coefficients is not None else _dense(mechanism)
    upper = lower = 0.0
    for start in starts:
        places = np.arange(start, size, period)
        if dense is not None:
            block = np.einsum("ki,kj->ij", dense[:, places], dense[:, places])
        elif coefficients is not None:
            block = np.zeros((epochs, epochs))
            for number in range(epochs):
                entries = _lag(coefficients, number * period, size)[::-1][places[: epochs - number]]
                between = np.arange(epochs - number)
                block[between, between + number] = block[between + number, between] = entries
        else:
            block = _shared(places[:, None], places[None, :], size)
        norms = np.sqrt(diagonal[places])
        raised = _raised(block, np.outer(norms, norms), size)
        upper = max(upper, float(np.abs(raised).sum()))
        lower = max(lower, _attained(block))
    return _bracket(upper, lower, size + epochs**2)


def _attained(block: Floats) -> float:
    """The sum of s_i s_j X_ij for signs s chosen one after the other: a movement that can be."""
    signs = np.ones(block.shape[0])
    for place in range(1, signs.size):
        signs[place] = 1.0 if (signs[:place] * block[place, :place]).sum() >= 0.0 else -1.0
    return float((block * np.outer(signs, signs)).sum())


def _bracket(upper: float, lower: float, terms: int) -> Sensitivity:
    value, least = _root_up(upper, terms), _root_down(lower, terms)
    return Sensitivity(value, min(least, value), exact=least >= value * (1.0 - 1e-9))


def _by_rows(gram: Floats, apart: int, most: int) -> Sensitivity:
    """The best pattern of each row of |X|, then the best of the rows: a bound for any X."""
    size = gram.shape[0]
    rows = _bests(np.abs(gram), apart, most)
    upper = _best(rows, apart, most)
    chosen = [_pattern(rows, apart, most)]
    # Steps as close together as may be, from each place on.
    span = apart * (most - 1) + 1
    chosen += [np.arange(start, start + span, apart) for start in range(size - span + 1)]
    lower = max(_attained(gram[np.ix_(places, places)]) for places in chosen)
    return _bracket(upper, lower, size + most**2)


def _by_lags(mechanism: MatrixMechanism, diagonal: Floats) -> Sensitivity:
    """A bound for many steps: k max X_ii and 2 (k - m) max |X_ij| over lags of m b or more."""
    coefficients = _coefficients(mechanism)
    size, most, apart = mechanism.size, mechanism.max_participations, mechanism.min_separation
    if coefficients is None:
        raise InvalidArgument(
            f"a tree of {size} steps with several participations is beyond {_LARGEST_GRAM}; pass "
            "epochs, or fewer steps"
        )
    largest = float(diagonal.max())
    lags = np.array(
        [np.abs(_lag(coefficients, lag, size)).max() for lag in range(apart, coefficients.size)]
    )
    lags = _raised(lags, np.full(lags.size, largest), size)
    beyond = np.maximum.accumulate(lags[::-1])[::-1]
    upper = most * largest
    for number in range(1, most):
        place = number * apart - apart
        if place < beyond.size:
            upper += 2.0 * (most - number) * float(beyond[place])
    lower = float((_moved(coefficients, apart, most, size) ** 2).sum())
    return _bracket(upper, lower, 2 * size)


def _raised(entries: Floats, norms: Floats, terms: int) -> Floats:
    """Sums of products of two columns, raised in size by their rounding."""
    return np.asarray(np.copysign(np.abs(entries) + charges.gram(terms) * norms, entries))


def _root_up(square: float, terms: int) -> float:
    return math.sqrt(square) * (1.0 + charges.sensitivity(terms))


def _root_down(square: float, terms: int) -> float:
    return math.sqrt(max(square, 0.0)) * max(0.0, 1.0 - 2.0 * charges.sensitivity(terms))
