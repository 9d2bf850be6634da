"""Mutated statements: read and refused, found out by `verify`, or no better than what is true.

What is true is asked of the library again, of the run that the mutated statement names, but not in
the way that `verify` does: the fit and the curve alone, at a tolerance of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

import gdpnum as g
from tests.attack.keeper import Case, keep
from tests.attack.ledger import Ledger

#: Below the true number by more than this share, a claim is no rounding: `verify` says that it
#: allows five tolerances, of 0.001 each, and twice that on the profile.
ROOM = 0.005

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1e-300, 0.5, 1e300, 10**30, "", "inf", "NaN", "one", [], {}),
    *([1.0], {"a": 1}, "\x00", "</script>", float("nan"), float("inf"), "-inf", 10**5000),
]

FACTORS = (0.5, 0.9, 0.98, 1.1, -1.0, 1e9, 1e-9, 0.0)


def attack_statements(ledger: Ledger, seed: int, number: int, until: float) -> None:
    """Mutates the JSON of some statements, at one place or two, or all of one kind at once."""
    rng = np.random.default_rng([seed, 2])
    run = g.DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=20)
    scores = rng.normal(size=50)
    honest = [
        g.statement(run, name="a", dataset_size=1000),
        g.statement(run, tolerance=0.3),
        g.statement(g.Gaussian(sigma=1.0) * 3 + g.Gaussian(sigma=2.0)),
        g.statement(g.Laplace(scale=2.0), date="2026-01-01", protected="people"),
        g.statement(g.ApproxDP(epsilon=1.0, delta=1e-6), audit=g.audit(scores + 1.0, scores)),
        g.statement(g.DPSGD(noise_multiplier=0.5, sample_rate=0.01, steps=200), slack=1e-6),
    ]
    texts = [one.to_json() for one in honest]
    cases = []
    for count in range(number):
        if count % 4 == 0:
            text, said = _forged(rng)
            cases.append(Case(f"forged: {said}", partial(_read, text)))
            continue
        which = int(rng.integers(len(honest)))
        text, said = _mutated(texts[which], rng)
        cases.append(Case(f"{which}: {said}", partial(_read, text)))
    keep(ledger, "statements", cases, until)


def _forged(rng: np.random.Generator) -> tuple[str, str]:
    """The statement of one run under the name of a less private one: numbers that fit."""
    sigma = float(rng.uniform(0.6, 3.0))
    gain = float(rng.choice([1.003, 1.02, 1.1, 2.0]))
    tolerance = float(rng.choice([1e-3, 0.05, 0.49]))
    kind = int(rng.integers(4))
    more: dict[str, Any] = {}
    if kind == 0:
        said = g.statement(g.Gaussian(sigma=sigma * gain) * 5)
        more["run"] = g.Gaussian(sigma=sigma) * 5
    elif kind == 1:
        said = g.statement(g.DPSGD(noise_multiplier=sigma * gain, sample_rate=0.1, steps=20))
        more["run"] = g.DPSGD(noise_multiplier=sigma, sample_rate=0.1, steps=20)
    elif kind == 2:
        said = g.statement(g.ZCDP(rho=0.5 / (sigma * gain) ** 2))
        more["run"] = g.ZCDP(rho=0.5 / sigma**2)
    else:
        run = g.DPSGD(noise_multiplier=sigma, sample_rate=0.02, steps=200)
        said, more["slack"] = g.statement(run, slack=1e-4), 1e-10
        # What the slack allows is stated as if it had been the smaller one.
        by_mu = g.GDP(mu=said.mu, slack=1e-10).curve().tpr(np.array(said.curve_points.fpr))
        points = said.curve_points._replace(tpr_gdp=tuple(np.asarray(by_mu).tolist()))
        rows = {row[0]: row for row in zip(*points, strict=True)}
        more |= {
            "curve_points": points,
            "tpr": tuple(type(row)(*rows[row.fpr]) for row in said.tpr),
        }
    forged = replace(said, **more, tolerance=tolerance)
    return forged.to_json(), f"{kind}, sigma {sigma}, gain {gain}, tolerance {tolerance}"


def _mutated(text: str, rng: np.random.Generator) -> tuple[str, str]:
    kind = rng.random()
    if kind < 0.1:  # characters, not values
        place = int(rng.integers(len(text)))
        change = str(rng.choice(["", '"', "}", "[", "1", "\\", "e400", "\ud800"]))
        return text[:place] + change + text[place + 1 :], f"{change!r} at {place}"
    if kind < 0.15:  # a key twice
        key, value = [("mu", 0.1), ("regret", 0.0), ("epsilon", []), ("parts", [])][
            int(rng.integers(4))
        ]
        return text[:-1].rstrip() + f', "{key}": {json.dumps(value)}}}', f"{key!r} twice"
    document = json.loads(text)
    if kind < 0.35:  # a claim, and all that follows from it
        return _scaled(document, rng)
    said = []
    for _ in range(int(rng.integers(1, 3))):
        places = list(_places(document))
        holder, key = places[int(rng.integers(len(places)))]
        old = holder[key]
        way = rng.random()
        if way < 0.4 and isinstance(old, int | float) and not isinstance(old, bool):
            holder[key] = type(old)(old * rng.choice(FACTORS))
        elif way < 0.5:
            del holder[key]
            said.append(f"{key!r} deleted")
            continue
        else:
            holder[key] = VALUES[int(rng.integers(len(VALUES)))]
        said.append(f"{key!r}: {_short(old)} -> {_short(holder[key])}")
    return _dumped(document), ", ".join(said)


def _scaled(document: Any, rng: np.random.Generator) -> tuple[str, str]:
    """Numbers that go together, all by one factor, with a tolerance that seems to excuse it."""
    factor = float(rng.choice([0.5, 0.8, 0.95, 0.98]))
    which = str(rng.choice(["epsilon", "profile", "mu", "regret", "tpr"]))
    if which == "mu":
        for key in ("mu", "mu_lower", "tail_ratio", "advantage"):
            if isinstance(document[key], float):
                document[key] *= factor
    elif which == "regret":
        document["regret"] *= factor
    elif which == "tpr":
        for row in document["tpr"]:
            row["tpr"] *= factor
        document["curve_points"]["tpr"] = [one * factor for one in document["curve_points"]["tpr"]]
    else:
        for row in document["epsilon"]:
            if isinstance(row["epsilon"], float):
                row["epsilon"] *= factor
        if which == "profile":
            points = document["profile_points"]
            points["epsilon"] = [one * factor for one in points["epsilon"]]
    if rng.random() < 0.5:
        document["assumptions"]["tolerance"] = float(rng.choice([0.01, 0.3, 0.49]))
    return _dumped(document), f"all of {which} times {factor}"


def _dumped(document: Any) -> str:
    try:
        return json.dumps(document)
    except ValueError:  # a number of more digits than Python writes
        return '{"mu": ' + "9" * 5000 + "}"


def _short(value: Any) -> str:
    try:
        return repr(str(value)[:40])
    except ValueError:
        return "many digits"


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every value of a document, as what holds it and where; of long lists a few."""
    entries = list(node.items()) if isinstance(node, dict) else list(enumerate(node))[:6]
    for key, value in entries:
        yield node, key
        if isinstance(value, dict | list) and value:
            yield from _places(value)


