"""What must hold between a mechanism's numbers and tests that exist against it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr, ndtri

import gdpnum
from tests.attack.tests_that_exist import Tests

# What the sums and quantiles of the oracles may err by: relative, and absolute.
_SHARE, _LITTLE = 1e-9, 1e-12
# What is further from an exact number than this is loose.
_LOOSE = 0.01


def judged(mechanism: gdpnum.Mechanism, tests: Tests, rng: np.random.Generator) -> Iterator[str]:
    """What is wrong with the curve and the fit of a mechanism, given tests that exist."""
    slack = float(rng.choice([1e-10, 1e-10, 1e-6, 1e-3]))
    curve = gdpnum.tradeoff_curve(mechanism)
    yield from curve_judged(curve, tests)
    fit = gdpnum.fit_gdp(mechanism, slack=slack)
    yield from fit_judged(fit, tests)
    yield from consistent(curve, fit)


def curve_judged(curve: gdpnum.TradeoffCurve, tests: Tests) -> Iterator[str]:
    """No test beats the curve, whether asked by FPR or by epsilon."""
    chosen = np.unique(np.linspace(0, tests.fpr.size - 1, 60).astype(int))
    fpr, tpr = np.clip(tests.fpr[chosen], 0.0, 1.0), tests.tpr[chosen]
    allowed = np.asarray(curve.tpr(fpr))
    excess = tpr * (1.0 - _SHARE) - allowed - _LITTLE
    if excess.max() > 0.0:
        worst = int(np.argmax(excess))
        shown = f"{allowed[worst]:.10g}, a test has {tpr[worst]:.10g}"
        yield f"UNSOUND: tpr({fpr[worst]:.6g}) <= {shown}"
    epsilons = np.array([0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0])
    shown, allowed = tests.delta(epsilons), np.asarray(curve.delta(epsilons))
    excess = shown * (1.0 - _SHARE) - allowed - _LITTLE
    if excess.max() > 0.0:
        worst = int(np.argmax(excess))
        found = f"{allowed[worst]:.10g}, shown {shown[worst]:.10g}"
        yield f"UNSOUND: delta({epsilons[worst]}) <= {found}"
    if tests.complete and (allowed > shown * (1.0 + 5 * _LOOSE) + 1e-6).any():
        worst = int(np.argmax(allowed - shown))
        found = f"{allowed[worst]:.10g}, exactly {shown[worst]:.10g}"
        yield f"LOOSE: delta({epsilons[worst]}) <= {found}"


def fit_judged(fit: gdpnum.GDPFit, tests: Tests) -> Iterator[str]:
    """No test beats mu; mu_lower and regret are what the tests say, where these are all."""
    if fit.advantage < (tests.tpr - tests.fpr).max() * (1.0 - _SHARE) - _LITTLE:
        yield f"UNSOUND: advantage {fit.advantage:.10g}, shown {(tests.tpr - tests.fpr).max():.10g}"
    inside = (tests.fpr > 1e-300) & (tests.fpr < 1.0)
    fpr, tpr = tests.fpr[inside], tests.tpr[inside]
    allowed = ndtr(ndtri(fpr) + fit.mu) + fit.slack
    excess = tpr * (1.0 - _SHARE) - allowed - _LITTLE
    if excess.size and excess.max() > 0.0:
        worst = int(np.argmax(excess))
        found = f"{allowed[worst]:.10g}, a test {tpr[worst]:.10g}"
        yield f"UNSOUND: mu {fit.mu:.10g} has tpr({fpr[worst]:.6g}) {found}"
    if not tests.complete:
        return
    exact = smallest_mu(tests, fit.slack)
    if fit.mu_lower > exact * (1.0 + 1e-7) + 1e-7:
        yield f"UNSOUND: mu_lower {fit.mu_lower:.10g}, but {exact:.10g} holds"
    if fit.mu > exact * (1.0 + _LOOSE) + 1e-4 and np.isfinite(fit.mu):
        yield f"LOOSE: mu {fit.mu:.10g}, but {exact:.10g} holds"
    if np.isfinite(fit.mu):
        given_away = exact_regret(tests, fit)
        if fit.regret < given_away - 1e-9:
            yield f"UNSOUND: regret {fit.regret:.10g}, but it is {given_away:.10g}"
        if fit.regret > given_away * (1.0 + 5 * _LOOSE) + 1e-4:
            yield f"LOOSE: regret {fit.regret:.10g}, but it is {given_away:.10g}"


def smallest_mu(tests: Tests, slack: float) -> float:
    """The smallest mu that no test beats by more than the slack."""
    missed = np.clip(1.0 - tests.tpr, 0.0, 1.0) + slack
    kept = (tests.fpr > 0.0) & (tests.fpr < 1.0) & (missed < 1.0)
    sure = (tests.fpr <= 0.0) & (tests.tpr > slack * (1 + 1e-9))
    if sure.any():
        return float("inf")
    return max(0.0, float((-ndtri(tests.fpr[kept]) - ndtri(missed[kept])).max(initial=0.0)))


def exact_regret(tests: Tests, fit: gdpnum.GDPFit) -> float:
    """sup over eps of (delta of the claim - true delta) / (1 + exp(eps)).

    The true profile is convex and piecewise linear in exp(eps), so it is at one of its corners.
    """
    epsilons = np.append(0.0, tests.slopes())
    epsilons = epsilons[(epsilons >= 0.0) & (epsilons < 300.0)]
    claimed = claimed_delta(fit.mu, fit.slack, epsilons)
    return float(((claimed - tests.best().delta(epsilons)) / (1.0 + np.exp(epsilons))).max())


def claimed_delta(mu: float, slack: float, epsilons: np.ndarray) -> np.ndarray:
    """The profile of f_mu - slack and its mirror image, which meet on the diagonal."""
    low, high = 0.5 * mu, mu + 40.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        ahead = ndtr(middle - mu) - slack < ndtr(-middle)
        low, high = (middle, high) if ahead else (low, middle)
    met = 1.0 - ndtr(-low) * (1.0 + np.exp(epsilons))
    if mu == 0.0:
        return np.where(epsilons > 0.0, slack, met)
    shift = epsilons / mu
    beyond = ndtr(0.5 * mu - shift) - np.exp(epsilons) * ndtr(-0.5 * mu - shift) + slack
    return np.minimum(np.where(epsilons <= mu * low - 0.5 * mu**2, met, beyond), 1.0)


def consistent(curve: gdpnum.TradeoffCurve, fit: gdpnum.GDPFit) -> Iterator[str]:
    """What holds of any curve and any fit, without an oracle."""
    if not 0.0 <= fit.mu_lower <= fit.mu:
        yield f"UNSOUND: bracket [{fit.mu_lower}, {fit.mu}]"
    if not (0.0 <= fit.regret <= 0.5 and 0.0 <= fit.advantage <= 1.0 and fit.tail_ratio >= 0.0):
        yield f"NONSENSE: regret {fit.regret}, advantage {fit.advantage}, tail {fit.tail_ratio}"
    fprs = np.concatenate([[0.0], np.geomspace(1e-12, 0.5, 400), np.linspace(0.5, 1.0, 101)])
    tprs, betas = np.asarray(curve.tpr(fprs)), np.asarray(curve.beta(fprs))
    if not (np.isfinite(tprs).all() and np.isfinite(betas).all()):
        yield "NONSENSE: a rate that is not finite"
    if (
        (np.diff(tprs) < -1e-12).any()
        or (tprs < fprs).any()
        or (np.abs(tprs + betas - 1) > 1e-6).any()
    ):
        yield "NONSENSE: rates that do not rise, or fall below guessing"
    epsilons = np.linspace(0.0, 12.0, 40)
    deltas = np.asarray(curve.delta(epsilons))
    if (np.diff(deltas) > 1e-12).any() or not np.isfinite(deltas).all():
        yield "NONSENSE: a profile that rises"
    for delta in (1e-3, 1e-6):
        epsilon = curve.epsilon(delta)
        if np.isfinite(epsilon) and curve.delta(epsilon * (1 + 1e-9)) > delta * (1 + 1e-6):
            yield f"UNSOUND: epsilon({delta}) = {epsilon}, where delta is {curve.delta(epsilon)}"
