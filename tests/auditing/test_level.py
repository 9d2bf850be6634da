"""A true claim is refuted in no more runs than the level says, whichever way it is tested."""

import functools

import numpy as np
import pytest
from scipy.special import bdtrc

from gdpnum import DPSGD
from gdpnum.auditing import one_run
from gdpnum.auditing.claim import claimed
from gdpnum.auditing.cuts import fixed_cut, rank_cuts, split_cut
from gdpnum.auditing.guesses import Guesses, mu_refuted, refuted_by_guesses
from gdpnum.auditing.region import region
from gdpnum.auditing.roc import Roc

LEVEL, CANARIES = 0.05, 200
TRAINING = DPSGD(noise_multiplier=1.0, sample_rate=0.2, steps=10)
TRUTHS = {"mu 0.3": 0.3, "mu 1": 1.0, "mu 3": 3.0, "dpsgd": TRAINING}


def most(runs):
    """If each were refuted with a probability of LEVEL, more than that are with a millionth."""
    return next(k for k in range(runs) if bdtrc(k, runs, LEVEL) < 1e-6)


def simulated(truth, included, rng):
    """Scores of the best attack: the loss, for canaries that are included or not."""
    if isinstance(truth, float):
        return rng.normal(size=included.shape) + truth * included
    sigma, rate, loss = 1.0, 0.2, np.zeros(included.shape)
    for _ in range(10):
        joined = included & (rng.random(included.shape) < rate)
        seen = joined + sigma * rng.normal(size=included.shape)
        loss += np.log1p(rate * np.expm1((2.0 * seen - 1.0) / (2.0 * sigma**2)))
    return loss


@pytest.fixture(
    scope="module",
    params=[
        ("mu 1", 120),
        *(pytest.param((f"mu {mu:g}", 2000), marks=pytest.mark.slow) for mu in (0.3, 1.0, 3.0)),
        # Each cut is looked for by the claim's own curve, which takes a tenth of a second.
        pytest.param(("dpsgd", 300), marks=pytest.mark.slow),
    ],
    ids=lambda param: f"{param[0]}, {param[1]} audits",
)
def truth(request):
    """The claim, and scores of so many audits: included, left out."""
    name, runs = request.param
    given = TRUTHS[name]
    rng = np.random.default_rng(20)
    yes, no = np.ones((runs, CANARIES), dtype=bool), np.zeros((runs, CANARIES), dtype=bool)
    return claimed(given), simulated(given, yes, rng), simulated(given, no, rng)


def refutations(claim, cuts_of_runs, method):
    """In how many runs any cut refutes the claim; of equal counts the answer is kept."""

    @functools.cache
    def refuted(counts, share):
        return region(counts, share, method).refutes(claim)

    return sum(any(refuted(cut.counts, LEVEL / len(cuts)) for cut in cuts) for cuts in cuts_of_runs)


@pytest.mark.parametrize("method", ["joint", "clopper_pearson"])
@pytest.mark.parametrize("rule", ["fixed", "bonferroni", "split"])
def test_many_runs(truth, rule, method):
    claim, included, out = truth
    middle = float(np.median(np.concatenate([included[0], out[0]])))
    cuts = {
        "fixed": lambda i: (fixed_cut(Roc.of(included[i], out[i]), middle),),
        "bonferroni": lambda i: rank_cuts(Roc.of(included[i], out[i])),
        "split": lambda i: (split_cut(included[i], out[i], claim, LEVEL, 0),),
    }[rule]
    # The first run has set the fixed threshold, so it does not count.
    refuted = refutations(claim, (cuts(i) for i in range(1, len(out))), method)
    assert refuted <= most(len(out))


def test_ranks_among_ties(truth):
    # Rounded scores are a weaker attack, and a rank is then a place among many.
    claim, included, out = truth
    runs = [
        rank_cuts(Roc.of(np.round(2.0 * included[i]), np.round(2.0 * out[i])))
        for i in range(len(out))
    ]
    assert refutations(claim, runs, "joint") <= most(len(out))


@pytest.mark.parametrize("guesses", [20, (20, 20), (60, 0), (100, 100), None])
def test_one_run(truth, guesses):
    claim, included, out = truth
    rng = np.random.default_rng(21)
    coins = rng.random(out.shape) < 0.5
    scores = np.where(coins, included, out)
    ends = one_run._ends(guesses, CANARIES)
    right = [one_run._correct(scores[i], coins[i], ends) for i in range(len(out))]
    refuted = {
        c: refuted_by_guesses(Guesses(CANARIES, sum(ends), c), claim, LEVEL) for c in set(right)
    }
    assert sum(refuted[c] for c in right) <= most(len(out))


def test_one_run_with_guesses_found_on_a_split(truth, monkeypatch):
    monkeypatch.setattr(one_run, "mu_refuted", functools.cache(mu_refuted))
    claim, included, out = truth
    coins = np.random.default_rng(22).random(out.shape) < 0.5
    scores = np.where(coins, included, out)

    @functools.cache
    def refuted(guesses):
        return refuted_by_guesses(guesses, claim, LEVEL)

    found = 0
    for i in range(len(out)):
        kept, flags, ends = one_run._split(scores[i], coins[i], LEVEL, 0.0, seed=i)
        right = one_run._correct(kept, flags, ends)
        found += refuted(Guesses(kept.size, sum(ends), right))
    assert found <= most(len(out))


def test_a_threshold_picked_on_the_same_scores_would_be_refuted_too_often():
    # What the rules are there for: with mu = 0 claimed and true, the best of all thresholds.
    claim, rng = claimed(0.0), np.random.default_rng(23)
    refuted = 0
    for _ in range(150):
        roc = Roc.of(rng.normal(size=CANARIES), rng.normal(size=CANARIES))
        # The best is the one of the largest advantage.
        best = max(roc.out, key=lambda score: -sum(fixed_cut(roc, score).counts))
        refuted += region(fixed_cut(roc, float(best)).counts, LEVEL, "joint").refutes(claim)
    assert refuted > 150 * 2 * LEVEL
