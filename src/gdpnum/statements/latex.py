"""A statement for a paper: a row of a table, and a sentence with the citation."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gdpnum.mechanisms import Gaussian, PoissonSampled
from gdpnum.statements import words
from gdpnum.statements.citation import BIBTEX, KEY
from gdpnum.statements.numbers import as_given, delta_shown, fpr_shown, percent, upper

if TYPE_CHECKING:
    from gdpnum.statements.record import Statement

__all__ = ["escaped", "latex"]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}

# FPRs of the table row and of the sentence where mu is not a good summary.
_FPRS = (1e-3, 1e-2, 1e-1)


_RELATIONS = {
    "add_remove": (
        "for neighbours that differ by one record added or removed",
        "membership inference attack on one record",
    ),
    "replace": (
        "for neighbours that differ by one record replaced by another",
        "attack that tells two values of one record apart",
    ),
    "zero_out": (
        "for neighbours that differ by one record whose contributions are blanked out",
        "attack that tells whether one record was blanked out",
    ),
    None: (
        "for the neighbours that its guarantee was given for",
        "attack that tells two neighbouring datasets apart",
    ),
}


def latex(statement: Statement) -> str:
    """The statement as LaTeX: comments say what is what; every other line can be pasted."""
    return "\n".join(_lines(statement)) + "\n"


def escaped(text: str) -> str:
    r"""A text of the user's, shown as it is.

    >>> print(escaped("50% of R&D_2"))
    50\% of R\&D\_2
    """
    return "".join(_SPECIAL.get(one, one) for one in words.one_line(text))


def _lines(statement: Statement) -> Iterator[str]:
    version = escaped(statement.version)
    yield f"% Written by gdpnum {version}. Bounds are rounded to their safe side."
    yield ""
    yield "% A row of a table, and its head:"
    head, row = _row(statement)
    yield f"% {' & '.join(head)} \\\\"
    yield f"{' & '.join(row)} \\\\"
    yield ""
    yield "% A sentence:"
    yield from textwrap.wrap(
        _sentence(statement), 88, break_long_words=False, break_on_hyphens=False
    )
    yield ""
    yield "% Its reference, for the .bib file:"
    yield from (f"% {line}" for line in BIBTEX.splitlines())


def _row(statement: Statement) -> tuple[list[str], list[str]]:
    rows = {row.delta: row for row in statement.epsilon}
    at = rows.get(1e-5) or next(iter(rows.values()), None)
    mu, regret = words.headline(statement, digits=4)
    columns = [
        ("Run", escaped(statement.name or words.one_line(statement.mechanism))),
        (r"$\mu$", _math(mu)),
        ("slack", _math(delta_shown(statement.slack))),
        ("regret", _math(regret)),
        ("advantage", _math(upper(statement.advantage, digits=3))),
        *(
            (f"TPR at FPR {_math(fpr_shown(fpr))}", _math(upper(_tpr(statement, fpr), digits=3)))
            for fpr in _FPRS
        ),
    ]
    if at is not None:
        delta = _math(delta_shown(at.delta))
        columns.append((rf"$\varepsilon$ at $\delta = {delta[1:]}", _math(upper(at.epsilon))))
    return [head for head, _ in columns], [cell for _, cell in columns]


def _sentence(statement: Statement) -> str:
    parts = [_guarantee(statement), _risk(statement)]
    if statement.excludes_hardly_anything:
        parts.append("This guarantee excludes hardly anything.")
    if statement.has_heavy_tail and math.isfinite(statement.mu):
        typical = upper(statement.mu / statement.tail_ratio, digits=3)
        parts.append(
            rf"Rare events drive $\mu$: matching the advantage alone would take $\mu = {typical}$."
        )
    parts.append(
        f"Computed with gdpnum {escaped(statement.version)} "
        f"(tolerance {_math(as_given(statement.tolerance))})."
    )
    return " ".join(parts)


def _guarantee(statement: Statement) -> str:
    relation = words.for_unit(statement, _RELATIONS[statement.neighbouring][0])
    slack = f"slack {_math(delta_shown(statement.slack))}"
    if math.isinf(statement.mu):
        return (
            rf"{_subject(statement)} satisfies $\mu$-GDP~\cite{{{KEY}}} for no finite $\mu$ at "
            f"{slack}, {relation}."
        )
    allowance = "" if statement.slack == 0.0 else f" up to {slack}"
    mu, regret = words.headline(statement)
    return (
        rf"{_subject(statement)} satisfies $\mu$-GDP~\cite{{{KEY}}} with "
        rf"$\mu = {mu}${allowance} (regret {_math(regret)}), {relation}."
    )


def _risk(statement: Statement) -> str:
    attack = words.for_unit(statement, _RELATIONS[statement.neighbouring][1])
    if statement.is_complete:
        return (
            f"At a false positive rate of 10\\,\\%, no {attack} has a true positive rate above "
            f"{_percent(_tpr(statement, 0.1))}."
        )
    rates = [_percent(_tpr(statement, fpr)) for fpr in _FPRS]
    return (
        r"Here $\mu$ is not a good summary, as its regret is not below 0.01: by the trade-off "
        f"curve itself, no {attack} has a true positive rate above {_listed(rates)} at false "
        f"positive rates of {_listed([_percent(fpr) for fpr in _FPRS])}{_epsilons(statement)}."
    )


def _listed(items: list[str]) -> str:
    return ", ".join(items[:-1]) + " and " + items[-1]


def _epsilons(statement: Statement) -> str:
    finite = [at for at in statement.epsilon if math.isfinite(at.epsilon)]
    if not finite:
        return ""
    pairs = ", ".join(
        f"$({upper(at.epsilon, digits=3)}, {_math(delta_shown(at.delta))[1:-1]})$" for at in finite
    )
    return rf", and the run is $(\varepsilon, \delta)$-DP with {pairs}"


def _subject(statement: Statement) -> str:
    """What was run: in the words of papers if it is DP-SGD, else in those of the statement."""
    (leaf, count), *others = statement.run.parts or ((None, 0),)
    person = statement.run.records_per_person not in (None, 1)
    if others or person:
        leaf = None
    if isinstance(leaf, PoissonSampled) and isinstance(leaf.inner, Gaussian):
        return (
            f"Training with DP-SGD ({count} steps, noise multiplier {as_given(leaf.inner.sigma)}, "
            f"Poisson sampling at rate {as_given(leaf.rate)})"
        )
    if statement.name:
        return f"The run ``{escaped(statement.name)}''"
    return f"The run ({escaped(words.run_in_words(statement.run))})"


def _tpr(statement: Statement, fpr: float) -> float:
    return words.tpr_at(statement, fpr).tpr


def _percent(share: float) -> str:
    return percent(share).replace(" %", r"\,\%")


def _math(number: str) -> str:
    r"""A printed number as mathematics: 1e-5 is $10^{-5}$, 2.3e-5 is $2.3 \cdot 10^{-5}$."""
    if number == "infinite":
        return r"$\infty$"
    digits, _, exponent = number.partition("e")
    if not exponent:
        return f"${number}$"
    power = f"10^{{{int(exponent)}}}"
    return f"${power}$" if digits == "1" else f"${digits} \\cdot {power}$"
