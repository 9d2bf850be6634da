"""Sentences of a statement, the same in every form; plain text, not escaped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from gdpnum.blocks.block import Given
from gdpnum.formulas.gaussian_profile import advantage_of_mu
from gdpnum.rounding import as_given
from gdpnum.statements import releases
from gdpnum.statements.numbers import delta_shown, fpr_shown, one_in, percent, upper
from gdpnum.statements.rows import (
    COMPLETE_REGRET,
    COMPLETE_SLACK,
    MOST_FOUND,
    SCALE,
    SIZE_EXPONENT,
    Fallback,
    TPRRow,
    balanced_fpr,
)

if TYPE_CHECKING:
    from gdpnum.statements.record import Statement

__all__ = [
    "RELATIONS",
    "SECOND_READING",
    "TERMS",
    "assumptions",
    "assumptions_in_words",
    "cautions",
    "closing",
    "delta_note",
    "guarantee",
    "headline",
    "is_balanced",
    "protected",
    "quality",
    "renyi",
    "risk",
    "short",
    "tpr_at",
    "warnings",
    "widest_gap",
]

# The FPR with which the risk is told first, and one that is small but not tiny.
_EXAMPLE_FPR, _SMALL_FPR = 0.1, 1e-6

# Mu overstates the TPR at small FPRs if it allows so many times what the run does, and this much.
_OVERSTATED, _WORTH_TELLING = 2.0, 0.01

# A rate with zeros after its point, in per cent.
_LEADING_ZEROS = 1e-3

# A bracket of mu that is narrower than this, relative to it, is not worth a word.
_TIGHT = 1e-4

_MULTIPLES = {2: "double", 3: "triple"}

SECOND_READING = (
    "The same rates bound singling out, guessing an attribute and reconstruction: what would "
    "succeed in FPR of cases without the record succeeds in at most TPR with it."
)


class Relation(NamedTuple):
    """The words of a neighbouring relation."""

    neighbours: str
    risk: str
    false_positive: str
    true_positive: str


_TWO_CASES = (
    "Guessing names the second rightly in {fpr} of cases if it may name it wrongly in {fpr}. With "
    "what this run released, no attack names it rightly in more than {tpr}."
)
_TAKES, _RECOGNISES = "how often an attack takes the first for the second", "how often it is right"

RELATIONS = {
    "add_remove": Relation(
        "neighbouring datasets differ by one {record} added or removed",
        "Guessing finds {fpr} of the {records} that were used if it may wrongly accuse {fpr} of "
        "the others. With what this run released, no attack finds more than {tpr}.",
        "how often an attack accuses a {record} that was not used",
        "how often it accuses a {record} that was used",
    ),
    "zero_out": Relation(
        "neighbouring datasets differ by one {record} whose contributions are blanked out",
        "Guessing finds {fpr} of the {records} that counted if it may wrongly accuse {fpr} of "
        "those blanked out. With what this run released, no attack finds more than {tpr}.",
        "how often an attack accuses a {record} that was blanked out",
        "how often it accuses a {record} that counted",
    ),
    "replace": Relation(
        "neighbouring datasets differ by one {record} replaced by another",
        f"Which of two values did a {{record}} have? {_TWO_CASES}",
        f"{_TAKES} of two values of a {{record}}",
        _RECOGNISES,
    ),
    None: Relation(
        "neighbouring datasets are those that the guarantee was given for",
        f"Which of two neighbouring datasets was used? {_TWO_CASES}",
        f"{_TAKES} of two neighbouring datasets",
        _RECOGNISES,
    ),
}

#: What the words mean.
TERMS = (
    (
        "mu, slack",
        "at every FPR no attack has a TPR above Phi(Phi^-1(FPR) + mu) + slack, the TPR of the best "
        "test between two normal distributions that are mu standard deviations apart",
    ),
    (
        "regret",
        "how much worse mu with its slack makes the run look than its whole curve does: the "
        "largest difference in an attacker's probability of being right, over all priors. Below "
        "0.01 that is at most one point in a hundred, and two of advantage",
    ),
    ("advantage", "the most by which TPR can exceed FPR"),
    (
        "(epsilon, delta)",
        "any outcome is at most exp(epsilon) times as likely for one dataset as for its "
        "neighbour, plus delta",
    ),
)


def short(statement: Statement) -> str:
    """The repr."""
    mu, regret = headline(statement)
    return (
        f"<Statement of {releases.cut(statement.mechanism)}: mu <= {mu}, "
        f"slack {delta_shown(statement.slack)}, regret <= {regret}>"
    )


def headline(statement: Statement, *, digits: int = 5) -> tuple[str, str]:
    """Mu rounded up, and a bound on the regret of the mu that is so printed.

    Delta(f, g_nu) <= Delta(f, g_mu) + Delta(g_mu, g_nu), and for nu above mu the last term is at
    most half the difference of their advantages. Five digits of mu are so many that its regret is
    that of the run's own mu to the two that are printed; more are taken where rounding would make
    a mu that is enough look like one that is not.
    """
    while True:
        mu = upper(statement.mu, digits=digits)
        regret = upper(_regret_of(statement, mu), digits=max(2, digits - 3))
        if not statement.is_complete or float(regret) < COMPLETE_REGRET or digits > 17:
            return mu, regret
        digits += 1


def _regret_of(statement: Statement, printed: str) -> float:
    if math.isinf(statement.mu) or float(printed) == statement.mu:
        return statement.regret
    gained = advantage_of_mu(float(printed)) - advantage_of_mu(statement.mu)
    return min(1.0, statement.regret + 0.5 * gained + 2.0**-52)


def protected(statement: Statement) -> str:
    """Whom the numbers are about, in one word or a few."""
    records = releases.records_of(statement.run)
    return "record" if records == 1 else f"person with at most {records} records"


def relation(statement: Statement, field: str, **values: str) -> str:
    """A sentence of the statement's neighbouring relation, filled in."""
    sentence: str = getattr(RELATIONS[statement.neighbouring], field)
    who = protected(statement)
    many = "records" if who == "record" else who.replace("person", "people", 1)
    return sentence.format(record=who, records=many, **values)


