"""What must hold between two runs, without an oracle: more noise is better, order is nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

import gdpnum as g
from tests.attack.families import noise
from tests.attack.families.noise import _log_uniform

_TINY = 1e-9


def pair_of_runs(rng) -> tuple[str, Callable[[], Iterable[str]]]:
    """Two runs of which the first is at least as private as the second; or that are the same."""
    sigma, rate = _log_uniform(rng, 0.6, 10.0), _log_uniform(rng, 1e-3, 0.9)
    steps, kind = int(_log_uniform(rng, 2, 300)), int(rng.integers(7))
    run = g.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps)
    if kind == 0:
        better, worse = g.DPSGD(noise_multiplier=1.1 * sigma, sample_rate=rate, steps=steps), run
    elif kind == 1:
        better, worse = g.DPSGD(noise_multiplier=sigma, sample_rate=0.8 * rate, steps=steps), run
    elif kind == 2:
        better, worse = run, g.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps + 3)
    elif kind == 3:
        better, worse = (
            run,
            g.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps, neighbouring="replace"),
        )
    elif kind == 4:
        first, _ = noise.one(rng)
        second, _ = noise.one(rng)
        return f"{first} + {second}, and in the other order", lambda: _same(
            first + second, second + first
        )
    elif kind == 5:
        return f"calibrated to {sigma}", lambda: _calibrated(rate, steps, 1.0 / sigma)
    else:
        return f"group of {run}", lambda: _grouped(sigma, rate, steps)
    return f"{better} at least as private as {worse}", lambda: _ordered(better, worse)


def schemes(rng) -> tuple[str, Callable[[], Iterable[str]]]:
    """Batches of every scheme, with more noise, fewer steps, or a closer look."""
    sigma, scheme = _log_uniform(rng, 0.7, 10.0), int(rng.integers(6))
    size, steps = int(_log_uniform(rng, 20, 2000)), int(_log_uniform(rng, 2, 60))
    batch, bins = int(rng.integers(1, size // 4 + 1)), int(rng.integers(2, 40))
    described = (
        {"batches": "poisson", "sample_rate": batch / size},
        {"batches": "fixed", "batch_size": batch, "dataset_size": size},
        {"batches": "shuffled"},
        {"batches": "allocated", "steps_per_epoch": bins},
        {
            "batches": "truncated",
            "sample_rate": batch / size,
            "dataset_size": size,
            "max_batch_size": batch + 2,
        },
        {"batches": "cyclic", "bands": 2, "sample_rate": min(0.5, batch / size)},
    )[scheme]
    counted = "epochs" if scheme in (2, 3) else "steps"
    if scheme == 3:
        steps = min(steps, 12)

    def run(noise_multiplier: float, number: int) -> g.Mechanism:
        return g.DPSGD(noise_multiplier=noise_multiplier, **described, **{counted: number})

    one, kind = run(sigma, 2 * steps), int(rng.integers(3))
    if kind == 0:
        return f"{one} with more noise", lambda: _ordered(run(1.1 * sigma, 2 * steps), one)
    if kind == 1:
        return f"{one}, and half of it", lambda: _ordered(run(sigma, steps), one)
    return f"{one}, looked at more closely", lambda: _inside(one)


def closer(rng) -> tuple[str, Callable[[], Iterable[str]]]:
    """What was computed to one tolerance lies within what was computed to another."""
    parts = [noise.one(rng)[0] * int(rng.integers(1, 5)) for _ in range(int(rng.integers(1, 3)))]
    run = g.Composed(parts)
    return f"{run}, looked at more closely", lambda: _inside(run)


def targets(rng) -> tuple[str, Callable[[], Iterable[str]]]:
    """Noise found for a target keeps it, and hardly less noise does not."""
    rate, steps = _log_uniform(rng, 1e-3, 0.5), int(_log_uniform(rng, 2, 300))
    kind = int(rng.integers(3))
    target = (
        {"epsilon": _log_uniform(rng, 0.3, 6.0), "delta": _log_uniform(rng, 1e-8, 1e-3)},
        {"advantage": float(rng.uniform(0.02, 0.6))},
        {"tpr": float(rng.uniform(0.05, 0.6)), "fpr": _log_uniform(rng, 1e-4, 0.03)},
    )[kind]
    return f"{target} at {rate}, {steps}", lambda: _aimed(rate, steps, target)


def audited(rng) -> tuple[str, Callable[[], Iterable[str]]]:
    """Scores of a mechanism whose mu is known: a bound at a level of 1e-9 is not above it."""
    mu, number = _log_uniform(rng, 0.05, 4.0), int(_log_uniform(rng, 20, 3000))
    drawn = rng.normal(mu, 1.0, number), rng.normal(0.0, 1.0, number)
    if rng.random() < 0.3:
        drawn = tuple(np.round(scores, 1) for scores in drawn)
    method = str(rng.choice(["joint", "clopper_pearson"]))
    threshold = [0.5 * mu, "bonferroni", "split"][int(rng.integers(3))]
    return f"audit of mu {mu}, {number}, {method}, {threshold}", lambda: _audited(
        mu, drawn, method, threshold
    )


def _ordered(better: g.Mechanism, worse: g.Mechanism) -> Iterator[str]:
    one, other = g.fit_gdp(better), g.fit_gdp(worse)
    if one.mu_lower > other.mu * (1 + _TINY):
        yield f"UNSOUND: mu at least {one.mu_lower} of the better, at most {other.mu} of the worse"
    curves = g.tradeoff_curve(better), g.tradeoff_curve(worse)
    for fpr in (1e-6, 1e-3, 0.1, 0.5):
        if curves[0].tpr(fpr) > curves[1].tpr(fpr) * (1 + 2e-3) + _TINY:
            yield f"LOOSE: tpr({fpr}) of the better is above that of the worse"


def _same(one: g.Mechanism, other: g.Mechanism) -> Iterator[str]:
    first, second = g.fit_gdp(one), g.fit_gdp(other)
    if max(first.mu_lower, second.mu_lower) > min(first.mu, second.mu) * (1 + _TINY):
        yield f"UNSOUND: brackets of the same run do not meet: {first}, {second}"


def _calibrated(rate: float, steps: int, mu: float) -> Iterator[str]:
    found = g.calibrate_dpsgd(sample_rate=rate, steps=steps, mu=mu)
    fit = g.fit_gdp(found.mechanism)
    if found.achieved > mu * (1 + _TINY) or fit.mu_lower > mu * (1 + _TINY):
        yield f"UNSOUND: calibrated to mu {mu}, but mu is at least {fit.mu_lower}"


def _grouped(sigma: float, rate: float, steps: int) -> Iterator[str]:
    curve = g.tradeoff_curve(g.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps))
    person = g.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps, records_per_person=2)
    lower = g.fit_gdp(person).mu_lower
    group = g.fit_gdp(curve.group(2), slack=1e-10).mu
    if lower > group * (1 + 1e-6) + 1e-6:
        yield f"UNSOUND: two records have mu at least {lower}, the group at most {group}"


def _inside(run: g.Mechanism) -> Iterator[str]:
    coarse, fine = g.fit_gdp(run, tolerance=0.02), g.fit_gdp(run, tolerance=2e-4)
    for one, other in ((coarse, fine), (fine, coarse)):
        if one.mu_lower > other.mu * (1 + _TINY):
            yield f"UNSOUND: brackets of one run do not meet: {one}, {other}"
        if one.advantage < 0.0 or other.regret < 0.0:
            yield f"NONSENSE: {one}"
    if fine.mu > coarse.mu * (1 + 1e-3) + _TINY:
        yield f"LOOSE: mu {fine.mu} to a tolerance of 2e-4, {coarse.mu} to one of 0.02"
    curves = [g.tradeoff_curve(run, tolerance=tolerance) for tolerance in (0.02, 2e-4)]
    for fpr in (1e-9, 1e-6, 1e-3, 0.1, 0.5):
        wide, narrow = (curve.tpr(fpr) for curve in curves)
        if narrow > wide * (1 + 1e-3) + _TINY:
            yield f"LOOSE: tpr({fpr}) {narrow} looked at closely, {wide} otherwise"


def _aimed(rate: float, steps: int, target: dict[str, float]) -> Iterator[str]:
    found = g.calibrate_dpsgd(sample_rate=rate, steps=steps, **target)

    def shown(mechanism: g.Mechanism) -> tuple[float, float]:
        """What the target bounds, and the bound."""
        curve = g.tradeoff_curve(mechanism, tolerance=1e-5)
        if "epsilon" in target:
            return curve.delta(target["epsilon"]), target["delta"]
        if "tpr" in target:
            return curve.tpr(target["fpr"]), target["tpr"]
        return curve.advantage, target["advantage"]

    reached, allowed = shown(found.mechanism)
    if reached > allowed * (1 + 1e-6):
        yield f"UNSOUND: {reached} where {allowed} was asked for"
    less = 0.97 * found.noise_multiplier
    looser = shown(g.DPSGD(noise_multiplier=less, sample_rate=rate, steps=steps))[0]
    if looser <= allowed * (1 - 1e-3) and less > 0.01:
        yield f"LOOSE: noise {found.noise_multiplier}, where {less} has {looser}"


def _audited(mu: float, drawn: tuple, method: str, threshold: object) -> Iterator[str]:
    found = g.audit(*drawn, confidence=1 - 1e-9, method=method, threshold=threshold, claim=mu)
    if found.mu_lower > mu:
        yield f"UNSOUND: mu at least {found.mu_lower} at a level of 1e-9, but it is {mu}"
    if found.refuted:
        yield "UNSOUND: a claim that is true is refuted at a level of 1e-9"
    # A summary that is far too private is found out, where there are scores enough.
    if drawn[0].size > 1000 and mu > 1.5 and not found.mu_lower > 0.2:
        yield f"LOOSE: mu at least {found.mu_lower} of {drawn[0].size} scores at mu {mu}"
