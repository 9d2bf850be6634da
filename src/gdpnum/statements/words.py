"""Sentences of a statement, the same in text, Markdown, LaTeX and HTML; plain text, not escaped."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gdpnum.formulas.gaussian_profile import advantage_of_mu
from gdpnum.mechanisms import (
    Batches,
    BestOf,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    MatrixMechanism,
    Mechanism,
    PoissonSampled,
    RandomizedResponse,
    Skellam,
)
from gdpnum.representations import KnownCurve
from gdpnum.statements.batch_words import conditions, drawn, scheme
from gdpnum.statements.numbers import as_given, delta_shown, fpr_shown, lower, percent, upper
from gdpnum.statements.record import (
    COMPLETE_REGRET,
    HARDLY_ANYTHING,
    HEAVY_TAIL,
    SIZE_EXPONENT,
    TPRRow,
    balanced_fpr,
)

if TYPE_CHECKING:
    from gdpnum.statements.record import Fallback, Statement

__all__ = [
    "assumptions",
    "assumptions_in_words",
    "cautions",
    "delta_note",
    "guarantee",
    "headline",
    "is_balanced",
    "neighbours",
    "noise_parameter",
    "numbers",
    "one_line",
    "quality",
    "renyi",
    "risk",
    "run_in_words",
    "short",
    "tail",
    "title",
    "tpr_at",
    "warnings",
    "widest_gap",
]

# The FPR with which the risk is told first.
_EXAMPLE_FPR = 0.1

# A composition of more parts than this is cut short in words.
_MOST_PARTS = 6

_MULTIPLES = {2: "double", 3: "triple"}


def short(statement: Statement) -> str:
    """The repr."""
    mu, regret = headline(statement, digits=4)
    return (
        f"<Statement of {_cut(statement.mechanism)}: mu <= {mu}, "
        f"slack {delta_shown(statement.slack)}, regret <= {regret}>"
    )


def title(statement: Statement) -> str:
    """The heading."""
    return "Privacy statement" + (f": {one_line(statement.name)}" if statement.name else "")


def one_line(text: str) -> str:
    """A text of the user's in one line, with nothing in it that a terminal would obey."""
    flat = " ".join(text.split())
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in flat)


def headline(statement: Statement, *, digits: int = 3) -> tuple[str, str]:
    """Mu rounded up, and a bound on the regret of the mu that is so printed.

    Delta(f, f_nu) <= Delta(f, f_mu) + Delta(f_mu, f_nu), and for nu above mu the last term is half
    the difference of their advantages. More digits are taken where rounding would make a complete
    report look like none.
    """
    while True:
        mu = upper(statement.mu, digits=digits)
        regret = upper(_regret_of(statement, mu), digits=digits)
        if not statement.is_complete or float(regret) < COMPLETE_REGRET or digits > 17:
            return mu, regret
        digits += 1


def _regret_of(statement: Statement, printed: str) -> float:
    if math.isinf(statement.mu) or float(printed) == statement.mu:
        return statement.regret
    gained = advantage_of_mu(float(printed)) - advantage_of_mu(statement.mu)
    return min(1.0, statement.regret + 0.5 * gained + 2.0**-52)


def risk(statement: Statement) -> str:
    """The guarantee as one true positive rate, for readers of no formula."""
    found = percent(tpr_at(statement, _EXAMPLE_FPR).tpr)
    one = for_unit(statement, "one record")
    many = "records" if one == "one record" else "persons"
    if statement.neighbouring == "add_remove":
        return (
            f"An attacker who tries to tell whether {one} was used, and is wrong about 10 % of "
            f"the {many} that were not, is right about at most {found} of those that were."
        )
    if statement.neighbouring == "zero_out":
        return (
            f"An attacker who tries to tell whether {one} was used or blanked out, and is "
            f"wrong about 10 % of the {many} that were blanked out, is right about at most "
            f"{found} of those that were used."
        )
    what = (
        for_unit(statement, "which of two values one record had")
        if statement.neighbouring == "replace"
        else "which of two neighbouring datasets was used"
    )
    return (
        f"An attacker who tries to tell {what}, and takes the first for the second in 10 % of "
        f"cases, recognises the second in at most {found} of cases."
    )