def risk(statement: Statement) -> str:
    """The guarantee as one TPR beside that of guessing, for readers of no formula."""
    found = percent(tpr_at(statement, _EXAMPLE_FPR).tpr)
    said = relation(statement, "risk", fpr="10 %", tpr=found)
    guessing, released, _ = said.partition(" With what this run released, ")
    return said if found != "100 %" else f"{guessing}{released}an attack may always be right."


def guarantee(statement: Statement) -> tuple[str, ...]:
    """The guarantee as mu with its slack and its place on the scale, or why there is no mu."""
    slack = delta_shown(statement.slack)
    if math.isinf(statement.mu):
        why = (": ", Given(statement.reason)) if statement.reason else ()
        return (f"This run has no finite mu at slack {slack}", *why, ".")
    mu, _ = headline(statement)
    plus = f", plus {slack}" if statement.slack > 0.0 else ""
    place = next(number for number, (limit, _) in enumerate(SCALE) if statement.mu <= limit)
    low, high = (f"{SCALE[at][0]:g}" if at >= 0 else "0" for at in (place - 1, place))
    where = f"above {low}" if high == "inf" else f"between {low} and {high}"
    unsampled = (
        " Slack 0 makes no exception for outcomes however rare, and sampling then earns nothing: "
        "this is the mu of the same noise on all records; at slack 1e-10 it may be far smaller."
        if statement.slack == 0.0 and releases.is_sampled(statement.run)
        else ""
    )
    return (
        f"mu = {mu} with slack {slack}: at any false positive rate (FPR), no attack has a true "
        f"positive rate (TPR) above that of telling one draw of N(0, 1) from one of N({mu}, 1)"
        f"{plus}. A mu {where} excludes {SCALE[place][1]}.{unsampled}",
    )


