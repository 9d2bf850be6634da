"""What must hold between two runs, without an oracle: more noise is better, order is nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

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
