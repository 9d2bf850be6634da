"""`calibrate_dpsgd`: the noise, the sample rate or the steps of DP-SGD that just meet a target."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

from gdpnum import _validate
from gdpnum.bounds.accuracy import checked_tolerance
from gdpnum.calibration.formula import noiseless_curve, participation
from gdpnum.calibration.meter import Meter
from gdpnum.calibration.outcome import DPSGDCalibration, Progress
from gdpnum.calibration.search import Search
from gdpnum.calibration.target import Target, stated
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.errors import InvalidArgument
from gdpnum.mechanisms import DPSGD, Mechanism, Neighbouring

__all__ = ["calibrate_dpsgd"]

# More steps than anyone takes.
_MOST_STEPS = 10**9

# A sample rate next to nothing.
_LEAST_RATE = 1e-15

# Conversions err to the safe side by less than this.
_ROUNDING = 1e-9


def calibrate_dpsgd(
    *,
    noise_multiplier: float | None = None,
    sample_rate: float | None = None,
    steps: int | None = None,
    mu: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    advantage: float | None = None,
    tpr: float | None = None,
    fpr: float | None = None,
    slack: float = 1e-10,
    tolerance: float = 1e-3,
    neighbouring: Neighbouring = "add_remove",
    progress: Progress | None = None,
) -> DPSGDCalibration:
    """The DP-SGD run that just meets a privacy target, in the parameter that is left out.

    Of ``noise_multiplier``, ``sample_rate`` and ``steps`` pass two: found is the smallest noise,
    the largest rate or the largest number of steps. The target is one of: ``mu`` at ``slack``;
    ``epsilon`` at ``delta``; ``advantage``, the largest TPR - FPR; ``tpr`` at ``fpr``.

    Guarantee: the run returned meets the target, and its bound ``achieved``, computed at a tenth
    of the ``tolerance``, lies within a relative ``tolerance`` of it: a run one such step worse
    misses it. Up to 1 / tolerance steps their number is the last that meets it. It takes some five
    engine calls, two of them at full accuracy; ``progress`` is called after each.

    Raises `InvalidArgument` where nothing meets the target, or where every noise does.

    >>> found = calibrate_dpsgd(sample_rate=0.01, steps=1000, mu=1.0)
    >>> f"{found.noise_multiplier:.3f}"
    '0.764'
    >>> calibrate_dpsgd(noise_multiplier=5.0, sample_rate=1.0, mu=1.0).steps
    25
    """
    target = stated(
        mu=mu, epsilon=epsilon, delta=delta, advantage=advantage, tpr=tpr, fpr=fpr, slack=slack
    )
    tolerance = checked_tolerance(tolerance)
    given = {"noise_multiplier": noise_multiplier, "sample_rate": sample_rate, "steps": steps}
    missing = [name for name, value in given.items() if value is None]
    if len(missing) != 1:
        came = f"{' and '.join(missing)} are left out" if missing else "all three are given"
        raise InvalidArgument(
            f"{came}; pass two of noise_multiplier, sample_rate and steps, to find the third"
        )
    (found,) = missing
    run = _Run(
        noise_multiplier=1.0 if noise_multiplier is None else noise_multiplier,
        sample_rate=1.0 if sample_rate is None else sample_rate,
        steps=1 if steps is None else _validate.count("steps", steps, minimum=1),
        neighbouring=neighbouring,
    )
    run.described()  # checks the numbers
    _refuse_trivial(run, target)
    plan = {"noise_multiplier": _noise, "sample_rate": _rate, "steps": _steps}[found](
        run, target.sought
    )

    def with_parameter(parameter: float) -> _Run:
        if found == "steps":
            return replace(run, steps=int(parameter))
        if found == "sample_rate":
            return replace(run, sample_rate=parameter)
        return replace(run, noise_multiplier=parameter)

    meter = Meter(lambda one: with_parameter(one).described(), target.sought, progress)
    search = Search(
        meter,
        name=found,
        private=plan.private,
        open_=plan.open_,
        slope=plan.slope,
        tolerance=tolerance,
        integer=found == "steps",
    )
    answer = search.answer(plan.first)
    settled = with_parameter(answer.parameter)
    return DPSGDCalibration(
        noise_multiplier=float(settled.noise_multiplier),
        sample_rate=float(settled.sample_rate),
        steps=settled.steps,
        found=found,
        achieved=answer.achieved,
        target=target,
        mechanism=answer.mechanism,
        tolerance=tolerance,
        calls=meter.calls,
        at_limit=search.is_at_limit(answer),
    )


@final
@dataclass(frozen=True)
class _Run:
    noise_multiplier: float
    sample_rate: float
    steps: int
    neighbouring: Neighbouring

    def described(self) -> Mechanism:
        return DPSGD(
            noise_multiplier=self.noise_multiplier,
            sample_rate=self.sample_rate,
            steps=self.steps,
            neighbouring=self.neighbouring,
        )

    @property
    def one_mu(self) -> float:
        """The mu of one step on all the data, with a noise multiplier of one."""
        return 2.0 if self.neighbouring == "replace" else 1.0

    # The variance of a rare step's loss over rate^2: with x = 1 / sigma^2, exp(x) - 1, and for
    # replaced records 4 sinh(x). By the central limit mu^2 is steps rate^2 times that.

    @property
    def log_growth(self) -> float:
        x = _x(self.noise_multiplier)
        if self.neighbouring == "replace":
            return math.log(2.0) + x + math.log(-math.expm1(-2.0 * x))
        return x + math.log(-math.expm1(-x))

    def inverse_of(self, log_growth: float) -> float:
        """The x, 1 / sigma^2, with that growth."""
        if log_growth > 700.0:
            return log_growth
        growth = math.exp(log_growth)
        return math.asinh(0.25 * growth) if self.neighbouring == "replace" else math.log1p(growth)

    def steepness(self, sigma: float) -> float:
        """How fast half the log of the growth falls with log sigma."""
        x = _x(sigma)
        if self.neighbouring == "replace":
            return x / math.tanh(x)
        return x / -math.expm1(-x)


def _x(sigma: float) -> float:
    return min(max((1.0 / sigma) ** 2, 1e-300), 1e300)


@final
@dataclass(frozen=True)
class _Plan:
    """The ends of a search, where it begins, and how steep the log of mu is there."""

    private: float
    open_: float
    first: float
    slope: float


def _noise(run: _Run, target: Target) -> _Plan:
    noiseless = run.described()
    if target.read(noiseless_curve(noiseless)) <= target.value:
        raise InvalidArgument(
            f"{target} is met without any noise: a record takes part with probability "
            f"{participation(noiseless):.3g} in all; pass a stronger target"
        )
    # Without sampling, one_mu sqrt(steps) / sigma: always valid, and exact for a rate of one.
    unsampled = (1.0 + _ROUNDING) * run.one_mu * math.sqrt(run.steps) / target.mu
    if not math.isfinite(4.0 * unsampled):
        raise InvalidArgument(f"{target} calls for more noise than floats hold; pass a weaker one")
    first = unsampled
    if run.sample_rate < 1.0 and not _is_without_slack(target):
        log_growth = 2.0 * math.log(target.mu / run.sample_rate) - math.log(run.steps)
        inverse = run.inverse_of(log_growth)
        if inverse > 0.0:
            first = min(1.0 / math.sqrt(inverse), unsampled)
    return _Plan(2.0 * unsampled, 1e-9 * unsampled, first, run.steepness(first))


def _rate(run: _Run, target: Target) -> _Plan:
    mu = run.one_mu * math.sqrt(run.steps) / run.noise_multiplier
    if target.read(GaussianCurve(mu)) <= target.value:
        return _Plan(_LEAST_RATE, 1.0, 1.0, 1.0)
    if _is_without_slack(target):
        raise InvalidArgument(
            f"{target} cannot be met: without slack sampling does not help, and mu is {mu:.6g} at "
            "every sample rate; pass a slack such as 1e-10, more noise or fewer steps"
        )
    guess = math.log(target.mu) - 0.5 * (math.log(run.steps) + run.log_growth)
    first = math.exp(max(math.log(_LEAST_RATE), min(guess, math.log(0.9))))
    return _Plan(_LEAST_RATE, 1.0, first, 1.0)


def _steps(run: _Run, target: Target) -> _Plan:
    unsampled = 2.0 * math.log(target.mu * run.noise_multiplier / run.one_mu)
    guess = unsampled
    if run.sample_rate < 1.0 and not _is_without_slack(target):
        sampled = 2.0 * math.log(target.mu / run.sample_rate) - run.log_growth
        guess = max(unsampled, sampled)
    first = math.floor((1.0 + _ROUNDING) * math.exp(max(0.0, min(guess, math.log(_MOST_STEPS)))))
    return _Plan(1.0, float(_MOST_STEPS), float(first), 0.5)


def _is_without_slack(target: Target) -> bool:
    """Whether sampling does not count: at slack zero mu is that of full participation."""
    return target.kind == "mu" and target.at == 0.0


def _refuse_trivial(run: _Run, target: Target) -> None:
    if run.sample_rate == 0.0:
        raise InvalidArgument(
            "sample_rate=0.0 uses no data, so that everything meets every target; "
            "pass a rate above 0"
        )
    if target.kind == "epsilon" and target.at == 0.0:
        raise InvalidArgument(
            "delta=0.0 is out of reach of Gaussian noise; pass a delta such as 1e-5"
        )
