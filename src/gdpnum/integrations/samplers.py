"""The samplers of torch and Opacus: how a data loader draws its batches."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from gdpnum._optional import imported
from gdpnum.draws import Draws, Scheme
from gdpnum.errors import InvalidType

# accelerate's, which seeds the shuffle and is the same otherwise.
_SEEDED = "SeedableRandomSampler"


def draws_of(loader: Any) -> Draws:
    """How a data loader draws its batches, as far as its sampler is one of torch's or Opacus's.

    A sampler of another class, or of a subclass that draws in its own way, is ``"unknown"``.
    """
    if not hasattr(loader, "batch_sampler"):
        raise InvalidType(
            f"data_loader is of type {type(loader).__name__} and has no batch_sampler; "
            "pass the loader that make_private returned"
        )
    batches = loader.batch_sampler
    # BatchMemoryManager divides batches after they are drawn, and the optimizer waits for the rest.
    while type(batches).__name__ == "BatchSplittingSampler":
        batches = batches.sampler
    return _poisson(batches) or _in_batches(batches) or _unknown(batches, batches)


def _poisson(batches: Any) -> Draws | None:
    # A loader of Opacus's has imported its module.
    theirs = sys.modules.get("opacus.utils.uniform_sampler")
    if theirs is None:
        return None
    name = type(batches).__name__
    if _is_one(batches, theirs.DistributedUniformWithReplacementSampler):
        return Draws(scheme="poisson", sampler=name, rate=float(batches.sample_rate))
    if _is_one(batches, theirs.UniformWithReplacementSampler):
        rate = float(batches.sample_rate)
        return Draws(scheme="poisson", sampler=name, rate=rate, copies=_workers())
    return None


def _in_batches(batches: Any) -> Draws | None:
    data = imported("torch.utils.data", extra="opacus")
    if not _is_one(batches, data.BatchSampler):
        return None
    for name, read in _READERS.items():
        if _is_one(batches.sampler, getattr(data, name)):
            return read(batches, batches.sampler)
    return _unknown(batches, batches.sampler)


def _random(batches: Any, one: Any) -> Draws:
    size = len(one.data_source)
    if one.replacement:
        return _replaced(batches, size)
    return _epoch(batches, "shuffled", math.ceil(one.num_samples / size))


def _subset(batches: Any, one: Any) -> Draws:
    return _epoch(batches, "shuffled", max(Counter(map(int, one.indices)).values(), default=1))


def _weighted(batches: Any, one: Any) -> Draws:
    if not one.replacement:
        return _epoch(batches, "shuffled", 1)
    # The likeliest record's chance, rounded up to 1 over a whole number.
    weights = Counter(float(weight) for weight in one.weights)
    total = sum(Fraction(weight) * count for weight, count in weights.items())
    return _replaced(batches, math.floor(total / Fraction(max(weights))))


def _distributed(batches: Any, one: Any) -> Draws:
    # Padded to a multiple of the workers it knows of, from the start of the list.
    twice = math.ceil(one.total_size / len(one.dataset))
    alike = math.ceil(_workers() / one.num_replicas)
    return _epoch(batches, "shuffled" if one.shuffle else "ordered", twice, alike)


_READERS: dict[str, Callable[[Any, Any], Draws]] = {
    "SequentialSampler": lambda batches, _: _epoch(batches, "ordered", 1),
    "RandomSampler": _random,
    "SubsetRandomSampler": _subset,
    "WeightedRandomSampler": _weighted,
    "DistributedSampler": _distributed,
}


def _epoch(batches: Any, scheme: Scheme, times: int, workers: int | None = None) -> Draws:
    copies = times * (_workers() if workers is None else workers)
    return _in_sizes(batches, scheme=scheme, copies=copies)


def _replaced(batches: Any, one_in: int) -> Draws:
    return _in_sizes(batches, scheme="with_replacement", one_in=one_in, copies=_workers())


def _in_sizes(batches: Any, **more: Any) -> Draws:
    """Batches of the size that is asked for, but for the last."""
    last = 0 if batches.drop_last else len(batches.sampler) % batches.batch_size
    return Draws(
        sampler=type(batches.sampler).__name__,
        batches_per_epoch=len(batches),
        batch_size=batches.batch_size,
        smallest_batch=last or batches.batch_size,
        **more,
    )


def _unknown(batches: Any, named: Any) -> Draws:
    try:
        length = len(batches)
    except TypeError:
        length = 1
    name = "no batch sampler" if named is None else type(named).__name__
    return Draws(
        scheme="unknown",
        sampler=name,
        batches_per_epoch=max(1, length),
        smallest_batch=0,
        copies=_workers(),
    )


def _is_one(sampler: Any, kind: type) -> bool:
    """Whether it draws as its class in torch or Opacus does."""
    own = type(sampler).__iter__ if hasattr(type(sampler), "__iter__") else None
    return isinstance(sampler, kind) and (
        own is vars(kind).get("__iter__") or type(sampler).__name__ == _SEEDED
    )


def _workers() -> int:
    distributed = imported("torch.distributed", extra="opacus")
    running = distributed.is_available() and distributed.is_initialized()
    return int(distributed.get_world_size()) if running else 1
