"""How each kind of release is said: one small function a form."""

from __future__ import annotations

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
    RandomizedResponse,
    Skellam,
)
from gdpnum.representations import KnownCurve
from gdpnum.statements.batch_words import conditions, drawn, scheme
from gdpnum.statements.numbers import as_given

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
    shown = [_released(leaf, count) for leaf, count in run.parts[:_MOST_PARTS]]
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
        trained = all(isinstance(leaf, PoissonSampled | Batches) for leaf in leaves)
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


def _released(leaf: Mechanism, count: int) -> str:
    if isinstance(leaf, Batches):
        return f"{_noise(leaf.inner)} on {drawn(leaf, count)}"
    if isinstance(leaf, BestOf):
        law = f"{leaf.number.replace('_', ' ')}, mean {as_given(leaf.mean or 1.0)}"  # type: ignore[union-attr]  # a word, by now
        best = f"the best of a random, undisclosed number of runs ({law})"
        return f"{best}, {_times(count)}; each run: {in_words(leaf.run)}"
    if isinstance(leaf, PoissonSampled):
        if isinstance(leaf.inner, RandomizedResponse):
            who = f"respondents who answer with probability {as_given(leaf.rate)}"
            return f"{_noise(leaf.inner)}, {_times(count)}, of {who}"
        sample = f"a random sample that every record joins with probability {as_given(leaf.rate)}"
        each = "on" if count == 1 else "each on"
        if isinstance(leaf.inner, Gaussian):
            steps, sigma = "1 step" if count == 1 else f"{count} steps", as_given(leaf.inner.sigma)
            return f"{steps} of DP-SGD with noise multiplier {sigma}, {each} {sample}"
        return f"{_noise(leaf.inner)}, {_times(count)}, {each} {sample}"
    return f"{_noise(leaf)}, {_times(count)}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _noise(leaf: Mechanism) -> str:
    if isinstance(leaf, MatrixMechanism):
        return _correlated(leaf)
    if isinstance(leaf, Gaussian | DiscreteGaussian | Skellam):
        kind = {Gaussian: "Gaussian", Skellam: "Skellam"}.get(type(leaf), "discrete Gaussian")
        return f"{kind} noise with noise multiplier {as_given(leaf.sigma)}"
    if isinstance(leaf, Laplace | DiscreteLaplace):
        kind = "Laplace" if isinstance(leaf, Laplace) else "discrete Laplace"
        return f"{kind} noise of scale {as_given(leaf.scale)}"
    if isinstance(leaf, RandomizedResponse):
        return (
            f"randomised response among {leaf.categories} answers with epsilon "
            f"{as_given(leaf.epsilon)}"
        )
    if isinstance(leaf, KnownCurve):
        return "a mechanism of which only the trade-off curve is known"
    return f"a mechanism of which only {cut(repr(leaf))} is known"


def _correlated(leaf: MatrixMechanism) -> str:
    said = (
        f"Gaussian noise correlated over {leaf.size} steps with noise multiplier "
        f"{as_given(leaf.noise_multiplier)}; a record takes part "
    )
    if leaf.epochs is not None:
        return f"{said}once in each of {leaf.epochs} epochs, at the same place"
    if leaf.max_participations == 1:
        return f"{said}in one step"
    return f"{said}in at most {leaf.max_participations} steps, at least {leaf.min_separation} apart"
