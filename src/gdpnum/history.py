"""The history of a training run as Opacus keeps it: (noise_multiplier, sample_rate, num_steps)."""

from __future__ import annotations

import math

from gdpnum import _validate
from gdpnum.errors import GdpnumError, InvalidArgument
from gdpnum.mechanisms import DPSGD, Mechanism
from gdpnum.mechanisms.mechanism import composed
from gdpnum.representations import ApproxDP

Segment = tuple[float, float, int]
"""(noise_multiplier, sample_rate, num_steps): so many equal steps in a row."""


def segments(history: object) -> tuple[Segment, ...]:
    """The entries of an Opacus history as plain numbers, once they are checked."""
    if not isinstance(history, (list, tuple)):
        raise InvalidArgument(
            f"{_validate.shown('history', history)}, not a list; "
            "pass a list of (noise_multiplier, sample_rate, num_steps)"
        )
    return tuple(_segment(index, entry) for index, entry in enumerate(history))


def run_of(history: object) -> Mechanism:
    """The mechanism of an Opacus history, equal segments merged.

    >>> run_of([(1.0, 0.01, 5), (2.0, 0.01, 10), (1.0, 0.01, 15)])
    PoissonSampled(Gaussian(sigma=1.0), rate=0.01) * 20 + PoissonSampled(Gaussian(sigma=2.0), rate=0.01) * 10
    """  # noqa: E501  (a doctest compares the repr as one line)
    runs: list[Mechanism] = []
    log_unseen = 0.0
    for sigma, rate, steps in segments(history):
        if sigma > 0.0:
            runs.append(DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps))
        elif steps > 0:
            log_unseen += steps * math.log1p(-rate) if rate < 1.0 else -math.inf
    if log_unseen < 0.0:
        # Without noise a record is found out if it is ever sampled, else not at all; (0, delta)-DP
        # says just that. A few ulps more cover the rounding.
        seen = min(1.0, -math.expm1(log_unseen) * (1.0 + 1e-14))
        revealed = ApproxDP(epsilon=0.0, delta=seen)
        runs = [revealed] if seen == 1.0 else [*runs, revealed]
    if not runs:
        return DPSGD(noise_multiplier=1.0, sample_rate=0.0, steps=0)
    return composed(runs)


def _segment(index: int, entry: object) -> Segment:
    name = f"history[{index}]"
    if not isinstance(entry, (list, tuple)) or len(entry) != 3:
        raise InvalidArgument(
            f"{name}={_validate.brief(entry)} is not (noise_multiplier, sample_rate, num_steps); "
            "pass these three"
        )
    sigma, rate, steps = entry
    try:
        return checked_sigma(sigma), checked_rate(rate), _steps(steps)
    except GdpnumError as error:
        raise InvalidArgument(f"{name}: {error}") from None


def checked_sigma(value: object) -> float:
    """A noise multiplier as a float; 0 where a step adds no noise."""
    return _validate.non_negative(
        "noise_multiplier",
        _item(value),
        advice="pass the standard deviation of the noise divided by the clipping norm",
    )


def checked_rate(value: object) -> float:
    """A sample rate as a float."""
    return _validate.probability(
        "sample_rate", _item(value), advice="pass the probability that a record joins a step"
    )


def _steps(value: object) -> int:
    number = _item(value)
    # Opacus divides epochs by the rate; a whole number may come as a float.
    whole = int(number) if isinstance(number, float) and number.is_integer() else number
    return _validate.count("num_steps", whole, advice="pass the number of steps")


def _item(value: object) -> object:
    """The number in a tensor that holds just one, such as a noise schedule may make."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value