def quality(statement: Statement) -> str:
    """Whether mu is enough, from its regret and its slack."""
    (_, regret), limit = headline(statement), f"{COMPLETE_REGRET:g}"
    if math.isinf(statement.mu):
        return "No mu can stand for this run. Report the curve or a pair (epsilon, delta)."
    if statement.regret >= COMPLETE_REGRET:
        row = widest_gap(statement)
        why = (
            f"its regret of {regret} is not below {limit}. At FPR {fpr_shown(row.fpr)} mu allows a "
            f"TPR of {percent(row.tpr_gdp)}, the run itself at most {_share(row.tpr)}"
        )
        return f"mu is not enough: {why}.{_large_slack(statement)} Report the tables beside mu."
    if not statement.is_complete:
        return (
            f"mu is not enough, though its regret of {regret} is below {limit}."
            f"{_large_slack(statement)} Report the tables beside mu."
        )
    return (
        f"mu is enough: its regret of {regret} is below {limit}, so next to the run's whole curve "
        "it overstates no attacker's chance of being right by more than one point in a hundred, "
        f"and TPR - FPR by no more than two.{' Mind the warning.' if cautions(statement) else ''}"
    )


def _large_slack(statement: Statement) -> str:
    if statement.has_small_slack:
        return ""
    slack = delta_shown(statement.slack)
    above = (
        f"above {COMPLETE_SLACK:g}".replace("e-0", "e-")
        if statement.slack > COMPLETE_SLACK
        else "not well below 1 / dataset size"
    )
    return (
        f" Its slack of {slack} is {above}: with that probability everything about a record may be "
        "revealed. A mu at one slack is not to be compared with a mu at another."
    )


def warnings(statement: Statement) -> tuple[str, ...]:
    """What must not be left out when mu is quoted."""
    found = () if statement.is_complete else (quality(statement),)
    return (*found, *cautions(statement))


def cautions(statement: Statement) -> tuple[str, ...]:
    """Warnings that stand apart from whether mu is enough.

    A guarantee may be told completely by its mu and still leave most records to be found.
    """
    found = [_most_found(statement), _tail(statement), _overstated(statement)]
    return tuple(sentence for sentence in found if sentence)


def _most_found(statement: Statement) -> str | None:
    if not statement.leaves_most_to_be_found:
        return None
    row, small = tpr_at(statement, MOST_FOUND[0]), tpr_at(statement, _SMALL_FPR)
    only = (
        f" Only attacks that accuse hardly anyone are held off: at FPR {fpr_shown(small.fpr)} the "
        f"TPR is at most {_share(small.tpr)}."
        if small.tpr < 0.5
        else f" Even at FPR {fpr_shown(small.fpr)} it allows {_share(small.tpr)}."
    )
    return f"At FPR {fpr_shown(row.fpr)} this run allows a TPR of {percent(row.tpr)}.{only}"


def _tail(statement: Statement) -> str | None:
    if not statement.has_heavy_tail or math.isinf(statement.mu):
        return None
    times = round(statement.tail_ratio)
    effect = f"{_MULTIPLES[times]} mu" if times in _MULTIPLES else f"multiply mu by {times}"
    typical = upper(statement.mu / statement.tail_ratio, digits=3)
    return (
        f"Rare events {effect}: the advantage alone calls for {typical} only, attacks that accuse "
        "hardly anyone for the rest. At larger FPRs mu overstates the risk, and a small mu always "
        "has a small regret; read the TPR at the FPR that matters."
    )


def _overstated(statement: Statement) -> str | None:
    """Where a mu that is enough by its regret is far from the run at small FPRs."""
    if not statement.is_complete:
        return None
    rows = [row for row in statement.tpr if 0.0 < row.fpr <= 1e-3 and row.tpr_gdp > _WORTH_TELLING]
    worst = max(rows, key=lambda row: row.tpr_gdp / max(row.tpr, 1e-300), default=None)
    if worst is None or worst.tpr_gdp <= _OVERSTATED * worst.tpr:
        return None
    return (
        f"At small FPRs mu overstates the risk: at FPR {fpr_shown(worst.fpr)} it allows a TPR of "
        f"{percent(worst.tpr_gdp)}, the run itself at most {_share(worst.tpr)}."
    )


