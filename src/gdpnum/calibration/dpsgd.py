"""`calibrate_dpsgd`: the noise, the sample rate or the steps of DP-SGD that just meet a target."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from gdpnum import _validate
from gdpnum.calibration.formula import participation
from gdpnum.calibration.meter import Meter
from gdpnum.calibration.outcome import DPSGDCalibration, Progress
from gdpnum.calibration.search import searched
from gdpnum.calibration.start import Start
from gdpnum.calibration.target import Epsilon, Target, stated
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.mechanisms import DPSGD, Mechanism, Neighbouring
from gdpnum.training import NAMES, is_poisson, resolved

# More steps than anyone takes.
_MOST_STEPS = 10**9

# A sample rate next to nothing.
_LEAST_RATE = 1e-15

# From here on squares are floats, and so is a billionth.
_LEAST_NOISE = 1e-150

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
    neighbouring: Neighbouring | None = None,
    progress: Progress | None = None,
    **described: Any,
) -> DPSGDCalibration:
    """The DP-SGD run that just meets a privacy target, in the parameter that is left out.

    Of ``noise_multiplier``, ``sample_rate`` and ``steps`` pass two: found is the smallest noise,
    the largest rate or the largest number of steps. Whatever else `DPSGD` takes may be passed too,
    such as ``batch_size`` and ``dataset_size`` for the rate, and ``epochs`` for the steps; of
    batches that are not Poisson samples it is the noise that is found. The target is one of: ``mu``
    at ``slack``; ``epsilon`` at ``delta``; ``advantage``, the largest TPR - FPR; ``tpr`` at
    ``fpr``. With ``records_per_person`` it holds for a person with at most so many records.

    Guarantee: the run returned meets the target, and its bound ``achieved``, computed at a tenth
    of the ``tolerance``, lies within a relative ``tolerance`` of it: a run one such step worse
    misses it. Up to 1 / tolerance steps their number is the last that meets it. It takes some four
    engine calls, a mu one or two; ``progress`` is called after each.

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
    tolerance = _validate.tolerance(tolerance)
    if isinstance(target, Epsilon) and target.delta == 0.0:
        raise InvalidArgument(
            "delta=0.0 is out of reach of Gaussian noise; pass a delta such as 1e-5"
        )
    _refuse_unknown(described)
    given = resolved(
        {
            **described,
            "noise_multiplier": noise_multiplier,
            "sample_rate": sample_rate,
            "steps": steps,
            "neighbouring": neighbouring,
        }
    )
    begun = _poisson if is_poisson(given) else _batched
    found, family, start = begun(given, target.sought)
    meter = Meter(family, target.sought, progress)
    answer = searched(meter, start, name=found, tolerance=tolerance)
    value = int(answer.reading.parameter) if start.integer else answer.reading.parameter
    settled = {**given, found: value}
    return DPSGDCalibration(
        noise_multiplier=float(settled["noise_multiplier"]),
        sample_rate=settled.get("sample_rate"),
        steps=settled.get("steps"),
        found=found,
        achieved=answer.reading.achieved,
        target=target,
        mechanism=answer.reading.mechanism,
        tolerance=tolerance,
        calls=meter.calls,
        at_limit=answer.at_limit,
    )


Family = Callable[[float], Mechanism]


def _poisson(given: dict[str, Any], target: Target) -> tuple[str, Family, Start]:
    """What is looked for among noise, rate and steps, the runs it makes, and where to begin."""
    missing = [name for name in _STARTS if name not in given]
    if len(missing) != 1:
        came = f"{' and '.join(missing)} are left out" if missing else "all three are given"
        raise InvalidArgument(
            f"{came}; pass two of noise_multiplier, sample_rate and steps, to find the third"
        )
    (found,) = missing

    def family(parameter: float) -> Mechanism:
        return DPSGD(**{**given, found: int(parameter) if found == "steps" else parameter})

    described = family(1.0)  # checks the numbers
    if given.get("sample_rate") == 0.0:
        raise InvalidArgument(
            "sample_rate=0.0 uses no data, so that everything meets every target; "
            "pass a rate above 0"
        )
    _validate.count("steps", given.get("steps", 1), minimum=1)
    run = _Run(
        noise_multiplier=float(given.get("noise_multiplier", 1.0)),
        sample_rate=float(given.get("sample_rate", 1.0)),
        steps=given.get("steps", 1),
        neighbouring=given.get("neighbouring", "add_remove"),
        records=given.get("records_per_person", 1),
        described=described,
    )
    return found, family, _STARTS[found](run, target)


