"""An audit in words: its verdict, sentences, a table, a text; plain data that any page can take."""

from __future__ import annotations

import html as markup
import textwrap
from typing import TYPE_CHECKING

from gdpnum.rounding import rounded_down, rounded_up

if TYPE_CHECKING:
    from gdpnum.auditing.result import AuditResult, OneRunAudit, RunsAudit

__all__ = [
    "findings",
    "html",
    "one_run_design",
    "one_run_rows",
    "runs_design",
    "runs_rows",
    "shared_rows",
    "short",
    "text",
    "verdict",
]

Rows = tuple[tuple[str, str, str], ...]

_DELTA = 1e-5
_FPRS = (0.001, 0.01, 0.1)


def verdict(result: AuditResult) -> str | None:
    """See `AuditResult.verdict`."""
    if result.refuted is None:
        return None
    return f"{'' if result.refuted else 'not '}refuted at level {_level(result)}"


def findings(result: AuditResult) -> tuple[str, ...]:
    """The bound, and what became of the claim, a sentence each."""
    bound = _bound(result)
    if result.refuted is None or result.p_value is None:
        return (bound,)
    if result.refuted:
        became = (
            f"The claim, {result.claim}, is refuted at level {_level(result)} "
            f"(p {_p(result.p_value)}): what was run is not what was claimed, or the canaries "
            "were not what the audit assumes."
        )
    else:
        became = (
            f"The claim, {result.claim}, is not refuted at level {_level(result)} "
            f"(p {_p(result.p_value)}); a stronger attack or more canaries might."
        )
    return bound, became


def shared_rows(result: AuditResult) -> Rows:
    """The rows that every audit has."""
    share = f"with confidence {result.confidence:g}"
    found = [("mu", _least(result.mu_lower), f"at least, {share}")]
    if result.claim_mu is not None:
        found.append(("mu claimed", rounded_up(result.claim_mu), "at most, by accounting"))
    if result.p_value is not None:
        found.append(("p-value", _p(result.p_value), f"of the claim: {verdict(result)}"))
    found.append((f"epsilon at {_DELTA:g}", _least(result.epsilon(_DELTA)), "at least"))
    return tuple(found)


def one_run_rows(result: OneRunAudit) -> Rows:
    """The rows of an audit in one run."""
    guesses = result.guesses
    return (
        ("canaries", str(guesses.canaries), "in or out by a coin each"),
        ("guesses", str(guesses.guessed), f"of which {guesses.correct} are right"),
    )


def runs_rows(result: RunsAudit) -> Rows:
    """The rows of an audit of many runs."""
    return (
        *(
            (
                f"TPR at FPR {fpr:g}",
                _least(result.tpr(fpr)),
                "at least" if result.tpr(fpr) > fpr else "at least: no more than by guessing",
            )
            for fpr in _FPRS
        ),
        (
            "advantage",
            _least(result.advantage_lower),
            f"at least; {result.advantage:.4g} on these very scores",
        ),
        ("AUC", _least(result.auc_lower), f"at least; {result.auc:.4g} on these very scores"),
    )


def text(result: AuditResult) -> str:
    """The audit as lines of text."""
    told = [textwrap.fill(sentence, 80) for sentence in result.sentences()]
    table = result.rows()
    widths = [max(len(row[column]) for row in table) for column in (0, 1)]
    lines = [f"{a:{widths[0]}}  {b:{widths[1]}}  {c}".rstrip() for a, b, c in table]
    return "\n".join([*told, "", *lines])


def short(result: AuditResult) -> str:
    """The audit in one line."""
    claim = "" if result.claim is None else f"; {result.claim} {verdict(result)}"
    return f"<{type(result).__name__}: mu >= {_least(result.mu_lower)}{claim}>"


def html(result: AuditResult) -> str:
    """The audit as a small table."""
    told = "".join(f"<p>{markup.escape(sentence)}</p>" for sentence in result.sentences())
    cells = "".join(
        "<tr>" + "".join(f"<td>{markup.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in result.rows()
    )
    return f"{told}<table>{cells}</table>"


def one_run_design(result: OneRunAudit) -> str:
    """How an audit in one run was made."""
    m, g, c = result.guesses
    chosen = {
        "fixed": "their number fixed before any score was seen",
        "split": "their number found on the other half of the canaries",
    }[result.rule]
    return (
        f"In one run, {m} canaries were in or out by a fair coin each; the attack guessed {g}, "
        f"{result.guessed_in} as included and {result.guessed_out} as left out, {chosen}; "
        f"{c} guesses are right."
    )


def runs_design(result: RunsAudit) -> str:
    """How an audit of many runs was made."""
    chosen = {
        "fixed": "The threshold was fixed in advance",
        "bonferroni": f"The level is shared by {len(result.cuts)} thresholds, at ranks that the "
        "numbers of runs fix",
        "split": "The threshold was chosen on one half of the runs; these are of the other half",
    }[result.rule]
    counts = result.best.counts
    return (
        f"An attack scored {result.included} runs with its canary and {result.out} without. "
        f"{chosen}. At the threshold that shows most it errs on {counts.false_positives} of "
        f"{counts.out} without and on {counts.false_negatives} of {counts.included} with."
    )


def _bound(result: AuditResult) -> str:
    slack = f" with slack {result.slack:g}" if result.slack else ""
    if result.mu_lower == 0.0:
        return f"This shows no mu above 0{slack}, with confidence {result.confidence:g}."
    said = (
        f"With confidence {result.confidence:g}, no mu below {_least(result.mu_lower)} is true of "
        f"what was run{slack}"
    )
    if result.claim_mu is None:
        return f"{said}."
    return (
        f"{said}: at most {rounded_up(result.claim_mu)} by accounting, at least "
        f"{_least(result.mu_lower)} by attack."
    )


def _level(result: AuditResult) -> str:
    return f"{float(f'{1.0 - result.confidence:.10g}'):g}"


def _least(value: float) -> str:
    return rounded_down(value) if value > 0.0 else "0"


def _p(value: float) -> str:
    if value <= 1e-12:
        return "below 1e-12"
    return "1" if value >= 1.0 else f"at most {rounded_up(value, digits=2)}"
