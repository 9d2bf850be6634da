"""A statement in sentences, the same in every form, and as blocks in the order they are read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gdpnum.blocks.block import (
    Beside,
    Block,
    Caution,
    Code,
    Given,
    Picture,
    Reference,
    Section,
    Sentence,
    Table,
    Title,
)
from gdpnum.measures.printed import COMPLETE_REGRET
from gdpnum.mechanisms.mechanism import Neighbouring
from gdpnum.rounding import (
    as_given,
    delta_shown,
    epsilon_shown,
    fpr_shown,
    one_in,
    percent,
    shown_rows,
    upper,
)
from gdpnum.statements import texts
from gdpnum.statements.record import Record, balanced_fpr, tprs_at
from gdpnum.statements.rows import (
    COMPLETE_SLACK,
    MOST_FOUND,
    SIZE_EXPONENT,
    Fallback,
    TPRRow,
)

# The FPR with which the risk is told first, and one that is small but not tiny.
_EXAMPLE_FPR, _SMALL_FPR = 0.1, 1e-6

# Mu overstates the TPR at small FPRs if it allows so many times what the run does, and this much.
_OVERSTATED, _WORTH_TELLING = 2.0, 0.01

# A rate with zeros after its point, in per cent.
_LEADING_ZEROS = 1e-3

# A bracket of mu that is narrower than this, relative to it, is not worth a word.
_TIGHT = 1e-4

_MULTIPLES = {2: "double", 3: "triple"}


# --- the whole ----------------------------------------------------------------------------------


def blocks_of(statement: Record) -> tuple[Block, ...]:
    """Everything a reader is told; a renderer leaves out what its format has no place for."""
    return tuple(_blocks(statement))


def _blocks(statement: Record) -> Iterator[Block]:
    name = Given(statement.name) if statement.name else None
    issued = " · ".join(filter(None, (statement.date, f"gdpnum {statement.version}")))
    yield Title("Privacy statement", name, issued)
    yield from (Caution((said,)) for said in _refuted(statement))
    yield Sentence((risk(statement),), role="lead")
    yield Section("What is guaranteed", "guarantee")
    yield Sentence(guarantee(statement), role="mu")
    yield Sentence((quality(statement),), role="enough")
    yield from (Caution((said,)) for said in cautions(statement))
    yield Section("What an attacker can do at best", "attacker")
    yield Picture(_described(statement), statement)
    most = f"TPR exceeds FPR by at most {upper(statement.advantage, digits=3)}, the advantage."
    yield Sentence((f"{texts.SECOND_READING} {most}",))
    beside = "" if statement.is_complete else " to report beside mu"
    yield Section(f"Tables{beside if math.isfinite(statement.mu) else ' to report'}", "tables")
    yield Beside((_curve(statement), _epsilons(statement)))
    if statement.fallback:
        profile = statement.fallback.profile
        epsilons, deltas = [at.epsilon for at in profile], [at.delta for at in profile]
        cells = shown_rows((epsilon_shown, epsilons), (upper, deltas))
        head = ("epsilon", "delta at most")
        yield Table("delta at an epsilon (privacy profile)", head, tuple(cells))
        yield Sentence((_renyi(statement, statement.fallback),), role="note")
    yield Section("What was run, and what is assumed", "run")
    yield Sentence((f"Run: {statement.facts.words}.",))
    yield Code(statement.mechanism)
    yield Sentence((assumptions_in_words(statement),))
    yield from _audit(statement)
    yield from _stated(statement)
    yield Sentence((_closing(statement),))
    yield Section("How to cite", "cite")
    yield Reference(texts.CITATION, texts.URL, texts.KEY, texts.BIBTEX)


def _curve(statement: Record) -> Table:
    """The curve: what it is beside mu only where mu does not tell it."""
    by_mu = not statement.is_complete and math.isfinite(statement.mu)
    fprs, tprs = [row.fpr for row in statement.tpr], [row.tpr for row in statement.tpr]
    last = (upper, [row.tpr_gdp for row in statement.tpr]) if by_mu else (one_in, tprs)
    shown = shown_rows((fpr_shown, fprs), (upper, tprs), last)
    equal = balanced_fpr(statement.advantage)
    cells = [
        (*cells, f"{said}, equal errors" if fpr == equal else said)
        for fpr, (*cells, said) in zip(fprs, shown, strict=True)
    ]
    head = ("FPR", "TPR at most", "by mu alone" if by_mu else "that is")
    return Table("True positive rate (TPR) at a false positive rate (FPR)", head, tuple(cells))


def _epsilons(statement: Record) -> Table:
    deltas, epsilons = zip(*statement.epsilon, strict=True) if statement.epsilon else ((), ())
    shown = shown_rows((delta_shown, deltas), (upper, epsilons))
    cells = [
        (at, f"{said}{_delta_note(statement, delta)}")
        for delta, (at, said) in zip(deltas, shown, strict=True)
    ]
    return Table("epsilon at a delta", ("delta", "epsilon at most"), tuple(cells))


def _delta_note(statement: Record, delta: float) -> str:
    """What a delta is in terms of the dataset's size, if it is anything."""
    if statement.dataset_size is None:
        return ""
    if delta == 1.0 / statement.dataset_size:
        return " (delta 1 / size)"
    # A power may differ in its last digit where the statement is read.
    is_power = math.isclose(delta, float(statement.dataset_size) ** -SIZE_EXPONENT, rel_tol=1e-12)
    return f" (delta size^-{SIZE_EXPONENT:g})" if is_power else ""


