"""Compare: the run that is set beside those that were pinned."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import gdpnum
from gdpnum.blocks.drawing import Node, node, table
from gdpnum.comparison import Pairing
from gdpnum.explore import accounts
from gdpnum.explore.curves import EVEN, LOG, panel
from gdpnum.explore.plan import headline
from gdpnum.explore.state import State
from gdpnum.mechanisms import Mechanism
from gdpnum.rounding import delta_shown, fpr_shown, one_in, upper
from gdpnum.statements.releases import in_words


def runs(state: State) -> list[Mechanism]:
    """What is compared: the run that is set, then those pinned."""
    return [state.run, *(one.read or one.run for one in state.subjects)]


def names(state: State) -> list[str]:
    """A name for each: its own, or a letter."""
    return [
        state.name or "This run",
        *(one.name or f"Pin {number}" for number, one in enumerate(state.subjects, 1)),
    ]


def compare(state: State) -> dict[str, Any]:
    """The table, the sentences and both drawings."""
    found, called = runs(state), names(state)
    read = [accounts.numbers(run, state.fpr, state.delta) for run in found]
    lines = [accounts.line(run, f"line line-{number}") for number, run in enumerate(found)]
    marks = [(f"line-{number}", numbers.tpr) for number, numbers in enumerate(read)]
    said = "; ".join(
        f"{name} at most {one_in(numbers.tpr)}" for name, numbers in zip(called, read, strict=True)
    )
    title = f"Curves together. At a false positive rate of {state.fpr_said}: {said}."
    drawn: dict[str, Any] = {"fpr": state.fpr, "marks": marks[::-1], "title": title}
    return {
        "table": _table(state, found, called),
        "orders": node("ul", *(node("li", one) for one in _orders(found, called))),
        "drawings": {
            "compare_even": panel(EVEN, lines[::-1], **drawn),
            "compare_log": panel(LOG, lines[::-1], **drawn),
        },
    }


def paper_table(state: State, form: str) -> str:
    """The table for a paper, numbered where two have the same name."""
    called = names(state)
    unique = [
        name if called.count(name) == 1 else f"{name} ({number})"
        for number, name in enumerate(called, 1)
    ]
    named = dict(zip(unique, runs(state), strict=True))
    return gdpnum.table(named, format=form, delta=state.delta)


def _table(state: State, found: list[Mechanism], called: list[str]) -> Node:
    head = (
        "run",
        "mu",
        "regret",
        f"TPR at FPR {state.fpr_said}",
        f"epsilon at delta {delta_shown(state.delta)}",
    )
    body = []
    for number, (name, run) in enumerate(zip(called, found, strict=True)):
        numbers, what = accounts.numbers(run, state.fpr, state.delta), in_words(run)
        label = (
            node("span", class_=f"sample line-{number}"),
            node("span", name),
            node("small", what if len(what) < 200 else f"{what[:197]}..."),
        )
        body.append((label, (*headline(run), one_in(numbers.tpr), upper(numbers.epsilon))))
    return table("Every number is an upper bound", head, body)


def _orders(found: list[Mechanism], called: list[str]) -> list[str]:
    if len(found) < 2:
        return ["Pin a run, then change what is set: both are compared here."]
    pairs = combinations(zip(called, found, strict=True), 2)
    return [_order(one[0], two[0], accounts.order(one[1], two[1])) for one, two in pairs]


def _order(first: str, second: str, pairing: Pairing) -> str:
    if pairing.order in ("more private", "less private"):
        better, worse = (first, second) if pairing.order == "more private" else (second, first)
        at = f" of {pairing.smallest_fpr:g} or more" if pairing.smallest_fpr else ""
        return (
            f"{better} is more private than {worse}: at no FPR{at} does an attack on it find more."
        )
    if pairing.order == "incomparable" and pairing.crossing is not None:
        lower, higher = pairing.crossing.lower, pairing.crossing.higher
        return (
            f"Neither {first} nor {second} is more private; they cross at about FPR "
            f"{pairing.crossing.alpha:.3g}: at FPR {fpr_shown(lower.alpha)}, {first} allows a TPR "
            f"of {upper(lower.first_tpr)} and {second} {upper(lower.second_tpr)}; at FPR "
            f"{fpr_shown(higher.alpha)}, {upper(higher.first_tpr)} and {upper(higher.second_tpr)}."
        )
    said = "equally private" if pairing.order == "equal" else "too close to call"
    return f"{first} and {second} are {said}."
