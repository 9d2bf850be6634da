"""Entries of the public registry of deployments, written and read.

https://github.com/opendp/deployments-registry-data, whose schema knows Gaussian DP under no name:
an entry is Approximate (or Pure) DP with its parameters, and mu in the details.
"""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gdpnum import _validate
from gdpnum._optional import imported
from gdpnum.blocks.block import one_line
from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.representations import GDP, ZCDP, ApproxDP, PureDP, Representation
from gdpnum.rounding import rounded_up
from gdpnum.statements import releases, words
from gdpnum.statements.record import Record
from gdpnum.statements.texts import URL

_PRODUCTS = (
    *("Summary statistics", "Machine learning model", "Dataset", "Synthetic data"),
    *("Interactive API", "SQL queries"),
)
_MODELS = ("Local", "Central", "Shuffle", "Federated", "Varies")

#: The fields of an entry by its parts, as the schema of the registry has them.
_PARTS = {
    "basic": (
        *("name", "data_curators", "intended_use", "data_product_type", "data_product_region"),
        *("description", "publication_date", "data_product_sector"),
    ),
    "dp_variant": ("variant_name", "data_domain", "unprotected_quantities"),
    "privacy_loss": (
        *("privacy_unit", "privacy_unit_details"),
        *("privacy_parameters", "privacy_parameters_details"),
    ),
    "deployment_model": (
        *("model_name", "model_name_details", "actors", "release_type", "release_type_details"),
        *("data_source_type", "data_source_type_details", "access_type", "access_type_details"),
    ),
    "accounting": ("post_processing", "composition"),
    "implementation": (
        *("preprocessing_and_hyperparameter_tuning", "mechanisms", "justification"),
    ),
    "administrative": ("sources", "notes", "registry_authors"),
}

#: Fields that a person fills in.
FIELDS = tuple(
    field
    for fields in _PARTS.values()
    for field in fields
    if field not in ("variant_name", "privacy_parameters")
)

#: Those without which there is no entry.
REQUIRED = (*_PARTS["basic"][:-1], "registry_authors")

_CHOICES = {
    "data_product_type": _PRODUCTS,
    "data_product_sector": (
        *("Technology", "Healthcare", "Education", "Government", "Energy", "Finance"),
    ),
    "model_name": _MODELS,
    "release_type": ("One release", "Many releases"),
    "data_source_type": ("Static", "Dynamic"),
    "access_type": ("Interactive", "Non-interactive"),
}

#: Fields that are lists of texts.
LISTS = ("data_curators", "registry_authors")

# The delta whose epsilon an entry gives unless another is asked for.
_DELTA = 1e-5

_MU = re.compile(r"Gaussian DP: mu = (\S+), slack = (\S+), regret = ")


def entry(statement: Record, fields: Mapping[str, Any]) -> str:
    """See `Statement.to_registry`."""
    given = dict(fields)
    tier, delta = given.pop("tier", 3), given.pop("delta", None)
    for key in given:
        if key not in FIELDS:
            advice = _validate.nearest(key, FIELDS)
            raise InvalidArgument(f"the registry has no field {key!r}; {advice}")
    _check(given)
    known = {**_known(statement, delta), **{key: value for key, value in given.items() if value}}
    missing = [key for key in REQUIRED if not known.get(key)]
    if missing:
        raise InvalidArgument(
            f"the registry requires {', '.join(missing)}; pass them, as in "
            f"{missing[0]}={_example(missing[0])}"
        )
    _validate.choice("tier", tier, (1, 2, 3))
    try:
        datetime.date.fromisoformat(known["publication_date"])
    except ValueError:
        raise InvalidArgument(
            f"publication_date={_validate.brief(known['publication_date'])} is not a date; pass "
            "one such as '2026-03-01'"
        ) from None
    parts = {
        part: {key: known[key] for key in names if known.get(key) is not None}
        for part, names in _PARTS.items()
    }
    document = {
        "url_slug": _slug(known["name"], known["data_curators"], known["publication_date"]),
        "status": "Draft",
        "tier": tier,
        "deployment": {part: content for part, content in parts.items() if content},
    }
    return "\n".join(_yaml(document)) + "\n"


def _slug(name: str, curators: list[str], date: str) -> str:
    """Name, curators and year, exactly as the registry's own script spells them."""
    parts = (one_line(name), "-".join(map(one_line, curators)), date[:4])
    return "_".join(re.sub(r"\W+", "_", part.lower()) for part in parts).replace("_", "-")


def _known(statement: Record, delta: float | None) -> dict[str, Any]:
    """What the statement itself says."""
    stated, run = statement.stated, statement.run
    mu, regret = statement.headline
    slack = f"{statement.slack:g}"
    told = (
        f"Gaussian DP: mu = {mu}, slack = {slack}, regret = {regret}. {words.quality(statement)}"
        if math.isfinite(statement.mu)
        else f"{words.quality(statement)}"
    )
    trust = (stated.trust_model or "").lower()
    model = next((one for one in _MODELS if one.lower() in trust), None)
    covered = words.protected(statement)
    unit = f"{stated.protected} (accounted for: one {covered})" if stated.protected else covered
    return {
        "name": statement.name,
        "publication_date": statement.date,
        **_parameters(statement, delta),
        "privacy_unit": unit,
        "privacy_unit_details": _sentence(words.relation(statement, "neighbours")),
        "privacy_parameters_details": f"{told} {words.risk(statement)}",
        "data_domain": stated.dataset,
        "model_name": model,
        "model_name_details": stated.trust_model,
        "release_type_details": stated.released,
        "composition": f"{words.assumptions_in_words(statement)} All releases were composed "
        f"numerically by gdpnum {statement.version}; every number is an upper bound.",
        "preprocessing_and_hyperparameter_tuning": stated.tuning or "Tuning: not stated.",
        "mechanisms": f"{_sentence(releases.in_words(run))} As code: `{one_line(repr(run))}`. "
        f"How batches were drawn and checked: {stated.batches or 'not stated'}.",
        "sources": f"Reported as proposed in {URL}.",
    }