def guarantee(statement: Statement, *, shown: Callable[[str], str] = one_line) -> str:
    """The guarantee as mu with its slack, or why there is no mu, as ``shown`` escapes it."""
    slack = delta_shown(statement.slack)
    if math.isinf(statement.mu):
        why = f": {shown(statement.reason)}" if statement.reason else ""
        return f"This run has no finite mu at slack {slack}{why}."
    mu, _ = headline(statement)
    with_slack, plus_slack = f" with slack {slack}", f" plus {slack}"
    if statement.slack == 0.0:
        with_slack = plus_slack = ""
    one = for_unit(statement, "one record")
    return (
        f"In one number, this run is {mu}-GDP{with_slack}: at any false positive rate (FPR), no "
        f"attack on {one} has a true positive rate (TPR) above that of a {mu}-GDP "
        f"mechanism{plus_slack}."
    )


def quality(statement: Statement) -> str:
    """How good a summary mu is, from its regret."""
    (_, regret), limit = headline(statement), f"{COMPLETE_REGRET:g}"
    if math.isinf(statement.mu):
        if statement.is_complete:
            return "The run itself may reveal nearly everything, so that says it all."
        return (
            "mu is not a good summary of this run: infinite, it rules out nothing. Report the "
            "tables instead."
        )
    if not statement.is_complete:
        row = widest_gap(statement)
        return (
            f"mu is not a good summary of this run: its regret, what it gives away against the "
            f"whole curve, is {regret}, not below {limit}. At FPR {fpr_shown(row.fpr)}, mu allows "
            f"a TPR of {percent(row.tpr_gdp)}, the run itself at most {percent(row.tpr)}. Report "
            "the tables beside mu."
        )
    if statement.has_heavy_tail:
        return (
            f"Its regret, what it gives away against the whole curve, is {regret}, below {limit}; "
            "but a small mu always has a small regret, so mind the warning."
        )
    if statement.excludes_hardly_anything:
        return (
            f"Its regret, what it gives away against the whole curve, is {regret}, below {limit}; "
            "but the curve itself excludes hardly anything, so mind the warning."
        )
    return (
        "That number is a complete report: its regret, what it gives away against the whole curve, "
        f"is {regret}, below {limit}."
    )


def tail(statement: Statement) -> str | None:
    """That rare events drive mu, if they do."""
    if not statement.has_heavy_tail or math.isinf(statement.mu):
        return None
    times = round(statement.tail_ratio)
    effect = f"{_MULTIPLES[times]} mu" if times in _MULTIPLES else f"multiply mu by {times}"
    typical = upper(statement.mu / statement.tail_ratio, digits=3)
    mu, _ = headline(statement)
    return (
        f"Rare events {effect}: the advantage alone calls for mu = {typical}, but attacks that "
        f"accuse hardly anyone call for mu = {mu}. At larger FPRs "
        "mu overstates the risk; read the TPR at the FPR that matters."
    )


def warnings(statement: Statement) -> tuple[str, ...]:
    """What must not be left out when mu is quoted."""
    found = () if statement.is_complete else (quality(statement),)
    return (*found, *cautions(statement))


def cautions(statement: Statement) -> tuple[str, ...]:
    """Warnings that stand apart from the regret: a guarantee of hardly anything, and rare events.

    A guarantee may be told completely by its mu and still be worth nothing.
    """
    found = [_hardly_anything(statement), tail(statement)]
    return tuple(sentence for sentence in found if sentence)


def _hardly_anything(statement: Statement) -> str | None:
    if not statement.excludes_hardly_anything:
        return None
    row = tpr_at(statement, HARDLY_ANYTHING[0])
    return (
        f"This guarantee excludes hardly anything: even at FPR {fpr_shown(row.fpr)} it allows a "
        f"TPR of {percent(row.tpr)}."
    )


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
        return "1 / dataset size"
    # A power may differ in its last digit where the statement is read.
    if math.isclose(delta, float(statement.dataset_size) ** -SIZE_EXPONENT, rel_tol=1e-12):
        return f"dataset size to the power -{SIZE_EXPONENT:g}"
    return None


