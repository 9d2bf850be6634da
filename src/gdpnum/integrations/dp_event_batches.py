"""dp-accounting's events of batches that are not Poisson samples: fixed sizes, and cut ones."""

from __future__ import annotations

from typing import Any, Literal

from gdpnum import _validate
from gdpnum.errors import UnsupportedMechanism
from gdpnum.mechanisms import FixedSize, Gaussian, Mechanism, Neighbouring, TruncatedPoisson

__all__ = ["fixed_size", "truncated"]

_RELATIONS: dict[str, Neighbouring] = {
    "add_remove": "add_remove",
    "replace": "replace",
    "replace_special": "zero_out",
}


def fixed_size(
    event: Any, relation: Literal["add_remove", "replace", "replace_special"]
) -> list[tuple[Mechanism, int]]:
    """``SampledWithoutReplacementDpEvent`` and ``SampledWithReplacementDpEvent`` of a Gaussian.

    dp-accounting's RDP of the first is for a record that moves the sum by one sensitivity; an
    exchanged one moves it by two.

    >>> from collections import namedtuple
    >>> Noise = namedtuple("GaussianDpEvent", "noise_multiplier")
    >>> Drawn = namedtuple(
    ...     "SampledWithoutReplacementDpEvent", "source_dataset_size sample_size event"
    ... )
    >>> fixed_size(Drawn(1000, 10, Noise(2.0)), "replace_special")
    [(FixedSize(Gaussian(sigma=2.0, neighbouring='zero_out'), batch_size=10, dataset_size=1000), 1)]
    """
    inner = event.event
    if type(inner).__name__ != "GaussianDpEvent":
        raise UnsupportedMechanism(
            f"{type(event).__name__} of {type(inner).__name__} has no bound; it has one of a "
            "GaussianDpEvent"
        )
    sigma = _validate.positive("noise_multiplier", inner.noise_multiplier)
    step = FixedSize(
        Gaussian(sigma=sigma, neighbouring=_RELATIONS[relation]),
        batch_size=event.sample_size,
        dataset_size=event.source_dataset_size,
        with_replacement=type(event).__name__ == "SampledWithReplacementDpEvent",
    )
    return [(step, 1)]


def truncated(
    event: Any, relation: Literal["add_remove", "replace", "replace_special"]
) -> list[tuple[Mechanism, int]]:
    """``TruncatedSubsampledGaussianDpEvent``, tighter than dp-accounting's own distribution of it.

    >>> from collections import namedtuple
    >>> Cut = namedtuple(
    ...     "TruncatedSubsampledGaussianDpEvent",
    ...     "dataset_size sampling_probability truncated_batch_size noise_multiplier",
    ... )
    >>> truncated(Cut(1000, 0.05, 60, 2.0), "add_remove")
    [(TruncatedPoisson(Gaussian(sigma=2.0), rate=0.05, dataset_size=1000, max_batch_size=60), 1)]
    """
    sigma = _validate.positive("noise_multiplier", event.noise_multiplier)
    step = TruncatedPoisson(
        Gaussian(sigma=sigma, neighbouring=_RELATIONS[relation]),
        rate=event.sampling_probability,
        dataset_size=event.dataset_size,
        max_batch_size=event.truncated_batch_size,
    )
    return [(step, 1)]