def _batched(given: dict[str, Any], target: Target) -> tuple[str, Family, Start]:
    """The same for other batches: the noise, of which one step alone needs 1 / mu."""
    if "noise_multiplier" in given:
        raise InvalidArgument(
            f"noise_multiplier={given['noise_multiplier']!r} is given, which is what is found for "
            f"batches={given['batches']!r}; leave it out, or use calibrate for another parameter"
        )

    def family(noise: float) -> Mechanism:
        return DPSGD(**{**given, "noise_multiplier": noise})

    _validate.count("steps", given.get("steps", 1), minimum=1)
    _refuse_without_noise(family(1.0), target)
    first = 1.0 / target.mu
    return "noise_multiplier", family, Start(1e6 * first, 1e-6 * first, first, 1.0)


def _refuse_without_noise(run: Mechanism, target: Target) -> None:
    """Refuse a target that is met even if a record that takes part were revealed."""
    revealed = participation(run)
    if target.allows(revealed):
        raise InvalidArgument(
            f"{target} is met without any noise: a record takes part with probability "
            f"{revealed:.3g} in all; pass a stronger target"
        )


def _refuse_unknown(described: dict[str, Any]) -> None:
    for name, value in described.items():
        if name not in NAMES:
            raise InvalidType(
                f"{name}={_validate.brief(value)} is no argument of calibrate_dpsgd or "
                "DPSGD; leave it out"
            )


@final
@dataclass(frozen=True)
class _Run:
    noise_multiplier: float
    sample_rate: float
    steps: int
    neighbouring: Neighbouring
    records: int
    described: Mechanism
    """With one in place of what is looked for."""

    @property
    def one_mu(self) -> float:
        """The mu of one step on all the data, with a noise multiplier of one."""
        return self.records * (2.0 if self.neighbouring == "replace" else 1.0)

    # The variance of a rare step's loss over rate^2: with x = 1 / sigma^2, exp(x) - 1, and for
    # replaced records 4 sinh(x). By the central limit mu^2 is steps rate^2 times that.

    @property
    def log_growth(self) -> float:
        x = _x(self.noise_multiplier)
        # Several records that are seldom sampled: about so many times the shift.
        more = 2.0 * math.log(self.records)
        if self.neighbouring == "replace":
            return more + math.log(2.0) + x + math.log(-math.expm1(-2.0 * x))
        return more + x + math.log(-math.expm1(-x))

    def inverse_of(self, log_growth: float) -> float:
        """The x, 1 / sigma^2, with that growth."""
        log_growth -= 2.0 * math.log(self.records)
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
    return max((1.0 / max(sigma, 1e-150)) ** 2, 1e-300)


def _noise(run: _Run, target: Target) -> Start:
    _refuse_without_noise(run.described, target)
    # Without sampling, one_mu sqrt(steps) / sigma: always valid, and exact for a rate of one.
    unsampled = (1.0 + _ROUNDING) * run.one_mu * math.sqrt(run.steps) / target.mu
    if not math.isfinite(4.0 * unsampled):
        raise InvalidArgument(f"{target} calls for more noise than floats hold; pass a weaker one")
    if unsampled < _LEAST_NOISE:
        raise InvalidArgument(f"{target} is met by next to no noise at all; pass a stronger one")
    first = unsampled
    if run.sample_rate < 1.0 and target.counts_sampling:
        log_growth = 2.0 * math.log(target.mu / run.sample_rate) - math.log(run.steps)
        inverse = run.inverse_of(log_growth)
        if inverse > 0.0:
            first = min(1.0 / math.sqrt(inverse), unsampled)
    return Start(2.0 * unsampled, 1e-9 * unsampled, first, run.steepness(first))


def _rate(run: _Run, target: Target) -> Start:
    mu = run.one_mu * math.sqrt(run.steps) / run.noise_multiplier
    if target.read(GaussianCurve(mu)) <= target.value:
        return Start(_LEAST_RATE, 1.0, 1.0, 1.0)
    if not target.counts_sampling:
        raise InvalidArgument(
            f"{target} cannot be met: without slack sampling does not help, and mu is {mu:.6g} at "
            "every sample rate; pass a slack such as 1e-10, more noise or fewer steps"
        )
    guess = math.log(target.mu) - 0.5 * (math.log(run.steps) + run.log_growth)
    first = math.exp(max(math.log(_LEAST_RATE), min(guess, math.log(0.9))))
    return Start(_LEAST_RATE, 1.0, first, 1.0)


def _steps(run: _Run, target: Target) -> Start:
    unsampled = 2.0 * math.log(target.mu * run.noise_multiplier / run.one_mu)
    guess = unsampled
    if run.sample_rate < 1.0 and target.counts_sampling:
        sampled = 2.0 * math.log(target.mu / run.sample_rate) - run.log_growth
        guess = max(unsampled, sampled)
    first = math.floor((1.0 + _ROUNDING) * math.exp(max(0.0, min(guess, math.log(_MOST_STEPS)))))
    return Start(1.0, float(_MOST_STEPS), float(first), 0.5, integer=True)


_STARTS = {"noise_multiplier": _noise, "sample_rate": _rate, "steps": _steps}
