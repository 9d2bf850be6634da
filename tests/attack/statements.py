"""Mutated statements: read and refused, found out by `verify`, or no better than what was true."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import gdpnum as g
from tests.attack.ledger import Ledger

#: What a claim is better by if it is smaller.
CLAIMS = ("mu", "regret", "advantage", "pure_epsilon", "slack")

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1e-300, 0.5, 1e300, 10**30, "", "inf", "NaN", "one", [], {}),
    *([1.0], {"a": 1}, "\x00", "</script>", float("nan"), float("inf")),
]


def attack_statements(ledger: Ledger, seed: int, number: int, until: float) -> None:
    """Mutates the JSON of some statements, at one place or two."""
    rng = np.random.default_rng([seed, 2])
    run = g.DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=20)
    honest = [
        g.statement(run, name="a", dataset_size=1000),
        g.statement(g.Gaussian(sigma=1.0) * 3 + g.Gaussian(sigma=2.0)),
        g.statement(g.Laplace(scale=2.0), date="2026-01-01", protected="people"),
        g.statement(g.ApproxDP(epsilon=1.0, delta=1e-6)),
    ]
    texts = [one.to_json() for one in honest]
    for _ in range(number):
        if time.monotonic() > until:
            break
        which = int(rng.integers(len(honest)))
        text, said = _mutated(texts[which], rng)
        ledger.attempt(
            "statements", f"{which}: {said}", lambda t=text, one=honest[which]: _read(t, one)
        )


def _mutated(text: str, rng: np.random.Generator) -> tuple[str, str]:
    if rng.random() < 0.15:  # bytes, not values
        place = int(rng.integers(len(text)))
        change = str(rng.choice(["", '"', "}", "[", "1", "\\", "e400"]))
        return text[:place] + change + text[place + 1 :], f"{change!r} at {place}"
    document, said = json.loads(text), []
    for _ in range(int(rng.integers(1, 3))):
        places = list(_places(document))
        holder, key = places[int(rng.integers(len(places)))]
        old = holder[key]
        kind = rng.random()
        if kind < 0.3 and isinstance(old, int | float) and not isinstance(old, bool):
            holder[key] = type(old)(old * rng.choice([0.5, 0.9, 1.1, -1.0, 1e9]))
        elif kind < 0.45:
            del holder[key]
            said.append(f"{key!r} deleted")
            continue
        else:
            holder[key] = VALUES[int(rng.integers(len(VALUES)))]
        said.append(f"{key!r}: {str(old)[:40]!r} -> {str(holder[key])[:40]!r}")
    return json.dumps(document), ", ".join(said)


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every value of a document, as what holds it and where; of long lists a few."""
    entries = list(node.items()) if isinstance(node, dict) else list(enumerate(node))[:6]
    for key, value in entries:
        yield node, key
        if isinstance(value, dict | list) and value:
            yield from _places(value)


def _read(text: str, honest: g.Statement) -> Iterator[str]:
    found = g.Statement.from_json(text)
    str(found), found.to_markdown(), found.to_html(), found.to_latex()
    if found.run != honest.run or not g.verify(found).holds:
        return
    for name in CLAIMS:
        stated, true = getattr(found, name), getattr(honest, name)
        if stated < true * (1.0 - 0.01) - 1e-9 and name != "slack":
            yield f"UNSOUND: {name} {stated} verified, but it is {true}"
