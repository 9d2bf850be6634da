"""Whether numbers read from a file can be those of a statement.

A statement's JSON passes through other hands. What follows from other numbers must still do so;
what does not, such as a mu that was lowered together with its curve, only a new account can tell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

import numpy as np

from gdpnum import _validate
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.errors import Contradiction
from gdpnum.formulas.gaussian import mu_of_advantage
from gdpnum.measures.divergence import delta_divergence
from gdpnum.releases import largest_loss, releases
from gdpnum.statements.record import Record
from gdpnum.statements.rows import CurvePoints, EpsilonRow, ProfilePoints, TPRRow

# Room for another machine's rounding, and for that of the curve.
_ROUNDING = 1e-9

# An advantage near 1 is known to this, and so is the mu that it calls for.
_ADVANTAGE_UNIT = 2.0**-50

# The curve, the advantage and each epsilon may come from lattices of their own.
_LATTICES = 2e-3

# Beyond, exp(epsilon) is no float; a delta at which (rho, cap) is tried.
_LARGEST_EXPONENT, _DELTA = 700.0, 1e-5

# Room for a regret, of which three digits are read.
_REGRET_ROOM = 1e-6

# FPRs that every form reads.
_READ_FPRS = (1e-3, 1e-2, 1e-1)

_VERSION = re.compile(
    r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?(\+[a-z0-9]+([.-][a-z0-9]+)*)?", re.ASCII
)


def tpr_by_mu(mu: float, slack: float, fprs: Sequence[float]) -> list[float]:
    """The most true positives that (mu, slack)-GDP allows."""
    found: list[float] = np.asarray(GaussianCurve(mu, slack).tpr(np.array(fprs))).tolist()
    return found


def check(statement: Record) -> None:
    """Refuse a statement that contradicts itself, by the key that does."""
    _check_texts(statement)
    _check_numbers(statement)
    _check_curve(statement)
    _check_profile(statement)
    if (statement.fallback is None) != statement.is_complete:
        _refuse("fallback", "is there exactly where mu is not enough")
    # The curve kept lies below the run's own, so nearer to that of mu.
    summary = GaussianCurve(statement.mu, statement.slack)
    least = delta_divergence(statement.curve(), summary).value
    if statement.regret < least - _REGRET_ROOM:
        _refuse("regret", "is below what mu gives away against the curve")


def _check_texts(statement: Record) -> None:
    _validate.text_or_none("name", statement.name)
    for key, value in statement.stated._asdict().items():
        _validate.text_or_none(key, value)
    if statement.audit is not None:
        for value in (*statement.audit.sentences, *chain(*statement.audit.rows)):
            _validate.text_or_none("audit", value)
        if () in statement.audit.rows or len(set(map(len, statement.audit.rows))) > 1:
            _refuse("audit", "has rows that make no table")
        _validate.choice("refutes", statement.audit.refutes, (True, False))
    if _validate.iso_date(statement.date) != statement.date:
        _refuse("date", "is not a date such as '2026-03-01'")
    if not _VERSION.fullmatch(_validate.text_or_none("version", statement.version) or ""):
        _refuse("version", "is not a version number")
    _validate.text_or_none("reason", statement.reason)
    if statement.reason is not None and math.isfinite(statement.mu):
        _refuse("reason", "is there only where mu is infinite")
    if statement.dataset_size is not None:
        size = _validate.count("dataset_size", statement.dataset_size, minimum=1)
        if not any(row.delta == 1.0 / size for row in statement.epsilon):
            _refuse("dataset_size", "has no epsilon at delta = 1 / dataset_size")


def _check_numbers(statement: Record) -> None:
    _require("slack", 0.0 <= statement.slack < 1.0)
    _require("tolerance", 0.0 < statement.tolerance < 1.0)
    _require("regret", 0.0 <= statement.regret <= 1.0)
    _require("advantage", 0.0 <= statement.advantage <= 1.0)
    _require("pure_epsilon", statement.pure_epsilon >= 0.0)
    _require("mu_lower", statement.mu_lower >= 0.0)
    if not statement.mu >= statement.mu_lower:
        _refuse("mu", "is below mu_lower")
    if not _tail_ratio_fits(statement):
        _refuse("tail_ratio", "is not mu divided by the mu of the advantage")


def _tail_ratio_fits(statement: Record) -> bool:
    mu, ratio = statement.mu, statement.tail_ratio
    if math.isinf(mu):
        return math.isinf(ratio)
    low = mu_of_advantage(max(statement.advantage - _ADVANTAGE_UNIT, 0.0))
    high = mu_of_advantage(min(statement.advantage + _ADVANTAGE_UNIT, 1.0))
    if ratio == 1.0 and (low == 0.0 or math.isinf(high)):
        return True
    most = mu / low if low > 0.0 else math.inf
    return mu / high * (1.0 - _ROUNDING) <= ratio <= most * (1.0 + _ROUNDING)


def _check_curve(statement: Record) -> None:
    points = statement.curve_points
    _require("curve_points", len({len(column) for column in points}) == 1 and len(points.fpr) > 1)
    _check_column("curve_points", points.fpr, strictly=True)
    for column in points:
        _check_column("curve_points", column)
        _require("curve_points", column[0] >= 0.0 and column[-1] <= 1.0)
    if points.fpr[0] != 0.0 or points.fpr[-1] != 1.0 or not {*_READ_FPRS} <= {*points.fpr}:
        _refuse("curve_points", "does not go from FPR 0 to 1 by way of 0.001, 0.01 and 0.1")
    _check_by_mu(statement, points)
    widest = max(tpr - fpr for fpr, tpr in zip(points.fpr, points.tpr, strict=True))
    if widest > statement.advantage * (1.0 + _LATTICES) + _ROUNDING:
        _refuse("advantage", "is below TPR - FPR of the curve")
    _check_column("tpr", [row.fpr for row in statement.tpr], strictly=True)
    if not {*statement.tpr} <= {*map(TPRRow, *points)}:
        _refuse("tpr", "has rows that are not among the curve_points")


def _check_by_mu(statement: Record, points: CurvePoints) -> None:
    wanted = tpr_by_mu(statement.mu, statement.slack, points.fpr)
    for tpr, by_mu, exact in zip(points.tpr, points.tpr_gdp, wanted, strict=True):
        if not math.isclose(by_mu, exact, rel_tol=_ROUNDING, abs_tol=0.0):
            _refuse("tpr_gdp", "is not what mu and slack allow")
        if tpr > by_mu + _ROUNDING:
            _refuse("mu", "allows less than the curve does")
    for fpr, tpr in zip(points.fpr, points.tpr, strict=True):
        # Guessing has TPR = FPR.
        _require("curve_points", tpr >= fpr * (1.0 - _ROUNDING))


def _check_profile(statement: Record) -> None:
    exact = largest_loss(releases(statement.run).above)
    if not math.isclose(statement.pure_epsilon, exact, rel_tol=_ROUNDING):
        _refuse("pure_epsilon", "is not that of the run")
    points = statement.profile_points
    _require("profile_points", len(points.epsilon) == len(points.delta) > 0)
    _check_profile_columns("profile_points", points.epsilon, points.delta)
    _require("profile_points", points.epsilon[0] == 0.0 and math.isfinite(points.epsilon[-1]))
    deltas = [row.delta for row in statement.epsilon]
    _check_column("epsilon", deltas[::-1], strictly=True)
    _check_column("epsilon", [row.epsilon for row in statement.epsilon])
    for row in statement.epsilon:
        _require("epsilon", 0.0 <= row.delta <= 1.0)
        _require("epsilon", 0.0 <= row.epsilon <= statement.pure_epsilon)
        if not _is_on_the_profile(points, row):
            _refuse("epsilon", "contradicts profile_points")
    if statement.fallback is not None:
        table = statement.fallback.profile
        _require("fallback", len(table) > 0)
        _check_profile_columns(
            "fallback", [row.epsilon for row in table], [row.delta for row in table]
        )
    for key, epsilon, delta in _pairs(statement):
        if not _allows_the_curve(statement, epsilon, delta):
            _refuse(key, "allows less than the curve does")


def _is_on_the_profile(points: ProfilePoints, row: EpsilonRow) -> bool:
    """Whether no point shows that epsilon is too small for its delta, or needlessly large."""
    room = 1.0 + _LATTICES
    for epsilon, delta in zip(*points, strict=True):
        if epsilon >= row.epsilon * room and delta > row.delta * room + 1e-14:
            return False
        if epsilon * room < row.epsilon and delta * room + 1e-14 < row.delta:
            return False
    return True


def _pairs(statement: Record) -> Iterator[tuple[str, float, float]]:
    """Each (epsilon, delta) that the statement claims, with its key."""
    yield "pure_epsilon", statement.pure_epsilon, 0.0
    for row in statement.epsilon:
        yield "epsilon", row.epsilon, row.delta
    for epsilon, delta in zip(*statement.profile_points, strict=True):
        yield "profile_points", epsilon, delta
    if statement.fallback is not None:
        for at in statement.fallback.profile:
            yield "fallback", at.epsilon, at.delta
        found = statement.fallback.truncated_cdp
        if found is not None:
            yield "truncated_cdp", found.curve("closed_form").epsilon(_DELTA), _DELTA


def _allows_the_curve(statement: Record, epsilon: float, delta: float) -> bool:
    """Whether TPR <= exp(epsilon) FPR + delta along the curve, but for what lattices differ by."""
    if epsilon > _LARGEST_EXPONENT:
        return True
    fprs, tprs = np.array(statement.curve_points.fpr), np.array(statement.curve_points.tpr)
    allowed = np.minimum(math.exp(epsilon) * fprs + delta, 1.0)
    most = allowed * (1.0 + _LATTICES) + _LATTICES * statement.advantage + _ROUNDING
    return bool((tprs <= most).all())


def _check_profile_columns(key: str, epsilons: Sequence[float], deltas: Sequence[float]) -> None:
    _check_column(key, epsilons, strictly=True)
    _check_column(key, deltas[::-1])
    _require(key, epsilons[0] >= 0.0 and deltas[-1] >= 0.0 and deltas[0] <= 1.0)


def _check_column(key: str, column: Sequence[float], *, strictly: bool = False) -> None:
    if any(math.isnan(value) for value in column):
        _refuse(key, "holds what is no number")
    for one, two in pairwise(column):
        if not (one < two or (not strictly and one <= two + 1e-12)):
            _refuse(key, "is not in order")


def _require(key: str, holds: bool) -> None:
    if not holds:
        _refuse(key, "is out of range")


def _refuse(key: str, why: str) -> None:
    raise Contradiction(f"the key {key!r} {why}; pass what to_json returned, unchanged")
