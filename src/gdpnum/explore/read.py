"""Read: what a file says was run, its numbers, whether they are verified, what an audit adds.

A file is a statement's JSON, an Opacus checkpoint or a run file; or the scores of an attack, as
JSON ``{"scores_in": [...], "scores_out": [...]}`` or as CSV with the columns score and included.
Nothing in a file is run, and none is kept.
"""

from __future__ import annotations

import csv
import io
import json
import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Protocol

import gdpnum
from gdpnum.errors import GdpnumError, InvalidArgument
from gdpnum.explore import accounts, plan
from gdpnum.explore.curves import EVEN, LOG, Line, panel
from gdpnum.explore.drawing import Node
from gdpnum.explore.words import lower, one_line, parts_of, upper

if TYPE_CHECKING:
    from gdpnum.explore.state import State
    from gdpnum.mechanisms import Mechanism
    from gdpnum.statements import Statement

__all__ = [
    "LARGEST_CHECKPOINT",
    "LARGEST_TEXT",
    "MOST_PARTS_IN_LINK",
    "Reader",
    "audited",
    "reading",
    "uploaded",
]

#: Bytes: a checkpoint holds a model, of which little is looked at; a text is read whole.
LARGEST_CHECKPOINT, LARGEST_TEXT = 2**29, 2**24

#: Characters: a longer description of a run makes no link.
MOST_PARTS_IN_LINK = 4_000

_MOST_SCORES = 1_000_000


class Sourced(Protocol):
    """What a reader of run files gives."""

    @property
    def run(self) -> Mechanism: ...
    @property
    def wishes(self) -> dict[str, Any]: ...
    @property
    def statement(self) -> Statement | None: ...


Reader = Callable[[str, str], Sourced]
"""(content, label) of a text file to what it describes."""


@dataclass(frozen=True)
class _Stated:
    """A statement, where no reader of run files is at hand."""

    run: Mechanism
    wishes: dict[str, Any]
    statement: Statement | None


def stated_only(content: str, label: str) -> Sourced:
    """The reader that knows statements alone."""
    try:
        found = gdpnum.Statement.from_json(content)
    except GdpnumError as error:
        raise InvalidArgument(f"{label}: {error}") from None
    return _Stated(found.run, {}, found)


# --- files --------------------------------------------------------------------------------------


def uploaded(name: str, file: IO[bytes], size: int, reader: Reader) -> dict[str, Any]:
    """What a file is, and the parts of the run or the scores that it holds."""
    label = one_line(name)[:100] or "the file"
    start = file.read(4)
    file.seek(0)
    if start[:2] in (b"PK", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"\x8a\x0a"):
        return _checkpoint(label, file)
    if size > LARGEST_TEXT:
        raise InvalidArgument(
            f"{label} has {size} bytes, above {LARGEST_TEXT}; pass a statement, a checkpoint, a "
            "run file or scores"
        )
    try:
        content = file.read(LARGEST_TEXT + 1).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidArgument(
            f"{label} is neither text in UTF-8 nor a checkpoint; pass a statement, a checkpoint, a "
            "run file or scores"
        ) from None
    scores = _scores(label, content)
    if scores is not None:
        return {"kind": "scores", "label": label, "scores": scores, "said": _counted(scores)}
    source = reader(content, label)
    found = _described(label, "statement" if source.statement else "run file", source.run)
    if source.statement is not None:
        found |= {"checks": [*_verified(source.statement)], "name": source.statement.name or ""}
    else:
        found["name"] = str(source.wishes.get("name") or "")
    return found


def _checkpoint(label: str, file: IO[bytes]) -> dict[str, Any]:
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always")
        try:
            run = gdpnum.from_opacus(file)
        except GdpnumError as error:
            raise InvalidArgument(f"{label}: {error}") from None
    found = _described(label, "Opacus checkpoint", run)
    said = [str(one.message) for one in noticed]
    found["checks"] = [
        *said,
        "Opacus records Poisson sampling whatever the sampler did; make sure that it did so.",
    ]
    return found


def _described(label: str, kind: str, run: Mechanism) -> dict[str, Any]:
    parts = json.dumps(parts_of(run), separators=(",", ":"))
    return {"kind": kind, "label": label, "parts": parts, "name": "", "checks": []}


def _verified(statement: Statement) -> Iterable[str]:
    """What agrees when everything is computed again from the description."""
    verify = getattr(gdpnum, "verify", None)
    if verify is not None:
        yield from _findings(verify(statement))
        return
    again = gdpnum.statement(
        statement.run,
        slack=statement.slack,
        tolerance=statement.tolerance,
        deltas=[row.delta for row in statement.epsilon],
        fprs=[row.fpr for row in statement.tpr],
        dataset_size=statement.dataset_size,
        name=statement.name,
        date=statement.date,
    )
    yield (
        f"Computed again: mu {upper(again.mu)}, stated {upper(statement.mu)}; regret "
        f"{upper(again.regret, digits=3)}, stated {upper(statement.regret, digits=3)}."
    )
    too_low = [
        name
        for name, new, old in (
            ("mu", again.mu_lower, statement.mu),
            ("advantage", again.advantage * (1.0 - 2.0 * again.tolerance), statement.advantage),
            *(
                (
                    f"epsilon at delta {row.delta:g}",
                    new.epsilon * (1.0 - 5.0 * again.tolerance),
                    row.epsilon,
                )
                for row, new in zip(statement.epsilon, again.epsilon, strict=True)
            ),
        )
        if new > old
    ]
    if too_low:
        yield f"Not verified: {', '.join(too_low)} stated is below what the run gives away."
    else:
        yield "Verified: what is stated holds for the run that it describes."


