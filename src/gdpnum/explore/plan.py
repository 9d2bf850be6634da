"""Plan: the numbers of what is set, its curve, its place on the scale, the sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gdpnum
from gdpnum.blocks.drawing import Axis, Frame, Node, node
from gdpnum.explore import accounts
from gdpnum.explore.curves import EVEN, LOG, Line, panel
from gdpnum.explore.state import State
from gdpnum.measures.gdp import GDPFit
from gdpnum.measures.printed import COMPLETE_REGRET, printed_mu
from gdpnum.mechanisms import Mechanism
from gdpnum.rounding import delta_shown, finite, lower, one_in, upper
from gdpnum.statements import words
from gdpnum.statements.releases import in_words
from gdpnum.statements.rows import HEAVY_TAIL

_MARKED = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_SCALE = Frame(
    Axis(0.05, 10.0, tuple((mu, f"{mu:g}") for mu in _MARKED), "mu"),
    Axis(0.0, 1.0, (), "", log=False),
    width=560.0, height=78.0, left=12.0, right=548.0, top=14.0, bottom=26.0,
)  # fmt: skip


def plan(state: State) -> dict[str, Any]:
    """Everything that changes while one drags."""
    found = shown(state, state.run)
    found["drawings"]["scale"] = _scale(state, accounts.fit(state.run))
    return found


def shown(state: State, run: Mechanism) -> dict[str, Any]:
    """The texts and the numbers of a run, and its curve twice, at the rates that are set."""
    said = texts(state, run)
    at = f"At FPR {said['fpr']}, at most {said['tpr']}; by mu alone, {said['tpr_gdp']}."
    even, log = drawings(state, run, title=f"The curve on {{}} scales. {at}")
    return {
        "texts": said,
        "values": values(state, run),
        "drawings": {"even": even, "log": log},
    }


def values(state: State, run: Mechanism) -> dict[str, float | str]:
    """The library's numbers in full; infinity is a text, as JSON has none."""
    fit = accounts.fit(run)
    found = {
        **{key: getattr(fit, key) for key in ("mu", "mu_lower", "regret", "advantage")},
        "tail_ratio": fit.tail_ratio,
        **accounts.numbers(run, state.fpr, state.delta)._asdict(),
    }
    plain: dict[str, float | str] = finite(found)
    return plain


def headline(run: Mechanism) -> tuple[str, str]:
    """Mu rounded up, and a bound on the regret of the mu that is so printed."""
    fit = accounts.fit(run)
    enough = math.isfinite(fit.mu) and fit.regret < COMPLETE_REGRET
    return printed_mu(fit.mu, fit.regret, is_complete=enough)


def texts(state: State, run: Mechanism) -> dict[str, str]:
    """What the page writes, every bound rounded to its safe side."""
    fit, numbers = accounts.fit(run), accounts.numbers(run, state.fpr, state.delta)
    (mu, regret), delta = headline(run), delta_shown(state.delta)
    fpr, tpr, by_mu = state.fpr_said, one_in(numbers.tpr), one_in(numbers.tpr_gdp)
    epsilon, about = upper(numbers.epsilon), (run.neighbouring, run.records_per_person or 1)
    return {
        "mu": mu,
        "mu_lower": _bracket(fit),
        "regret": regret,
        "verdict": _verdict(fit),
        "advantage": upper(fit.advantage),
        "tail_ratio": upper(fit.tail_ratio, digits=3),
        "fpr": fpr,
        "tpr": tpr,
        "tpr_gdp": by_mu,
        "delta": delta,
        "epsilon": epsilon,
        "sentence": words.risk_of(*about, fpr=fpr, tpr=tpr),
        "run": _capital(in_words(run)),
        "relation": _capital(words.relation_of(*about, "neighbours")),
        "spoken": f"mu at most {mu}, regret at most {regret}; at a false positive rate of {fpr}, a "
        f"true positive rate of at most {tpr}; epsilon at most {epsilon} at delta {delta}.",
    }


def _bracket(fit: GDPFit) -> str:
    slack = f"slack {delta_shown(fit.slack)}"
    if math.isinf(fit.mu):
        return f"no finite mu holds at {slack}"
    return f"at {slack}; not below {lower(fit.mu_lower)}"


def _verdict(fit: GDPFit) -> str:
    if fit.regret >= COMPLETE_REGRET:
        return f"not below {COMPLETE_REGRET:g}: report the curve beside mu"
    if math.isinf(fit.mu):
        return "mu rules out nothing: report the curve"
    if fit.tail_ratio >= HEAVY_TAIL:
        return f"below {COMPLETE_REGRET:g}, but rare events drive mu"
    return f"below {COMPLETE_REGRET:g}: mu is enough"


def drawings(
    state: State, run: Mechanism, *, title: str, more: Sequence[tuple[Line, float]] = ()
) -> list[Node]:
    """The curve in both frames, that of mu, and more lines, with their TPRs at the FPR."""
    numbers = accounts.numbers(run, state.fpr, state.delta)
    by_mu = Line.of("by-mu", accounts.fit(run).curve().tpr)
    lines = [accounts.line(run, "run"), by_mu, *(line for line, _ in more)]
    marks = [("by-mu", numbers.tpr_gdp), ("run", numbers.tpr)]
    marks += [(line.kind, tpr) for line, tpr in more]
    return [
        panel(frame, lines, title=title.format(scales), fpr=state.fpr, marks=marks)
        for frame, scales in ((EVEN, "even"), (LOG, "logarithmic"))
    ]


def _scale(state: State, fit: GDPFit) -> Node:
    """Where mu stands, with what some round mu allow at the FPR."""
    y = _SCALE.bottom
    drawn = [node("path", class_="axis", d=f"M{_SCALE.left} {y}H{_SCALE.right}")]
    for mu in _MARKED:
        x = _SCALE.x(mu)
        allowed = one_in(float(gdpnum.GDP(mu=mu).tpr(state.fpr)))
        drawn += [
            node("path", class_="axis", d=f"M{x:.2f} {y - 4}v8"),
            node("text", f"{mu:g}", class_="tick", x=x, y=y + 22, text_anchor="middle"),
            node("text", allowed, class_="name", x=x, y=y + 42, text_anchor="middle"),
        ]
    place = _SCALE.x(fit.mu)
    drawn.append(node("circle", class_="mark run", cx=place, cy=y, r=7))
    return _SCALE.drawing(
        f"Where mu is on a scale, with the true positive rate that each allows at {state.fpr_said}",
        *drawn,
    )


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
