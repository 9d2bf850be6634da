"""Noise on batches that are not Poisson samples: fixed sizes, shuffles, allocation and the like.

Each names the relations between datasets for which there is a guarantee, and refuses the others.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import final

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.mechanisms.mechanism import Leaf, Neighbouring, checked, checked_records
from gdpnum.mechanisms.noise import Gaussian

_RATE_ADVICE = "pass the probability that a record joins a step"


class Batches(Leaf):
    """Gaussian noise on the sum over a batch, or over the batches of an epoch or a cycle."""

    __slots__ = ()
    inner: Gaussian

    @property
    def neighbouring(self) -> Neighbouring:
        """The relation of the noise."""
        return self.inner.neighbouring


@final
@dataclass(frozen=True, slots=True, repr=False)
class FixedSize(Batches):
    """One step on a batch of a fixed size, drawn afresh: each set of so many is as likely.

    With ``with_replacement`` each place of the batch is drawn by itself, so that a record can be in
    it several times. For a person with several records (``records_per_person``) all of them are
    exchanged together.

    The guarantee is for a record exchanged for another (``"replace"``); it holds as well for one
    blanked out. For one added or removed there is none: everybody else's chances would move. The
    exact curve is not known; what is has one bound from above, one from below.

    >>> FixedSize(Gaussian(sigma=1.0, neighbouring="replace"), batch_size=500, dataset_size=50_000)
    FixedSize(Gaussian(sigma=1.0, neighbouring='replace'), batch_size=500, dataset_size=50000)
    """

    inner: Gaussian
    _: KW_ONLY
    batch_size: int
    dataset_size: int
    with_replacement: bool = False
    records_per_person: int = 1

    def __post_init__(self) -> None:
        inner = _noise(self)
        _refuse_relation(
            inner,
            ("replace", "zero_out"),
            "a batch of a fixed size draws the others more or less often when a record comes or "
            "goes",
        )
        advice = "pass the records of a batch"
        size = _validate.field(self, "dataset_size", _validate.count, minimum=1)
        batch = _validate.field(self, "batch_size", _validate.count, minimum=1, advice=advice)
        replaced = _validate.field(
            self, "with_replacement", _validate.choice, allowed=(True, False)
        )
        if batch > size and not replaced:
            raise InvalidArgument(
                f"batch_size={batch} is larger than dataset_size={size}; pass one of at most that, "
                "or with_replacement=True if records are drawn again and again"
            )
        records = checked_records(self.records_per_person)
        if records > size:
            raise InvalidArgument(
                f"records_per_person={records} is more than dataset_size={size}; pass the most "
                "records that one person has"
            )
        _validate.settle(self, records_per_person=records)


@final
@dataclass(frozen=True, slots=True, repr=False)
class Shuffled(Batches):
    """One epoch in which each record is in one batch: shuffled, or in a fixed order.

    1/sigma-GDP if a record is blanked out, 2/sigma-GDP if it is exchanged, exactly so if the order
    is known; a secret order has no credit, as none is proven. If a record is added or removed the
    batches after it move, and there is no guarantee. The noise is on the sum; dividing a short
    last batch by its own size would break it. A person's records are taken to be in one batch,
    the worst case.

    >>> Shuffled(Gaussian(sigma=1.0, neighbouring="zero_out")) * 5
    Shuffled(Gaussian(sigma=1.0, neighbouring='zero_out')) * 5
    """

    inner: Gaussian
    _: KW_ONLY
    records_per_person: int = 1

    def __post_init__(self) -> None:
        _refuse_relation(
            _noise(self),
            ("zero_out", "replace"),
            "with a record more or less all batches after it are others",
        )
        _validate.settle(self, records_per_person=checked_records(self.records_per_person))


@final
@dataclass(frozen=True, slots=True, repr=False)
class Allocated(Batches):
    """One epoch of ``bins`` steps, of which each record takes part in ``times``, chosen by itself.

    "Balls in bins": each record picks its steps at random, apart from all others and in secret, so
    that batches have random sizes. Batches of equal size are a shuffle (`Shuffled`). Bins that are
    ``kept`` for several epochs are picked once for all of them: the noise is then that of all these
    epochs together, and the description is of them all.

    >>> Allocated(Gaussian(sigma=1.0), bins=100) * 10
    Allocated(Gaussian(sigma=1.0), bins=100) * 10
    """

    inner: Gaussian
    _: KW_ONLY
    bins: int
    times: int = 1
    kept: int = 1

    def __post_init__(self) -> None:
        _noise(self)
        advice = "pass the number of steps of an epoch"
        bins = _validate.field(self, "bins", _validate.count, minimum=1, advice=advice)
        times = _validate.field(self, "times", _validate.count, minimum=1)
        if times > bins:
            raise InvalidArgument(
                f"times={times} is more than bins={bins}; a record takes part in each step once "
                "at most"
            )
        _validate.field(self, "kept", _validate.count, minimum=1)


@final
@dataclass(frozen=True, slots=True, repr=False)
class TruncatedPoisson(Batches):
    """One step on a Poisson sample of which at most ``max_batch_size`` records are kept.

    Which, is chosen uniformly; truncation by order or priority is another thing and has no
    guarantee. ``dataset_size`` is public; for a record added or removed it is the larger one.

    >>> TruncatedPoisson(Gaussian(sigma=1.0), rate=0.01, dataset_size=50_000, max_batch_size=600)
    TruncatedPoisson(Gaussian(sigma=1.0), rate=0.01, dataset_size=50000, max_batch_size=600)
    """

    inner: Gaussian
    _: KW_ONLY
    rate: float
    dataset_size: int
    max_batch_size: int

    def __post_init__(self) -> None:
        _noise(self)
        advice = "pass the largest batch"
        _validate.field(self, "rate", _validate.probability, advice=_RATE_ADVICE)
        _validate.field(self, "dataset_size", _validate.count, minimum=1)
        _validate.field(self, "max_batch_size", _validate.count, minimum=1, advice=advice)


@final
@dataclass(frozen=True, slots=True, repr=False)
class CyclicPoisson(Batches):
    """One cycle of ``bands`` steps, each with the Poisson sample of a part of its own.

    The records are in ``bands`` parts of about equal size, fixed without a look at the data; step i
    samples part i modulo bands, at ``rate * bands``, so that ``rate`` is that of all records. The
    noise may be correlated by a lower triangular matrix with so many bands and columns of norm one
    at most (Choquette-Choo et al. 2023).

    >>> CyclicPoisson(Gaussian(sigma=1.0), rate=0.01, bands=4) * 250
    CyclicPoisson(Gaussian(sigma=1.0), rate=0.01, bands=4) * 250
    """

    inner: Gaussian
    _: KW_ONLY
    rate: float
    bands: int

    def __post_init__(self) -> None:
        _refuse_relation(
            _noise(self),
            ("add_remove", "zero_out"),
            "the proof for correlated noise needs one of the two records to be nothing",
        )
        advice = "pass the number of bands"
        rate = _validate.field(self, "rate", _validate.probability, advice=_RATE_ADVICE)
        bands = _validate.field(self, "bands", _validate.count, minimum=1, advice=advice)
        if rate * bands > 1.0:
            raise InvalidArgument(
                f"rate={rate!r} times bands={bands} is {rate * bands:.4g}, above 1; a step samples "
                "one part only, so its batch must fit into one part"
            )


def _noise(leaf: Batches) -> Gaussian:
    inner = checked("inner", leaf.inner)
    if not isinstance(inner, Gaussian):
        raise UnsupportedMechanism(
            f"{type(leaf).__name__} cannot hold {inner!r}; pass Gaussian noise"
        )
    return inner


def _refuse_relation(inner: Gaussian, known: tuple[Neighbouring, ...], why: str) -> None:
    if inner.neighbouring not in known:
        options = " or ".join(f"neighbouring={one!r}" for one in known)
        raise UnsupportedMechanism(
            f"neighbouring={inner.neighbouring!r} has no guarantee here: {why}; pass {options}"
        )
