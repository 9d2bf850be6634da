"""How the batches of a history were drawn and its gradients clipped, and the run that this makes.

A history says how much noise was added and how often; Opacus writes a sample rate beside it as if
batches were Poisson samples, whatever they were. `Seen` is what was found out about that, and
`run_as` describes the run as what it was.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast, final, get_args

from gdpnum import _validate
from gdpnum.errors import GdpnumError, InvalidArgument
from gdpnum.history import Segment, run_of, segments
from gdpnum.mechanisms import (
    FixedSize,
    Gaussian,
    Mechanism,
    MixtureOfGaussians,
    Shuffled,
)
from gdpnum.mechanisms.mechanism import composed, repeat
from gdpnum.representations import ApproxDP

Scheme = Literal["poisson", "shuffled", "ordered", "with_replacement", "unknown"]


@final
@dataclass(frozen=True, kw_only=True)
class Draws:
    """How a data loader draws its batches.

    ``"poisson"``: each record by itself, with probability ``rate``, by each of ``copies`` workers.
    ``"shuffled"`` and ``"ordered"``: each record in one of ``batches_per_epoch`` batches, or
    ``copies`` times where some are repeated. ``"with_replacement"``: each of ``batch_size`` places
    holds a given record with probability 1 / ``one_in`` at most. Of ``"unknown"`` a record may be
    in every batch, ``copies`` times. ``smallest_batch`` is the last of an epoch.
    """

    scheme: Scheme
    sampler: str
    rate: float | None = None
    batches_per_epoch: int = 1
    batch_size: int = 1
    smallest_batch: int = 1
    one_in: int = 1
    copies: int = 1

    @property
    def words(self) -> str:
        """How batches were drawn, for a statement."""
        by = f"by {self.sampler}"
        if self.scheme == "poisson":
            rate = "" if self.rate is None else f" at rate {self.rate:.6g}"
            each = f", by each of {self.copies} workers from all records" if self.copies > 1 else ""
            return f"Poisson samples{rate} {by}{each}"
        if self.scheme == "with_replacement":
            return (
                f"batches of {self.batch_size} {by}, with replacement, the likeliest record in "
                f"each place with probability 1/{self.one_in} at most"
            )
        if self.scheme == "unknown":
            return f"{by}, which is not known here; a record may be in every batch"
        how = "in a fixed order" if self.scheme == "ordered" else "shuffled"
        often = "once" if self.copies == 1 else f"{self.copies} times at most"
        return f"{how} {by}, each record {often} in an epoch of {self.batches_per_epoch} batches"


@final
@dataclass(frozen=True, kw_only=True)
class Clipping:
    """Clipping at a norm that follows a noisy count of the gradients below it.

    The count has noise ``count_sigma``; None is a twentieth of the size of the batch. The history
    has the noise multiplier of gradients and count together if ``is_recorded`` (Opacus from 1.6
    on), else that of the gradients alone; ``noise_multiplier`` is the one of both, if known.
    """

    count_sigma: float | None
    is_recorded: bool
    noise_multiplier: float | None = None

    def together(self, recorded: float, draws: Draws | None) -> float:
        """The noise multiplier of gradients and count as one release; 0 if it is not known.

        Of a record added or removed z^-2 = sigma^-2 + (2 s)^-2, with sigma the noise of the
        gradients and s that of the count, if the size of the batch is known (theorem 1 of Andrew
        et al. 2021, https://arxiv.org/abs/1905.03871). One blanked out in a batch of known size
        moves the count by one and not by a half, which leaves sigma^-2 + s^-2.
        """
        if recorded == 0.0 or self.count_sigma == 0.0:
            return 0.0
        if draws is None or draws.scheme == "poisson":
            if self.is_recorded:
                return recorded
            if self.count_sigma is None:
                return self.noise_multiplier or 0.0
            return 1.0 / math.hypot(1.0 / recorded, 0.5 / self.count_sigma)
        count = draws.smallest_batch / 20.0 if self.count_sigma is None else self.count_sigma
        if count == 0.0:
            return 0.0
        share = math.sqrt(0.75) if self.is_recorded else 1.0
        return 1.0 / math.hypot(1.0 / recorded, share / count)


@final
@dataclass(frozen=True, kw_only=True)
class Seen:
    """What was seen of an engine beside its history; None where it was not.

    ``divisor`` is what Opacus divides the sum of a batch by, ``mean_batch`` the batch it expects.
    """

    draws: Draws | None = None
    clipping: Clipping | None = None
    has_optimizer: bool = False
    divisor: float | None = None
    mean_batch: float | None = None

    def and_then(self, later: Seen) -> Seen:
        """What holds of both, where steps of one history were seen under each."""
        if self == later:
            return self
        draws, after = self.draws, later.draws
        if draws != after:
            poisson = all(one is not None and one.scheme == "poisson" for one in (draws, after))
            if draws is None or after is None:
                draws = draws or after
            elif poisson and draws.copies == after.copies:
                draws = replace(draws, rate=None)
            else:
                draws = Draws(
                    scheme="unknown",
                    sampler=f"{draws.sampler} and then {after.sampler}",
                    copies=max(draws.copies, after.copies),
                )
        clipping = self.clipping
        if clipping != later.clipping:
            # Of noise that changes its meaning on the way nothing is known.
            clipping = Clipping(count_sigma=0.0, is_recorded=False)
        return replace(
            later,
            draws=draws,
            clipping=clipping,
            has_optimizer=self.has_optimizer and later.has_optimizer,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, fit for JSON and a checkpoint."""
        return asdict(self)

    @staticmethod
    def from_dict(state: object) -> Seen:
        """What `to_dict` wrote; anything else is refused."""
        try:
            return _read(state)
        except (GdpnumError, TypeError, ValueError) as error:
            raise InvalidArgument(
                f"seen={_validate.brief(state)} does not say how batches were drawn: {error}"
            ) from None


def _read(state: object) -> Seen:
    found: dict[str, Any] = dict(cast("Mapping[str, Any]", state))
    if found.get("draws") is not None:
        found["draws"] = Draws(**found["draws"])
    if found.get("clipping") is not None:
        found["clipping"] = Clipping(**found["clipping"])
    seen = Seen(**found)
    if seen.draws is not None:
        _validate.choice("scheme", seen.draws.scheme, get_args(Scheme))
        for name in ("batches_per_epoch", "batch_size", "one_in", "copies"):
            _validate.count(name, getattr(seen.draws, name), minimum=1)
        _validate.count("smallest_batch", seen.draws.smallest_batch)
        if seen.draws.rate is not None:
            _validate.probability("rate", seen.draws.rate)
    if seen.clipping is not None:
        for name in ("count_sigma", "noise_multiplier"):
            value = getattr(seen.clipping, name)
            if value is not None:
                _validate.non_negative(name, value)
    return seen


def batches_in_words(seen: Seen) -> str:
    """How batches were drawn, how that was checked and what was not, for a statement."""
    if seen.draws is None:
        norm = "" if seen.has_optimizer else " and a fixed clipping norm"
        return f"not checked: the history does not say; Poisson samples{norm} are assumed"
    said = f"{seen.draws.words}; seen on the data loader, not in the training loop"
    if not seen.has_optimizer:
        return f"{said}; not checked: whether the clipping norm adapts"
    adapts = seen.clipping is not None and seen.draws.scheme == "poisson"
    return f"{said}; not covered: that adaptive clipping tells of batch sizes" if adapts else said


# --- the run ------------------------------------------------------------------------------------


def run_as(history: object, seen: Seen | None) -> Mechanism:
    """The mechanism of a history whose batches were drawn as was seen; Poisson if nothing was.

    Guarantee: for ``"poisson"`` of a record added or removed, for the others of one blanked out, if
    every epoch ran to its end and nothing but this loader was used.

    >>> draws = Draws(scheme="shuffled", sampler="RandomSampler", batches_per_epoch=10)
    >>> run_as([(1.0, 0.1, 25)], Seen(draws=draws))
    Shuffled(Gaussian(sigma=1.0, neighbouring='zero_out')) * 3
    """
    steps = segments(history)
    draws = seen and seen.draws
    if seen is not None and seen.clipping is not None:
        clipping = seen.clipping
        steps = tuple((clipping.together(sigma, draws), rate, n) for sigma, rate, n in steps)
    if draws is None:
        return run_of(steps)
    if draws.scheme == "poisson":
        return _poisson(steps, draws)
    steps = tuple(step for step in steps if step[2])
    if any(sigma == 0.0 for sigma, _, _ in steps):
        return ApproxDP(epsilon=0.0, delta=1.0)
    parts = list(_MADE[draws.scheme](steps, draws)) if steps else []
    return composed(parts) if parts else run_of(())


def batches_a_step(recorded: float, draws: Draws) -> int:
    """How many batches one step accumulated: Opacus records their rates summed up."""
    once = draws.rate if draws.scheme == "poisson" else 1.0 / draws.batches_per_epoch
    return max(1, round(recorded / once)) if once else 1


def _poisson(steps: tuple[Segment, ...], draws: Draws) -> Mechanism:
    """Each batch at the sampler's rate, or the recorded one if that is higher.

    A record can be in j of the k batches of one step, and then moves the sum j times as far:
    sum_j Bin(k, rate)(j) N(j, sigma^2) against N(0, sigma^2).
    """
    alone, together = [], []
    for sigma, recorded, n in steps:
        number = batches_a_step(recorded, draws)
        rate = min(1.0, max(recorded / number, draws.rate or 0.0))
        copies = draws.copies * number
        if copies == 1:
            alone.append((sigma, rate, n))
        elif n and sigma == 0.0:
            return ApproxDP(epsilon=0.0, delta=1.0)
        elif n:
            weights = [
                math.comb(copies, j) * rate**j * (1.0 - rate) ** (copies - j)
                for j in range(copies + 1)
            ]
            noise = MixtureOfGaussians(sigma=sigma, shifts=range(copies + 1), weights=weights)
            together.append(repeat(noise, n))
    if not together:
        return run_of(alone)
    parts = [*together, run_of(alone)] if any(n for _, _, n in alone) else together
    return composed(parts)


def _once(steps: tuple[Segment, ...], draws: Draws) -> Iterable[Mechanism]:
    for sigma, epochs in _epochs(steps, draws):
        noise = Gaussian(sigma=sigma / draws.copies, neighbouring="zero_out")
        yield repeat(Shuffled(noise), epochs)


def _epochs(steps: tuple[Segment, ...], draws: Draws) -> Iterable[tuple[float, int]]:
    """(sigma, epochs): in one with several the least, as a record may be in any of its batches."""
    length = left = draws.batches_per_epoch
    least = math.inf
    for sigma, rate, n in steps:
        batches = n * batches_a_step(rate, draws)
        while batches:
            if left == length and batches >= length:
                whole, batches = divmod(batches, length)
                yield sigma, whole
                continue
            taken = min(left, batches)
            least, left, batches = min(least, sigma), left - taken, batches - taken
            if not left:
                yield least, 1
                least, left = math.inf, length
    if left < length:
        yield least, 1


def _replaced(steps: tuple[Segment, ...], draws: Draws) -> Iterable[Mechanism]:
    for sigma, rate, n in steps:
        places = draws.batch_size * batches_a_step(rate, draws) * draws.copies
        noise = Gaussian(sigma=sigma, neighbouring="zero_out")
        batch = FixedSize(
            noise, batch_size=places, dataset_size=draws.one_in, with_replacement=True
        )
        yield repeat(batch, n)


def _whole(steps: tuple[Segment, ...], draws: Draws) -> Iterable[Mechanism]:
    for sigma, rate, n in steps:
        times = draws.copies * batches_a_step(rate, draws)
        yield repeat(Gaussian(sigma=sigma / times, neighbouring="zero_out"), n)


_MADE = {"shuffled": _once, "ordered": _once, "with_replacement": _replaced, "unknown": _whole}