def _findings(verified: Any) -> Iterable[str]:
    """What the library's own verification found, the failures one by one."""
    failed = [one for one in verified.findings if not one.holds]
    if not failed:
        yield f"Verified: all {len(verified.findings)} numbers stated hold, computed again."
    for one in failed:
        yield f"Not verified: {one.name} is stated as {one.stated:.6g}; it is {one.computed:.6g}."


# --- scores -------------------------------------------------------------------------------------


def _scores(label: str, content: str) -> dict[str, list[float]] | None:
    """The scores in a file; None if it is of another kind."""
    if content.lstrip().startswith("{"):
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            return None
        if not isinstance(document, dict) or not {"scores_in", "scores_out"} <= set(document):
            return None
        both = {key: document[key] for key in ("scores_in", "scores_out")}
        return {key: _numbers(f"{label}: {key}", value) for key, value in both.items()}
    head = [name.strip().lower() for name in content.split("\n", 1)[0].split(",")]
    if not {"score", "included"} <= set(head):
        return None
    found: dict[str, list[Any]] = {"scores_in": [], "scores_out": []}
    for number, row in enumerate(csv.reader(io.StringIO(content.split("\n", 1)[1])), 2):
        if not row:
            continue
        cells = dict(zip(head, (cell.strip() for cell in row), strict=False))
        side = {
            "1": "scores_in",
            "true": "scores_in",
            "0": "scores_out",
            "false": "scores_out",
        }.get(cells.get("included", "").lower())
        if side is None:
            raise InvalidArgument(
                f"{label}: line {number} says included={cells.get('included')!r}; write 1 or 0"
            )
        found[side].append(cells.get("score"))
    return {key: _numbers(f"{label}: {key}", value) for key, value in found.items()}


def _numbers(name: str, values: object) -> list[float]:
    if not isinstance(values, list) or not values or len(values) > _MOST_SCORES:
        raise InvalidArgument(f"{name} is no list of 1 to {_MOST_SCORES} scores; pass one")
    try:
        found = [float(value) for value in values if not isinstance(value, bool)]
    except (TypeError, ValueError):
        found = []
    if len(found) != len(values) or not all(map(math.isfinite, found)):
        raise InvalidArgument(f"{name} holds what is no finite number; pass one score a record")
    return found


def _counted(scores: Mapping[str, list[float]]) -> str:
    return (
        f"{len(scores['scores_in'])} scores of records that were used, "
        f"{len(scores['scores_out'])} of records that were not."
    )


# --- what is shown ------------------------------------------------------------------------------


def reading(state: State, run: Mechanism) -> dict[str, Any]:
    """The numbers and the curve of a run that was read."""
    drawn = plan.drawings(state, run)
    return {
        "texts": plan.texts(state, run),
        "values": plan.values(state, run),
        "drawings": {"read_even": drawn["even"], "read_log": drawn["log"]},
    }


def has_audit() -> bool:
    """Whether the library at hand audits."""
    return callable(getattr(gdpnum, "audit", None))


def audited(state: State, run: Mechanism, document: object) -> dict[str, Any]:
    """What scores show, beside what the account allows."""
    if not has_audit():
        raise InvalidArgument(f"gdpnum {gdpnum.__version__} has no audit; pass no scores")
    scores = _scores("scores", json.dumps(document))
    if scores is None:
        raise InvalidArgument("there are no scores_in and scores_out; pass both")
    # By name: an earlier gdpnum has none.
    audit: Any = getattr(gdpnum, "audit", None)
    found = audit(scores["scores_in"], scores["scores_out"], claim=run)
    said = "refuted" if found.refuted else "consistent with these scores"
    texts = {
        "audit_mu": lower(found.mu_lower),
        "audit_p": upper(found.p_value, digits=3),
        "audit_said": f"The attack shows a mu of at least {lower(found.mu_lower)}; the account "
        f"says at most {plan.headline(accounts.fit(run))[0]}. The claim is {said} "
        f"(p = {upper(found.p_value, digits=3)}). {_counted(scores)}",
    }
    return {"texts": texts, "drawings": _beneath(state, run, found)}


def _beneath(state: State, run: Mechanism, found: Any) -> dict[str, Node]:
    """The run's curve with what the audit has shown under it."""
    fit, curve = accounts.fit(run), accounts.curve(run)
    lines = [Line.of("run", curve), Line.of("by-mu", fit.curve())]
    shown_line = Line("shown", *(tuple(found.tpr(fpr) for fpr in fprs) for fprs in Line.fprs()))
    marks = [
        ("by-mu", fit.tpr(state.fpr)),
        ("run", curve.tpr(state.fpr)),
        ("shown", found.tpr(state.fpr)),
    ]
    title = f"The curve, with what the audit has shown: at least {lower(found.tpr(state.fpr))} here"
    drawn: dict[str, Any] = {"title": title, "fpr": state.fpr, "marks": marks}
    return {
        "read_even": panel(EVEN, [*lines, shown_line], **drawn),
        "read_log": panel(LOG, [*lines, shown_line], **drawn),
    }
