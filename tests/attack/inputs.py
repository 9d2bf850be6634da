"""Bad inputs: every argument of every public call, made nonsense of.

The answer is one of the library's errors, which names the argument, its value and what is allowed;
or a number that is one, where the value makes sense after all.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

import gdpnum as g
from gdpnum.dpsgd import AccountingMismatch
from tests.attack.calls import Call
from tests.attack.keeper import Case, keep
from tests.attack.ledger import Ledger
from tests.attack.methods import every_call
from tests.attack.nonsense import NONSENSE, forms, made

#: Arguments that a message calls by what they hold.
OTHERWISE = {
    "found": ("text is not a statement",),
    "source": ("history", "checkpoint", "the given"),
    "family": ("between=", "family("),
    "text": ("found=",),
    "number": ("eta=0.5",),
    "first": ("subjects[0]", "the subjects"),
    "second": ("subjects[1]", "the subjects"),
    "noise_multiplier": ("cannot be met", "settings[0]"),
    "profile": ("beside a function",),
    "integer": ("between",),
    "steps": ("releases",),
    "num_steps": ("releases",),
    "sample_rate": ("without any noise", "cannot be met"),
    "dataset_size": ("without any noise",),
}

#: What is called, and then raises an error of its own.
OF_A_USER = {"class", "function", "anything"}


def attack_inputs(ledger: Ledger, seed: int, number: int, until: float) -> None:
    """Each argument with each nonsense once, by chance; then two arguments at a time."""
    rng, every = np.random.default_rng([seed, 1]), every_call()
    single = [
        (call, {name: value}) for call in every for name in call.arguments for value in NONSENSE
    ]
    chosen = [single[i] for i in rng.permutation(len(single))][:number]
    while len(chosen) < number:
        call = every[rng.integers(len(every))]
        names = rng.choice(list(call.arguments), min(2, len(call.arguments)), replace=False)
        chosen.append((call, {str(n): str(rng.choice(list(NONSENSE))) for n in names}))
    # Half of them with a numpy that raises and warnings that are errors.
    strict = rng.random(len(chosen)) < 0.5
    cases = [
        Case(
            f"{call.name} {changed}{' strictly' if s else ''}",
            partial(tried, call, changed, strictly=bool(s)),
        )
        for (call, changed), s in zip(chosen, strict, strict=True)
    ]
    keep(ledger, "inputs", cases, until)


def tried(call: Call, changed: dict[str, str], *, strictly: bool = False) -> Iterator[str]:
    """What is wrong with the answer to a call of which some arguments are nonsense."""
    arguments = {**call.arguments, **{name: made(value) for name, value in changed.items()}}
    floats: dict[str, Any] = {"all": "raise"} if strictly else {}
    with np.errstate(**floats), warnings.catch_warnings():
        warnings.simplefilter("error" if strictly else "ignore")
        try:
            answer = call.function(**arguments)
        except (g.InvalidArgument, g.InvalidType) as error:
            if "anything" not in changed.values():  # it has some attribute that is wrong
                yield from _unclear(str(error), {name: arguments[name] for name in changed})
            return
        except g.GdpnumError as error:
            if len(str(error)) < 40:
                yield f"UNCLEAR: {type(error).__name__}: {error}"
            return
        except (ImportError, FileNotFoundError):  # a package, or a file, that is not there
            return
        except OSError:
            if "path" not in changed:  # a file that cannot be written
                raise
            return
        except TypeError:
            if not {
                changed.get("family"),
                changed.get("progress"),
            } & OF_A_USER and "anything" not in (
                changed.get("ax"),
                changed.get("records"),
            ):  # whose own error it is
                raise
            return
        except AccountingMismatch:  # a warning of ours, here an error
            return
    if _has_nan(answer):
        yield f"NAN: {str(answer)[:150]}"


def _unclear(message: str, changed: dict[str, Any]) -> Iterator[str]:
    """What a message lacks of: which argument, which value, what is allowed."""
    # A target that cannot be met, or is met anyway, has nothing to say of one value.
    others = [one for name in changed for one in OTHERWISE.get(name, ()) if " " in one]
    if any(one in message for one in others):
        return
    names = [one for name in changed for one in (name, *OTHERWISE.get(name, ()))]
    if not any(name in message for name in names):
        yield f"UNNAMED: {message[:200]}"
    elif not any(form in message for value in changed.values() for form in forms(value)):
        yield f"NO VALUE: {message[:200]}"
    if not any(sign in message for sign in ("pass", "; ", ": ")):
        yield f"NO ADVICE: {message[:200]}"
    if len(message) > 1000:
        yield f"LONG: {len(message)} characters: {message[:200]}"


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
