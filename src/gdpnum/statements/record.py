"""Record: what a statement holds, and what follows from its numbers alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.measures.printed import COMPLETE_REGRET, printed_mu
from gdpnum.mechanisms.mechanism import Mechanism, Neighbouring
from gdpnum.rounding import upper
from gdpnum.statements.releases import Facts, facts_of
from gdpnum.statements.rows import (
    COMPLETE_SLACK,
    HEAVY_TAIL,
    MOST_FOUND,
    SHARE_OF_ONE_RECORD,
    Audited,
    CurvePoints,
    EpsilonRow,
    Fallback,
    ProfilePoints,
    Stated,
    TPRRow,
)

_NOTHING_STATED = Stated()


@dataclass(frozen=True, kw_only=True, repr=False)
class Record:
    """The numbers of a statement, with what was run and what was said of it.

    Words, pages and files are made of a record; `Statement` is one that has all these forms.
    """

    run: Mechanism
    mu: float
    mu_lower: float
    slack: float
    regret: float
    tail_ratio: float
    advantage: float
    reason: str | None
    pure_epsilon: float
    tpr: tuple[TPRRow, ...]
    epsilon: tuple[EpsilonRow, ...]
    fallback: Fallback | None
    curve_points: CurvePoints
    profile_points: ProfilePoints
    tolerance: float
    version: str
    dataset_size: int | None = None
    name: str | None = None
    date: str | None = None
    stated: Stated = _NOTHING_STATED
    audit: Audited | None = None

    # --- what follows from the numbers ----------------------------------------------------------

    @cached_property
    def is_complete(self) -> bool:
        """Whether mu is enough: finite, its regret below 0.01 and its slack small."""
        return math.isfinite(self.mu) and self.regret < COMPLETE_REGRET and self.has_small_slack

    @cached_property
    def has_small_slack(self) -> bool:
        """Whether the slack is at most 1e-6 and, if the size is known, a tenth of 1 / size."""
        of_records = self.slack * (self.dataset_size or 0)
        return self.slack <= COMPLETE_SLACK and of_records <= SHARE_OF_ONE_RECORD

    @cached_property
    def has_heavy_tail(self) -> bool:
        """Whether rare events drive mu: the tail ratio is 1.5 or more."""
        return self.tail_ratio >= HEAVY_TAIL

    @cached_property
    def leaves_most_to_be_found(self) -> bool:
        """Whether at an FPR of 0.01 a TPR of 0.99 is allowed by the curve."""
        fpr, tpr = MOST_FOUND
        return tprs_at(self, fpr)[0].tpr >= tpr

    @cached_property
    def facts(self) -> Facts:
        """What the sentences need to know of the run."""
        return facts_of(self.run)

    @cached_property
    def headline(self) -> tuple[str, str]:
        """Mu as it is printed, rounded up, and a bound on the regret of the mu so printed."""
        return printed_mu(self.mu, self.regret, is_complete=self.is_complete)

    @cached_property
    def mechanism(self) -> str:
        """What was run, as text."""
        return repr(self.run)

    @cached_property
    def neighbouring(self) -> Neighbouring | None:
        """The relation the guarantee is for; None when it is for whichever the reader means."""
        return self.run.neighbouring

    def curve(self) -> TradeoffCurve:
        """A trade-off curve from the points kept here: a lower bound, and nearly the run's own.

        `tradeoff_curve` of ``run`` has it to the last digit.
        """
        return TradeoffCurve.from_profile(self.profile_points.epsilon, self.profile_points.delta)


def tprs_at(statement: Record, *fprs: float) -> list[TPRRow]:
    """The curve at FPRs, or at the next larger one that is kept: bounds, as TPRs rise."""
    kept = list(map(TPRRow, *statement.curve_points))
    return [next(row for row in kept if row.fpr >= fpr)._replace(fpr=fpr) for fpr in fprs]


def balanced_fpr(advantage: float) -> float | None:
    """The FPR at which false positives and negatives are equally likely.

    None where the advantage rounds to 1: both are then too rare to tell apart from 0.
    """
    return 0.5 * (1.0 - advantage) if float(upper(advantage)) < 1.0 else None
