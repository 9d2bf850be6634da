"""No attack on the actual sampler beats a bound: both datasets simulated, record by record.

The attack is the likelihood ratio of the output that was seen, for contributions of +1 and -1 or
nothing. Rates have Clopper-Pearson bounds of a confidence that leaves no doubt, so one failure
is a false guarantee.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.special import betaincinv

from gdpnum import DPSGD, tradeoff_curve

RUNS = 40_000
DOUBT = 1e-9


def at_least(hits):
    return np.where(hits > 0, betaincinv(np.maximum(hits, 1), RUNS - hits + 1, DOUBT), 0.0)


def at_most(hits):
    return np.where(hits < RUNS, betaincinv(hits + 1, np.maximum(RUNS - hits, 1), 1.0 - DOUBT), 1.0)


def assert_never_beaten(run, scores_with, scores_without):
    """No threshold on the scores has a TPR above what the curve allows, in either direction."""
    curve = tradeoff_curve(run)
    thresholds = np.quantile(
        np.concatenate([scores_with, scores_without]), np.linspace(0.02, 0.98, 49)
    )
    for hit, false in (
        (
            [(scores_with > c).sum() for c in thresholds],
            [(scores_without > c).sum() for c in thresholds],
        ),
        (
            [(scores_without <= c).sum() for c in thresholds],
            [(scores_with <= c).sum() for c in thresholds],
        ),
    ):
        tpr, fpr = at_least(np.array(hit)), at_most(np.array(false))
        assert (tpr <= curve.tpr(fpr)).all()
        # An attack that does nothing would pass as well.
        assert (np.array(hit) > 1.02 * np.array(false)).any()


def log_mixture(outputs, means, weights, sigma):
    """log of a mixture of Gaussians, without the factor that all have."""
    parts = -0.5 * ((outputs[..., None] - means) / sigma) ** 2
    top = parts.max(axis=-1)
    return top + np.log((weights * np.exp(parts - top[..., None])).sum(axis=-1))


@pytest.mark.parametrize("replaced", [False, True])
def test_batches_of_a_fixed_size(replaced):
    rng = np.random.default_rng(1)
    sigma, size, batch, steps = 1.2, 8, 2, 3

    def outputs(record):
        data = np.full(size, -1.0)
        data[0] = record
        if replaced:
            drawn = rng.integers(size, size=(RUNS, steps, batch))
        else:
            order = rng.random((RUNS, steps, size)).argsort(axis=-1)
            drawn = order[..., :batch]
        sums = data[drawn].sum(axis=-1)
        return sums + sigma * rng.standard_normal(sums.shape)

    times = np.arange(batch + 1)
    if replaced:
        weights = np.array([math.comb(batch, j) * 7 ** (batch - j) / 8**batch for j in times])
    else:
        weights = np.array([0.75, 0.25, 0.0])

    def score(seen):
        means = -batch + 2.0 * times
        there = log_mixture(seen, means, weights, sigma)
        return (there + 0.5 * ((seen + batch) / sigma) ** 2).sum(axis=-1)

    run = DPSGD(
        noise_multiplier=sigma,
        batches="fixed",
        batch_size=batch,
        dataset_size=size,
        steps=steps,
        with_replacement=replaced,
    )
    assert_never_beaten(run, score(outputs(1.0)), score(outputs(-1.0)))


@pytest.mark.parametrize("relation", ["add_remove", "replace"])
def test_batches_cut_at_random(relation):
    rng = np.random.default_rng(2)
    sigma, size, rate, most, steps = 1.0, 6, 0.5, 2, 2
    other = {"add_remove": 0.0, "replace": -1.0}[relation]

    def outputs(record, sampled):
        data = np.full(size, -1.0)
        data[0] = record
        joined = rng.random((RUNS, steps, size)) < rate
        joined[..., 0] &= sampled
        # Of those that joined, a uniform choice of at most so many.
        keys = np.where(joined, rng.random(joined.shape), 2.0)
        kept = joined & (keys.argsort(axis=-1).argsort(axis=-1) < most)
        sums = (data * kept).sum(axis=-1)
        return sums + sigma * rng.standard_normal(sums.shape)

    def law(record, sampled):
        """Every set that may join, what may be kept of it, and the sum: means and weights."""
        found = {}
        for joined in itertools.product([0, 1], repeat=size):
            weight = 0.5**size
            members = [i for i in range(size) if joined[i] and (i or sampled)]
            sets = list(itertools.combinations(members, min(most, len(members))))
            for kept in sets:
                total = sum(record if i == 0 else -1.0 for i in kept)
                found[total] = found.get(total, 0.0) + weight / len(sets)
        return np.array(list(found)), np.array(list(found.values()))

    exchanged = relation == "replace"
    with_law, without_law = law(1.0, True), law(other, exchanged)

    def score(seen):
        return (log_mixture(seen, *with_law, sigma) - log_mixture(seen, *without_law, sigma)).sum(
            axis=-1
        )

    run = DPSGD(
        noise_multiplier=sigma,
        batches="truncated",
        sample_rate=rate,
        dataset_size=size,
        max_batch_size=most,
        steps=steps,
        neighbouring=relation,
    )
    assert_never_beaten(run, score(outputs(1.0, True)), score(outputs(other, exchanged)))


@pytest.mark.parametrize(
    ("bins", "times", "epochs", "kept"), [(5, 1, 2, False), (4, 2, 1, False), (5, 1, 3, True)]
)
def test_records_that_choose_their_steps(bins, times, epochs, kept):
    rng = np.random.default_rng(3)
    sigma = 1.0
    sets = np.array(list(itertools.combinations(range(bins), times)))

    def outputs(record):
        seen = sigma * rng.standard_normal((RUNS, epochs, bins))
        chosen = rng.integers(len(sets), size=(RUNS, 1 if kept else epochs))
        taken = np.zeros((len(sets), bins))
        for number, one in enumerate(sets):
            taken[number, one] = 1.0
        return seen + record * np.broadcast_to(taken[chosen], seen.shape)

    def score(seen):
        logs = (seen - 0.5) / sigma**2
        if kept:
            logs = logs.sum(axis=1, keepdims=True)
        each = logs[:, :, sets].sum(axis=-1)
        return np.log(np.exp(each).mean(axis=-1)).sum(axis=-1)

    run = DPSGD(
        noise_multiplier=sigma,
        batches="allocated",
        steps_per_epoch=bins,
        times_per_epoch=times,
        epochs=epochs,
        fixed_bins=kept,
    )
    assert_never_beaten(run, score(outputs(1.0)), score(outputs(0.0)))


def test_a_record_that_answers_to_what_it_sees():
    """Contributions chosen by what was released before are no better: the proof is adaptive."""
    rng = np.random.default_rng(4)
    sigma, bins = 0.8, 4

    def outputs(record):
        seen = np.empty((RUNS, bins))
        chosen = rng.integers(bins, size=RUNS)
        moves = np.ones((RUNS, bins))
        for step in range(bins):
            if step:
                # The other way round whenever the last output was high.
                moves[:, step] = np.where(seen[:, step - 1] > 0.5, -1.0, 1.0)
            moved = record * moves[:, step] * (chosen == step)
            seen[:, step] = moved + sigma * rng.standard_normal(RUNS)
        return (seen * moves - 0.5) / sigma**2

    def score(logs):
        return np.log(np.exp(logs).mean(axis=-1))

    run = DPSGD(noise_multiplier=sigma, batches="allocated", steps_per_epoch=bins, epochs=1)
    assert_never_beaten(run, score(outputs(1.0)), score(outputs(0.0)))


def test_shuffled_epochs():
    rng = np.random.default_rng(5)
    sigma, size, batch, epochs = 1.5, 6, 2, 2

    def outputs(record):
        data = np.zeros(size)
        data[0] = record
        order = rng.random((RUNS, epochs, size)).argsort(axis=-1)
        sums = data[order].reshape(RUNS, epochs, size // batch, batch).sum(axis=-1)
        return sums + sigma * rng.standard_normal(sums.shape)

    def score(seen):
        return np.log(np.exp((seen - 0.5) / sigma**2).mean(axis=-1)).sum(axis=-1)

    run = DPSGD(noise_multiplier=sigma, batches="shuffled", epochs=epochs)
    assert_never_beaten(run, score(outputs(1.0)), score(outputs(0.0)))


def test_cyclic_batches_with_correlated_noise():
    rng = np.random.default_rng(6)
    sigma, bands, cycles, rate = 1.0, 2, 3, 0.2
    column = np.array([0.8, 0.6])
    steps = bands * cycles

    def outputs(record):
        seen = sigma * rng.standard_normal((RUNS, steps + 1))
        for start in range(0, steps, bands):
            joined = rng.random(RUNS) < rate * bands
            seen[:, start : start + 2] += record * joined[:, None] * column
        return seen

    def score(seen):
        starts = [seen[:, start : start + 2] for start in range(0, steps, bands)]
        logs = np.array([(one * column).sum(axis=1) - 0.5 for one in starts]) / sigma**2
        return np.log1p(rate * bands * np.expm1(logs)).sum(axis=0)

    run = DPSGD(
        noise_multiplier=sigma, batches="cyclic", bands=bands, sample_rate=rate, steps=steps
    )
    assert_never_beaten(run, score(outputs(1.0)), score(outputs(0.0)))
