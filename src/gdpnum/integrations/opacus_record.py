"""What an Opacus engine has recorded, and what can be seen of it beside its history."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib import metadata
from typing import IO, Any, NamedTuple, cast
from weakref import WeakKeyDictionary

from gdpnum.dpsgd import CTDAccountant
from gdpnum.draws import Clipping, Seen
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.history import Segment, segments
from gdpnum.integrations.opacus_checkpoint import KEY, checkpoint_state
from gdpnum.integrations.samplers import draws_of

# What was seen when an engine was made, by its accountant: the engine itself does not keep it.
_NOTED: WeakKeyDictionary[Any, Seen] = WeakKeyDictionary()


class Record(NamedTuple):
    """A history, and what was seen when it was made; None if nobody looked."""

    steps: tuple[Segment, ...]
    seen: Seen | None


def record_of(source: object) -> Record:
    """The record in an engine, an accountant, a history or a checkpoint.

    Also of an engine with .noise_multiplier, .sample_rate and .steps.
    """
    if isinstance(source, (list, tuple)):
        return Record(segments(source), None)
    if isinstance(source, (str, os.PathLike)) or hasattr(source, "read"):
        return record_of(checkpoint_state(cast("str | os.PathLike[str] | IO[bytes]", source)))
    if isinstance(source, Mapping):
        state = source.get(KEY, source)
        if not isinstance(state, Mapping) or "history" not in state:
            raise InvalidArgument(
                f"source: the given dict has neither {KEY!r} nor 'history'; pass a checkpoint of "
                "Opacus, or the state_dict() of an accountant"
            )
        seen = state.get("seen")
        return Record(segments(state["history"]), None if seen is None else Seen.from_dict(seen))
    holder = getattr(source, "accountant", source)
    if hasattr(holder, "history"):
        return Record(segments(holder.history), _noted(holder))
    found = [getattr(source, name, None) for name in ("noise_multiplier", "sample_rate", "steps")]
    if None not in found:
        return Record(segments([tuple(found)]), None)
    raise InvalidType(
        f"source is of type {type(source).__name__}; pass a PrivacyEngine, an accountant, a "
        "history or a checkpoint (for an engine with .noise_multiplier, .sample_rate and .steps "
        "use from_engine)"
    )


def note(accountant: Any, seen: Seen) -> None:
    """Keep what was seen of the engine that an accountant counts for."""
    before = _noted(accountant)
    found = seen if before in (None, Seen()) else before.and_then(seen)
    if isinstance(accountant, CTDAccountant):
        accountant.seen = found
    else:
        _NOTED[accountant] = found


def _noted(accountant: Any) -> Seen | None:
    if isinstance(accountant, CTDAccountant):
        return accountant.seen
    try:
        return _NOTED.get(accountant)
    except TypeError:  # it has no hash, or cannot be referred to
        return None


def seen_of(engine: object, loader: Any, optimizer: Any, noise: float | None = None) -> Seen:
    """What a loader and an optimizer tell; ``noise`` is the noise multiplier that was asked for."""
    draws = None if loader is None else draws_of(loader)
    divisor = mean = None
    if optimizer is not None:
        divisor = getattr(optimizer, "expected_batch_size", None)
    if draws is not None and hasattr(getattr(loader, "dataset", None), "__len__"):
        share = 1.0 / draws.batches_per_epoch if draws.rate is None else draws.rate
        mean = len(loader.dataset) * share / getattr(optimizer, "world_size", 1)
    return Seen(
        draws=draws,
        clipping=_clipping(engine, optimizer, noise),
        has_optimizer=optimizer is not None,
        divisor=None if divisor is None else float(divisor),
        mean_batch=mean,
    )


def _clipping(engine: object, optimizer: Any, noise: float | None) -> Clipping | None:
    kinds = [kind.__name__ for kind in type(engine).__mro__]
    ghost = "PrivacyEngineAdaptiveClipping" in kinds
    ghost = ghost or hasattr(optimizer, "_adjusted_noise_multiplier")
    count = getattr(optimizer, "unclipped_num_std", None)
    if count is None and not ghost:
        return None
    return Clipping(
        count_sigma=None if count is None else float(count),
        is_recorded=_version() >= (1, 6),
        noise_multiplier=None if noise is None else float(noise),
    )


def _version() -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", metadata.version("opacus"))[:2]))
