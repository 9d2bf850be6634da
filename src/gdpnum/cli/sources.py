"""Where a run comes from: a file that describes it, a statement, or a few words.

A run file is TOML or JSON::

    name = "Two-stage training"      # optional, as are date, dataset_size, slack, tolerance,
    dataset_size = 50000             # deltas and fprs

    [[parts]]
    type = "DPSGD"
    noise_multiplier = 1.0
    batch_size = 500                 # of the dataset_size above; or sample_rate
    epochs = 10                      # or steps

    [[parts]]
    type = "Laplace"
    scale = 5.0
    count = 3                        # released three times

A part is any mechanism or representation of gdpnum with its arguments, or
``{mechanism = {...}, count = 3}`` as a statement's JSON has it. In words the same reads
``Laplace:scale=5,count=3``.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import gdpnum
from gdpnum import _validate
from gdpnum._validate import nearest
from gdpnum.cli.files import InFile, read_text
from gdpnum.cli.options import STATED
from gdpnum.cli.quantities import fraction_of, number_or_text, whole_of
from gdpnum.errors import GdpnumError
from gdpnum.mechanisms.mechanism import composed, repeat
from gdpnum.strict_json import parsed
from gdpnum.training import ARGUMENTS, NAMES, is_poisson, resolved, training_run

SOURCES = (
    "A source is a run file in TOML or JSON, the JSON of a statement, - for standard input, or "
    "words such as DPSGD:noise_multiplier=1,sample_rate=1%,steps=1e3 and GDP:mu=1. A run file "
    "has parts, each a mechanism with its arguments and a count, and may have name, date, "
    "dataset_size, slack, tolerance, deltas, fprs and what --state takes. YAML is an entry of the "
    "registry of deployments."
)

_WISHES = ("name", "date", "dataset_size", "slack", "tolerance", "deltas", "fprs", *STATED)


@dataclasses.dataclass(frozen=True)
class Source:
    """What was run, how the source says it should be told, and its statement if it has one."""

    label: str
    run: gdpnum.Mechanism
    wishes: dict[str, Any]
    statement: gdpnum.Statement | None = None


def source(text: str) -> Source:
    """The source that an argument names."""
    if re.match(r"[A-Za-z]\w*:", text) and not Path(text).exists():
        return Source(text, _run([_worded(text)], {}, text), {})
    return source_of(read_text(text), "standard input" if text == "-" else text)


def source_of(content: str, label: str) -> Source:
    """The source that the content of a file is; ``label`` is what messages call it."""
    if label.lower().endswith((".yaml", ".yml")):
        return _registered(content, label)
    document = _parsed(content, label)
    if "schema" in document:
        return _stated(content, label)
    for key in document:
        if key not in (*_WISHES, "parts"):
            raise InFile(
                f"{label} has the key {key!r}, which a run has not; "
                f"{nearest(key, ['parts', *_WISHES])}"
            )
    parts = document.get("parts")
    if not isinstance(parts, list) or not parts:
        raise InFile(
            f"{label} has no list of parts; pass what was run, as in "
            "[[parts]] with type = 'Gaussian' and sigma = 2.0"
        )
    wishes = {key: document[key] for key in _WISHES if key in document}
    _check_wishes(wishes, label)
    return Source(label, _run(parts, wishes, label), wishes)


def _check_wishes(wishes: dict[str, Any], label: str) -> None:
    """Refuse, before any work, what no statement takes."""
    try:
        _validate.texts(**{key: wishes.get(key) for key in ("name", *STATED)})
        _validate.iso_date(wishes.get("date"))
        for key in ("deltas", "fprs"):
            _validate.probabilities(key, wishes.get(key, ()))
        for key in ("slack", "tolerance"):
            _validate.real(key, wishes.get(key, 0.0))
        _validate.count("dataset_size", wishes.get("dataset_size", 1), minimum=1)
    except GdpnumError as error:
        raise InFile(f"{label}: {error}") from None


def _registered(content: str, label: str) -> Source:
    try:
        return Source(label, gdpnum.from_registry(content), {})
    except GdpnumError as error:
        raise InFile(f"{label}: {error}") from None


def _stated(content: str, label: str) -> Source:
    try:
        found = gdpnum.Statement.from_json(content)
    except GdpnumError as error:
        raise InFile(f"{label}: {error}") from None
    kept = {"name": found.name, "dataset_size": found.dataset_size}
    wishes = {key: value for key, value in kept.items() if value is not None}
    return Source(label, found.run, wishes, found)


def _parsed(content: str, label: str) -> dict[str, Any]:
    is_json = label.lower().endswith(".json") or content.lstrip().startswith("{")
    parse = parsed if is_json else _toml(label).loads
    try:
        document = parse(content)
    except (ValueError, RecursionError) as error:
        kind = "JSON" if is_json else "TOML"
        raise InFile(f"{label} is not {kind} ({error}); mend it there") from None
    if not isinstance(document, dict):
        raise InFile(f"{label} does not hold an object; pass one with the key 'parts'")
    return document


def _toml(label: str) -> Any:
    try:
        return importlib.import_module("tomllib")
    except ImportError:
        raise InFile(
            f"{label} is taken for TOML, which needs Python 3.11; pass the run as JSON"
        ) from None


# --- parts --------------------------------------------------------------------------------------


def _run(parts: Iterable[Any], wishes: dict[str, Any], label: str) -> gdpnum.Mechanism:
    terms = []
    for number, part in enumerate(parts):
        name = f"parts[{number}]"
        try:
            terms.append(_part(part, wishes.get("dataset_size"), name))
        except GdpnumError as error:
            message = str(error) if str(error).startswith(name) else f"{name}: {error}"
            raise InFile(f"{label}: {message}") from None
        except (TypeError, ValueError) as error:
            raise InFile(f"{label}: {name} does not fit ({error}); mend it") from None
    try:
        return composed(terms)
    except GdpnumError as error:
        raise InFile(f"{label}: {error}") from None


def _part(part: Any, dataset_size: Any, name: str) -> gdpnum.Mechanism:
    if not isinstance(part, dict):
        raise InFile(
            f"{_validate.shown(name, part)}, not an object; pass one such as "
            "{type = 'Gaussian', sigma = 2.0}"
        )
    rest = {key: value for key, value in part.items() if key != "count"}
    for key in rest if "mechanism" in rest else ():
        if key != "mechanism":
            raise InFile(
                f"{name} has the key {key!r} beside 'mechanism'; only 'count' may be there"
            )
    leaf = _leaf(rest.get("mechanism", rest), dataset_size, name)
    return repeat(leaf, part.get("count", 1))


def _leaf(document: Any, dataset_size: Any, name: str) -> gdpnum.Mechanism:
    kind = document.get("type") if isinstance(document, dict) else None
    if isinstance(kind, str) and kind not in _kinds():
        raise InFile(f"{name} has type={kind!r}, which is no mechanism; {nearest(kind, _kinds())}")
    if kind == "DPSGD":
        return _dpsgd(document, dataset_size, name)
    return gdpnum.statements.leaf_of(document, name=name)


def _dpsgd(document: dict[str, Any], dataset_size: Any, name: str) -> gdpnum.Mechanism:
    values = {key: value for key, value in document.items() if key != "type"}
    for key in values:
        if key not in NAMES:
            raise InFile(
                f"{name} has the key {key!r}, which DPSGD has not; {nearest(key, list(NAMES))}"
            )
    own = values.get("dataset_size", dataset_size)
    if dataset_size is not None and own != dataset_size:
        raise InFile(
            f"{name} has dataset_size={own!r}, but the run {dataset_size!r}; there is one dataset, "
            "mend it there"
        )
    if own is not None:
        values["dataset_size"] = own
    for argument in ARGUMENTS:
        value = values.get(argument.name)
        # As on the command line: "1%", "256/60000", 1e4.
        if isinstance(value, str) and argument.kind == "number":
            values[argument.name] = fraction_of(value, name=argument.name)
        elif isinstance(value, str) and argument.kind == "whole":
            values[argument.name] = whole_of(value, name=argument.name)
        elif isinstance(value, float) and argument.kind == "whole" and value.is_integer():
            values[argument.name] = int(value)
    given = resolved(values)
    needed = ("noise_multiplier", "sample_rate", "steps") if is_poisson(given) else ()
    for key in needed:
        if key not in given:
            raise InFile(f"{name} lacks {key!r}; DPSGD needs it")
    return training_run(given)


def _worded(text: str) -> dict[str, Any]:
    """The part that words such as "Laplace:scale=5,count=3" describe."""
    kind, _, rest = text.partition(":")
    spelled = {name.lower(): name for name in _kinds()}
    if kind.lower() not in spelled:
        raise InFile(f"{text} is no file, and {kind!r} no mechanism; {nearest(kind, _kinds())}")
    part: dict[str, Any] = {"type": spelled[kind.lower()]}
    for pair in filter(None, rest.split(",")):
        key, equals, value = pair.partition("=")
        if not equals:
            raise InFile(
                f"{text}: {pair!r} is no key=value; pass some, as in Laplace:scale=5,count=3"
            )
        part[key.strip()] = number_or_text(value.strip())
    return part


def _kinds() -> list[str]:
    """What a part may be: DPSGD, and every kind of release that is known."""
    return ["DPSGD", *gdpnum.statements.kind_names()]