def numbers(statement: Statement) -> list[tuple[str, str, str]]:
    """The leading numbers: name, value and what it means."""
    limit, ratio = f"{COMPLETE_REGRET:g}", f"{HEAVY_TAIL:g}"
    if math.isinf(statement.mu):
        bracket, tail_meaning = "no finite value holds at this slack", "as mu is"
    else:
        bracket = (
            f"no mu below {lower(statement.mu_lower)} is valid at slack "
            f"{delta_shown(statement.slack)}"
        )
        tail_meaning = (
            f"{ratio} or more: rare events drive mu"
            if statement.has_heavy_tail
            else f"mu / (mu of the advantage); below {ratio}: no warning"
        )
    regret_meaning = (
        statement.verdict
        if statement.is_complete
        else f"not below {limit}: mu is not a good summary"
    )
    mu, regret = headline(statement, digits=4)
    return [
        ("mu", mu, bracket),
        ("regret", regret, regret_meaning),
        ("tail ratio", upper(statement.tail_ratio), tail_meaning),
        ("advantage", upper(statement.advantage), "most that TPR can exceed FPR by, at any FPR"),
    ]


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


def widest_gap(statement: Statement) -> TPRRow:
    """The row of the curve table in which mu is furthest from the run."""
    rows = statement.tpr or map(TPRRow, *statement.curve_points)
    return max(rows, key=lambda row: row.tpr_gdp - row.tpr)


def run_in_words(run: Mechanism) -> str:
    """What was run, for readers of no Python."""
    if not run.parts:
        return "nothing that depends on the data"
    shown = [_released(leaf, count) for leaf, count in run.parts[:_MOST_PARTS]]
    left = len(run.parts) - len(shown)
    return "; ".join(shown) + (f"; and {left} more" if left else "")


def for_unit(statement: Statement, text: str) -> str:
    """A text about one record, in the words of what is protected."""
    records = statement.run.records_per_person or 1
    if records == 1:
        return text
    return text.replace("one record", f"one person with at most {records} records")


def _released(leaf: Mechanism, count: int) -> str:
    times = "once" if count == 1 else f"{count} times"
    if isinstance(leaf, PoissonSampled) and isinstance(leaf.inner, RandomizedResponse):
        return (
            f"{_noise(leaf.inner)}, {times}, of respondents who answer with probability "
            f"{as_given(leaf.rate)}"
        )
    if isinstance(leaf, Batches):
        more = leaf.records_per_person or 1
        person = f" (at most {more} records a person)" if more > 1 else ""
        return f"{_noise(leaf.inner)} on {drawn(leaf, count)}{person}"
    if isinstance(leaf, PoissonSampled):
        each = "each time on" if count > 1 else "on"
        return (
            f"{_noise(leaf.inner)}, {times}, {each} a random sample that every record joins with "
            f"probability {as_given(leaf.rate)}"
        )
    return f"{_noise(leaf)}, {times}"


def _noise(leaf: Mechanism) -> str:  # noqa: PLR0911  (one a kind)
    if isinstance(leaf, MatrixMechanism):
        return _correlated(leaf)
    if isinstance(leaf, BestOf):
        mean = as_given(leaf.mean or 1.0)
        return (
            f"the best of a random, undisclosed number of runs ({leaf.number.replace('_', ' ')}, "  # type: ignore[union-attr]
            f"mean {mean}), each: {run_in_words(leaf.run)}"
        )
    if isinstance(leaf, Gaussian | DiscreteGaussian | Skellam):
        kind = {Gaussian: "Gaussian", Skellam: "Skellam"}.get(type(leaf), "discrete Gaussian")
        return f"{kind} noise with noise multiplier {as_given(leaf.sigma)}"
    if isinstance(leaf, Laplace | DiscreteLaplace):
        kind = "Laplace" if isinstance(leaf, Laplace) else "discrete Laplace"
        return f"{kind} noise of scale {as_given(leaf.scale)}"
    if isinstance(leaf, RandomizedResponse):
        return (
            f"randomised response among {leaf.categories} answers with epsilon "
            f"{as_given(leaf.epsilon)}"
        )
    if isinstance(leaf, KnownCurve):
        return "a mechanism of which only the trade-off curve is known"
    return f"a mechanism of which only {_cut(repr(leaf))} is known"


