"""The likelihood ratio of one noisy step: w = exp(s z - s^2 / 2), z normal under Q; its cells.

Masses come from quadrature of positive functions, so that each is accurate relative to itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from gdpnum.floats import Floats

# Gauss-Legendre on panels short enough that eight points leave less than 1e-16, relative: the
# remainder has a factor (8!)^4 / (17 (16!)^3) = 2e-23 and grows with the 16th power of
# width * (|z| + s + 4), which is kept below two.
_ROOTS, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_LONGEST = 2.0


class Cells(NamedTuple):
    """Of each cell the mass, the first moment, and the part of the mass due to the upper end.

    The last is the integral of (w - low) / (high - low): what goes up when each w is split between
    the ends such that its mean stays. ``down`` is the rest, without cancellation.
    """

    mass: Floats
    moment: Floats
    down: Floats
    up: Floats


def deviate(ratio: Floats | float, s: float) -> Floats:
    """The z at which w has this value."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(ratio)) / s + 0.5 * s


def cells(low: Floats, high: Floats, s: float, ends: tuple[Floats, Floats] | None = None) -> Cells:
    """The cells between low > 0 and high; split between ``ends``, by default the same."""
    first = deviate(low, s)
    # Not as a difference of logarithms, which would have no digits for a narrow cell.
    width = np.log1p((high - low) / low) / s
    below, above = (low, high) if ends is None else ends
    reach = np.maximum(np.abs(first), np.abs(first + width)) + s + 4.0
    panels = max(1, math.ceil(float((width * reach).max()) / _LONGEST))
    edges = np.linspace(0.0, 1.0, panels + 1)
    roots = (edges[:-1, None] + 0.5 * (1.0 + _ROOTS) / panels).ravel()
    weights = np.tile(0.5 * _WEIGHTS / panels, panels)
    risen = width[:, None] * roots
    z = first[:, None] + risen
    w = np.exp(s * z - 0.5 * s**2)
    density = np.exp(-0.5 * z**2) * (weights * width[:, None]) / math.sqrt(2.0 * math.pi)
    # Counted from each end: near one of them a difference of the other would have no digits.
    up = np.expm1(s * risen) * low[:, None] + (low - below)[:, None]
    down = -np.expm1(s * (risen - width[:, None])) * high[:, None] + (above - high)[:, None]
    gap = (above - below)[:, None]
    return Cells(
        density.sum(axis=1),
        (density * w).sum(axis=1),
        (density * down / gap).sum(axis=1),
        (density * up / gap).sum(axis=1),
    )


def first_cell(high: float, s: float) -> Cells:
    """The cell from zero to high, in closed form."""
    z = float(deviate(high, s))
    mass, moment = float(ndtr(z)), float(ndtr(z - s))
    up = moment / high
    one = np.ones(1)
    # Cancels where w is next to high; whatever is too much there is on the safe side.
    return Cells(mass * one, moment * one, max(mass - up, 0.0) * one + 2.0**-50 * mass, up * one)
