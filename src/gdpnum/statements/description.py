"""Mechanisms as JSON parts, and back.

A run is a list of parts, each a leaf with how often it was released::

    >>> from gdpnum import Gaussian
    >>> parts_of(Gaussian(sigma=2.0) * 10)
    [{'mechanism': {'type': 'Gaussian', 'sigma': 2.0, 'neighbouring': 'add_remove'}, 'count': 10}]
    >>> run_of(_)
    Gaussian(sigma=2.0) * 10
"""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any

from gdpnum import _validate, representations  # noqa: F401  (makes their kinds known)
from gdpnum._validate import nearest
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument, InvalidType, UnsupportedMechanism
from gdpnum.kind import KINDS, kind_named
from gdpnum.mechanisms.mechanism import Leaf, Mechanism, composed, repeat, terms
from gdpnum.mechanisms.noise import Additive, Gaussian
from gdpnum.mechanisms.tuning import BestOf


def parts_of(run: Mechanism) -> list[dict[str, Any]]:
    """The parts of a run; of one that releases nothing, the leaf that it releases 0 times."""
    return [{"mechanism": _document(leaf), "count": count} for leaf, count in terms(run)]


def run_of(parts: object) -> Mechanism:
    """The run that parts describe, one flat composition."""
    if not isinstance(parts, list) or not parts:
        raise InvalidArgument(f"{_validate.shown('parts', parts)}, not a list of parts; pass one")
    found = []
    for number, part in enumerate(parts):
        name = f"parts[{number}]"
        if not isinstance(part, dict) or set(part) != {"mechanism", "count"}:
            raise InvalidArgument(f"{name} has not the keys 'mechanism' and 'count'; pass both")
        found.append(repeat(leaf_of(part["mechanism"], name=name), part["count"]))
    return composed(found)


def kind_names() -> list[str]:
    """The types that a leaf may have."""
    return [kind.name for kind in KINDS.values()]


def leaf_of(document: object, *, name: str = "mechanism") -> Mechanism:  # noqa: PLR0912
    """The leaf that a document such as {"type": "Laplace", "scale": 5.0} describes."""
    if not isinstance(document, dict) or not isinstance(document.get("type"), str):
        raise InvalidArgument(f"{name} has no type; pass one, as in {{'type': 'Gaussian', ...}}")
    record = kind_named(document["type"])
    if record is None:
        raise InvalidArgument(
            f"{name} has type={document['type']!r}, which is no mechanism; "
            f"{nearest(document['type'], kind_names())}"
        )
    kind: Any = record.description
    known = [field.name for field in fields(kind) if field.name != "_"]
    values = {key: value for key, value in document.items() if key != "type"}
    for key in values:
        if key not in known:
            raise InvalidArgument(
                f"{name} has the key {key!r}, which {kind.__name__} has not; {nearest(key, known)}"
            )
    if isinstance(values.get("strategy"), list):
        values["strategy"] = [
            tuple(row) if isinstance(row, list) else row for row in values["strategy"]
        ]
    if "run" in values:
        values["run"] = run_of(values["run"])
        if values.get("gamma") is not None:  # it says all that mean says
            values.pop("mean", None) if values.get("eta") is not None else values.pop("gamma")
        if values.get("number") == "fixed":
            values["number"] = values.pop("mean", None)
    if "inner" in values:
        values["inner"] = leaf_of(values["inner"], name=f"{name}.inner")
    if "tradeoff" in values:
        values["tradeoff"] = TradeoffCurve.from_json(json.dumps(values["tradeoff"]))
    if isinstance(values.get("epsilons"), list):
        # Infinity is a string in JSON.
        infinite = {"inf": float("inf"), "Infinity": float("inf")}
        values["epsilons"] = [
            infinite.get(one, one) if isinstance(one, str) else one for one in values["epsilons"]
        ]
    positional = [values.pop(key) for key in ("inner", "tradeoff", "run") if key in values]
    try:
        leaf: Mechanism = kind(*positional, **values)
    except TypeError as error:
        if isinstance(error, InvalidType):
            raise
        missing = [key for key in known if key not in document and key != "neighbouring"]
        raise InvalidArgument(f"{name} lacks {missing[0]!r}; {kind.__name__} needs it") from None
    return leaf


def _document(leaf: Mechanism) -> dict[str, Any]:
    kind = type(leaf)
    record = kind_named(kind.__name__)
    if record is None or record.description is not kind:
        raise UnsupportedMechanism(
            f"{leaf!r} is of a kind that gdpnum cannot write down; describe it by its curve, "
            "as in KnownCurve(gdpnum.tradeoff_curve(mechanism))"
        )
    found = {
        field.name: _plain(getattr(leaf, field.name))
        for field in fields(leaf)  # type: ignore[arg-type]  # every leaf is a dataclass
        if field.name != "_" and getattr(leaf, field.name) is not None
    }
    if isinstance(leaf, BestOf):
        found["run"] = parts_of(leaf.run)
    if found.get("records_per_person") == 1:
        del found["records_per_person"]  # a record is what is meant unless said otherwise
    if isinstance(leaf, Additive) and not isinstance(leaf, Gaussian):
        # Said only where it is not the usual: before 0.3 there was no other.
        usual = {"neighbouring": "add_remove", "sensitivity": 1}
        found = {key: value for key, value in found.items() if value != usual.get(key)}
    return {"type": kind.__name__, **found}


def _plain(value: object) -> Any:
    if isinstance(value, Leaf):
        return _document(value)
    if isinstance(value, TradeoffCurve):
        return json.loads(value.to_json())
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, float) and math.isinf(value) else value