def _correlated(leaf: MatrixMechanism) -> str:
    said = (
        f"Gaussian noise correlated over {leaf.size} steps with noise multiplier "
        f"{as_given(leaf.noise_multiplier)}; a record takes part "
    )
    if leaf.epochs is not None:
        return f"{said}once in each of {leaf.epochs} epochs, at the same place"
    if leaf.max_participations == 1:
        return f"{said}in one step"
    return f"{said}in at most {leaf.max_participations} steps, at least {leaf.min_separation} apart"


def assumptions(statement: Statement) -> dict[str, Any]:
    """What was assumed, for machines."""
    run = statement.run
    leaves = [part for leaf, _ in run.parts for part in _inside(leaf)]
    schemes = ["Poisson" for leaf in leaves if isinstance(leaf, PoissonSampled)]
    schemes += [scheme(leaf) for leaf in leaves if isinstance(leaf, Batches)]
    return {
        "neighbouring": statement.neighbouring,
        "sampling": ", ".join(dict.fromkeys(schemes)) or None,
        "noise_multiplier": noise_parameter(run),
        "composition": "parameters fixed in advance; a release may depend on earlier outcomes",
        "tolerance": statement.tolerance,
        "version": statement.version,
    }


def noise_parameter(run: Mechanism) -> str | None:
    """What the noise is measured in."""
    leaves = [leaf for leaf, _ in run.parts]
    leaves = [part for leaf in leaves for part in _inside(leaf)]
    noises = [leaf.inner if isinstance(leaf, PoissonSampled | Batches) else leaf for leaf in leaves]
    found = []
    gaussians = Gaussian | DiscreteGaussian | Skellam | MatrixMechanism
    if any(isinstance(noise, gaussians) for noise in noises):
        trained = all(isinstance(leaf, PoissonSampled | Batches) for leaf in leaves)
        found.append(f"noise standard deviation / {'clipping norm' if trained else 'sensitivity'}")
    if any(isinstance(noise, Laplace | DiscreteLaplace) for noise in noises):
        found.append("noise scale / sensitivity")
    return "; ".join(found) or None


def _inside(leaf: Mechanism) -> list[Mechanism]:
    return [part for part, _ in leaf.run.parts] if isinstance(leaf, BestOf) else [leaf]


def neighbours(statement: Statement) -> str:
    """The neighbouring relation, and whom it is about."""
    records = statement.run.records_per_person or 1
    if records > 1 and statement.neighbouring is not None:
        what = {
            "add_remove": "added or removed",
            "replace": "replaced by others",
            "zero_out": "blanked out",
        }[statement.neighbouring]
        return f"neighbours differ by a person with at most {records} records, all {what} together"
    return {
        "add_remove": "neighbours differ by one record added or removed",
        "replace": "neighbours differ by one record replaced by another",
        "zero_out": "neighbours differ by one record whose contributions are blanked out",
        None: "neighbours are those that the guarantee was given for",
    }[statement.neighbouring]


def assumptions_in_words(statement: Statement) -> str:
    """What was assumed, in a sentence or two."""
    named = statement.assumptions
    said = [neighbours(statement)]
    said += dict.fromkeys(
        conditions(leaf) for leaf, _ in statement.run.parts if isinstance(leaf, Batches)
    )
    if "Poisson" in (named["sampling"] or "").split(", "):
        said.append(
            "each record joins each step with the stated probability, by itself (Poisson sampling)"
        )
    if named["noise_multiplier"]:
        said.append(f"noise is stated as {named['noise_multiplier'].replace('; ', ' or ')}")
    if sum(count for _, count in statement.run.parts) > 1:
        said.append("noise and rates were fixed in advance")
    return (
        f"Assumed: {'; '.join(said)}. Every number is a bound, rounded to its safe side. "
        f"gdpnum saw only this description: a person with {_several(statement)} records, and "
        "tuning runs that are not listed, are not covered. "
        f"Slack {delta_shown(statement.slack)}, tolerance {as_given(statement.tolerance)}, "
        f"gdpnum {one_line(', '.join(filter(None, (statement.version, statement.date))))}."
    )


def _several(statement: Statement) -> str:
    records = statement.run.records_per_person or 1
    return "several" if records == 1 else f"more than {records}"


def _cut(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:117]}..."