def _audit(statement: Record) -> Iterator[Block]:
    if statement.audit is None:
        return
    yield Section("What an audit has shown", "audit")
    yield from (Sentence((Given(one),)) for one in statement.audit.sentences)
    if statement.audit.rows:
        rows = tuple(tuple(map(Given, row)) for row in statement.audit.rows)
        yield Table("Audit", ("audit", *[""] * (len(rows[0]) - 1)), rows)


def _stated(statement: Record) -> Iterator[Block]:
    """What was stated of what only a person knows, and the names of what was not."""
    found = statement.stated._asdict()
    rows: list[tuple[str, str]] = [
        (texts.LABELS[key], Given(value)) for key, value in found.items() if value is not None
    ]
    if found["protected"] is None and protected(statement) != "record":
        rows.insert(0, (texts.LABELS["protected"], protected(statement)))
    yield Section("What only its owner can state", "stated")
    if rows:
        yield Table("As stated by whoever ran it", ("stated", "as"), tuple(rows))
    named = {label for label, _ in rows}
    missing = [label for label in texts.LABELS.values() if label not in named]
    if missing:
        yield Sentence((f"Not stated: {', '.join(missing)}.",), role="note")


def _described(statement: Record) -> str:
    """The picture for those who do not see it."""
    columns = zip(*tprs_at(statement, 0.001, 0.01, 0.1), strict=True)
    said = "; ".join(
        f"at a false positive rate of {fpr}, at most {tpr}, and {by_mu} by mu"
        for fpr, tpr, by_mu in shown_rows(*((percent, column) for column in columns))
    )
    return f"The true positive rate rises with the false positive rate: {said}."


# --- mu and its regret --------------------------------------------------------------------------


def short(statement: Record) -> str:
    """The repr."""
    mu, regret = statement.headline
    run = statement.mechanism
    return (
        f"<Statement of {run if len(run) <= 120 else f'{run[:117]}...'}: mu <= {mu}, "
        f"slack {delta_shown(statement.slack)}, regret <= {regret}>"
    )


