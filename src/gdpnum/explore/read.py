"""Read: what a file says was run, its numbers, and whether they are verified.

A file is a statement's JSON, an Opacus checkpoint or a run file; or the scores of an attack.
Nothing in a file is run, and none is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import IO, Any, Protocol

import gdpnum
from gdpnum.blocks.block import one_line
from gdpnum.errors import GdpnumError, InvalidArgument
from gdpnum.explore import plan
from gdpnum.explore.scores import counted, scores_of
from gdpnum.explore.state import State
from gdpnum.mechanisms import Mechanism
from gdpnum.statements import Statement
from gdpnum.statements.description import parts_of

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
    try:
        check = gdpnum.check_engine(file)
    except GdpnumError as error:
        raise InvalidArgument(f"{label}: {error}") from None
    found = _described(label, "Opacus checkpoint", check.run)
    found["checks"] = [
        *(one.text for one in check.findings if one.effect != "harmless"),
        "Opacus records Poisson sampling whatever the sampler did; make sure that it did so.",
    ]
    return found


def _described(label: str, kind: str, run: Mechanism) -> dict[str, Any]:
    parts = json.dumps(parts_of(run), separators=(",", ":"))
    return {"kind": kind, "label": label, "parts": parts, "name": "", "checks": []}


def _verified(statement: Statement) -> Iterable[str]:
    """What agrees when everything is computed again, the failures one by one."""
    verified = gdpnum.verify(statement)
    failed = [one for one in verified.findings if not one.holds]
    if not failed:
        yield f"Verified: all {len(verified.findings)} numbers stated hold, computed again."
    for one in failed:
        yield f"Not verified: {one.name} is stated as {one.stated:.6g}; it is {one.computed:.6g}."


# --- what is shown ------------------------------------------------------------------------------


def reading(state: State, run: Mechanism) -> dict[str, Any]:
    """The numbers and the curve of a run that was read."""
    found = plan.shown(state, run)
    drawn = {f"read_{key}": drawing for key, drawing in found["drawings"].items()}
    return {**found, "drawings": drawn}