def _parameters(statement: Record, delta: float | None) -> dict[str, Any]:
    if math.isfinite(statement.pure_epsilon) and delta is None:
        epsilon = float(rounded_up(statement.pure_epsilon))
        return {"variant_name": "Pure DP", "privacy_parameters": {"epsilon": epsilon}}
    rows = {row.delta: row.epsilon for row in statement.epsilon if math.isfinite(row.epsilon)}
    wanted = delta if delta is not None else _DELTA if _DELTA in rows else max(rows, default=None)
    if wanted not in rows:
        raise InvalidArgument(
            f"the statement has no finite epsilon at delta={wanted!r}; pass one of "
            f"{', '.join(map(repr, rows)) or 'its deltas, of which none has one'}"
        )
    pair = {"epsilon": float(rounded_up(rows[wanted])), "delta": wanted}
    return {"variant_name": "Approximate DP", "privacy_parameters": pair}


def _check(known: Mapping[str, Any]) -> None:
    for key, value in known.items():
        if key in LISTS:
            listed = isinstance(value, list | tuple)
            if not listed or not all(isinstance(one, str) for one in value):
                raise InvalidArgument(
                    f"{key}={_validate.brief(value)} is not a list of texts; pass one"
                )
        elif key == "privacy_parameters" or value is None:
            continue
        elif not isinstance(value, str):
            raise InvalidArgument(f"{key}={_validate.brief(value)} is not a text; pass one")
        elif key in _CHOICES and value not in ("", *_CHOICES[key]):
            raise InvalidArgument(
                f"{key}={_validate.brief(value)} is not an option; pass "
                f"{', '.join(map(repr, _CHOICES[key]))}"
            )


def from_registry(entry: str | Mapping[str, Any]) -> Representation:
    """The guarantee that an entry of the registry describes, as far as it describes one.

    Takes the YAML of an entry, which needs PyYAML, or what was read from it. An entry that this
    library wrote gives back its mu with its slack; any other its epsilon, (epsilon, delta) or rho.

    >>> deployment = {
    ...     "dp_variant": {"variant_name": "Pure DP"},
    ...     "privacy_loss": {"privacy_parameters": {"epsilon": 1.68}},
    ... }
    >>> from_registry({"deployment": deployment})
    PureDP(epsilon=1.68)
    """
    document = _parsed(entry) if isinstance(entry, str) else entry
    try:
        deployment = document["deployment"]
        loss = deployment.get("privacy_loss") or {}
        values = loss.get("privacy_parameters") or {}
        variant = (deployment.get("dp_variant") or {}).get("variant_name")
        ours = _MU.search(str(loss.get("privacy_parameters_details") or ""))
        if ours:
            return GDP(mu=float(ours[1]), slack=float(ours[2]))
        # YAML readers take 1e-05 for a text.
        number = {key: float(value) for key, value in values.items()}
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(
            f"entry={_validate.brief(entry)} is none of the registry ({type(error).__name__}: "
            f"{_validate.brief(str(error))}); pass its YAML"
        ) from None
    if "rho" in number:
        return ZCDP(rho=number["rho"])
    if "epsilon" in number and number.get("delta", 0.0) > 0.0:
        return ApproxDP(epsilon=number["epsilon"], delta=number["delta"])
    if "epsilon" in number and variant == "Pure DP" and number.get("delta", 0.0) == 0.0:
        return PureDP(epsilon=number["epsilon"])
    raise UnsupportedMechanism(
        f"the entry is {variant or 'of no variant'} with {number or 'no parameters'}, which is no "
        "guarantee by itself; it takes epsilon for Pure DP, epsilon and delta, or rho"
    )


def _parsed(text: str) -> Any:
    """The document of a YAML text."""
    yaml = imported("yaml", extra="registry")
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidArgument(
            f"entry={_validate.brief(text)} is not YAML ({type(error).__name__}); pass one of the "
            "registry"
        ) from None


def _yaml(node: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """The few shapes of YAML that an entry needs: maps, lists of texts, texts, numbers."""
    for key, value in node.items():
        if isinstance(value, Mapping):
            yield f"{indent}{key}:"
            yield from _yaml(value, f"{indent}  ")
        elif isinstance(value, (list, tuple)):
            yield f"{indent}{key}:"
            yield from (f"{indent}  - {_text(item)}" for item in value)
        elif isinstance(value, str) and "\n" in value.strip():
            yield f"{indent}{key}: |"
            yield from (f"{indent}  {one_line(line)}".rstrip() for line in value.splitlines())
        elif isinstance(value, str):
            yield f"{indent}{key}: {value if key == 'url_slug' else _text(value)}"
        else:
            yield f"{indent}{key}: {_number(value)}"


def _text(value: str) -> str:
    # In the registry two backslashes are for formulas only.
    plain = re.sub(r"\\{2,}(?![()])", r"\\", one_line(value))
    return "'" + plain.replace("'", "''") + "'"


def _number(value: float) -> str:
    # PyYAML reads 1e-05 as a text, and 1.0e-05 as a number.
    text = json.dumps(value)
    return re.sub(r"^(\d+)e", r"\1.0e", text)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _example(field: str) -> str:
    if field in LISTS:
        return "['...']"
    return repr(_CHOICES.get(field, ("2026-03-01" if field == "publication_date" else "...",))[0])