def guarantee(statement: Record) -> tuple[str, ...]:
    """The guarantee as mu with its slack and its place on the scale, or why there is no mu."""
    slack = delta_shown(statement.slack)
    if math.isinf(statement.mu):
        why = (": ", Given(statement.reason)) if statement.reason else ()
        return (f"This run has no finite mu at slack {slack}", *why, ".")
    mu, _ = statement.headline
    plus = f", plus {slack}" if statement.slack > 0.0 else ""
    place = next(number for number, (limit, _) in enumerate(texts.SCALE) if statement.mu <= limit)
    low, high = (f"{texts.SCALE[at][0]:g}" if at >= 0 else "0" for at in (place - 1, place))
    where = f"above {low}" if high == "inf" else f"between {low} and {high}"
    unsampled = (
        " Slack 0 makes no exception for outcomes however rare, and sampling then earns nothing: "
        "this is the mu of the same noise on all records; at slack 1e-10 it may be far smaller."
        if statement.slack == 0.0 and statement.facts.is_sampled
        else ""
    )
    return (
        f"mu = {mu} with slack {slack}: at any false positive rate (FPR), no attack has a true "
        f"positive rate (TPR) above that of telling one draw of N(0, 1) from one of N({mu}, 1)"
        f"{plus}. A mu {where} excludes {texts.SCALE[place][1]}.{unsampled}",
    )


def verdict(statement: Record) -> str:
    """Whether mu is enough, in words; not whether the run is private enough."""
    if math.isinf(statement.mu):
        return "no finite mu: report the tables"
    if not statement.is_complete:
        return "mu is not enough: report the tables beside it"
    return "mu is enough" + (", but mind the warning" if warnings(statement) else "")


def quality(statement: Record) -> str:
    """Whether mu is enough, from its regret and its slack."""
    enough, limit = statement.is_complete, f"{COMPLETE_REGRET:g}"
    if math.isinf(statement.mu):
        return "No mu can stand for this run. Report the curve or a pair (epsilon, delta)."
    _, regret = statement.headline
    if statement.regret >= COMPLETE_REGRET:
        rows = statement.tpr or map(TPRRow, *statement.curve_points)
        row = max(rows, key=lambda row: row.tpr_gdp - row.tpr)
        why = (
            f"its regret of {regret} is not below {limit}. At FPR {fpr_shown(row.fpr)} mu allows a "
            f"TPR of {percent(row.tpr_gdp)}, the run itself at most {_share(row.tpr)}"
        )
        return f"mu is not enough: {why}.{_large_slack(statement)} Report the tables beside mu."
    if not enough:
        return (
            f"mu is not enough, though its regret of {regret} is below {limit}."
            f"{_large_slack(statement)} Report the tables beside mu."
        )
    return (
        f"mu is enough: its regret of {regret} is below {limit}, so next to the run's whole curve "
        "it overstates no attacker's chance of being right by more than one point in a hundred, "
        f"and TPR - FPR by no more than two.{' Mind the warning.' if cautions(statement) else ''}"
    )


def _large_slack(statement: Record) -> str:
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


# --- warnings -----------------------------------------------------------------------------------


def warnings(statement: Record) -> tuple[str, ...]:
    """What must not be left out when mu is quoted."""
    found = () if statement.is_complete else (quality(statement),)
    return (*_refuted(statement), *found, *cautions(statement))


def _refuted(statement: Record) -> tuple[str, ...]:
    if statement.audit is None or not statement.audit.refutes:
        return ()
    return (
        "An audit contradicts this statement: an attack did better than the numbers below allow. "
        "What was run is not what is described here, or the audit was not made as it assumes. Do "
        "not rely on the numbers until it is known which.",
    )


def cautions(statement: Record) -> tuple[str, ...]:
    """Warnings that stand apart from whether mu is enough.

    A guarantee may be told completely by its mu and still leave most records to be found.
    """
    found = [_most_found(statement), _tail(statement), _overstated(statement)]
    return tuple(sentence for sentence in found if sentence)


def _most_found(statement: Record) -> str | None:
    if not statement.leaves_most_to_be_found:
        return None
    row, small = tprs_at(statement, MOST_FOUND[0], _SMALL_FPR)
    only = (
        f" Only attacks that accuse hardly anyone are held off: at FPR {fpr_shown(small.fpr)} the "
        f"TPR is at most {_share(small.tpr)}."
        if small.tpr < 0.5
        else f" Even at FPR {fpr_shown(small.fpr)} it allows {_share(small.tpr)}."
    )
    return f"At FPR {fpr_shown(row.fpr)} this run allows a TPR of {percent(row.tpr)}.{only}"


