"""A setting: one line of a sweep, as the caller gives it."""

from __future__ import annotations

import difflib
import itertools
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from gdpnum import _validate
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.mechanisms import BestOf, Mechanism
from gdpnum.training import NAMES, is_poisson, training_run

Setting = Mapping[str, Any] | Mechanism
"""The arguments of `DPSGD`, to which labels of any other name may be added, or any mechanism."""

# What other packages call them.
_ALIKE = {
    **dict.fromkeys(("neighboring_relation", "neighbors", "relation"), "neighbouring"),
    **dict.fromkeys(("sigma", "noise", "noise_scale", "std"), "noise_multiplier"),
    **dict.fromkeys(("rate", "q", "sampling_rate", "sampling_probability"), "sample_rate"),
    **dict.fromkeys(("num_steps", "n_steps", "iterations", "count"), "steps"),
    **dict.fromkeys(("num_epochs", "n_epochs"), "epochs"),
    **dict.fromkeys(("lot_size", "expected_batch_size"), "batch_size"),
    **dict.fromkeys(("num_records", "n_records", "sample_size"), "dataset_size"),
    **dict.fromkeys(
        ("records", "examples_per_user", "max_examples_per_user", "k"), "records_per_person"
    ),
}

# What JSON has without a look at it.
_PLAIN = (float, int, str, bool, type(None))

# More than a machine holds at once.
_MOST_SETTINGS = 10_000_000


def grid(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """All combinations of the values, the last name fastest.

    >>> grid(noise_multiplier=[1.0, 2.0], sample_rate=[0.01], steps=[100, 200])[1]
    {'noise_multiplier': 1.0, 'sample_rate': 0.01, 'steps': 200}
    """
    columns = {name: _values(name, given) for name, given in values.items()}
    total = math.prod(map(len, columns.values()))
    if total > _MOST_SETTINGS:
        raise InvalidArgument(
            f"{', '.join(columns)} have {total} combinations, more than {_MOST_SETTINGS}; pass "
            "fewer values"
        )
    return [dict(zip(columns, row, strict=True)) for row in itertools.product(*columns.values())]


def _values(name: str, given: object) -> list[Any]:
    one = _validate.brief(given)
    return [_plain(one) for one in _validate.items(name, given, advice=f"pass one, as in [{one}]")]


def _plain(value: Any) -> Any:
    """A number of numpy's as Python's: the other does not fit into JSON."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def named(number: int, setting: object) -> dict[str, Any]:
    """The leading columns of a row: what was given, as plain values."""
    if isinstance(setting, Mechanism):
        return {"mechanism": repr(setting)}
    if not isinstance(setting, Mapping):
        raise InvalidType(
            f"settings[{number}]={_validate.brief(setting)} is neither a mechanism nor a "
            "dictionary; pass {'noise_multiplier': ..., 'sample_rate': ..., 'steps': ...}"
        )
    _refuse_misspelt(number, setting)
    missing = _missing(setting)
    if missing is not None:
        raise InvalidArgument(
            f"settings[{number}] has no {missing}, only {sorted(map(str, setting))}; pass "
            "noise_multiplier, sample_rate (or batch_size and dataset_size) and steps (or epochs)"
        )
    plain = {str(name): _plain(value) for name, value in setting.items()}
    for name, value in plain.items():
        if type(value) in _PLAIN:
            continue
        try:
            json.dumps(value)
        except (TypeError, ValueError, RecursionError):
            raise InvalidType(
                f"settings[{number}] has {name}={_validate.brief(value)}, which JSON cannot hold; "
                "pass numbers and strings"
            ) from None
    return plain


def _missing(setting: Mapping[str, Any]) -> str | None:
    """What a setting lacks, if Poisson batches are meant; of others `DPSGD` says so itself."""
    if "noise_multiplier" not in setting:
        return "'noise_multiplier'"
    if not is_poisson(setting):
        return None
    if "sample_rate" not in setting and not {"batch_size", "dataset_size"} <= set(setting):
        return "'sample_rate'"
    return None if "steps" in setting or "epochs" in setting else "'steps'"


def identity(setting: Setting) -> object:
    """What tells a setting from all others, fit for JSON; a repr may leave digits out."""
    if not isinstance(setting, Mechanism):
        return {str(name): setting[name] for name in setting}
    return [[_of_leaf(leaf), count] for leaf, count in setting.parts]


def _of_leaf(leaf: Mechanism) -> str:
    curve = getattr(leaf, "tradeoff", None)
    known = curve.to_json() if isinstance(curve, TradeoffCurve) else ""
    numbers = [repr(getattr(leaf, name, None)) for name in ("orders", "epsilons", "strategy")]
    inside = [[_of_leaf(part), n] for part, n in leaf.run.parts] if isinstance(leaf, BestOf) else ""
    return f"{leaf!r} {numbers} {known} {inside}".rstrip()


def _refuse_misspelt(number: int, setting: Mapping[str, Any]) -> None:
    """Refuse a label that looks like an argument: it would be ignored."""
    for name in map(str, setting):
        if name in NAMES:
            continue
        plain = name.lower().replace("-", "_")
        like = difflib.get_close_matches(plain, NAMES, n=1, cutoff=0.75)
        meant = _ALIKE.get(plain) or (like[0] if like else None)
        if meant is not None:
            raise InvalidArgument(
                f"settings[{number}] has the key {name!r}, which would be a label without effect; "
                f"pass {meant!r}, or a label of another name"
            )


def mechanism_of(setting: Setting) -> Mechanism:
    """What a setting stands for; labels are left aside."""
    if isinstance(setting, Mechanism):
        return setting
    return training_run(setting)
