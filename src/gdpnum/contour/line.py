"""One line of a transform, read in one direction: delta and exp(eps) alpha with their errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gdpnum.contour.charges import (
    FUNCTION,
    UNIT,
    Floats,
    alias_above,
    alias_below,
    evaluation,
    left_out,
    left_out_slowly,
)
from gdpnum.contour.decay import Decay
from gdpnum.contour.ladder import Ladder
from gdpnum.contour.transform import Transform

__all__ = ["Direction", "Line", "line", "log_kappa"]

Direction: TypeAlias = Literal["remove", "add"]


def log_kappa(lam: Floats) -> Floats:
    """log(l^l / (1 + l)^(1 + l)), the best constant in delta(eps) <= kappa exp(K(l) - l eps)."""
    found: Floats = lam * np.log(lam) - (1.0 + lam) * np.log1p(lam)
    return found


@dataclass(frozen=True, eq=False)
class Line:
    """Sums over frequencies for one line and direction, by run.

    Two are kept side by side: for delta (on the line Re z = -1/2: delta - 1, which keeps the digits
    of 1 - delta) and for exp(eps) alpha.
    """

    lam: Floats
    middle: bool
    cumulant: Floats
    centre: Floats
    frequencies: Floats
    period: Floats
    real: Floats
    """By run, which of the two, and frequency."""
    imaginary: Floats
    errors: Floats
    """Over exp(K - lam eps), by run and which of the two: constant, per |eps - c|, per |lam eps|."""
    images: tuple[Floats, Floats, Floats, Floats]
    """The logs, slopes and log ratios of bounds on images, and log kappa: above, then below."""

    def at(self, epsilons: Floats) -> tuple[Floats, Floats]:
        """(delta, exp(eps) alpha) at epsilons by run, and how wrong they may be; axis 1 is which."""
        away = epsilons - self.centre
        turn = away[:, :, None] * self.frequencies[:, None, :]
        values = np.einsum("bem,bom->boe", np.cos(turn), self.real)
        values += np.einsum("bem,bom->boe", np.sin(turn, out=turn), self.imaginary)
        moved = self.lam * epsilons
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            scale = np.exp(self.cumulant - moved)[:, None, :]
            values *= scale
            constant, distant, far = self.errors
            wrong = constant[:, :, None] + distant[:, :, None] * np.abs(away)[:, None, :]
            wrong += far[:, :, None] * np.abs(moved)[:, None, :]
            wrong *= scale
            one = np.exp(-(1.0 + self.lam) * self.period)
            lifted = np.exp(epsilons - (1.0 + self.lam) * self.period) / (1.0 + one)
            if self.middle:
                known = lifted + one / (1.0 + one)
            else:
                first = np.exp(-self.lam * self.period)
                known = lifted - first / (1.0 + first)
                known_size = lifted + first
            values[:, 0] -= known
            values[:, 1] += lifted
            size = np.abs(known) if self.middle else known_size
            wrong += (self._imaged(epsilons) + (64.0 * UNIT) * (1.0 + np.abs(epsilons)[:, None, :]) * size[:, None, :])
            wrong *= 1.0 + 64.0 * UNIT
        return values, wrong

    def _imaged(self, epsilons: Floats) -> Floats:
        """What images add, by run, which of the two, and epsilon."""
        logs, slopes, ratios, kappas = self.images
        # By run, side, candidate, epsilon.
        first = logs[:, :, :, None] + slopes[:, :, :, None] * epsilons[:, None, None, :]
        pair = np.stack([first + kappas[:, :, :, None], first], axis=1)
        np.minimum(pair, 690.0, out=pair)
        above = alias_above(pair[:, :, 0], ratios[:, None, 0, :, None]).min(axis=2)
        below = alias_below(pair[:, :, 1], ratios[:, None, 1, :, None]).min(axis=2)
        return above + below


def line(
    found: Transform,
    decayed: Decay,
    ladder: Ladder,
    index: int,
    direction: Direction,
    references: Floats,
) -> Line:
    """The line of that index; images are bounded best at the reference epsilons, by run."""
    adding = direction == "add"
    tilt = found.tilts[:, index, None]
    lam = -tilt if adding else tilt - 1.0
    theta = found.frequencies
    number = theta.shape[1]
    width = theta[:, :1] * (2.0 / np.pi)
    real, imaginary = found.real[:, index], found.imaginary[:, index]
    centre = found.centre[:, None]
    if adding:
        imaginary, centre = -imaginary, -centre
    # 1 / (z + 1) and 1 / (z (z + 1)), z = lam + i theta.
    one = 1.0 + lam
    upper, lower = one * one + theta * theta, lam * lam + theta * theta
    alpha_real = (real * one + imaginary * theta) / upper
    alpha_imaginary = (imaginary * one - real * theta) / upper
    delta_real = (alpha_real * lam + alpha_imaginary * theta) / lower
    delta_imaginary = (alpha_imaginary * lam - alpha_real * theta) / lower
    by_alpha = 1.0 / np.sqrt(upper)
    weights = np.stack([by_alpha / np.sqrt(lower), by_alpha], axis=1) * width[:, :, None]
    wrong = found.errors[:, index]
    sizes = (np.hypot(real, imaginary) + wrong)[:, None, :] * weights
    terms = sizes.sum(axis=2)
    moment = (sizes * theta[:, None, :]).sum(axis=2)
    k, k_error = found.cumulants[:, index, None], found.cumulant_errors[:, index, None]
    logs = decayed.logs[:, index]
    # A cell of the sum may reach over an end of an interval: 1 / M more.
    thetas = decayed.thetas[:, index]
    ratios = np.log(thetas[:, 1:] / thetas[:, :-1]) + 1.0 / number
    ratios = np.concatenate([ratios, (1.0 / decayed.power[:, index, None] + 1.0 / number)], axis=1)
    slow = np.concatenate([logs[:, :-1], decayed.last[:, index, None]], axis=1)
    omitted = np.stack(
        [left_out(logs[:, 0], thetas[:, 0]), left_out_slowly(np.minimum(slow, 600.0), ratios)],
        axis=1,
    )
    constant, distant, far = evaluation(number, terms, moment, np.abs(k))
    constant = constant + omitted + (wrong[:, None, :] * weights).sum(axis=2)
    constant += np.expm1(np.minimum(k_error, 1.0)) * terms
    period = 2.0 / width
    return Line(
        lam=lam,
        middle=bool((tilt == 0.5).all()),
        cumulant=k,
        centre=centre,
        frequencies=theta,
        period=period,
        real=np.stack([delta_real, alpha_real], axis=1) * width[:, :, None],
        imaginary=np.stack([delta_imaginary, alpha_imaginary], axis=1) * width[:, :, None],
        errors=(constant, distant, far),
        images=_images(ladder, lam, period, adding, references),
    )


def _images(
    ladder: Ladder, lam: Floats, period: Floats, adding: bool, references: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """For each reference epsilon the best tilt of the ladder, above and below.

    k > 0: exp(K(l) - l eps - (l - lam) p). k < 0: exp(K(l) + (1 + l) eps - (1 + l + lam) p).
    """
    sides = [ladder.removed(), ladder.added()]
    if adding:
        sides.reverse()
    rows = np.arange(lam.shape[0])[:, None]
    found = []
    for sign, (tilts, values, _, _) in zip((1.0, -1.0), sides, strict=True):
        slope = -tilts if sign > 0.0 else 1.0 + tilts
        ratio = -(tilts + 0.5 + sign * (-0.5 - lam)) * period
        logs = np.where(ratio < 0.0, values + ratio, np.inf)
        best = np.argmin(logs[:, None, :] + slope[:, None, :] * references[:, :, None], axis=2)
        found.append([each[rows, best] for each in (logs, slope, ratio, log_kappa(tilts))])
    above, below = found
    logs, slopes, ratios, kappas = (
        np.stack([one, two], axis=1) for one, two in zip(above, below, strict=True)
    )
    return logs, slopes, ratios, kappas