def _tail(statement: Record) -> str | None:
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


def _overstated(statement: Record) -> str | None:
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


# --- risk, and what it rests on -----------------------------------------------------------------


def protected(statement: Record) -> str:
    """Whom the numbers are about, in one word or a few."""
    return _who(statement.facts.records)[0]


def _who(records: int) -> tuple[str, str]:
    if records == 1:
        return "record", "records"
    return f"person with at most {records} records", f"people with at most {records} records"


def relation(statement: Record, field: str) -> str:
    """A sentence of the statement's neighbouring relation, filled in."""
    return relation_of(statement.neighbouring, statement.facts.records, field)


def relation_of(neighbouring: Neighbouring | None, records: int, field: str, **values: str) -> str:
    """A sentence of a neighbouring relation, about whoever has so many records."""
    sentence: str = getattr(texts.RELATIONS[neighbouring], field)
    who, many = _who(records)
    return sentence.format(record=who, records=many, **values)


def risk(statement: Record) -> str:
    """The guarantee as one TPR beside that of guessing, for readers of no formula."""
    found = percent(tprs_at(statement, _EXAMPLE_FPR)[0].tpr)
    return risk_of(statement.neighbouring, statement.facts.records, fpr="10 %", tpr=found)


def risk_of(neighbouring: Neighbouring | None, records: int, *, fpr: str, tpr: str) -> str:
    """What no attack does at an FPR, in a sentence, beside what guessing does."""
    said = relation_of(neighbouring, records, "risk", fpr=fpr, tpr=tpr)
    guessing, released, _ = said.partition(" With what this run released, ")
    if tpr != "100 %":
        return said
    return f"{guessing}{released}an attack that misses hardly any is not excluded."


def _share(rate: float) -> str:
    """A rate in per cent, or as one in so many where that has leading zeros."""
    return one_in(rate) if 0.0 < rate < _LEADING_ZEROS else percent(rate)


def _renyi(statement: Record, fallback: Fallback) -> str:
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


def assumptions(statement: Record) -> dict[str, Any]:
    """What was assumed, for machines."""
    facts = statement.facts
    return {
        "neighbouring": statement.neighbouring,
        "records_per_person": facts.records,
        "sampling": facts.sampling,
        "noise_multiplier": facts.noise_unit,
        "composition": "parameters fixed in advance; a release may depend on earlier outcomes",
        "tolerance": statement.tolerance,
        "version": statement.version,
    }


def assumptions_in_words(statement: Record) -> str:
    """What was assumed, in a sentence."""
    unit = statement.facts.noise_unit
    measured = [f"noise is stated as {unit.replace('; ', ' or ')}"] if unit else []
    said = [relation(statement, "neighbours"), *statement.facts.assumed, *measured]
    return f"Assumed: {'; '.join(said)}."


def _closing(statement: Record) -> str:
    """What the numbers are, and what they cannot know."""
    spare = (statement.mu - statement.mu_lower) / statement.mu if statement.mu > 0.0 else 0.0
    tight = (
        f" (no valid mu is more than {percent(spare)} smaller)"
        if _TIGHT < spare < 0.5 and math.isfinite(statement.mu)
        else ""
    )
    uncovered = []
    if statement.neighbouring and protected(statement) == "record":
        uncovered.append("people with several records")
    if statement.stated.tuning is None and not statement.facts.is_tuned:
        uncovered.append("tuning runs")
    missed = f" Not covered: {', '.join(uncovered)}." if uncovered else ""
    return (
        f"Every number is a bound, rounded to its safe side{tight}; gdpnum saw only the "
        f"description.{missed} Tolerance {upper(statement.tolerance, digits=1)}, "
        f"gdpnum {', '.join(filter(None, (statement.version, statement.date)))}."
    )
