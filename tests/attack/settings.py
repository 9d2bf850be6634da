"""Random settings of every mechanism, each against tests that exist."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from tests.attack import relations
from tests.attack.families import (
    batches,
    budgets,
    correlated,
    curves,
    noise,
    persons,
    representations,
    selection,
)
from tests.attack.judge import judged
from tests.attack.ledger import Ledger

#: A family draws a mechanism, and tests against it; and how often it is drawn.
FAMILIES = {
    noise.repeated: 6,
    noise.mixed: 3,
    noise.dpsgd: 4,
    noise.gaussians: 2,
    noise.responses: 2,
    persons.replaced: 3,
    persons.mixtures: 2,
    persons.phases: 2,
    persons.of_several_records: 2,
    persons.fixed_size: 1,
    persons.fixed_bins: 1,
    batches.fixed_size: 2,
    batches.shuffled: 1,
    batches.allocated: 1,
    batches.truncated: 2,
    batches.cyclic: 1,
    correlated.matrix: 2,
    correlated.epochs: 1,
    correlated.sampled: 1,
    selection.exponential: 2,
    selection.noisy_max: 1,
    selection.best_of: 1,
    selection.all_of: 1,
    selection.sampled_responses: 2,
    representations.pure: 2,
    representations.concentrated: 2,
    representations.renyi: 1,
    representations.known: 2,
    representations.with_slack: 1,
}

#: A family of checks draws what is said of it, and the check itself.
CHECKS = {
    relations.pair_of_runs: 2,
    relations.schemes: 2,
    relations.closer: 2,
    relations.targets: 1,
    relations.audited: 2,
    persons.several_sampled: 2,
    budgets.gaussian: 1,
    budgets.renyi: 1,
    curves.composed: 2,
    curves.grouped: 1,
    curves.from_profile: 2,
    curves.bounded: 1,
    curves.summarised: 2,
    curves.stated: 1,
}


def attack_settings(ledger: Ledger, seed: int, number: int, until: float) -> None:
    """Tries some settings, each with a seed of its own; stops when the time is up."""
    every = {**FAMILIES, **CHECKS}
    weights = np.array(list(every.values()), dtype=float)
    for case in range(number):
        if time.monotonic() > until:
            break
        rng = np.random.default_rng([seed, case])
        family = list(every)[rng.choice(len(every), p=weights / weights.sum())]
        name = f"{family.__module__.rsplit('.', 1)[-1]}.{family.__name__}"
        if family in CHECKS:
            said, check = family(rng)
            ledger.attempt(name, f"#{case} {said}", check)
            continue
        drawn: list[object] = []

        def check(family=family, rng=rng, drawn=drawn) -> Iterator[str]:
            mechanism, tests = family(rng)
            drawn.append(mechanism)
            yield from judged(mechanism, tests, rng)

        ledger.attempt(name, _Case(case, drawn), check)


class _Case:
    """A case that can be named once its mechanism is drawn."""

    def __init__(self, number: int, drawn: list[object]) -> None:
        self._number, self._drawn = number, drawn

    def __str__(self) -> str:
        return f"#{self._number} {self._drawn[0] if self._drawn else 'not drawn'}"