@cache
def _truth(run: g.Mechanism, slack: float) -> tuple[g.GDPFit, g.TradeoffCurve]:
    return g.fit_gdp(run, slack=slack), g.tradeoff_curve(run)


def _read(text: str) -> Iterator[str]:
    found = g.Statement.from_json(text)
    str(found), found.to_markdown(), found.to_html(), found.to_latex()
    if not g.verify(found).holds:
        return
    fit, curve = _truth(found.run, found.slack)
    claims: list[tuple[str, float, float]] = [
        ("mu", found.mu, fit.mu_lower),
        ("mu_lower, of mu", fit.mu, found.mu_lower),
        ("regret", found.regret + 5.0 * ROOM * min(found.mu, 1.0), fit.regret),
        ("advantage", found.advantage, curve.advantage),
        *((f"TPR at {row.fpr}", row.tpr, float(curve.tpr(row.fpr))) for row in found.tpr),
        *(
            (f"epsilon at {row.delta}", row.epsilon, min(curve.epsilon(row.delta), fit_pure(found)))
            for row in found.epsilon
        ),
        *(
            (f"TPR kept at {fpr}", tpr, float(curve.tpr(fpr)))
            for fpr, tpr, _ in zip(*found.curve_points, strict=True)
        ),
        *(
            (f"delta kept at {epsilon}", 1.02 * delta + 1e-12, float(curve.delta(epsilon)))
            for epsilon, delta in zip(*found.profile_points, strict=True)
        ),
    ]
    for name, stated, true in claims:
        if stated < true * (1.0 - 1.2 * ROOM) - 1e-9:
            yield f"UNSOUND: {name} is {stated}, verified, but it is {true}"


def fit_pure(found: g.Statement) -> float:
    """The pure epsilon, which `Statement.from_json` has held against the run."""
    return found.pure_epsilon
