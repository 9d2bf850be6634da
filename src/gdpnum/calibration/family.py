"""`calibrate`: the parameter of a mechanism that just meets a target."""

from __future__ import annotations

import math
from collections.abc import Callable

from gdpnum import _validate
from gdpnum.bounds.accuracy import checked_tolerance
from gdpnum.calibration.meter import Meter
from gdpnum.calibration.outcome import Calibration, Progress
from gdpnum.calibration.search import COARSE, Search
from gdpnum.calibration.target import stated
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.mechanisms.mechanism import Mechanism

__all__ = ["calibrate"]


def calibrate(
    family: Callable[..., Mechanism],
    *,
    between: tuple[float, float],
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
    as that number does; ``between`` are the ends of its range, whole numbers where ``integer``.
    The target is one of: ``mu`` at ``slack``; ``epsilon`` at ``delta``; ``advantage``; ``tpr`` at
    ``fpr``.

    Guarantee: the mechanism returned meets the target, whatever the family does, since its bound
    is computed last. That bound lies within a relative ``tolerance`` of the target, so that a
    setting one such step worse misses it. Where the family jumps across the target, it is the
    bound before the jump; of whole numbers below 1 / tolerance, the last that meets it. The engine
    is asked at a tenth of the tolerance in the end; ``progress`` is called after every call of it.

    Raises `InvalidArgument` where no setting in the range meets the target.

    >>> from gdpnum import Gaussian, Laplace
    >>> noise = calibrate(lambda scale: Laplace(scale=scale) * 10, between=(1, 100), mu=1.0)
    >>> f"{noise.value:.2f}, {noise.achieved:.3f}"
    '3.04, 1.000'
    >>> calibrate(lambda n: Gaussian(sigma=5.0) * n, between=(1, 100), mu=1.0, integer=True).value
    25
    """
    target = stated(
        mu=mu, epsilon=epsilon, delta=delta, advantage=advantage, tpr=tpr, fpr=fpr, slack=slack
    )
    tolerance = checked_tolerance(tolerance)
    if not callable(family):
        raise InvalidType(
            f"{_validate.shown('family', family)}, not a function; "
            "pass one that makes a mechanism, as in lambda sigma: Gaussian(sigma=sigma)"
        )
    lower, upper = _range(between, integer)

    def made(parameter: float) -> Mechanism:
        return family(int(parameter) if integer else parameter)

    meter = Meter(made, target.sought, progress)
    # The ends tell the direction and a first slope.
    ends = [meter.read(parameter, max(COARSE, tolerance)) for parameter in (lower, upper)]
    private, open_ = sorted(ends, key=lambda reading: reading.excess)
    rise = open_.excess - private.excess
    search = Search(
        meter,
        name="parameter",
        private=private.parameter,
        open_=open_.parameter,
        slope=max(rise / math.log(upper / lower), 0.1),
        tolerance=tolerance,
        integer=integer,
    )
    search.narrow(private)
    search.narrow(open_)
    # Where the line through the ends meets the target.
    share = min(1.0, max(0.0, -private.excess / rise)) if rise > 0.0 else 1.0
    start = open_.parameter
    if share < 1.0:
        start = private.parameter ** (1.0 - share) * open_.parameter**share
    found = search.answer(float(round(start)) if integer else start)
    return Calibration(
        value=int(found.parameter) if integer else found.parameter,
        achieved=found.achieved,
        target=target,
        mechanism=found.mechanism,
        tolerance=tolerance,
        calls=meter.calls,
        at_limit=search.is_at_limit(found),
    )


def _range(between: object, integer: bool) -> tuple[float, float]:
    advice = "pass two, as in between=(0.1, 100)"
    if not isinstance(between, (tuple, list)) or len(between) != 2:
        raise InvalidType(f"between={between!r} is not a pair of numbers; {advice}")
    if integer:
        lower, upper = (
            float(_validate.count("between", end, minimum=1, advice="pass whole numbers"))
            for end in between
        )
    else:
        lower, upper = (_validate.positive("between", end, advice=advice) for end in between)
    if not lower < upper:
        raise InvalidArgument(f"between={between!r} does not increase; pass the lower end first")
    return lower, upper
