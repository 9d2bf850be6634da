"""Statement: everything that a report of a run needs, as a frozen record."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, NamedTuple, final

from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.mechanisms.mechanism import Mechanism, Neighbouring
from gdpnum.representations import TruncatedCDP
from gdpnum.statements.numbers import upper

__all__ = [
    "COMPLETE_REGRET",
    "HARDLY_ANYTHING",
    "HEAVY_TAIL",
    "SIZE_EXPONENT",
    "CurvePoints",
    "EpsilonRow",
    "Fallback",
    "ProfilePoints",
    "ProfileRow",
    "Statement",
    "TPRRow",
    "balanced_fpr",
]

#: Below this regret, mu says practically all that the curve does.
COMPLETE_REGRET = 0.01

#: From this ratio of mu to the mu of the advantage on, rare events drive mu: it rounds to 2 or
#: more, so whoever reads mu as typical risk is off by a factor and not by a nuance.
HEAVY_TAIL = 1.5

#: Delta is often set to the size of the dataset to the power of minus c, with c above 1, so that
#: publishing a record outright does not pass; 1.1 is what Ponomareva et al. (2023) recommend.
SIZE_EXPONENT = 1.1

#: (FPR, TPR): a guarantee that allows this TPR at this FPR excludes hardly anything; mu of 4.7.
HARDLY_ANYTHING = (0.01, 0.99)


def balanced_fpr(advantage: float) -> float | None:
    """The FPR at which false positives and negatives are equally likely.

    None where the advantage rounds to 1: both are then too rare to tell apart from 0.
    """
    return 0.5 * (1.0 - advantage) if float(upper(advantage)) < 1.0 else None


class TPRRow(NamedTuple):
    """The most true positives at a false positive rate: by the curve, and by mu with its slack."""

    fpr: float
    tpr: float
    tpr_gdp: float


class EpsilonRow(NamedTuple):
    """The run is (epsilon, delta)-DP."""

    delta: float
    epsilon: float


class ProfileRow(NamedTuple):
    """The run is (epsilon, delta)-DP; in a table by epsilon."""

    epsilon: float
    delta: float


class CurvePoints(NamedTuple):
    """Points of the curve by rising FPR, as `TPRRow` column by column; from FPR 0 to 1.

    The TPRs are the library's own at these FPRs. Between two points, the TPR of the second is a
    bound, as TPRs rise; a straight line is not, as the curve lies above its chords.
    """

    fpr: tuple[float, ...]
    tpr: tuple[float, ...]
    tpr_gdp: tuple[float, ...]


class ProfilePoints(NamedTuple):
    """Points (epsilon, delta) of the privacy profile by rising epsilon.

    Between two points a straight line in exp(epsilon) is a bound; after the last, its delta is.
    """

    epsilon: tuple[float, ...]
    delta: tuple[float, ...]


class Fallback(NamedTuple):
    """What to report beside mu where mu is not a good summary, and beside the other tables.

    ``truncated_cdp`` is (rho, cap), the cap that serves (epsilon, delta) best; None where no rho
    holds.
    """

    profile: tuple[ProfileRow, ...]
    truncated_cdp: TruncatedCDP | None


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class Statement:
    """What a run guarantees, how well mu tells it, and what it means as risk.

    Guarantee: every number is a bound on any attack on one record, for neighbours as
    ``neighbouring`` says, under the assumptions listed. ``mu``, ``regret``, ``advantage``, each
    TPR, epsilon, delta and rho are upper bounds, ``mu_lower`` is a lower one; `GDPFit` says what
    they mean. ``pure_epsilon`` is the epsilon at delta = 0, infinite if there is none. ``fallback``
    is there exactly where mu is not a good summary.

    Comes from `gdpnum.statement`, prints as text, and is the same after ``to_json`` and
    ``from_json``.

    >>> import gdpnum
    >>> found = gdpnum.statement(gdpnum.Gaussian(sigma=2.0))
    >>> found
    <Statement of Gaussian(sigma=2.0): mu <= 0.5000, slack 1e-10, regret <= 0>
    >>> Statement.from_json(found.to_json()) == found
    True
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

    # --- what follows from the numbers ----------------------------------------------------------

    @property
    def is_complete(self) -> bool:
        """Whether mu is a complete report: its regret is below 0.01."""
        return self.regret < COMPLETE_REGRET

    @property
    def has_heavy_tail(self) -> bool:
        """Whether rare events drive mu: the tail ratio is 1.5 or more."""
        return self.tail_ratio >= HEAVY_TAIL

    @property
    def excludes_hardly_anything(self) -> bool:
        """Whether at an FPR of 0.01 a TPR of 0.99 is allowed by the curve."""
        fpr, tpr = HARDLY_ANYTHING
        points = self.curve_points
        number = next(number for number, kept in enumerate(points.fpr) if kept >= fpr)
        return points.tpr[number] >= tpr

    @property
    def verdict(self) -> str:
        """What the regret says about mu, in words."""
        if self.is_complete and (self.has_heavy_tail or self.excludes_hardly_anything):
            return f"below {COMPLETE_REGRET:g}, but see the warning"
        if self.is_complete:
            return f"below {COMPLETE_REGRET:g}: mu is a complete report"
        return f"not below {COMPLETE_REGRET:g}: mu is not a good summary, report the tables too"

    @property
    def mechanism(self) -> str:
        """What was run, as text."""
        return repr(self.run)

    @property
    def neighbouring(self) -> Neighbouring | None:
        """The relation the guarantee is for; None when it is for whichever the reader means."""
        return self.run.neighbouring

    @property
    def assumptions(self) -> dict[str, Any]:
        """What the numbers rest on, by name; None where a question does not arise."""
        from gdpnum.statements.words import assumptions  # noqa: PLC0415

        return assumptions(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of mu must be told, in sentences; empty where mu may stand alone."""
        from gdpnum.statements.words import warnings  # noqa: PLC0415

        return warnings(self)

    def curve(self) -> TradeoffCurve:
        """A trade-off curve from the points kept here: a lower bound, and nearly the run's own.

        `tradeoff_curve` of ``run`` has it to the last digit.
        """
        return TradeoffCurve.from_profile(self.profile_points.epsilon, self.profile_points.delta)

    # --- in other forms -------------------------------------------------------------------------

    # Late, here and below: these modules put a statement in words, so they know this one.

    def __str__(self) -> str:
        from gdpnum.statements.text import text  # noqa: PLC0415

        return text(self)

    def __repr__(self) -> str:
        from gdpnum.statements.words import short  # noqa: PLC0415

        return short(self)

    def to_json(self) -> str:
        """The statement as JSON, by the schema shipped as statement.schema.json.

        Infinities are strings, as JSON has none.
        """
        from gdpnum.statements.document import json_of  # noqa: PLC0415

        return json_of(self)

    @staticmethod
    def from_json(text: str) -> Statement:
        """The statement that `to_json` wrote, bit for bit."""
        from gdpnum.statements.document import statement_of  # noqa: PLC0415

        return statement_of(text)

    def to_markdown(self) -> str:
        """The statement as a section of a model card."""
        from gdpnum.statements.markdown import markdown  # noqa: PLC0415

        return markdown(self)

    def to_latex(self) -> str:
        """The statement as a row of a table and a sentence for a paper, with its citation."""
        from gdpnum.statements.latex import latex  # noqa: PLC0415

        return latex(self)

    def to_html(self) -> str:
        """The statement as one self-contained web page."""
        # By name: the report is an edge, to the right of this layer.
        return str(importlib.import_module("gdpnum.report").html(self))
