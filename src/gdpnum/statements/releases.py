"""What was run, for readers: in words, in the columns of a table, and the facts they rest on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gdpnum.kind import kind_of
from gdpnum.kinds.batch_words import GAP, conditions, scheme
from gdpnum.mechanisms import (
    Batches,
    BestOf,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    MatrixMechanism,
    Mechanism,
    PoissonSampled,
    Skellam,
)

# A composition of more parts than this is cut short in words.
_MOST_PARTS = 6


class Facts(NamedTuple):
    """What sentences need to know of a run."""

    #: What was run, for readers of no Python.
    words: str
    #: How many records of one person the numbers cover.
    records: int
    #: How batches were drawn, for machines.
    sampling: str | None
    #: What the noise is measured in.
    noise_unit: str | None
    #: What must be true of the releases for the numbers to hold.
    assumed: tuple[str, ...]
    #: Whether a release is on a random sample that each record joins by itself.
    is_sampled: bool
    #: Whether a release is the best of several.
    is_tuned: bool


def in_words(run: Mechanism) -> str:
    """What was run, for readers of no Python."""
    return _in_words(run.parts)


def _in_words(parts: tuple[tuple[Mechanism, int], ...]) -> str:
    if not parts:
        return "nothing that depends on the data"
    shown = [kind_of(leaf).words(leaf, count) for leaf, count in parts[:_MOST_PARTS]]
    left = len(parts) - len(shown)
    return "; ".join(shown) + (f"; and {left} more" if left else "")


def columns(run: Mechanism) -> tuple[float | None, float | None, int | None]:
    """Noise, rate and steps of a run of one kind of release; None where there is no such thing."""
    if len(run.parts) != 1:
        return None, None, None
    ((leaf, count),) = run.parts
    if isinstance(leaf, MatrixMechanism):
        return leaf.noise_multiplier, None, count * leaf.size
    rate = getattr(leaf, "rate", None)
    noise = leaf.inner if isinstance(leaf, PoissonSampled | Batches) else leaf
    return getattr(noise, "sigma", None), rate, count


def facts_of(run: Mechanism) -> Facts:
    """What sentences need to know of a run."""
    parts = run.parts
    leaves = _leaves(parts)
    schemes = [leaf for leaf in leaves if isinstance(leaf, Batches)]
    poisson = [leaf for leaf in leaves if isinstance(leaf, PoissonSampled)]
    # Where every record is in every sample nothing was drawn.
    is_sampled = any(leaf.rate < 1.0 for leaf in poisson)
    is_tuned = any(isinstance(leaf, BestOf) for leaf, _ in parts)
    drawn = ["Poisson"] * bool(poisson) + [scheme(leaf) for leaf in schemes]
    assumed = [conditions(leaf) for leaf in schemes]
    correlated = [leaf for leaf in leaves if isinstance(leaf, MatrixMechanism)]
    if not all(kind_of(leaf).is_gaussian(leaf) for leaf in correlated):
        assumed.append(f"how far a record can move the correlated sums is a bound; {GAP}")
    if is_tuned:
        assumed.append("how many runs there were, and all but the best of them, stay secret")
    if is_sampled:
        assumed.append("each step drew every record by itself, and the draws are secret")
    if sum(count for _, count in parts) > 1:
        assumed.append("noise and rates were fixed in advance")
    return Facts(
        words=_in_words(parts),
        records=run.records_per_person or 1,
        sampling=", ".join(dict.fromkeys(drawn)) or None,
        noise_unit=_noise_unit(leaves),
        assumed=tuple(dict.fromkeys(assumed)),
        is_sampled=is_sampled,
        is_tuned=is_tuned,
    )


def _leaves(parts: Iterable[tuple[Mechanism, int]]) -> list[Mechanism]:
    """The releases, those of a run that was tuned in its place."""
    found = []
    for leaf, _ in parts:
        found += _leaves(leaf.run.parts) if isinstance(leaf, BestOf) else [leaf]
    return found


def _noise_unit(leaves: list[Mechanism]) -> str | None:
    noises = [leaf.inner if isinstance(leaf, PoissonSampled | Batches) else leaf for leaf in leaves]
    found = []
    gaussian = Gaussian | DiscreteGaussian | Skellam | MatrixMechanism
    if any(isinstance(noise, gaussian) for noise in noises):
        of_training = PoissonSampled | Batches | MatrixMechanism
        trained = all(isinstance(leaf, of_training) for leaf in leaves)
        found.append(f"noise standard deviation / {'clipping norm' if trained else 'sensitivity'}")
    if any(isinstance(noise, Laplace | DiscreteLaplace) for noise in noises):
        found.append("noise scale / sensitivity")
    return "; ".join(found) or None
