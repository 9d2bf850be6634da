"""mu, mu_lower and regret of runs at a slack, from one transform each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, ndtr, ndtri

from gdpnum.contour.charges import UNIT, Floats, quantile
from gdpnum.contour.ladder import Ladder, ladder
from gdpnum.contour.pairs import Run, Steps
from gdpnum.contour.plan import Need, carried_out, planned
from gdpnum.contour.line import Line, line, log_kappa

__all__ = ["Fits", "fits"]


class Fits(NamedTuple):
    """Arrays by run: the smallest valid mu lies in [mu_lower, mu]; regret is that of mu."""

    mu: Floats
    mu_lower: Floats
    regret: Floats
    regret_with_slack: Floats
    advantage: Floats
    work: str


class Located(NamedTuple):
    """Where mu is decided, about: by run."""

    lam: Floats
    epsilon: Floats
    mu: Floats
    log_delta: Floats
    """log of delta there."""
    epsilons: Floats
    """On the ladder: epsilon, mu, log delta."""
    mus: Floats
    log_deltas: Floats


def located(rungs: tuple[Floats, Floats, Floats, Floats], slack: Floats) -> Located:
    """From Gaussian approximations at the saddle points."""
    lam, k, slope, curvature = rungs
    with np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore"):
        root = np.sqrt(0.5 * curvature)
        log_scale = k - lam * slope
        tpr_part, alpha_part = 0.5 * erfcx(lam * root), 0.5 * erfcx((1.0 + lam) * root)
        tpr = np.exp(log_scale) * tpr_part
        alpha = np.exp(log_scale - slope) * alpha_part
        mus = ndtri(np.maximum(tpr - slack[:, None], 1e-300)) - ndtri(alpha)
        mus = np.where((tpr > 1.001 * slack[:, None]) & (alpha > 0.0), mus, -np.inf)
        log_deltas = log_scale + np.log(np.maximum(tpr_part - alpha_part, 1e-300))
    rows = np.arange(lam.shape[0])
    best = np.clip(np.argmax(mus, axis=1), 1, lam.shape[1] - 2)
    x = np.log(lam)
    x0, x1, x2 = (x[rows, best + i] for i in (-1, 0, 1))
    y0, y1, y2 = (mus[rows, best + i] for i in (-1, 0, 1))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        left, right = (y1 - y0) / (x1 - x0), (y2 - y1) / (x2 - x1)
        shift = 0.5 * (x1 - x0) * (left + right) / np.maximum(left - right, 1e-300)
    shift = np.where(np.isfinite(shift), np.clip(shift, x0 - x1, x2 - x1), 0.0)
    at = x1 + 0.8 * shift
    share = np.where(at > x1, (at - x1) / (x2 - x1), (x1 - at) / (x1 - x0))
    other = np.where(at > x1, best + 1, best - 1)

    def between(values: Floats) -> Floats:
        return values[rows, best] * (1.0 - share) + values[rows, other] * share

    with np.errstate(invalid="ignore"):
        epsilon = np.exp(between(np.log(np.maximum(slope, 1e-300))))
    return Located(
        np.exp(at), epsilon, np.maximum(y1, 1e-300), between(log_deltas), slope, mus, log_deltas
    )


def divided(knots: Floats, parts: Floats, most: int) -> Floats:
    """Knots with each cell cut into so many parts, from the first to the last that is cut.

    By run; where runs need different numbers the cells are cut a little finer.
    """
    cut = parts > 1.0
    columns = np.flatnonzero(cut.any(axis=0))
    first, last = int(columns[0]), int(columns[-1]) + 1
    kept, parts = knots[:, first : last + 1], parts[:, first:last]
    counted = np.zeros(kept.shape)
    np.cumsum(parts, axis=1, out=counted[:, 1:])
    number = int(min(counted[:, -1].max(), most))
    places = np.linspace(0.0, 1.0, number + 1)
    if knots.shape[0] == 1:
        return np.interp(places * counted[0, -1], counted[0], kept[0])[None, :]
    return np.stack(
        [np.interp(places * one[-1], one, at) for one, at in zip(counted, kept, strict=True)]
    )


class Knots(NamedTuple):
    """Bounds at knots of one direction, by run and knot."""

    epsilons: Floats
    delta: Floats
    delta_error: Floats
    lifted_alpha: Floats
    lifted_alpha_error: Floats


class Reading(NamedTuple):
    """One direction: a line in the tail and the one in the middle."""

    tail: Line
    middle: Line

    def at(self, epsilons: Floats) -> Knots:
        """Bounds from whichever line is the better one at each epsilon, by run, increasing."""
        tail, middle = self
        # exp(K - lam eps) times its relative error is the same on both lines here.
        with np.errstate(divide="ignore"):
            ratio = np.log(tail.errors[0][:, 0] / middle.errors[0][:, 0])
        switch = tail.cumulant[:, 0] - middle.cumulant[:, 0] + ratio
        switch = switch / (tail.lam[:, 0] - middle.lam[:, 0])
        low = np.sum(epsilons < switch[:, None], axis=1)
        most, least = int(low.max()), int(low.min())
        values, errors = np.empty((2, epsilons.shape[0], 2, epsilons.shape[1]))
        if least < epsilons.shape[1]:
            values[:, :, least:], errors[:, :, least:] = tail.at(epsilons[:, least:])
        if most > 0:
            found, wrong = middle.at(epsilons[:, :most])
            found[:, 0] += 1.0
            wrong[:, 0] += UNIT
            if most == least:
                values[:, :, :most], errors[:, :, :most] = found, wrong
            else:
                chosen = (np.arange(most) < low[:, None])[:, None, :]
                values[:, :, :most] = np.where(chosen, found, values[:, :, :most])
                errors[:, :, :most] = np.where(chosen, wrong, errors[:, :, :most])
        return Knots(epsilons, values[:, 0], errors[:, 0], values[:, 1], errors[:, 1])


def chords(knots: Knots, slack: Floats) -> Floats:
    """The mu that each chord between two knots needs, from above."""
    upper = knots.delta + knots.delta_error
    upper = np.minimum.accumulate(upper, axis=1)
    gaps = np.diff(knots.epsilons, axis=1)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        lifted = (upper[:, :-1] - upper[:, 1:]) / np.expm1(gaps)
        # A smaller slope and a higher line: both towards a larger mu.
        alpha = lifted * np.exp(-knots.epsilons[:, :-1]) * (1.0 - 64.0 * UNIT)
        power = ((upper[:, :-1] - slack[:, None]) + lifted * (1.0 + 64.0 * UNIT)) + 4.0 * UNIT * upper[:, :-1]
        low, high = ndtri(np.minimum(power, 1.0)), ndtri(alpha)
        mus = low - high + (quantile(low) + quantile(high))
    return np.where((upper[:, :-1] > slack[:, None]) & (gaps > 0.0), mus, -np.inf)


def tests(knots: Knots, slack: Floats) -> tuple[Floats, Floats, Floats]:
    """Tests that exist: (log alpha from above, tpr from below), and the mu each shows to be needed."""
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        lifted = (knots.lifted_alpha + knots.lifted_alpha_error) * (1.0 + 64.0 * UNIT)
        alpha = np.maximum(lifted, 0.0) * np.exp(-knots.epsilons)
        tpr = (knots.delta - knots.delta_error) + (knots.lifted_alpha - knots.lifted_alpha_error)
        tpr = tpr * (1.0 - 8.0 * UNIT)
        low = ndtri(np.clip(tpr - slack[:, None] * (1.0 + 4.0 * UNIT), 0.0, 1.0))
        high = ndtri(np.clip(alpha, 0.0, 1.0))
        mus = low - high - (quantile(low) + quantile(high))
    return alpha, tpr, np.where(np.isfinite(mus), mus, -np.inf)


def profile_of_mu(mu: Floats, epsilons: Floats) -> Floats:
    """delta_mu(eps) = Phi(a) - exp(-a^2 / 2) erfcx(b / sqrt 2) / 2, a, b = mu / 2 -+ eps / mu."""
    s = epsilons / mu[:, None]
    a, b = 0.5 * mu[:, None] - s, 0.5 * mu[:, None] + s
    with np.errstate(under="ignore"):
        found: Floats = ndtr(a) - 0.5 * np.exp(-0.5 * a * a) * erfcx(b * np.sqrt(0.5))
    return found


def fits(runs: Sequence[Run], *, slack: float, tolerance: float = 1e-9) -> Fits:
    steps = Steps.of(runs)
    return fit(steps, np.full(steps.runs, slack), tolerance)


def tail_line(
    rungs: tuple[Floats, Floats, Floats, Floats], epsilon: Floats, log_error: Floats
) -> Floats:
    """The lam for epsilon that needs the shortest period, by run, of those that rounding allows.

    The saddle point would have the smallest exp(K - lam eps), which rounding is relative to.
    """
    lam, values, _, _ = rungs
    scales = values - lam * epsilon[:, None]
    allowed = np.maximum(scales.min(axis=1) + 0.7, log_error + 32.0)
    bounds = scales + log_kappa(lam) - log_error[:, None]
    gaps = lam[:, None, :] - lam[:, :, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.where(gaps > 0.0, bounds[:, None, :] / gaps, np.inf).min(axis=2)
    # What is left out must be smaller by as much as the scale is larger.
    widths = np.sqrt(np.maximum(scales - log_error[:, None], 1.0))
    cost = np.where(scales <= allowed[:, None], lengths * widths, np.inf)
    best = np.argmin(cost, axis=1)
    return lam[np.arange(best.size), best]


def readings(
    steps: Steps,
    rungs: Ladder,
    epsilon: Floats,
    other_epsilon: Floats,
    slack: Floats,
    tolerance: float,
) -> tuple[list[Reading], str]:
    """The lines that a fit reads: removing, and adding where it differs.

    ``epsilon`` is about where mu is decided, ``other_epsilon`` the same for adding.
    """
    zero = np.zeros(steps.runs)
    log_slack, log_tolerance = np.log(slack), np.log(tolerance)
    deviation = np.sqrt(rungs.curvatures[:, -1])
    fine = np.log(0.01 * np.minimum(deviation, 1.0)) + log_tolerance
    near = log_slack + log_tolerance + np.log(3.0)
    coarse = log_slack + np.log(1e-3)
    half = np.full(steps.runs, 0.5)
    removed, added = rungs.removed(), rungs.added()
    lam = tail_line(removed, epsilon, near)
    if steps.symmetric:
        tilts = np.stack([1.0 + lam, half], axis=1)
        needs = [Need(0, "remove", epsilon, near), Need(1, "remove", zero, fine)]
        digits = [_at(removed, lam) - lam * epsilon - near]
    else:
        other = tail_line(added, other_epsilon, coarse)
        tilts = np.stack([1.0 + lam, -other, half], axis=1)
        needs = [
            Need(0, "remove", epsilon, near),
            Need(1, "add", other_epsilon, coarse),
            Need(2, "remove", zero, fine),
            Need(2, "add", zero, fine),
        ]
        digits = [
            _at(removed, lam) - lam * epsilon - near,
            _at(added, other) - other * other_epsilon - coarse,
        ]
    levels = np.maximum(np.stack([*digits, rungs.values[:, -1] - fine], axis=1), 5.0)
    plan = planned(steps, rungs, tilts, needs, digits=levels, error=1e-14)
    last = tilts.shape[1] - 1
    tails = list(range(last))
    limits, lengths = plan.limits, plan.periods
    joint = limits.max(axis=1) * lengths.max(axis=1)
    apart = limits[:, last] * lengths[:, last]
    apart = apart + limits[:, :last].max(axis=1) * lengths[:, :last].max(axis=1)
    middle = epsilon[:, None] * np.array([0.0, 0.1, 0.4])
    upper = epsilon[:, None] * np.array([0.5, 1.0, 1.2])
    lower = other_epsilon[:, None] * np.array([0.5, 1.0, 1.2])
    if float(joint.mean()) < 1.2 * float(apart.mean()):
        found = carried_out(steps, rungs, plan)
        groups = [(found, plan.decayed, i) for i in range(last + 1)]
    else:
        one, two = plan.only(tails), plan.only([last])
        found = carried_out(steps, rungs, one)
        groups = [(found, one.decayed, i) for i in tails]
        groups.append((carried_out(steps, rungs, two), two.decayed, 0))
    result = []
    for i, direction in zip(tails, ("remove", "add"), strict=False):
        references = upper if direction == "remove" else lower
        transformed, decayed, place = groups[i]
        centre, centre_decayed, centre_place = groups[-1]
        result.append(
            Reading(
                line(transformed, decayed, rungs, place, direction, references),  # type: ignore[arg-type]
                line(centre, centre_decayed, rungs, centre_place, direction, middle),  # type: ignore[arg-type]
            )
        )
    work = " ".join(f"{g[0].frequencies.shape[1]}" for g in groups)
    return result, work


def _last_epsilon(place: Located, slack: Floats) -> Floats:
    """About where delta is a few times the slack."""
    wanted = np.log(slack) + 1.0
    return np.array(
        [
            np.interp(-level, -np.maximum.accumulate(logs[::-1])[::-1], epsilons)
            for level, logs, epsilons in zip(wanted, place.log_deltas, place.epsilons, strict=True)
        ]
    )


def _at(rungs: tuple[Floats, Floats, Floats, Floats], lam: Floats) -> Floats:
    """K at a rung."""
    place = np.argmin(np.abs(rungs[0] - lam[:, None]), axis=1)
    return rungs[1][np.arange(lam.size), place]


def _end(rungs: tuple[Floats, Floats, Floats, Floats], slack: Floats) -> Floats:
    """An epsilon from which on delta <= slack, by Chernoff."""
    lam, values, _, _ = rungs
    found: Floats = ((values + log_kappa(lam) - np.log(slack)[:, None]) / lam).min(axis=1)
    return np.maximum(found, 1e-12) * (1.0 + 1e-9)


def smallest(
    reading: Reading, knots: Floats, slack: Floats, tolerance: float
) -> tuple[Floats, Floats, Floats]:
    """mu from above and from below for one direction, and where it is decided."""
    mu, mu_lower = np.zeros((2, slack.size))
    rows = np.arange(slack.size)
    where = np.zeros(slack.size)
    for _ in range(6):
        found = reading.at(knots)
        if not mu.any():
            # Beyond the last knot delta <= slack, by Chernoff.
            found.delta[:, -1] = np.minimum(found.delta[:, -1], slack)
            found.delta_error[:, -1] = 0.0
        needed = chords(found, slack)
        _, _, shown = tests(found, slack)
        best = np.argmax(shown, axis=1)
        higher = shown[rows, best]
        where = np.where(higher > mu_lower, knots[rows, best], where)
        mu_lower = np.maximum(mu_lower, higher)
        target = mu_lower * (1.0 + tolerance)
        ends = np.maximum(shown[:, :-1], shown[:, 1:])
        excess = needed - np.maximum(ends, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            room = np.maximum(target[:, None] - ends, 0.1 * tolerance * mu_lower[:, None])
            parts = np.ceil(np.sqrt(np.minimum(1.2 * excess / room, 4096.0)))
        parts = np.where(np.isfinite(parts), parts, 16.0)
        parts = np.where(needed > target[:, None], np.maximum(parts, 2.0), 1.0)
        # While what is shown is still rising, cut only a few times.
        yield_now = needed.max(axis=1)
        if not (parts > 1.0).any():
            return np.maximum(mu, yield_now), mu_lower, where
        settled = np.where(needed > target[:, None], -np.inf, needed).max(axis=1)
        mu = np.maximum(mu, np.maximum(settled, 0.0))
        knots = divided(knots, np.minimum(parts, 16.0), 1200)
    found = reading.at(knots)
    return np.maximum(mu, chords(found, slack).max(axis=1)), mu_lower, where


def fit(steps: Steps, slack: Floats, tolerance: float) -> Fits:
    rungs = ladder(steps, 22.0)
    removing = located(rungs.removed(), slack)
    adding = removing if steps.symmetric else located(rungs.added(), slack)
    other_epsilon = _last_epsilon(adding, slack)
    lines, work = readings(steps, rungs, removing.epsilon, other_epsilon, slack, tolerance)
    mu, mu_lower, where = smallest(
        lines[0], _first_knots(rungs.removed(), slack), slack, tolerance
    )
    if len(lines) > 1:
        other, other_lower, _ = smallest(
            lines[1], _first_knots(rungs.added(), slack), slack, tolerance
        )
        mu, mu_lower = np.maximum(mu, other), np.maximum(mu_lower, other_lower)
    return Fits(mu, mu_lower, mu, mu, mu, work + f" {removing.epsilon} -> {where}")


def _first_knots(rungs: tuple[Floats, Floats, Floats, Floats], slack: Floats) -> Floats:
    """Zero, the saddle points' epsilons, and one from which on delta <= slack."""
    end = _end(rungs, slack)[:, None]
    slopes = np.sort(np.clip(rungs[2], 0.0, end), axis=1)
    return np.concatenate([np.zeros((slack.size, 1)), slopes, end], axis=1)
