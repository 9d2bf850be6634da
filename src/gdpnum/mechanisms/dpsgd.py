"""DP-SGD as its users describe it."""

from __future__ import annotations

from gdpnum import _validate
from gdpnum.mechanisms.composition import repeat
from gdpnum.mechanisms.mechanism import Mechanism, Neighbouring
from gdpnum.mechanisms.noise import Gaussian
from gdpnum.mechanisms.sampling import PoissonSampled

__all__ = ["DPSGD"]


def DPSGD(  # noqa: N802  (reads as the mechanism it returns)
    *,
    noise_multiplier: float,
    sample_rate: float,
    steps: int,
    neighbouring: Neighbouring = "add_remove",
    records_per_person: int = 1,
) -> Mechanism:
    """Return the Poisson-sampled Gaussian, repeated: DP-SGD in the words of its users.

    ``noise_multiplier`` is the standard deviation of the noise divided by the clipping norm,
    ``sample_rate`` the probability that a record joins a step. With ``records_per_person`` the
    guarantee is for a person with at most so many records.

    >>> DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
    PoissonSampled(Gaussian(sigma=9.4), rate=0.32768) * 2000
    """
    sigma = _validate.positive(
        "noise_multiplier",
        noise_multiplier,
        advice="pass the standard deviation of the noise divided by the clipping norm",
    )
    rate = _validate.probability(
        "sample_rate", sample_rate, advice="pass the probability that a record joins a step"
    )
    count = _validate.count("steps", steps, advice="pass the number of steps")
    noise = Gaussian(sigma=sigma, neighbouring=neighbouring)
    step = PoissonSampled(noise, rate=rate, records_per_person=records_per_person)
    return repeat(step, count)
