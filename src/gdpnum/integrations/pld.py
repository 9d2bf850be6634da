"""Privacy loss distributions of dp-accounting, as trade-off curves."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gdpnum import _validate
from gdpnum.bounds.claims import lines_of_claims
from gdpnum.bounds.envelope import envelope
from gdpnum.bounds.lines import Lines, lines_of_masses
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.floats import Floats

# Masses are to sum to 1 but for so much, lost at the ends; and what a Fourier transform may err by.
_LARGEST_GAP, _FOURIER_ERROR = 1e-3, 1e-11

# Where a profile is read that tells its masses to nobody: this many epsilons, down to this delta.
_READINGS, _SMALLEST_DELTA = 4096, 1e-30


def from_pld(pld: object) -> TradeoffCurve:
    """The trade-off curve of a ``PrivacyLossDistribution``, for both of its directions.

    alpha_i = sum_{j >= i} exp(-w_j) p_j and tpr_i = sum_{j >= i} p_j + the mass at infinity, of
    the losses w > 0 of each direction by itself; the curve is for the larger of the two profiles.

    Guarantee: for every eps >= 0, ``curve.delta(eps)`` is at least ``get_delta_for_epsilon(eps)``
    in exact arithmetic, and above it by a relative 1e-12 of the TPR at most; negative masses, left
    by a Fourier transform, count as zero. The curve is as sound and as tight as the distribution:
    an optimistic one is refused, and so is one whose masses do not sum to 1. Up to 1e-3 that are
    missing count as mass at infinity; below 1e-11, as rounding.

    >>> from types import SimpleNamespace
    >>> answer = SimpleNamespace(
    ...     _loss_probs={1: 0.75, -1: 0.25}, _infinity_mass=0.0, _discretization=1.0986122886681098
    ... )
    >>> pld = SimpleNamespace(_pmf_remove=answer, _pmf_add=answer, _symmetric=True)
    >>> round(from_pld(pld).advantage, 12)
    0.5
    """
    sides = _directions(pld)
    if sides is None:
        return _read(pld)
    lines = [_lines(one) for one in sides]
    return PiecewiseCurve(envelope(*lines) if len(lines) > 1 else lines[0])


def ordered_curve(pld: object) -> TradeoffCurve:
    """The curve of one direction: remove for slopes below -1, and add, inverted, above.

    Add is remove with the two datasets exchanged, so both bound the same curve. Composed, it
    loses less than the symmetric one.
    """
    sides = _directions(pld)
    if sides is None:
        return _read(pld)
    lines = [_lines(one) for one in sides]
    if len(lines) == 1:
        return PiecewiseCurve(lines[0])
    remove, add = lines
    advantage = float(max(one.delta(np.zeros(1))[0] for one in lines))
    return PiecewiseCurve(_raised(remove, advantage), _raised(add, advantage))


def is_symmetric(pld: object) -> bool:
    """Whether the distribution has the same losses in both directions, as it says itself."""
    # One that does not say so has the direction that it keeps, and two if it keeps two.
    return bool(getattr(pld, "_symmetric", getattr(pld, "_pmf_add", None) is None))


class _Masses(NamedTuple):
    losses: Floats
    masses: Floats
    infinite: float


def _directions(pld: object) -> list[_Masses] | None:
    """Remove and, where it differs, add; None if the masses are hidden."""
    if not hasattr(pld, "get_delta_for_epsilon") and not hasattr(pld, "_pmf_remove"):
        raise InvalidType(
            f"pld={_validate.brief(pld)} is not a privacy loss distribution; pass one of "
            "dp-accounting, as from "
            "dp_accounting.pld.privacy_loss_distribution.from_gaussian_mechanism(1.0)"
        )
    names = ("_pmf_remove",) if is_symmetric(pld) else ("_pmf_remove", "_pmf_add")
    found = [_masses(getattr(pld, name, None)) for name in names]
    known = [one for one in found if one is not None]
    return known if len(known) == len(names) else None


def _masses(pmf: Any) -> _Masses | None:
    """The losses and masses of one direction; None where the package keeps them elsewhere.

    dp-accounting has no public access to them, so this reads what its 0.4 to 0.6 keep privately.
    """
    try:
        step, infinite = float(pmf._discretization), float(pmf._infinity_mass)
        if hasattr(pmf, "_loss_probs"):  # few losses, anywhere: multiples of the step, whole or not
            numbers = np.array(list(pmf._loss_probs.keys()), dtype=np.float64)
            masses = np.array(list(pmf._loss_probs.values()), dtype=np.float64)
            order = np.argsort(numbers)
            numbers, masses = numbers[order], masses[order]
        else:
            masses = np.asarray(pmf._probs, dtype=np.float64)
            numbers = np.arange(masses.size, dtype=np.float64) + float(pmf._lower_loss)
    except AttributeError:
        return None
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(
            f"pld does not hold numbers ({error}); pass one as dp-accounting made it"
        ) from None
    if not getattr(pmf, "_pessimistic_estimate", True):
        raise InvalidArgument(
            "pld is an optimistic estimate, which bounds no attack; "
            "pass one made with pessimistic_estimate=True"
        )
    if not (math.isfinite(step) and step > 0.0):
        raise InvalidArgument(
            f"pld has a discretisation of {step!r}; pass one as dp-accounting made it"
        )
    if not (np.isfinite(masses).all() and np.isfinite(infinite) and np.isfinite(numbers).all()):
        raise InvalidArgument(
            "pld has masses or losses that are not finite; make it again with more noise"
        )
    least = min(infinite, float(masses.min(initial=0.0)))
    if least < -_FOURIER_ERROR:
        raise InvalidArgument(
            f"pld has a mass of {least!r}, below 0; pass one as dp-accounting made it"
        )
    missing = 1.0 - math.fsum(np.maximum(masses, 0.0)) - max(infinite, 0.0)
    if abs(missing) > _LARGEST_GAP:
        raise InvalidArgument(
            f"pld has masses that sum to {1.0 - missing:.6g} with that at infinity, not to 1; "
            "pass one as dp-accounting made it"
        )
    if missing > _FOURIER_ERROR:
        infinite = max(infinite, 0.0) + missing  # wherever it was, it is no worse there
    return _Masses(numbers * step, masses, min(max(infinite, 0.0), 1.0))


def _lines(side: _Masses) -> Lines:
    """The steep half of the curve of one direction: tests that reject from some loss on."""
    kept = (side.losses > 0.0) & (side.masses > 0.0)
    return lines_of_masses(side.losses[kept], side.masses[kept], side.infinite)


def _raised(lines: Lines, advantage: float) -> Lines:
    """The same with delta(0) raised to the advantage: a steeper first line, with the same end.

    Two directions of one mechanism have the same delta(0); discretised apart they may not, and a
    pair of distributions for both would have to make up for that at infinity.
    """
    end = float(lines.epsilons[0])
    at_end = float(lines.delta(np.array([end]))[0])
    alpha = (advantage - at_end) / np.expm1(end) if end > 0.0 else 0.0
    if not alpha > np.exp(lines.log_alphas[0]):
        return lines
    log_alphas, tprs = lines.log_alphas.copy(), lines.tprs.copy()
    log_alphas[0], tprs[0] = np.log(alpha), max(advantage + alpha, tprs[0])
    return lines._replace(log_alphas=log_alphas, tprs=tprs)


def _read(pld: Any) -> TradeoffCurve:
    """A curve from the public profile alone, joined by chords: sound, not exact."""
    last = 1.0
    try:
        beyond = float(pld.get_delta_for_epsilon(1e9))
        while float(pld.get_delta_for_epsilon(last)) > beyond + _SMALLEST_DELTA and last < 2.0**20:
            last *= 2.0
        ends = np.linspace(0.0, last, _READINGS), np.geomspace(1e-6 * last, last, 512)
        epsilons = np.union1d(*ends)
        deltas = np.asarray(pld.get_delta_for_epsilon(epsilons), dtype=np.float64)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(
            f"pld={_validate.brief(pld)} has neither masses nor a profile of numbers ({error}); "
            "pass one as dp-accounting made it"
        ) from None
    if deltas.shape != epsilons.shape or not np.isfinite(deltas).all():
        raise InvalidArgument(
            f"pld={_validate.brief(pld)} has deltas that are no finite numbers; pass one as "
            "dp-accounting made it"
        )
    # Rounding must not make it rise.
    deltas = np.maximum.accumulate(np.clip(deltas, 0.0, 1.0)[::-1])[::-1]
    return PiecewiseCurve(lines_of_claims(epsilons, deltas))
