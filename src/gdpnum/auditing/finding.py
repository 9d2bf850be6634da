"""Finding: the numbers that every audit has, and how they are said; plain data for any page."""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from gdpnum.blocks.block import Sentence, Table
from gdpnum.blocks.html import html
from gdpnum.rounding import rounded_down, rounded_up

Rows = tuple[tuple[str, str, str], ...]

_DELTA = 1e-5


@dataclass(frozen=True, kw_only=True)
class Finding(ABC):
    """A lower bound on mu, and what became of a claim; see `AuditResult` for what they mean."""

    confidence: float
    slack: float
    mu_lower: float
    claim: str | None = None
    claim_mu: float | None = None
    p_value: float | None = None
    refuted: bool | None = None

    @abstractmethod
    def epsilon(self, delta: float, *, assuming: Literal["gaussian"] | None = None) -> float:
        """A lower bound on the epsilon at a delta.

        As it stands it holds for any mechanism. ``assuming="gaussian"``: of a mechanism whose curve
        is that of a mu, such as the Gaussian one, epsilon is at least that of ``mu_lower``, which
        is mostly far larger; it is no bound for other mechanisms.
        """

    @property
    def verdict(self) -> str | None:
        """What became of the claim: "refuted at level ..." or "not refuted at level ..."."""
        if self.refuted is None:
            return None
        return f"{'' if self.refuted else 'not '}refuted at level {self._level}"

    def sentences(self) -> tuple[str, ...]:
        """What was shown, in sentences: how it was tested, the bound, the claim's fate."""
        return (self._design(), self._bound(), *self._fate())

    def rows(self) -> Rows:
        """What was shown, as a table: a name, a number rounded to its safe side, a remark."""
        found = [("mu", least(self.mu_lower), f"at least, with confidence {self.confidence:g}")]
        if self.claim_mu is not None:
            found.append(
                ("mu claimed", rounded_up(self.claim_mu, digits=5), "at most, by accounting")
            )
        if self.p_value is not None:
            found.append(("p-value", _p(self.p_value), f"of the claim: {self.verdict}"))
        found.append((f"epsilon at {_DELTA:g}", least(self.epsilon(_DELTA)), "at least"))
        return (*found, *self._own_rows())

    def __str__(self) -> str:
        told = [textwrap.fill(sentence, 80) for sentence in self.sentences()]
        table = self.rows()
        widths = [max(len(row[column]) for row in table) for column in (0, 1)]
        lines = [f"{a:{widths[0]}}  {b:{widths[1]}}  {c}".rstrip() for a, b, c in table]
        return "\n".join([*told, "", *lines])

    def __repr__(self) -> str:
        claim = "" if self.claim is None else f"; {self.claim} {self.verdict}"
        return f"<{type(self).__name__}: mu >= {least(self.mu_lower)}{claim}>"

    def _repr_html_(self) -> str:
        told = [Sentence((sentence,)) for sentence in self.sentences()]
        return html([*told, Table("What was shown", ("number", "value", "meaning"), self.rows())])

    @abstractmethod
    def _design(self) -> str:
        """How it was tested, in a sentence."""

    @abstractmethod
    def _own_rows(self) -> Rows:
        """The rows that only audits of this design have."""

    @property
    def _level(self) -> str:
        return f"{float(f'{1.0 - self.confidence:.10g}'):g}"

    def _bound(self) -> str:
        slack = f" with slack {self.slack:g}" if self.slack else ""
        if self.mu_lower == 0.0:
            return f"This shows no mu above 0{slack}, with confidence {self.confidence:g}."
        said = (
            f"With confidence {self.confidence:g}, no mu below {least(self.mu_lower)} is true of "
            f"what was run{slack}"
        )
        if self.claim_mu is None:
            return f"{said}."
        return (
            f"{said}: at most {rounded_up(self.claim_mu, digits=5)} by accounting, at least "
            f"{least(self.mu_lower)} by attack."
        )

    def _fate(self) -> tuple[str, ...]:
        """What became of the claim, if there was one."""
        if self.refuted is None or self.p_value is None:
            return ()
        said = f"The claim, {self.claim}, is {self.verdict} (p {_p(self.p_value)})"
        if self.refuted:
            return (
                f"{said}: what was run is not what was claimed, or the canaries were not what the "
                "audit assumes.",
            )
        return (f"{said}; a stronger attack or more canaries might.",)


def least(value: float) -> str:
    """A lower bound, rounded down."""
    return rounded_down(value) if value > 0.0 else "0"


def _p(value: float) -> str:
    if value <= 1e-12:
        return "below 1e-12"
    return "1" if value >= 1.0 else f"at most {rounded_up(value, digits=2)}"
