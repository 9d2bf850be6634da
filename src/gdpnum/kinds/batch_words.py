"""How batches were drawn, in words: for what was run, and for what was assumed."""

from __future__ import annotations

from gdpnum.errors import UnsupportedMechanism
from gdpnum.kind import kind_of
from gdpnum.mechanisms.batches import (
    Allocated,
    Batches,
    CyclicPoisson,
    FixedSize,
    Shuffled,
    TruncatedPoisson,
)

#: Said where the exact pair is unknown: the gap is not one of numerics.
GAP = "what lies between mu and its lower bound is what theory does not know"


def words(leaf: Batches, count: int | None) -> str:
    """The noise, and the batches that it was on."""
    noise = kind_of(leaf.inner).words(leaf.inner, None)
    return f"{noise} on {_drawn(leaf, count or 1)}"


def _drawn(leaf: Batches, count: int) -> str:
    """What one description says was done so many times, after the noise and "on"."""
    each = "each a" if count > 1 else "a"
    if isinstance(leaf, FixedSize):
        how = "drawn with replacement" if leaf.with_replacement else "drawn afresh"
        return (
            f"{_times(count, 'batch', 'batches')}, {each} random choice of {leaf.batch_size} of "
            f"{leaf.dataset_size} records, {how}"
        )
    if isinstance(leaf, Shuffled):
        return f"the batches of {_times(count, 'epoch')}, each record in one batch an epoch"
    if isinstance(leaf, Allocated):
        epochs = count * leaf.kept
        chosen = "one step" if leaf.times == 1 else f"{leaf.times} steps"
        kept = "once for all epochs" if leaf.kept > 1 else "afresh each epoch"
        when = f", {kept}" if epochs > 1 else ""
        return (
            f"{_times(epochs, 'epoch')} of {leaf.bins} steps, of which each record chose {chosen} "
            f"at random{when}"
        )
    if isinstance(leaf, TruncatedPoisson):
        return (
            f"{_times(count, 'random sample')} that every record joined with probability "
            f"{leaf.rate!r}, cut at random to {leaf.max_batch_size} records"
        )
    if isinstance(leaf, CyclicPoisson):
        return (
            f"{_times(count, 'cycle')} of {leaf.bands} steps, each with a random sample of its own "
            f"part of the records, of {leaf.rate!r} of all of them on average"
        )
    raise UnsupportedMechanism(f"no words are known for {leaf!r}; register a Kind with some")


def conditions(leaf: Batches) -> str:
    """What must be true of the batches for the guarantee to hold."""
    if isinstance(leaf, FixedSize):
        return f"batches of a fixed size were drawn at random in secret; {GAP}"
    if isinstance(leaf, Shuffled):
        return (
            "each record was in one batch an epoch; it holds even if the order is known, and there "
            "is no credit for shuffling; the noise was on the sum of a batch"
        )
    if isinstance(leaf, Allocated):
        chosen = "each record chose its steps by itself, in secret, whatever the others chose"
        is_known = leaf.times == 1 and leaf.neighbouring != "replace"
        return chosen if is_known else f"{chosen}; {GAP}"
    if isinstance(leaf, TruncatedPoisson):
        return (
            f"batches over {leaf.max_batch_size} were cut at random; the dataset's size, "
            f"{leaf.dataset_size}, is public; {GAP}"
        )
    return (
        "the records were put into parts without a look at the data; correlated noise has no more "
        "bands than there are parts, and columns of norm one at most"
    )


def scheme(leaf: Batches) -> str:
    """The name of the way to draw, for machines."""
    if isinstance(leaf, FixedSize):
        return "fixed size, with replacement" if leaf.with_replacement else "fixed size"
    names = {Shuffled: "once an epoch", Allocated: "random allocation"}
    names |= {TruncatedPoisson: "truncated Poisson", CyclicPoisson: "cyclic Poisson"}
    return names[type(leaf)]


def _times(count: int, one: str, many: str | None = None) -> str:
    return f"one {one}" if count == 1 else f"{count} {many or one + 's'}"
