"""Plan: the numbers of what is set, its curve, its place on the scale, the sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import gdpnum
from gdpnum.explore import accounts
from gdpnum.explore.curves import EVEN, LOG, Line, panel
from gdpnum.explore.drawing import Axis, Frame, Node, node
from gdpnum.explore.words import (
    COMPLETE_REGRET,
    HEAVY_TAIL,
    delta_shown,
    fpr_said,
    lower,
    run_in_words,
    tpr_said,
    upper,
)

if TYPE_CHECKING:
    from gdpnum.explore.state import State
    from gdpnum.measures.gdp import GDPFit
    from gdpnum.mechanisms import Mechanism

__all__ = ["drawings", "finite", "headline", "plan", "texts", "values"]

_MARKED = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_SCALE = Frame(
    Axis(0.05, 10.0, tuple((mu, f"{mu:g}") for mu in _MARKED), "mu"),
    Axis(0.0, 1.0, (), "", log=False),
    width=560.0, height=78.0, left=12.0, right=548.0, top=14.0, bottom=26.0,
)  # fmt: skip


def plan(state: State) -> dict[str, Any]:
    """Everything that changes while one drags."""
    run = state.run
    return {
        "texts": texts(state, run),
        "values": values(state, run),
        "drawings": drawings(state, run),
    }


def values(state: State, run: Mechanism) -> dict[str, float | str]:
    """The library's numbers in full; infinity is a text, as JSON has none."""
    fit, curve = accounts.fit(run), accounts.curve(run)
    found = {
        "mu": fit.mu,
        "mu_lower": fit.mu_lower,
        "regret": fit.regret,
        "advantage": fit.advantage,
        "tail_ratio": fit.tail_ratio,
        "tpr": curve.tpr(state.fpr),
        "tpr_gdp": fit.tpr(state.fpr),
        "epsilon": curve.epsilon(state.delta),
    }
    return {key: finite(value) for key, value in found.items()}


def finite(value: float) -> float | str:
    """A number as JSON can hold it."""
    return "inf" if math.isinf(value) else float(value)


def headline(fit: GDPFit) -> tuple[str, str]:
    """Mu rounded up, and a bound on the regret of the mu that is so printed.

    Rounding up adds at most half of what it adds to the advantage.
    """
    mu = upper(fit.mu)
    if math.isinf(fit.mu) or float(mu) == fit.mu:
        return mu, upper(fit.regret, digits=3)
    added = gdpnum.GDP(mu=float(mu)).advantage - gdpnum.GDP(mu=fit.mu).advantage
    return mu, upper(min(1.0, fit.regret + 0.5 * max(added, 0.0) + 2.0**-52), digits=3)


def texts(state: State, run: Mechanism) -> dict[str, str]:
    """What the page writes, every bound rounded to its safe side."""
    fit, curve = accounts.fit(run), accounts.curve(run)
    mu, regret = headline(fit)
    fpr, tpr = fpr_said(state.fpr), tpr_said(curve.tpr(state.fpr))
    by_mu, epsilon = tpr_said(fit.tpr(state.fpr)), upper(curve.epsilon(state.delta))
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
        "delta": delta_shown(state.delta),
        "epsilon": epsilon,
        "sentence": sentence(run, fpr, tpr),
        "run": _capital(run_in_words(run)) + ".",
        "relation": _RELATIONS.get(run.neighbouring, _RELATIONS[None]),
        "spoken": f"mu at most {mu}, regret at most {regret}; at a false positive rate of {fpr}, a "
        f"true positive rate of at most {tpr}; epsilon at most {epsilon} at delta "
        f"{delta_shown(state.delta)}.",
    }


_RELATIONS = {
    "add_remove": "Neighbouring datasets differ by one record added or removed.",
    "replace": "Neighbouring datasets differ by one record replaced by another.",
    "zero_out": "Neighbouring datasets differ by one record made empty.",
    None: "Neighbouring datasets are those that the guarantee was given for.",
}


def sentence(run: Mechanism, fpr: str, tpr: str) -> str:
    """The guarantee for readers of no formula."""
    if run.neighbouring in ("add_remove", "zero_out"):
        return (
            f"Who wrongly accuses {fpr} of the records that were not used finds at most {tpr} of "
            f"those that were. Guessing finds {fpr}."
        )
    return (
        f"Who takes the first of two cases for the second in {fpr} of cases recognises the second "
        f"in at most {tpr}. Guessing does in {fpr}."
    )


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


def drawings(state: State, run: Mechanism) -> dict[str, Node]:
    """The curve twice, and the scale."""
    fit, curve = accounts.fit(run), accounts.curve(run)
    lines = [Line.of("run", curve), Line.of("by-mu", fit.curve())]
    marks = [("by-mu", fit.tpr(state.fpr)), ("run", curve.tpr(state.fpr))]
    said = texts(state, run)
    at = f"At FPR {said['fpr']}, at most {said['tpr']}; by mu alone, {said['tpr_gdp']}."
    return {
        "even": panel(
            EVEN, lines, title=f"The curve on even scales. {at}", fpr=state.fpr, marks=marks
        ),
        "log": panel(
            LOG, lines, title=f"The curve on logarithmic scales. {at}", fpr=state.fpr, marks=marks
        ),
        "scale": _scale(state, fit, said["fpr"]),
    }


def _scale(state: State, fit: GDPFit, fpr: str) -> Node:
    """Where mu stands, with what some round mu allow at the FPR."""
    y = _SCALE.bottom
    drawn = [node("path", class_="axis", d=f"M{_SCALE.left} {y}H{_SCALE.right}")]
    for mu in _MARKED:
        x = _SCALE.x(mu)
        allowed = tpr_said(float(gdpnum.GDP(mu=mu).tpr(state.fpr)))
        drawn += [
            node("path", class_="axis", d=f"M{x:.2f} {y - 4}v8"),
            node("text", f"{mu:g}", class_="tick", x=x, y=y + 22, text_anchor="middle"),
            node("text", allowed, class_="name", x=x, y=y + 42, text_anchor="middle"),
        ]
    place = _SCALE.x(fit.mu)
    drawn.append(node("circle", class_="mark run", cx=place, cy=y, r=7))
    return _SCALE.drawing(
        f"Where mu is on a scale, with the true positive rate that each allows at {fpr}", *drawn
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
