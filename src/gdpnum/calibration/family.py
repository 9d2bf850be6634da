"""`calibrate`: the parameter of a mechanism that just meets a target."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gdpnum import _validate
from gdpnum.calibration.meter import Meter
from gdpnum.calibration.outcome import Calibration, Progress
from gdpnum.calibration.search import searched
from gdpnum.calibration.start import Start
from gdpnum.calibration.target import Target, stated
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.kind import Knob, kind_of
from gdpnum.mechanisms.mechanism import Mechanism, repeat, terms
from gdpnum.mechanisms.sampling import PoissonSampled

# The ends of a range are read no more accurately than this.
_COARSE = 1e-2


def calibrate(
    family: Callable[..., Mechanism] | Mechanism,
    target: Target | None = None,
    *,
    between: tuple[float, float] | None = None,
    mu: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    advantage: float | None = None,
    tpr: float | None = None,
    fpr: float | None = None,
    slack: float = 1e-10,
    integer: bool = False,
    tolerance: float = 1e-3,
    progress: Progress | None = None,
) -> Calibration:
    """The least private setting of a mechanism family that meets a privacy target.

    ``family`` makes a mechanism from one positive number, and privacy only grows, or only falls,
    as that number does; ``between`` are the ends of its range, whole numbers where ``integer``. A
    mechanism stands for the family in which its noise, or its epsilon, varies. The target is one
    of: ``mu`` at ``slack``; ``epsilon`` at ``delta``; ``advantage``; ``tpr`` at ``fpr``; or a
    ``target`` of your own, a subclass of `gdpnum.calibration.Target`.

    Guarantee: the mechanism returned meets the target, whatever the family does, since its bound
    is computed last. That bound lies within a relative ``tolerance`` of the target, so that a
    setting one such step worse misses it. Where the family jumps across the target, it is the
    bound before the jump; of whole numbers below 1 / tolerance, the last that meets it. The engine
    is asked at a tenth of the tolerance in the end; ``progress`` is called after every call of it.

    Raises `InvalidArgument` where no setting in the range meets the target.

    >>> from gdpnum import Gaussian, Laplace
    >>> noise = calibrate(Laplace(scale=1.0) * 10, mu=1.0)
    >>> f"{noise.value:.2f}, {noise.achieved:.3f}"
    '3.04, 1.000'
    >>> calibrate(lambda n: Gaussian(sigma=5.0) * n, between=(1, 100), mu=1.0, integer=True).value
    25
    """
    given = {"mu": mu, "epsilon": epsilon, "delta": delta, "advantage": advantage}
    target = _target(target, {**given, "tpr": tpr, "fpr": fpr}, slack)
    tolerance = _validate.tolerance(tolerance)
    integer = _validate.choice("integer", integer, (False, True))
    made, lower, upper = _family(family, between, integer)
    meter = Meter(made, target.sought, progress)
    # The ends tell the direction and a first slope.
    ends = [meter.read(parameter, max(_COARSE, tolerance)) for parameter in (lower, upper)]
    private, open_ = sorted(ends, key=lambda reading: reading.excess)
    rise = open_.excess - private.excess
    # Where the line through the ends meets the target.
    share = min(1.0, max(0.0, -private.excess / rise)) if rise > 0.0 else 1.0
    first = open_.parameter
    if share < 1.0:
        first = private.parameter ** (1.0 - share) * open_.parameter**share
    start = Start(
        private=private.parameter,
        open_=open_.parameter,
        first=float(round(first)) if integer else first,
        slope=max(rise / math.log(upper / lower), 0.1),
        integer=integer,
    )
    answer = searched(meter, start, name="parameter", tolerance=tolerance)
    found = answer.reading
    return Calibration(
        value=int(found.parameter) if integer else found.parameter,
        achieved=found.achieved,
        target=target,
        mechanism=found.mechanism,
        tolerance=tolerance,
        calls=meter.calls,
        at_limit=answer.at_limit,
    )


def _target(target: Target | None, given: dict[str, Any], slack: float) -> Target:
    if target is None:
        return stated(**given, slack=slack)
    if not isinstance(target, Target):
        raise InvalidType(
            f"{_validate.shown('target', target)}, not a target; pass mu=, epsilon= with delta=, "
            "advantage=, or tpr= with fpr="
        )
    if any(one is not None for one in given.values()):
        raise InvalidArgument(f"target={target} is given with another; pass one of them")
    return target


def _family(
    family: object, between: object, integer: bool
) -> tuple[Callable[[float], Mechanism], float, float]:
    """What makes a mechanism of a parameter, and the ends of its range."""
    if isinstance(family, Mechanism):
        make, usual = moved(family)
        return (make, *_range(usual if between is None else between, integer))
    if not callable(family):
        raise InvalidType(
            f"{_validate.shown('family', family)}, not a function; "
            "pass one that makes a mechanism, as in lambda sigma: Gaussian(sigma=sigma)"
        )
    lower, upper = _range(between, integer)
    return (lambda one: family(int(one) if integer else one)), lower, upper


def _range(between: object, integer: bool) -> tuple[float, float]:
    advice = "pass two, as in between=(0.1, 100)"
    if not isinstance(between, (tuple, list)) or len(between) != 2:
        raise InvalidType(f"between={_validate.brief(between)} is not a pair of numbers; {advice}")
    if integer:
        lower, upper = (
            float(_validate.count("between", end, minimum=1, advice="pass whole numbers"))
            for end in between
        )
    else:
        lower, upper = (_validate.positive("between", end, advice=advice) for end in between)
    if not lower < upper:
        raise InvalidArgument(
            f"between={_validate.brief(between)} does not increase; pass the lower end first"
        )
    return lower, upper


def moved(mechanism: Mechanism) -> tuple[Callable[[float], Mechanism], tuple[float, float]]:
    """The family that a mechanism of one kind of release belongs to, and its range.

    >>> from gdpnum import Gaussian
    >>> family, between = moved(PoissonSampled(Gaussian(sigma=1.0), rate=0.1) * 10)
    >>> family(2.0)
    PoissonSampled(Gaussian(sigma=2.0), rate=0.1) * 10
    """
    leaf, count = terms(mechanism)[0]
    noise: Any = leaf.inner if isinstance(leaf, PoissonSampled) else leaf
    knob = kind_of(noise).knob
    if len(mechanism.parts) != 1 or not isinstance(knob, Knob):
        raise InvalidArgument(
            f"family={mechanism!r} has no one parameter to find; pass a function of it, as in "
            "lambda sigma: Gaussian(sigma=sigma) * 10, and between"
        )

    def family(value: float) -> Mechanism:
        one = replace(noise, **{knob.field: value})
        return repeat(replace(leaf, inner=one) if isinstance(leaf, PoissonSampled) else one, count)

    return family, knob.ends
