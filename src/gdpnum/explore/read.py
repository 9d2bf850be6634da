"""Read: what a file says was run, its numbers, and whether they are verified.

A file is a statement's JSON, an Opacus checkpoint or a run file; or the scores of an attack.
Nothing in a file is run, and none is kept.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Protocol

import gdpnum
from gdpnum.errors import GdpnumError, InvalidArgument
from gdpnum.explore import plan
from gdpnum.explore.scores import counted, scores_of
from gdpnum.explore.words import one_line, parts_of, upper

if TYPE_CHECKING:
    from gdpnum.explore.state import State
    from gdpnum.mechanisms import Mechanism
    from gdpnum.statements import Statement

__all__ = [
    "LARGEST_CHECKPOINT",
    "LARGEST_TEXT",
    "MOST_PARTS_IN_LINK",
    "Reader",
    "reading",
    "uploaded",
]

#: Bytes: a checkpoint holds a model, of which little is looked at; a text is read whole.
LARGEST_CHECKPOINT, LARGEST_TEXT = 2**29, 2**24

#: Characters: a longer description of a run makes no link.
MOST_PARTS_IN_LINK = 4_000


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
    scores = scores_of(label, content)
    if scores is not None:
        return {"kind": "scores", "label": label, "scores": scores, "said": counted(scores)}
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


# --- what is shown ------------------------------------------------------------------------------


def reading(state: State, run: Mechanism) -> dict[str, Any]:
    """The numbers and the curve of a run that was read."""
    drawn = plan.drawings(state, run)
    return {
        "texts": plan.texts(state, run),
        "values": plan.values(state, run),
        "drawings": {"read_even": drawn["even"], "read_log": drawn["log"]},
    }
