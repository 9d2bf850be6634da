"""What an audit has shown, as frozen records: `RunsAudit` of many runs, `OneRunAudit` of one."""

from __future__ import annotations

import json
import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, final

from gdpnum import _validate
from gdpnum.auditing.cuts import Cut, Rule
from gdpnum.auditing.finding import Finding, Rows, least
from gdpnum.auditing.gaussian import gaussian_epsilon
from gdpnum.auditing.guesses import Guesses, epsilon_refuted, mu_refuted
from gdpnum.auditing.region import Counts, Method, Region, region
from gdpnum.auditing.roc import Band
from gdpnum.errors import GdpnumError, InvalidArgument
from gdpnum.strict_json import parsed

#: What the key "schema" holds; it changes when keys do.
SCHEMA = "gdpnum-audit-1"

# FPRs at which a table tells the TPR.
_FPRS = (0.001, 0.01, 0.1)

_SHARED = ("confidence", "slack", "mu_lower", "claim", "claim_mu", "p_value", "refuted")
_RUNS = (
    *("method", "rule", "included", "out"),
    *("advantage_lower", "advantage", "auc_lower", "auc"),
)


@dataclass(frozen=True, kw_only=True, repr=False)
class AuditResult(Finding):
    """A lower bound on mu that an attack has proved, and whether it refutes a claim.

    Guarantee: whatever was run, the probability that it is (mu, ``slack``)-GDP for some mu below
    ``mu_lower`` is at most 1 - ``confidence``; and a claim that holds is ``refuted`` with at most
    that probability. The probability is over the runs or the coins of the audit. An audit never
    confirms: a claim that is not refuted may still be false, for the attack may be weak or the
    canaries few. ``p_value`` is the smallest level at which the claim is refuted. Without a claim
    the last four fields are None.
    """

    _kind: ClassVar[str]

    @property
    def level(self) -> float:
        """1 - confidence, as given to the tests."""
        return level_of(self.confidence)

    def epsilon(self, delta: float, *, assuming: Literal["gaussian"] | None = None) -> float:
        delta = _validate.probability("delta", delta, advice="pass a delta such as 1e-5")
        if assuming is not None:
            return gaussian_epsilon(self.mu_lower, self.slack, delta, assuming)
        return self._epsilon(delta)

    def to_dict(self) -> dict[str, Any]:
        """The result as what JSON knows; `from_dict` reads it back bit for bit."""
        shared = {name: getattr(self, name) for name in _SHARED}
        return {"schema": SCHEMA, "kind": self._kind, **shared, **self._own()}

    def to_json(self) -> str:
        """The result as JSON."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @staticmethod
    def from_dict(found: dict[str, Any]) -> AuditResult:
        """The result that `to_dict` wrote."""
        return _read(found)

    @staticmethod
    def from_json(text: str) -> AuditResult:
        """The result that `to_json` wrote."""
        return _read(_document(text))

    @abstractmethod
    def _proved(self) -> float:
        """The mu that the counts prove."""

    @abstractmethod
    def _epsilon(self, delta: float) -> float:
        """The epsilon that they prove, of any mechanism."""

    @abstractmethod
    def _own(self) -> dict[str, Any]: ...


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class RunsAudit(AuditResult):
    """What scores of independent runs have shown; from `audit`.

    ``advantage_lower`` and ``auc_lower`` are lower bounds on the attack's advantage and area under
    the curve; ``advantage`` and ``auc`` are those of the very scores, no bounds. ``roc`` has the
    TPR at some FPRs with a band, each row by itself. ``cuts`` are the thresholds with the errors
    charged to each, ``rule`` how they were chosen. mu_lower, epsilon, TPR and advantage_lower are
    read off one region of error rates: they hold together, with the one confidence.
    """

    _kind: ClassVar[str] = "runs"

    method: Method
    rule: Rule
    included: int
    out: int
    cuts: tuple[Cut, ...]
    advantage_lower: float
    advantage: float
    auc_lower: float
    auc: float
    roc: tuple[Band, ...]
    claim_tpr: tuple[float, ...] | None = None

    @cached_property
    def _regions(self) -> tuple[Region, ...]:
        share = self.level / len(self.cuts)
        return tuple(region(cut.counts, share, self.method) for cut in self.cuts)

    @property
    def best(self) -> Cut:
        """The threshold that proves mu_lower."""
        found = [one.mu(self.slack) for one in self._regions]
        return self.cuts[found.index(max(found))]

    def _epsilon(self, delta: float) -> float:
        return max(one.epsilon(delta) for one in self._regions)

    def tpr(self, fpr: float) -> float:
        """A lower bound on the TPR of the attack at an FPR; at least the FPR, which guessing has.

        Between thresholds the attack may guess: its curve is at least the chord.
        """
        fpr = _validate.probability("fpr", fpr)
        return max(one.tpr(fpr) for one in self._regions)

    def _proved(self) -> float:
        return max(one.mu(self.slack) for one in self._regions)

    def _design(self) -> str:
        chosen = {
            "fixed": "The threshold was fixed in advance",
            "bonferroni": f"The level is shared by {len(self.cuts)} thresholds, at ranks that the "
            "numbers of runs fix",
            "split": "The threshold was chosen on one half of the runs; these are of the other "
            "half",
        }[self.rule]
        counts = self.best.counts
        return (
            f"An attack scored {self.included} runs with its canary and {self.out} without. "
            f"{chosen}. At the threshold that shows most it errs on {counts.false_positives} of "
            f"{counts.out} without and on {counts.false_negatives} of {counts.included} with."
        )

    def _own_rows(self) -> Rows:
        rates = []
        for fpr in _FPRS:
            tpr = self.tpr(fpr)
            remark = "at least" if tpr > fpr else "at least: no more than by guessing"
            rates.append((f"TPR at FPR {fpr:g}", least(tpr), remark))
        seen = "at least; {:.4g} on these very scores".format
        return (
            *rates,
            ("advantage", least(self.advantage_lower), seen(self.advantage)),
            ("AUC", least(self.auc_lower), seen(self.auc)),
        )

    def _own(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in _RUNS},
            "cuts": [_row_of(cut) for cut in self.cuts],
            "roc": [row._asdict() for row in self.roc],
            "claim_tpr": None if self.claim_tpr is None else list(self.claim_tpr),
        }


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class OneRunAudit(AuditResult):
    """What guesses at the canaries of one run have shown; from `audit_one_run`.

    ``guesses`` has how many canaries there were, how many were guessed and how many of them
    rightly; ``guessed_in`` of the guesses were "included", ``guessed_out`` "left out".
    ``rule`` says whether their number was "fixed" or found on a "split".
    """

    _kind: ClassVar[str] = "one_run"

    guesses: Guesses
    guessed_in: int
    guessed_out: int
    rule: Literal["fixed", "split"]

    def _epsilon(self, delta: float) -> float:
        return epsilon_refuted(self.guesses, self.level, delta)

    def _proved(self) -> float:
        return mu_refuted(self.guesses, self.level, self.slack)

    def _design(self) -> str:
        m, g, c = self.guesses
        chosen = {
            "fixed": "their number fixed before any score was seen",
            "split": "their number found on the other half of the canaries",
        }[self.rule]
        return (
            f"In one run, {m} canaries were in or out by a fair coin each; the attack guessed {g}, "
            f"{self.guessed_in} as included and {self.guessed_out} as left out, {chosen}; "
            f"{c} guesses are right."
        )

    def _own_rows(self) -> Rows:
        return (
            ("canaries", str(self.guesses.canaries), "in or out by a coin each"),
            ("guesses", str(self.guesses.guessed), f"of which {self.guesses.correct} are right"),
        )

    def _own(self) -> dict[str, Any]:
        own = {name: getattr(self, name) for name in ("guessed_in", "guessed_out", "rule")}
        return {**own, **self.guesses._asdict()}


def level_of(confidence: float) -> float:
    """1 - confidence; downwards."""
    # 1 - 0.95 is above 0.05 by rounding.
    return (1.0 - confidence) * (1.0 - 2.0**-40)


def _read(found: Any) -> AuditResult:
    """The result of a document; what follows from its counts must still do so."""
    try:
        if found["schema"] != SCHEMA:
            raise InvalidArgument(
                f"schema={found['schema']!r} is not {SCHEMA!r}; pass what to_dict returned"
            )
        shared = {name: found[name] for name in _SHARED}
        result: AuditResult
        if found["kind"] == "runs":
            claim_tpr = found["claim_tpr"]
            result = RunsAudit(
                **shared,
                **{name: found[name] for name in _RUNS},
                cuts=tuple(_cut_of(row) for row in found["cuts"]),
                roc=_band_of(found["roc"]),
                claim_tpr=None if claim_tpr is None else tuple(float(tpr) for tpr in claim_tpr),
            )
        else:
            own = {name: found[name] for name in ("guessed_in", "guessed_out", "rule")}
            guesses = Guesses(*(found[name] for name in Guesses._fields))
            result = OneRunAudit(**shared, **own, guesses=guesses)
        proved = result._proved()
    except GdpnumError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidArgument(
            f"found={_validate.brief(found)} is no audit ({type(error).__name__}: {error}); pass "
            "what to_dict returned"
        ) from None
    if result.mu_lower > proved * (1.0 + 1e-9):
        raise InvalidArgument(
            f"mu_lower={result.mu_lower!r} is more than the counts prove, {proved!r}; "
            "pass what to_dict returned, unchanged"
        )
    return result


def _document(text: str) -> Any:
    """What a JSON text holds."""
    try:
        return parsed(text)
    except ValueError as error:
        raise InvalidArgument(
            f"text is not JSON ({error}); pass what to_json returned, unchanged"
        ) from None


def _row_of(cut: Cut) -> dict[str, Any]:
    """A cut as an object; JSON has no infinity, which a score may be."""
    threshold = cut.threshold if math.isfinite(cut.threshold) else str(cut.threshold)
    return {"threshold": threshold, "strict": cut.strict, **cut.counts._asdict()}


def _cut_of(row: dict[str, Any]) -> Cut:
    """The cut that `_row_of` wrote."""
    counts = Counts(**{name: _count(name, row[name]) for name in Counts._fields})
    if not (counts.false_positives <= counts.out and counts.false_negatives <= counts.included):
        raise ValueError("more errors than canaries")
    return Cut(float(row["threshold"]), bool(row["strict"]), counts)


def _band_of(rows: Iterable[dict[str, Any]]) -> tuple[Band, ...]:
    """The rows of a ROC curve."""
    return tuple(Band(**{name: float(row[name]) for name in Band._fields}) for row in rows)


def _count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} is no count")
    return value
