"""DP-SGD as its users describe it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, NamedTuple, get_args

from gdpnum import _validate
from gdpnum._validate import Check
from gdpnum.errors import InvalidArgument, InvalidType, UnsupportedMechanism
from gdpnum.mechanisms.batches import (
    Allocated,
    CyclicPoisson,
    FixedSize,
    Shuffled,
    TruncatedPoisson,
)
from gdpnum.mechanisms.mechanism import (
    RECORDS,
    Mechanism,
    Neighbouring,
    Repeated,
    checked_records,
    released,
)
from gdpnum.mechanisms.noise import Gaussian
from gdpnum.mechanisms.sampling import (
    RATE_ADVICE,
    PoissonSampled,
    meant_rate,
    rate_of,
    steps_of,
    typed,
)

BatchScheme = Literal["poisson", "fixed", "shuffled", "allocated", "truncated", "cyclic"]
"""How batches are drawn."""

# The relation that each scheme has a guarantee for, unless another one is named.
_RELATION: dict[BatchScheme, Neighbouring] = {
    "poisson": "add_remove",
    "fixed": "replace",
    "shuffled": "zero_out",
    "allocated": "add_remove",
    "truncated": "add_remove",
    "cyclic": "add_remove",
}

# What each scheme is described by, besides the noise, the relation and the records of a person.
_SIZES = ("batch_size", "dataset_size", "epochs")
_ARGUMENTS: dict[BatchScheme, tuple[str, ...]] = {
    "poisson": ("sample_rate", "steps", *_SIZES),
    "fixed": ("steps", "with_replacement", *_SIZES),
    "shuffled": _SIZES,
    "allocated": ("steps_per_epoch", "times_per_epoch", "fixed_bins", *_SIZES),
    "truncated": ("sample_rate", "steps", "max_batch_size", *_SIZES),
    "cyclic": ("sample_rate", "steps", "bands", *_SIZES),
}

# What arguments are when nothing was said, and those that have no place in a scheme.
_UNSAID = {"with_replacement": False, "times_per_epoch": 1, "fixed_bins": False}
_MISPLACED = {
    scheme: sorted({name for names in _ARGUMENTS.values() for name in names}.difference(own))
    for scheme, own in _ARGUMENTS.items()
}

# What to pass in place of what has no place in a scheme.
_INSTEAD = {
    ("fixed", "sample_rate"): "pass batch_size and dataset_size instead",
    ("shuffled", "steps"): "pass epochs instead",
    ("shuffled", "sample_rate"): "a record is in every epoch once; pass epochs instead",
    ("allocated", "steps"): "pass steps_per_epoch and epochs instead",
    ("allocated", "sample_rate"): "pass steps_per_epoch and epochs instead",
}


Unit = Literal["record", "person"]
"""Whom a guarantee is for."""

# What the arguments of every scheme have to be, and those of some.
_NOISE_ADVICE = "pass the standard deviation of the noise divided by the clipping norm"
_EVERY = {
    "noise_multiplier": Check(_validate.positive, {"advice": _NOISE_ADVICE}),
    "batches": Check(_validate.choice, {"allowed": get_args(BatchScheme)}),
    "neighbouring": Check(_validate.choice, {"allowed": get_args(Neighbouring)}, optional=True),
    "unit": Check(_validate.choice, {"allowed": get_args(Unit)}),
    "records_per_person": Check(_validate.count, RECORDS, optional=True),
    "batch_size": Check(_validate.count, {"minimum": 1}, optional=True),
    "dataset_size": Check(_validate.count, {"minimum": 1}, optional=True),
    "epochs": Check(_validate.positive, {"advice": "pass the passes over the data"}, optional=True),
}
_SOME = {
    "sample_rate": Check(
        _validate.probability, {"advice": RATE_ADVICE, "meant": meant_rate}, optional=True
    ),
    "steps": Check(_validate.count, {"advice": "pass the number of steps"}, optional=True),
}
_CHECKS: dict[str, dict[str, Check]] = {
    scheme: _EVERY | {name: check for name, check in _SOME.items() if name in own}
    for scheme, own in _ARGUMENTS.items()
}


def records_of_person(records: object) -> int:
    """How many records one person has at most; raises where that is not known."""
    if records is None:
        raise InvalidArgument(
            "unit='person' without records_per_person: how many records one person has is not "
            "known, and without a bound nothing protects a person; pass the most that anyone has, "
            "drop what exceeds a cap before training, or state the guarantee for a record"
        )
    return checked_records(records)


def DPSGD(  # noqa: N802  (reads as the mechanism it returns)
    *,
    noise_multiplier: float,
    sample_rate: float | None = None,
    steps: int | None = None,
    batch_size: int | None = None,
    dataset_size: int | None = None,
    epochs: float | None = None,
    batches: BatchScheme = "poisson",
    with_replacement: bool = False,
    steps_per_epoch: int | None = None,
    times_per_epoch: int = 1,
    fixed_bins: bool = False,
    max_batch_size: int | None = None,
    bands: int | None = None,
    neighbouring: Neighbouring | None = None,
    unit: Unit = "record",
    records_per_person: int | None = None,
) -> Mechanism:
    """Return DP-SGD as a mechanism, in the words of its users.

    ``noise_multiplier`` is the standard deviation of the noise on the sum of a batch divided by the
    clipping norm, ``sample_rate`` the probability that a record joins a step. In place of rate and
    steps: ``batch_size`` (the expected one), ``dataset_size`` and ``epochs``; steps are rounded up.

    ``batches`` says how they were drawn, and with it what the guarantee is about:

    - ``"poisson"``: each record joins each step by itself; one record added or removed;
    - ``"fixed"``: so many of the dataset, drawn afresh each step, perhaps ``with_replacement``; one
      record exchanged for another;
    - ``"shuffled"``: each record once an epoch, shuffled or in order, as a plain data loader does;
      one record blanked out. ``epochs`` are rounded up;
    - ``"allocated"``: each record picks one of ``steps_per_epoch`` by itself, or
      ``times_per_epoch``, afresh each epoch or once for all (``fixed_bins``);
    - ``"truncated"``: Poisson, cut at random to ``max_batch_size``;
    - ``"cyclic"``: Poisson from one of ``bands`` parts after the other.

    ``neighbouring`` names another relation; one without a guarantee is refused. The guarantee is
    for one record, or for a person with at most ``records_per_person`` of them: ``unit="person"``
    is refused as long as that is not known.

    >>> DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
    PoissonSampled(Gaussian(sigma=9.4), rate=0.32768) * 2000
    >>> DPSGD(noise_multiplier=1.0, batches="shuffled", epochs=5)
    Shuffled(Gaussian(sigma=1.0, neighbouring='zero_out')) * 5
    >>> DPSGD(noise_multiplier=1.0, batches="allocated", steps_per_epoch=100, epochs=10)
    Allocated(Gaussian(sigma=1.0), bins=100) * 10
    """
    given: dict[str, Any] = dict(locals())
    scheme = given["batches"]
    # What is no scheme is refused by the check of batches.
    checks = _CHECKS.get(scheme, _EVERY) if isinstance(scheme, str) else _EVERY
    run = _Run(**_validate.arguments(checks, given), exact_rate=sample_rate)
    _refuse_misplaced(given, run.batches)
    if run.unit == "person" and run.records_per_person is None:
        records_of_person(None)
    return _BUILT[run.batches](run)


def _refuse_misplaced(given: dict[str, Any], scheme: BatchScheme) -> None:
    """Raise about what has no place in a scheme."""
    for name in _MISPLACED[scheme]:
        value, unsaid = given[name], _UNSAID.get(name)
        if value is unsaid or value == unsaid:
            continue
        owners = [other for other, names in _ARGUMENTS.items() if name in names]
        meant = " or ".join(f"batches={other!r}" for other in owners)
        instead = _INSTEAD.get((scheme, name), f"did you mean {meant}?")
        raise InvalidArgument(f"{name}={value!r} has no place with batches={scheme!r}; {instead}")


class _Run(NamedTuple):
    """What was said about a run, as checked; the rates and counts that follow."""

    noise_multiplier: float
    sample_rate: float | None
    steps: int | None
    batch_size: int | None
    dataset_size: int | None
    epochs: float | None
    batches: BatchScheme
    with_replacement: bool
    steps_per_epoch: int | None
    times_per_epoch: int
    fixed_bins: bool
    max_batch_size: int | None
    bands: int | None
    neighbouring: Neighbouring | None
    unit: Unit
    records_per_person: int | None
    exact_rate: float | Fraction | None

    @property
    def noise(self) -> Gaussian:
        """The noise of a step."""
        relation = self.neighbouring or _RELATION[self.batches]
        return _validate.settled(Gaussian, sigma=self.noise_multiplier, neighbouring=relation)

    @property
    def records(self) -> int:
        """How many records of a person are protected together."""
        return self.records_per_person or 1

    def refuse_person(self, scheme: BatchScheme) -> None:
        """Raise about several records of a person where there is no bound for them."""
        if self.records > 1:
            raise UnsupportedMechanism(
                f"records_per_person={self.records} has no bound for batches={scheme!r}; pass "
                "batches='poisson', 'fixed' or 'shuffled', or give each person one record"
            )

    @property
    def sizes(self) -> tuple[int, int]:
        """Batch and dataset."""
        batch = _needed("batch_size", self.batch_size, "the records of a batch")
        return batch, _needed("dataset_size", self.dataset_size, "the number of records")

    @property
    def rate(self) -> float:
        """The sampling rate, as given or as batch over dataset."""
        if self.sample_rate is not None and self.batch_size is None:
            return self.sample_rate
        found = rate_of(self.sample_rate, self.batch_size, self.dataset_size)
        if found is None:
            raise InvalidType(
                "sample_rate=None is no probability; pass sample_rate, or batch_size and "
                "dataset_size"
            )
        return float(found)

    @property
    def all_steps(self) -> int:
        """The number of steps, as given or as epochs of the dataset, rounded up."""
        steps = self.steps
        if self.epochs is not None:
            known = self.exact_rate is not None
            rate = rate_of(self.exact_rate, None, None) if known else Fraction(*self.sizes)
            steps = steps_of(steps, self.epochs, rate)
        if steps is None:
            raise InvalidType("steps=None is no number; pass steps, or epochs")
        return steps

    @property
    def whole_epochs(self) -> int:
        """Epochs, a part of one counted as one."""
        if self.epochs is None:
            raise InvalidType(
                "epochs=None is no number; pass the passes over the data, by which these batches "
                "are accounted for"
            )
        return math.ceil(typed(self.epochs))

    @property
    def bins(self) -> int:
        """The steps of an epoch, as given or as the whole batches of the dataset."""
        if self.steps_per_epoch is not None:
            if self.batch_size is not None:
                raise InvalidArgument(
                    f"steps_per_epoch={self.steps_per_epoch!r} and batch_size={self.batch_size} "
                    "are both given; pass steps_per_epoch, or batch_size and dataset_size"
                )
            return _validate.count(
                "steps_per_epoch",
                self.steps_per_epoch,
                minimum=1,
                advice="pass the number of steps that a record chooses from",
            )
        if self.batch_size is None:
            raise InvalidType(
                "steps_per_epoch=None is no number; pass the number of steps that a record "
                "chooses from, or batch_size and dataset_size"
            )
        batch, size = self.sizes
        rate_of(None, batch, size)  # refuses a batch above the dataset
        # Fewer steps to choose from are less private, so a part of one is not counted.
        return size // batch


def _poisson(run: _Run) -> Mechanism:
    noise, rate, steps = run.noise, run.rate, run.all_steps
    if run.records > 1 or steps < 2:
        step = PoissonSampled(noise, rate=rate, records_per_person=run.records)
        return released(step, steps)
    # All is checked and nothing to be refused any more: as the classes themselves would leave it.
    step = _validate.settled(PoissonSampled, inner=noise, rate=rate, records_per_person=1)
    return _validate.settled(
        Repeated,
        mechanism=step,
        count=steps,
        parts=((step, steps),),
        neighbouring=noise.neighbouring,
    )


def _fixed(run: _Run) -> Mechanism:
    batch, size = run.sizes
    step = FixedSize(
        run.noise,
        batch_size=batch,
        dataset_size=size,
        with_replacement=run.with_replacement,
        records_per_person=run.records,
    )
    return released(step, run.all_steps)


def _shuffled(run: _Run) -> Mechanism:
    return released(Shuffled(run.noise, records_per_person=run.records), run.whole_epochs)


def _allocated(run: _Run) -> Mechanism:
    run.refuse_person("allocated")
    bins, epochs = run.bins, run.whole_epochs
    times = _validate.count("times_per_epoch", run.times_per_epoch, minimum=1)
    if times > bins:
        raise InvalidArgument(
            f"times_per_epoch={times} is more than the {bins} steps of an epoch; a record takes "
            "part in each step once at most"
        )
    if _validate.choice("fixed_bins", run.fixed_bins, (True, False)):
        return Allocated(run.noise, bins=bins, times=times, kept=epochs)
    return released(Allocated(run.noise, bins=bins, times=times), epochs)


def _truncated(run: _Run) -> Mechanism:
    run.refuse_person("truncated")
    step = TruncatedPoisson(
        run.noise,
        rate=run.rate,
        dataset_size=_needed("dataset_size", run.dataset_size, "the number of records"),
        max_batch_size=_needed("max_batch_size", run.max_batch_size, "the largest batch"),
    )
    return released(step, run.all_steps)


def _cyclic(run: _Run) -> Mechanism:
    run.refuse_person("cyclic")
    bands = _needed("bands", run.bands, "the number of parts that take turns")
    cycle = CyclicPoisson(run.noise, rate=run.rate, bands=bands)
    return released(cycle, -(-run.all_steps // cycle.bands))


_BUILT: dict[BatchScheme, Callable[[_Run], Mechanism]] = {
    "poisson": _poisson,
    "fixed": _fixed,
    "shuffled": _shuffled,
    "allocated": _allocated,
    "truncated": _truncated,
    "cyclic": _cyclic,
}


def _needed(name: str, value: int | None, what: str) -> int:
    if value is None:
        raise InvalidType(f"{name}=None is no number; pass {what}")
    return value
