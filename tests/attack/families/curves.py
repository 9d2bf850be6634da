"""Curves as objects: joined, grouped, read from a profile, written and read, summarised."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import gdpnum as g
from tests.attack.families import laws
from tests.attack.families.noise import _log_uniform, one
from tests.attack.judge import curve_judged
from tests.attack.tests_that_exist import Outcomes, best_tests


def _vertices(pair: Outcomes) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(-pair.p / pair.q)
    alphas = np.append(0.0, np.minimum(np.cumsum(pair.q[order]), 1.0))
    betas = np.append(1.0, np.maximum(1.0 - np.cumsum(pair.p[order]), 0.0))
    alphas[-1], betas[-1] = 1.0, 0.0
    return alphas, betas


def composed(rng) -> tuple[str, object]:
    """Two curves of few vertices together: all outcomes multiplied out, in either order."""
    first, second = (laws.random_pair(rng, int(rng.integers(2, 7))) for _ in range(2))
    return f"{first.p} with {second.p}", lambda: _composed(first, second)


def _composed(first: Outcomes, second: Outcomes) -> Iterator[str]:
    curves = [g.TradeoffCurve.from_vertices(*_vertices(pair)) for pair in (first, second)]
    tests = best_tests([(first, 1), (second, 1)])
    for one_way, other in (curves, curves[::-1]):
        both = one_way.composed_with(other)
        yield from curve_judged(both.symmetrised(), tests)
        yield from _same_when_read(both)


def grouped(rng) -> tuple[str, object]:
    """T of T: what a person of several records shows, by the vertices of one."""
    pair, records = laws.random_pair(rng, int(rng.integers(2, 6))), int(rng.integers(2, 5))
    return f"{records} of {pair.p}", lambda: _grouped(pair, records)


def _grouped(pair: Outcomes, records: int) -> Iterator[str]:
    # One chain of datasets that is allowed: each outcome moves by at most p / q, and again.
    curve = g.TradeoffCurve.from_vertices(*_vertices(pair)).symmetrised()
    group = curve.group(records)
    best = best_tests([(pair, 1)]).best()
    fprs = np.concatenate([[0.0], np.geomspace(1e-9, 1.0, 200)])
    tprs = fprs
    for _ in range(records):
        tprs = np.interp(tprs, best.fpr, best.tpr)
    allowed = np.asarray(group.tpr(fprs))
    if (tprs > allowed * (1 + 1e-9) + 1e-12).any():
        yield f"UNSOUND: a group's tpr of {allowed}, but T of T is {tprs}"
    if (allowed > tprs * 1.02 + 1e-6).any():
        worst = int(np.argmax(allowed - tprs))
        yield f"LOOSE: a group's tpr({fprs[worst]}) <= {allowed[worst]}, T of T is {tprs[worst]}"
    yield from _same_when_read(group)


def from_profile(rng) -> tuple[str, object]:
    """A profile known at some epsilons only: its curve holds for the pair it is of."""
    pair = laws.random_pair(rng, int(rng.integers(2, 9)))
    epsilons = np.unique(
        np.append(0.0, np.round(rng.uniform(0.0, 4.0, int(rng.integers(1, 12))), 3))
    )
    return f"profile of {pair.p} at {epsilons}", lambda: _from_profile(pair, epsilons)


def _from_profile(pair: Outcomes, epsilons: np.ndarray) -> Iterator[str]:
    tests = best_tests([(pair, 1)])
    deltas = tests.delta(epsilons)
    curve = g.TradeoffCurve.from_profile(epsilons.tolist(), deltas.tolist())
    yield from curve_judged(curve, tests._replace(complete=False))
    said = np.asarray(curve.delta(epsilons))
    if (said > deltas * (1 + 1e-9) + 1e-12).any():
        yield f"LOOSE: {said} read off a profile of {deltas}"
    yield from _same_when_read(curve)


def bounded(rng) -> tuple[str, object]:
    """A curve that is only a bound, with one of attacks that exist: the truth is between."""
    pair = laws.random_pair(rng, int(rng.integers(3, 7)))
    times, share = int(rng.integers(1, 4)), float(rng.choice([0.002, 0.2])) * float(rng.random())
    return f"between bounds of {pair.p}, {times} times", lambda: _bounded(pair, times, share)


def _bounded(pair: Outcomes, times: int, share: float) -> Iterator[str]:
    # Less private: with some probability the outcome is given away. More: it is not shown.
    worse = Outcomes(
        np.append((1 - share) * pair.p, [share, 0.0]), np.append((1 - share) * pair.q, [0.0, share])
    )
    better = Outcomes(
        np.append((1 - share) * pair.p, share), np.append((1 - share) * pair.q, share)
    )
    above = best_tests([(worse, 1)]).best()
    curve = g.TradeoffCurve.from_vertices(
        np.append(0.0, above.fpr), np.append(1.0, 1.0 - above.tpr)
    )
    below = g.TradeoffCurve.from_vertices(*_vertices(better))
    run, truth = g.KnownCurve(curve, below) * times, best_tests([(pair, times)])
    yield from curve_judged(g.tradeoff_curve(run), truth._replace(complete=False))
    fit = g.fit_gdp(run, slack=0.01)
    exact = g.fit_gdp(
        g.KnownCurve(g.TradeoffCurve.from_vertices(*_vertices(pair))) * times, slack=0.01
    )
    if fit.mu_lower > exact.mu * (1 + 1e-7) + 1e-7 or fit.mu < exact.mu_lower * (1 - 1e-7) - 1e-7:
        yield f"UNSOUND: [{fit.mu_lower}, {fit.mu}] around [{exact.mu_lower}, {exact.mu}]"


def summarised(rng) -> tuple[str, object]:
    """A mechanism put in other words: no test beats what they allow."""
    mechanism, outcomes = one(rng)
    times, kind = int(rng.choice([1, 1, 2, 4])), int(rng.integers(6))
    share = _log_uniform(rng, 1e-8, 0.05)
    said = f"{mechanism} * {times} as {kind}, {share}"
    return said, lambda: _summarised(mechanism * times, outcomes, times, kind, share)


def _summarised(
    run: g.Mechanism, outcomes: Outcomes, times: int, kind: int, share: float
) -> Iterator[str]:
    fits = (
        lambda: g.PureDP.fit(run),
        lambda: g.ApproxDP.fit(run, delta=share),
        lambda: g.RDP.fit(run, orders=[1.5, 2.0, 4.0, 16.0]),
        lambda: g.ZCDP.fit(run),
        lambda: g.TruncatedCDP.fit(run, cap=8.0),
        lambda: g.GDP.fit(run, slack=share),
    )
    found = fits[kind]()
    tests = best_tests([(outcomes, times)])
    yield from curve_judged(found.curve(), tests._replace(complete=False))
    against = g.regret(found, run)
    if not 0.0 <= against <= 0.5:
        yield f"NONSENSE: regret {against} of {found}"


def stated(rng) -> tuple[str, object]:
    """A statement written and read: the same claims, that no test beats; and it verifies."""
    mechanism, outcomes = one(rng)
    times = int(rng.choice([1, 2, 5]))
    return f"statement of {mechanism} * {times}", lambda: _stated(
        mechanism * times, outcomes, times
    )


def _stated(run: g.Mechanism, outcomes: Outcomes, times: int) -> Iterator[str]:
    found = g.statement(run)
    again = g.Statement.from_json(found.to_json())
    if again.to_json() != found.to_json():
        yield "NONSENSE: a statement written and read is another"
    tests = best_tests([(outcomes, times)])
    yield from curve_judged(again.curve(), tests._replace(complete=False))
    checked = g.verify(found)
    if not checked.holds:
        yield f"NONSENSE: a statement just made does not verify: {checked}"


def _same_when_read(curve: g.TradeoffCurve) -> Iterator[str]:
    again = g.TradeoffCurve.from_json(curve.to_json())
    fprs = np.geomspace(1e-9, 1.0, 30)
    if (np.asarray(again.tpr(fprs)) != np.asarray(curve.tpr(fprs))).any():
        yield "NONSENSE: a curve written and read is another"