def _share(rate: float) -> str:
    """A rate in per cent, or as one in so many where that has leading zeros."""
    return one_in(rate) if 0.0 < rate < _LEADING_ZEROS else percent(rate)


def tpr_at(statement: Statement, fpr: float) -> TPRRow:
    """The curve at an FPR, or at the next larger one that is kept: a bound, as TPRs rise."""
    points = statement.curve_points
    number = next(number for number, kept in enumerate(points.fpr) if kept >= fpr)
    return TPRRow(fpr, points.tpr[number], points.tpr_gdp[number])


def is_balanced(statement: Statement, fpr: float) -> bool:
    """Whether an FPR is the one at which false positives and negatives are equally likely."""
    return fpr == balanced_fpr(statement.advantage)


def delta_note(statement: Statement, delta: float) -> str | None:
    """What a delta is in terms of the dataset's size, if it is anything."""
    if statement.dataset_size is None:
        return None
    if delta == 1.0 / statement.dataset_size:
        return "1 / size"
    # A power may differ in its last digit where the statement is read.
    if math.isclose(delta, float(statement.dataset_size) ** -SIZE_EXPONENT, rel_tol=1e-12):
        return f"size^-{SIZE_EXPONENT:g}"
    return None


def widest_gap(statement: Statement) -> TPRRow:
    """The row of the curve table in which mu is furthest from the run."""
    rows = statement.tpr or map(TPRRow, *statement.curve_points)
    return max(rows, key=lambda row: row.tpr_gdp - row.tpr)


def renyi(statement: Statement, fallback: Fallback) -> str:
    """The rest of the fallback: (rho, cap), and pure epsilon if there is one."""
    found = fallback.truncated_cdp
    if found is None:
        return "No (rho, cap)-truncated CDP is known to hold."
    said = (
        f"Truncated CDP: rho = {upper(found.rho)} for Renyi orders above 1 and up to "
        f"{as_given(found.cap)} only (the cap); not to be used as the rho of zCDP."
    )
    if math.isfinite(statement.pure_epsilon):
        said += f" Pure DP: epsilon = {upper(statement.pure_epsilon)} at delta 0."
    return said


def assumptions(statement: Statement) -> dict[str, Any]:
    """What was assumed, for machines."""
    run = statement.run
    return {
        "neighbouring": statement.neighbouring,
        "records_per_person": releases.records_of(run),
        "sampling": releases.sampling(run),
        "noise_multiplier": releases.noise_unit(run),
        "composition": "parameters fixed in advance; a release may depend on earlier outcomes",
        "tolerance": statement.tolerance,
        "version": statement.version,
    }


def assumptions_in_words(statement: Statement) -> str:
    """What was assumed, in a sentence."""
    unit = releases.noise_unit(statement.run)
    measured = [f"noise is stated as {unit.replace('; ', ' or ')}"] if unit else []
    said = [relation(statement, "neighbours"), *releases.assumed(statement.run), *measured]
    return f"Assumed: {'; '.join(said)}."


def closing(statement: Statement) -> str:
    """What the numbers are, and what they cannot know."""
    spare = (statement.mu - statement.mu_lower) / statement.mu if statement.mu > 0.0 else 0.0
    tight = (
        f" (no valid mu is more than {percent(spare)} smaller)"
        if _TIGHT < spare < 0.5 and math.isfinite(statement.mu)
        else ""
    )
    uncovered = []
    if protected(statement) == "record":
        uncovered.append("whoever has several records")
    if statement.stated.tuning is None and not releases.is_tuned(statement.run):
        uncovered.append("tuning runs")
    missed = f" Not covered: {' and '.join(uncovered)}." if uncovered else ""
    return (
        f"Every number is a bound, rounded to its safe side{tight}; gdpnum saw only the "
        f"description.{missed} Tolerance {as_given(statement.tolerance)}, "
        f"gdpnum {', '.join(filter(None, (statement.version, statement.date)))}."
    )
