"""Scores of an attack: read from a file, and what an audit shows by them, under the curve.

A file is JSON, ``{"scores_in": [...], "scores_out": [...]}``, or CSV with the columns score and
included.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import gdpnum
from gdpnum.blocks.drawing import Node
from gdpnum.errors import InvalidArgument
from gdpnum.explore import plan
from gdpnum.explore.curves import Line
from gdpnum.explore.state import State
from gdpnum.mechanisms import Mechanism
from gdpnum.rounding import lower, upper
from gdpnum.score_columns import has_names, scores_in_csv
from gdpnum.strict_json import parsed

_MOST = 1_000_000
_DESIGNS = {
    "runs": "Each score is taken to be of a run of its own, with or without the canary.",
    "one_run": "The scores are taken to be of canaries of one run, each included by a fair coin.",
}


def scores_of(label: str, content: str) -> dict[str, list[float]] | None:
    """The scores in a file; None if it is of another kind."""
    if content.lstrip().startswith("{"):
        try:
            document = parsed(content)
        except ValueError:
            return None
        return _checked(label, document)
    if not has_names(content):
        return None
    scores, included = scores_in_csv(content, label)
    found: dict[str, list[Any]] = {"scores_in": [], "scores_out": []}
    for score, is_in in zip(scores, included, strict=True):
        found["scores_in" if is_in else "scores_out"].append(score)
    return _checked(label, found)


def _checked(label: str, document: object) -> dict[str, list[float]] | None:
    if not isinstance(document, dict) or not {"scores_in", "scores_out"} <= set(document):
        return None
    return {key: _numbers(f"{label}: {key}", document[key]) for key in ("scores_in", "scores_out")}


def _numbers(name: str, values: object) -> list[float]:
    if not isinstance(values, list) or not values or len(values) > _MOST:
        raise InvalidArgument(f"{name} is no list of 1 to {_MOST} scores; pass one")
    try:
        found = [float(value) for value in values if not isinstance(value, bool)]
    except (TypeError, ValueError, OverflowError):
        found = []
    if len(found) != len(values) or not all(map(math.isfinite, found)):
        raise InvalidArgument(f"{name} holds what is no finite number; pass one score a record")
    return found


def counted(scores: Mapping[str, list[float]]) -> str:
    """How many there are."""
    return f"{len(scores['scores_in'])} scores with the record, {len(scores['scores_out'])} without"


def audited(state: State, run: Mechanism, document: object) -> dict[str, Any]:
    """What scores show, beside what the account allows."""
    scores = _checked("scores", document)
    if scores is None:
        raise InvalidArgument("there are no scores_in and scores_out; pass both")
    found, line = _audit(run, state.scores, tuple(scores["scores_in"]), tuple(scores["scores_out"]))
    # An audit never confirms.
    verdict = "refuted" if found.refuted else "not refuted"
    said = (
        f"By the attack, mu is at least {lower(found.mu_lower)} at confidence "
        f"{found.confidence:g}; by the account, at most {plan.headline(run)[0]}, "
        f"which is {verdict} (p = {upper(found.p_value, digits=3)}). {counted(scores)}. "
        f"{_DESIGNS[state.scores]}"
    )
    return {"texts": {"audit_said": said}, "drawings": _drawings(state, run, found, line)}


@lru_cache(maxsize=4)
def _audit(
    run: Mechanism, design: str, used: tuple[float, ...], unused: tuple[float, ...]
) -> tuple[Any, Line | None]:
    """The audit and, where it bounds TPRs, their line."""
    if design == "one_run":
        included = [True] * len(used) + [False] * len(unused)
        return gdpnum.audit_one_run([*used, *unused], included, claim=run), None
    found = gdpnum.audit(list(used), list(unused), claim=run)
    return found, Line.of("shown", lambda fprs: [found.tpr(fpr) for fpr in fprs.tolist()])


def _drawings(state: State, run: Mechanism, found: Any, line: Line | None) -> dict[str, Node]:
    """The run's curve with what the audit has shown under it."""
    title, more = "The curve", []
    if line is not None:
        proved = float(found.tpr(state.fpr))
        more = [(line, proved)]
        title = f"The curve, with what the audit has shown: at least {lower(proved)} at this FPR"
    even, log = plan.drawings(state, run, title=title, more=more)
    return {"read_even": even, "read_log": log}
