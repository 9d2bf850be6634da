"""Bad inputs: every argument of every public call, made nonsense of.

The answer is one of the library's errors, naming the argument; or a number that is one, where the
value makes sense after all.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

import gdpnum as g
from tests.attack.calls import Call, calls
from tests.attack.ledger import Ledger

NONSENSE: dict[str, Any] = {
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "-1": -1,
    "-1e-300": -1e-300,
    "0": 0,
    "-0.0": -0.0,
    "5e-324": 5e-324,
    "1e-200": 1e-200,
    "1.7e308": 1.7e308,
    "2.5": 2.5,
    "10**400": 10**400,
    "-10**5000": -(10**5000),
    "2**63": 2**63,
    "text": "one",
    "digits": "1.0",
    "empty": "",
    "null byte": "a\x00b",
    "bytes": b"1",
    "None": None,
    "True": True,
    "False": False,
    "complex": 1j,
    "list": [1.0],
    "nested": [[1.0, [2.0]]],
    "empty list": [],
    "dict": {},
    "set": {1.0},
    "array": np.array([1.0, math.nan]),
    "0-d array": np.array(1.0),
    "objects": np.array([None, "a"], dtype=object),
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "float16": np.float16(0.5),
    "int8": np.int8(3),
    "bool_": np.bool_(True),
    "class": g.Gaussian,
    "function": abs,
    "object": object(),
    "mechanism": g.Gaussian(sigma=2.0),
    "curve": g.GDP(mu=1.0).curve(),
}


def attack_inputs(ledger: Ledger, seed: int, number: int, until: float) -> None:
    """Each argument with each nonsense once, by chance; then two arguments at a time."""
    rng, every = np.random.default_rng([seed, 1]), calls()
    single = [
        (call, {name: value}) for call in every for name in call.arguments for value in NONSENSE
    ]
    chosen = [single[i] for i in rng.permutation(len(single))][:number]
    while len(chosen) < number:
        call = every[rng.integers(len(every))]
        names = rng.choice(list(call.arguments), min(2, len(call.arguments)), replace=False)
        chosen.append((call, {str(n): str(rng.choice(list(NONSENSE))) for n in names}))
    for call, changed in chosen:
        if time.monotonic() > until:
            break
        ledger.attempt(
            "inputs",
            f"{call.name} {changed}",
            lambda call=call, changed=changed: _tried(call, changed),
        )


def _tried(call: Call, changed: dict[str, str]) -> Iterator[str]:
    arguments = {**call.arguments, **{name: NONSENSE[value] for name, value in changed.items()}}
    try:
        answer = call.function(**arguments)
    except g.GdpnumError as error:
        if not any(name in str(error) for name in arguments) and len(str(error)) < 20:
            yield f"UNCLEAR: {type(error).__name__}: {error}"
        return
    except (ImportError, OSError):  # a package or a file that is not there
        return
    except (TypeError, ValueError) as error:
        yield f"BARE: {type(error).__name__}: {str(error)[:150]}"
        return
    if _has_nan(answer):
        yield f"NAN: {str(answer)[:150]}"


def _has_nan(answer: Any, depth: int = 3) -> bool:
    if isinstance(answer, float):
        return math.isnan(answer)
    if isinstance(answer, np.ndarray) and answer.dtype.kind == "f":
        return bool(np.isnan(answer).any())
    if depth and isinstance(answer, tuple | list):
        return any(_has_nan(one, depth - 1) for one in answer)
    if depth and is_dataclass(answer) and not isinstance(answer, type):
        return any(_has_nan(getattr(answer, one.name, None), depth - 1) for one in fields(answer))
    return False
