"""Statement: everything that a report of a run needs, as a frozen record."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from gdpnum.blocks.block import Block
from gdpnum.blocks.html import html
from gdpnum.blocks.latex import latex
from gdpnum.blocks.markdown import markdown
from gdpnum.blocks.text import text
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.mechanisms.mechanism import Mechanism, Neighbouring
from gdpnum.statements import document, registry, words
from gdpnum.statements.page import web_page
from gdpnum.statements.releases import Facts, facts_of
from gdpnum.statements.rows import (
    COMPLETE_REGRET,
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

__all__ = ["Statement"]

_NOTHING_STATED = Stated()


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class Statement:
    """What a run guarantees, how well mu tells it, and what it means as risk.

    Guarantee: every number is a bound on any attack on one record, for neighbours as
    ``neighbouring`` says, under the assumptions listed. ``mu``, ``regret``, ``advantage``, each
    TPR, epsilon, delta and rho are upper bounds, ``mu_lower`` is a lower one; `GDPFit` says what
    they mean. ``pure_epsilon`` is the epsilon at delta = 0, infinite if there is none. ``fallback``
    is there exactly where mu is not enough. ``stated`` has what only a person can say, ``audit``
    what an audit has shown.

    Comes from `gdpnum.statement`, prints as text, and is the same after ``to_json`` and
    ``from_json``.

    >>> import gdpnum
    >>> found = gdpnum.statement(gdpnum.Gaussian(sigma=2.0))
    >>> found
    <Statement of Gaussian(sigma=2.0): mu <= 0.50000, slack 1e-10, regret <= 5.1e-11>
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
        return words.tpr_at(self, fpr).tpr >= tpr

    @cached_property
    def facts(self) -> Facts:
        """What the sentences need to know of the run."""
        return facts_of(self.run)

    @cached_property
    def headline(self) -> tuple[str, str]:
        """Mu as it is printed, rounded up, and a bound on the regret of the mu so printed."""
        return words.headline(self.mu, self.regret, is_complete=self.is_complete)

    @property
    def verdict(self) -> str:
        """Whether mu is enough, in words; not whether the run is private enough."""
        if math.isinf(self.mu):
            return "no finite mu: report the tables"
        if not self.is_complete:
            return "mu is not enough: report the tables beside it"
        return "mu is enough" + (", but mind the warning" if self.warnings else "")

    @cached_property
    def mechanism(self) -> str:
        """What was run, as text."""
        return repr(self.run)

    @cached_property
    def neighbouring(self) -> Neighbouring | None:
        """The relation the guarantee is for; None when it is for whichever the reader means."""
        return self.run.neighbouring

    @property
    def assumptions(self) -> dict[str, Any]:
        """What the numbers rest on, by name; None where a question does not arise."""
        return words.assumptions(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of mu must be told, in sentences; empty where mu may stand alone."""
        return words.warnings(self)

    def curve(self) -> TradeoffCurve:
        """A trade-off curve from the points kept here: a lower bound, and nearly the run's own.

        `tradeoff_curve` of ``run`` has it to the last digit.
        """
        return TradeoffCurve.from_profile(self.profile_points.epsilon, self.profile_points.delta)

    # --- in other forms -------------------------------------------------------------------------

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What a reader is told, in order; `gdpnum.blocks` has the renderers."""
        return words.blocks_of(self)

    def __str__(self) -> str:
        return text(self.blocks)

    def __repr__(self) -> str:
        return words.short(self)

    def _repr_html_(self) -> str:
        return html(self.blocks)

    def to_dict(self) -> dict[str, Any]:
        """The statement as dictionaries, lists, texts and plain numbers; infinity is "inf"."""
        return document.document_of(self)

    def to_json(self) -> str:
        """The statement as JSON, by the schema shipped as statement.schema.json.

        Infinities are strings, as JSON has none.
        """
        return document.json_of(self)

    @staticmethod
    def from_json(text: str) -> Statement:
        """The statement that `to_json` wrote, bit for bit; also one of the first schema.

        Whatever contradicts itself is refused. What does not, such as a mu lowered together with
        its curve, `gdpnum.verify` finds: it computes everything again.
        """
        return document.statement_of(text, Statement)

    def to_markdown(self) -> str:
        """The statement as a section of a model card."""
        return markdown(self.blocks)

    def to_latex(self) -> str:
        """The statement as paragraphs and tables for a paper; `gdpnum.table` makes one of many."""
        return latex(self.blocks)

    def to_html(self) -> str:
        """The statement as one self-contained web page."""
        return web_page(self)

    def to_registry(self, **fields: Any) -> str:
        """The statement as an entry of the public registry of deployments, in YAML.

        ``fields`` are those of the registry that only a person can fill in, by their names there,
        such as ``data_curators=["A"]``; those that are required and missing are named in one error.
        https://github.com/opendp/deployments-registry-data
        """
        return registry.entry(self, fields)
