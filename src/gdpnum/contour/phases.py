"""Sums over nodes for many frequencies, and how many roundings their terms meet."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gdpnum.contour.turns import Complexes, half_turns, product, turns_less_one
from gdpnum.floats import FUNCTION, Floats

_Numbers = TypeVar("_Numbers", Floats, Complexes)

# Nodes are summed in blocks of this many, so that rounding does not grow with their number.
_BLOCK = 16

# The same where frequencies are many, at most; and on lifted lines, where they are complex.
_CHUNK, _LIFTED = 48, 32

# Numbers of a table that are held at once.
_NEAR = 60_000


def phases(
    weights: Floats | Complexes, away: Floats, arg: Floats, theta: Floats
) -> tuple[Floats, Floats]:
    """sum_j V_j (exp(i theta (l_j - c)) - 1), real and imaginary, by segment, line and frequency.

    Frequencies are equally spaced: with theta = t' + t, E' = exp(i t' (l - c)) and E for t it is
    the sum of V (E' - 1) and of V E' (E - 1): two short tables, and no function of all pairs. On
    the real line t' is in the middle of a block, and t on either side of it: so the sines and
    cosines of half a block serve for all of it.
    """
    if np.iscomplexobj(weights):
        return _lifted_phases(np.asarray(weights, dtype=np.complex128), away, arg, theta)
    weights = np.asarray(weights, dtype=np.float64)
    (segments, lines, nodes), number = weights.shape, theta.shape[1]
    half = _half_block(number)
    blocks = -(-(number + half) // (2 * half))
    small, large = np.arange(half) + 0.5, 2.0 * half * np.arange(1, blocks)
    parts, wide = _chunks(nodes, _CHUNK)
    weights, away = (_padded(one, parts * wide) for one in (weights, away))
    middle = np.empty((segments, lines, 2 * blocks - 2))
    sums = np.empty((segments, (2 * blocks - 1) * lines, 2 * half))
    # Some segments at a time, so that tables stay near the processor; they come last but for the
    # nodes, so that each table is one piece.
    some = max(1, int(_NEAR / (2 * blocks * lines * nodes)))
    for begin in range(0, segments, some):
        own = slice(begin, begin + some)
        shares = np.ascontiguousarray(weights[own].swapaxes(0, 1))
        angle = theta[own, :1] * away[own]
        columns, turned = (half_turns(one[:, None, None] * angle) for one in (small, large))
        rows = np.empty((2 * blocks - 1, *shares.shape))
        np.multiply(0.5, shares, out=rows[0])
        middle[own] = _products(shares, turned, parts)
        np.subtract(0.5, turned[0], out=turned[0])
        np.multiply(turned.reshape(-1, 1, *angle.shape), shares, out=rows[1:])
        sums[own] = _products(rows, columns, parts)
    # They are of halves.
    middle *= 2.0
    sums *= 4.0
    each = sums.reshape(segments, -1, lines, 2, half).transpose(3, 0, 2, 1, 4)
    cosine, sine = each[:, :, :, :blocks], each[:, :, :, blocks:]
    real, imaginary = np.empty((2, segments, lines, blocks, 2, half))
    np.negative(cosine[0, :, :, 0], out=real[:, :, 0, 1])
    imaginary[:, :, 0, 1] = cosine[1, :, :, 0]
    even = -middle[:, :, : blocks - 1, None] - cosine[0, :, :, 1:]
    np.subtract(even, sine[1], out=real[:, :, 1:, 1])
    np.add(even, sine[1], out=real[:, :, 1:, 0, ::-1])
    even = middle[:, :, blocks - 1 :, None] - sine[0]
    np.add(even, cosine[1, :, :, 1:], out=imaginary[:, :, 1:, 1])
    np.subtract(even, cosine[1, :, :, 1:], out=imaginary[:, :, 1:, 0, ::-1])
    found = (one.reshape(segments, lines, -1) for one in (real, imaginary))
    a, b = (one[:, :, half : half + number] for one in found)
    return a, b


def _padded(values: _Numbers, size: int) -> _Numbers:
    """With zeros at the end of the last axis."""
    if values.shape[-1] == size:
        return values
    found = np.zeros((*values.shape[:-1], size), dtype=values.dtype)
    found[..., : values.shape[-1]] = values
    return found


def _products(left: _Numbers, right: _Numbers, parts: int) -> _Numbers:
    """Sums of products over the nodes, in so many parts, by segment and what comes before it."""
    shape = (-1, left.shape[-2], parts, left.shape[-1] // parts)
    rows, columns = (one.reshape(shape).swapaxes(0, 1) for one in (left, right))
    found: _Numbers = product(rows.swapaxes(1, 2), columns.transpose(0, 2, 3, 1)).sum(axis=1)
    return found


def _half_block(number: int) -> int:
    """Half as many of so many frequencies as are in one block."""
    return 4 if number < 48 else 8 if number < 640 else 16


def _chunks(nodes: int, most: int) -> tuple[int, int]:
    """In how many parts nodes are summed, and of how many each: at most so many."""
    parts = -(-nodes // most)
    return parts, -(-nodes // parts)


def roundings(nodes: int, number: int) -> Floats:
    """How many roundings a term of `phases` meets on the real line, by frequency.

    There |t'| + |t| is more than theta where t is negative, and errors are relative to that. Each
    product is computed to 16 units more than a turn.
    """
    half = _half_block(number)
    place = np.arange(number)
    before = np.maximum(half - 0.5 - (place + half) % (2 * half), 0.0)
    before[:half] = 0.0
    parts, wide = _chunks(nodes, _CHUNK)
    once = wide + parts + 10.0
    found: Floats = once + (once + 3.0 * FUNCTION + 12.0) * (2.0 * before / (place + 0.5))
    return found


def _lifted_phases(
    weights: Complexes, away: Floats, arg: Floats, theta: Floats
) -> tuple[Floats, Floats]:
    """The same on lifted lines, t' and t both positive: so that no turn is larger than one."""
    (segments, lines, nodes), number = weights.shape, theta.shape[1]
    few = 8 if number < 128 else 16 if number < 512 else 32
    blocks = -(-number // few)
    small, large = np.arange(0.5, few), few * np.arange(1.0, blocks)
    parts, wide = _chunks(nodes, _LIFTED)
    weights = _padded(weights, parts * wide)
    away, arg = (_padded(one, parts * wide) for one in (away, arg))
    total = np.empty((segments, lines, blocks, few), dtype=np.complex128)
    some = max(1, int(_NEAR / (few * lines * nodes)))
    for begin in range(0, segments, some):
        own = slice(begin, begin + some)
        shares: Complexes = np.ascontiguousarray(weights[own].swapaxes(0, 1))
        angle, fall = theta[own, :1] * away[own], theta[own, :1] * arg[own]
        first, after = (_less_one(one, angle, fall) for one in (small, large))
        total[own] = _products(shares, first, parts)[:, :, None]
        first += 1.0
        later = _products(after, first[:, None] * shares, parts)
        later = later.reshape(angle.shape[0], blocks - 1, few, lines)
        total[own, :, 1:] += later.transpose(0, 3, 1, 2)
    found = total.reshape(segments, lines, -1)[:, :, :number]
    return found.real, found.imag


def _less_one(multiples: npt.NDArray[Any], angle: Floats, fall: Floats) -> Complexes:
    """exp(ix - y) - 1 = expm1(-y) + exp(-y) (exp(ix) - 1), x and y so many times twice these."""
    multiples = multiples[:, None, None]
    real, imaginary = turns_less_one(multiples * angle)
    found = np.empty(real.shape, dtype=np.complex128)
    falls = np.expm1((-2.0 * multiples) * fall)
    kept = 1.0 + falls
    imaginary *= kept
    real *= kept
    real += falls
    found.real, found.imag = real, imaginary
    return found


def summed(values: Floats, weights: Floats) -> Floats:
    """Sums over the nodes, by segment, line and frequency: in blocks where there are many."""
    number = values.shape[2]
    if number <= 2 * _BLOCK:
        found: Floats = np.einsum("nmj,nsj->nsm", values, weights)
        return found
    whole = number - number % _BLOCK
    shape = (whole // _BLOCK, _BLOCK)
    parts = np.einsum(
        "nmbj,nsbj->nsmb",
        values[:, :, :whole].reshape(*values.shape[:2], *shape),
        weights[:, :, :whole].reshape(*weights.shape[:2], *shape),
    )
    found = parts.sum(axis=3)
    if whole < number:
        found += np.einsum("nmj,nsj->nsm", values[:, :, whole:], weights[:, :, whole:])
    return found


def summed_roundings(number: int) -> float:
    """How many roundings a term meets in `summed`."""
    return float(number) if number <= 2 * _BLOCK else _BLOCK + number / _BLOCK + 2.0


def chunked(number: int) -> float:
    """The same in `_lifted_phases`: the products of a chunk are two each, and in any order."""
    return 2.0 * _LIFTED + number / _LIFTED + 2.0
