"""Statements as JSON, and back, bit for bit."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from gdpnum import _validate
from gdpnum.errors import Contradiction, GdpnumError, InvalidArgument, InvalidType
from gdpnum.representations import TruncatedCDP
from gdpnum.rounding import finite
from gdpnum.statements import first, words
from gdpnum.statements.check import check
from gdpnum.statements.description import parts_of, run_of
from gdpnum.statements.record import Record
from gdpnum.statements.rows import (
    Audited,
    CurvePoints,
    EpsilonRow,
    Fallback,
    ProfilePoints,
    ProfileRow,
    Stated,
    TPRRow,
)
from gdpnum.strict_json import parsed

T = TypeVar("T", bound=Record)

#: What the key "schema" holds; it changes when keys do.
SCHEMA, FIRST_SCHEMA = "gdpnum-statement-2", "gdpnum-statement-1"

_NUMBERS = ("mu", "mu_lower", "slack", "regret", "tail_ratio", "advantage", "pure_epsilon")


def json_of(statement: Record) -> str:
    """See `Statement.to_json`."""
    lines = (f"  {json.dumps(key)}: {_value(item)}" for key, item in document_of(statement).items())
    return "{\n" + ",\n".join(lines) + "\n}"


def document_of(statement: Record) -> dict[str, Any]:
    """The statement as what JSON knows: dictionaries, lists, texts and finite numbers."""
    fallback = statement.fallback
    document = {
        "schema": SCHEMA,
        "name": statement.name,
        "date": statement.date,
        "mechanism": statement.mechanism,
        "parts": parts_of(statement.run),
        "mu": statement.mu,
        "mu_lower": statement.mu_lower,
        "slack": statement.slack,
        "regret": statement.regret,
        "verdict": words.verdict(statement),
        "tail_ratio": statement.tail_ratio,
        "advantage": statement.advantage,
        "reason": statement.reason,
        "warnings": list(words.warnings(statement)),
        "tpr": [row._asdict() for row in statement.tpr],
        "epsilon": [row._asdict() for row in statement.epsilon],
        "pure_epsilon": statement.pure_epsilon,
        "dataset_size": statement.dataset_size,
        "fallback": None
        if fallback is None
        else {
            "profile": [row._asdict() for row in fallback.profile],
            "truncated_cdp": fallback.truncated_cdp
            and {"rho": fallback.truncated_cdp.rho, "cap": fallback.truncated_cdp.cap},
        },
        "assumptions": words.assumptions(statement),
        "stated": statement.stated._asdict(),
        "audit": statement.audit
        and {
            "sentences": list(statement.audit.sentences),
            "rows": [list(row) for row in statement.audit.rows],
            "refutes": statement.audit.refutes,
        },
        "curve_points": {key: list(row) for key, row in statement.curve_points._asdict().items()},
        "profile_points": {
            key: list(row) for key, row in statement.profile_points._asdict().items()
        },
    }
    found: dict[str, Any] = finite(document)
    return found


def statement_of(text: str, kind: type[T]) -> T:
    """See `Statement.from_json`."""
    try:
        document = parsed(text)
        if document["schema"] not in (SCHEMA, FIRST_SCHEMA):
            raise InvalidArgument(
                f"schema={document['schema']!r} is not {SCHEMA!r}; pass what to_json returned"
            )
        is_first = document["schema"] == FIRST_SCHEMA
        raised = first.raised(document, SCHEMA) if is_first else document
        statement = _read(raised, kind)
        if is_first and statement.fallback is None and not statement.is_complete:
            table = first.profile_table(statement.profile_points)
            statement = replace(statement, fallback=table)
        check(statement)
        written = document_of(statement)
        if is_first:
            document = {**raised, **{key: written[key] for key in first.FOLLOWING}}
    except InvalidType as error:
        raise InvalidArgument(str(error)) from None
    except KeyError as error:
        raise InvalidArgument(
            f"text is not a statement: it has no key {error}; pass what to_json returned"
        ) from None
    except GdpnumError:
        raise
    except (
        AttributeError,
        LookupError,
        OverflowError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise InvalidArgument(
            f"text is not a statement ({type(error).__name__}: {error}); pass what to_json returned"
        ) from None
    # Keys that follow from others, such as the verdict, must still do so.
    for key in (*written, *document):
        if key not in written or key not in document or written[key] != document[key]:
            raise Contradiction(
                f"the key {key!r} does not agree with the rest of the statement; "
                "pass what to_json returned"
            )
    return statement


def _read(document: dict[str, Any], kind: type[T]) -> T:
    fallback, assumed = document["fallback"], document["assumptions"]
    curve, profile = document["curve_points"], document["profile_points"]
    audit = document["audit"]
    return kind(
        run=run_of(document["parts"]),
        **{key: _number(key, document[key]) for key in _NUMBERS},
        reason=document["reason"],
        tpr=_rows(TPRRow, document["tpr"]),
        epsilon=_rows(EpsilonRow, document["epsilon"]),
        fallback=None
        if fallback is None
        else Fallback(
            _rows(ProfileRow, fallback["profile"]),
            None
            if fallback["truncated_cdp"] is None
            else TruncatedCDP(**fallback["truncated_cdp"]),
        ),
        curve_points=CurvePoints(**_columns("curve_points", curve)),
        profile_points=ProfilePoints(**_columns("profile_points", profile)),
        tolerance=_number("tolerance", assumed["tolerance"]),
        version=assumed["version"],
        dataset_size=document["dataset_size"],
        name=document["name"],
        date=document["date"],
        stated=Stated(**document["stated"]),
        audit=audit
        and Audited(tuple(audit["sentences"]), tuple(map(tuple, audit["rows"])), audit["refutes"]),
    )


def _rows(kind: Callable[..., Any], rows: Iterable[dict[str, Any]]) -> tuple[Any, ...]:
    return tuple(kind(**{key: _number(key, value) for key, value in row.items()}) for row in rows)


def _columns(name: str, columns: dict[str, Any]) -> dict[str, tuple[float, ...]]:
    return {key: tuple(_number(name, value) for value in columns[key]) for key in columns}


def _number(key: str, value: object) -> float:
    if value == "inf":
        return math.inf
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidArgument(
            f"the key {key!r} holds {_validate.brief(value)}, which is no number; "
            "pass what to_json returned, unchanged"
        )
    return float(value)


def _value(item: object) -> str:
    """A table takes a line a row, anything else one line."""
    if isinstance(item, list) and item and isinstance(item[0], dict):
        rows = ",\n".join(f"    {json.dumps(row, allow_nan=False)}" for row in item)
        return f"[\n{rows}\n  ]"
    return json.dumps(item, allow_nan=False)
