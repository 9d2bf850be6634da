"""How each kind of release is said: one small function a form."""

from __future__ import annotations

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

__all__ = [
    "assumed",
    "columns",
    "cut",
    "in_words",
    "is_sampled",
    "is_tuned",
    "noise_unit",
    "records_of",
    "sampling",
]

# A composition of more parts than this is cut short in words.
_MOST_PARTS = 6


def in_words(run: Mechanism) -> str:
    """What was run, for readers of no Python."""
    if not run.parts:
        return "nothing that depends on the data"
    shown = [kind_of(leaf).words(leaf, count) for leaf, count in run.parts[:_MOST_PARTS]]
    left = len(run.parts) - len(shown)
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


def assumed(run: Mechanism) -> list[str]:
    """What must be true of the releases for the numbers to hold."""
    found = list(
        dict.fromkeys(conditions(leaf) for leaf in _leaves(run) if isinstance(leaf, Batches))
    )
    correlated = [leaf for leaf in _leaves(run) if isinstance(leaf, MatrixMechanism)]
    if not all(kind_of(leaf).is_gaussian(leaf) for leaf in correlated):
        found.append(f"how far a record can move the correlated sums is a bound; {GAP}")
    if is_tuned(run):
        found.append("how many runs there were, and all but the best of them, stay secret")
    if is_sampled(run):
        found.append("each step drew every record by itself, and the draws are secret")
    if sum(count for _, count in run.parts) > 1:
        found.append("noise and rates were fixed in advance")
    return found


def noise_unit(run: Mechanism) -> str | None:
    """What the noise is measured in."""
    leaves = _leaves(run)
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


def sampling(run: Mechanism) -> str | None:
    """How batches were drawn, for machines."""
    found = ["Poisson" for leaf in _leaves(run) if isinstance(leaf, PoissonSampled)]
    found += [scheme(leaf) for leaf in _leaves(run) if isinstance(leaf, Batches)]
    return ", ".join(dict.fromkeys(found)) or None


def is_sampled(run: Mechanism) -> bool:
    """Whether a release is on a random sample."""
    return any(isinstance(leaf, PoissonSampled) for leaf in _leaves(run))


def is_tuned(run: Mechanism) -> bool:
    """Whether a release is the best of several."""
    return any(isinstance(leaf, BestOf) for leaf, _ in run.parts)


def _leaves(run: Mechanism) -> list[Mechanism]:
    """The releases, those of a run that was tuned in its place."""
    found = []
    for leaf, _ in run.parts:
        found += _leaves(leaf.run) if isinstance(leaf, BestOf) else [leaf]
    return found


def records_of(run: Mechanism) -> int:
    """How many records of one person the numbers cover."""
    return run.records_per_person or 1


def cut(text: str) -> str:
    """A long text in short."""
    return text if len(text) <= 120 else f"{text[:117]}..."
