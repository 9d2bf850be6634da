"""`verify`: a statement computed again from what it says was run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, final

from gdpnum import _validate
from gdpnum.account import coarsened
from gdpnum.accuracy import LATTICE_TOLERANCE
from gdpnum.blocks.block import Sentence, Table
from gdpnum.blocks.text import text
from gdpnum.errors import InvalidType
from gdpnum.rounding import delta_shown, fpr_shown, lower, upper
from gdpnum.statements.build import Statement, statement

# Two accounts of one run differ by what their tolerance allows, and by no more than this many.
_TOLERANCES = 5.0
_ROUNDING, _SMALLEST = 1e-9, 1e-13


class Finding(NamedTuple):
    """A number as stated and as computed again; it holds unless it claims more privacy."""

    name: str
    stated: float
    computed: float
    holds: bool


@final
@dataclass(frozen=True)
class Verification:
    """What `verify` found: ``holds`` if every number does."""

    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether every number stated is confirmed."""
        return all(one.holds for one in self.findings)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        rows = tuple(
            (one.name, *_shown(one), "agrees" if one.holds else "FAILS") for one in self.findings
        )
        failed = sum(not one.holds for one in self.findings)
        verdict = (
            "Every number holds: computed again from the description, none claims more privacy."
            if self.holds
            else f"{failed} of {len(rows)} numbers claim more privacy than the description gives."
        )
        head = ("number", "stated", "computed", "")
        said = "The description itself, and what was stated in words, cannot be checked."
        return text([Table("", head, rows), Sentence((f"{verdict} {said}",))])


def _shown(found: Finding) -> tuple[str, str]:
    """What is stated and what was computed, each rounded to its safe side."""
    safe = lower if found.name == "mu_lower" else upper
    return safe(found.stated, digits=6), safe(found.computed, digits=6)


def verify(found: Statement | str) -> Verification:
    """Compute a statement, or the JSON of one, again from its description and compare.

    Guarantee: where it ``holds``, every bound stated is at least what this version of the library
    computes, up to its tolerance. A number that is larger than needed is still a bound.

    >>> import gdpnum
    >>> verify(gdpnum.statement(gdpnum.Gaussian(sigma=2.0))).holds
    True
    """
    if isinstance(found, str):
        found = Statement.from_json(found)
    if not isinstance(found, Statement):
        raise InvalidType(
            f"{_validate.shown('found', found)}, not a Statement nor the JSON of one; pass it"
        )
    stated = found
    again = coarsened(
        lambda tolerance: statement(
            stated.run,
            slack=stated.slack,
            tolerance=tolerance,
            fprs=[row.fpr for row in stated.tpr],
            deltas=[row.delta for row in stated.epsilon],
        ),
        # Whatever is stated is a bound: a coarse tolerance of its own excuses nothing.
        tolerance=min(stated.tolerance, LATTICE_TOLERANCE),
        coarsest=stated.tolerance,
    )
    return Verification(tuple(_findings(stated, again, _TOLERANCES * again.tolerance)))


def _findings(found: Statement, again: Statement, room: float) -> Iterator[Finding]:
    def bound(name: str, stated: float, computed: float, room: float = room) -> Finding:
        least = computed if math.isinf(computed) else computed * (1.0 - room) - _SMALLEST
        return Finding(name, stated, computed, stated >= least)

    # Below this no mu holds, whichever lattice it was computed on.
    yield bound("mu", found.mu, again.mu_lower if found.mu < again.mu else again.mu, _ROUNDING)
    lower = Finding("mu_lower", found.mu_lower, again.mu_lower, found.mu_lower <= again.mu)
    yield lower._replace(holds=lower.holds or math.isclose(found.mu_lower, again.mu, rel_tol=room))
    # What mu moves by within its tolerance moves its regret by less than this.
    moved = 0.5 * room * (found.mu if math.isfinite(found.mu) else 0.0)
    yield Finding("regret", found.regret, again.regret, found.regret >= again.regret - moved - 1e-9)
    yield bound("advantage", found.advantage, again.advantage)
    yield bound("pure_epsilon", found.pure_epsilon, again.pure_epsilon, _ROUNDING)
    for row, other in zip(found.tpr, [_tpr(again, one.fpr) for one in found.tpr], strict=True):
        yield bound(f"TPR at FPR {fpr_shown(row.fpr)}", row.tpr, other)
    for pair, same in zip(found.epsilon, again.epsilon, strict=True):
        yield bound(f"epsilon at delta {delta_shown(pair.delta)}", pair.epsilon, same.epsilon)
    curve = again.curve()
    kept = dict(zip(again.curve_points.fpr, again.curve_points.tpr, strict=True))
    tprs = [
        (kept[fpr] if fpr in kept else float(curve.tpr(fpr)), tpr, fpr)
        for fpr, tpr, _ in zip(*found.curve_points, strict=True)
    ]
    deltas = [
        (float(curve.delta(epsilon)), delta, epsilon)
        for epsilon, delta in zip(*found.profile_points, strict=True)
    ]
    computed, stated, fpr = max(tprs, key=_claimed)
    yield bound(f"curve, TPR at FPR {fpr_shown(fpr)}", stated, computed, 2.0 * room)
    computed, stated, epsilon = max(deltas, key=_claimed)
    yield bound(f"profile, delta at epsilon {epsilon:.4g}", stated, computed, 2.0 * room)


def _claimed(one: tuple[float, float, float]) -> float:
    """How many times what is stated was computed, where that is anything."""
    computed, stated, _ = one
    return computed / max(stated, 1e-300) if computed > _SMALLEST else 0.0


def _tpr(again: Statement, fpr: float) -> float:
    return next(row.tpr for row in again.tpr if row.fpr == fpr)
