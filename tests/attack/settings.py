"""Random settings of every mechanism, each against tests that exist."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from tests.attack import relations
from tests.attack.families import batches, correlated, noise, representations, selection
from tests.attack.judge import judged
from tests.attack.ledger import Ledger

#: A family draws a mechanism, and tests against it; and how often it is drawn.
FAMILIES = {
    noise.repeated: 6,
    noise.mixed: 3,
    noise.dpsgd: 4,
    noise.gaussians: 2,
    noise.responses: 2,
    batches.fixed_size: 2,
    batches.shuffled: 1,
    batches.allocated: 1,
    batches.truncated: 2,
    batches.cyclic: 1,
    correlated.matrix: 2,
    selection.exponential: 2,
    selection.noisy_max: 1,
    selection.best_of: 1,
    representations.pure: 2,
    representations.concentrated: 2,
    representations.renyi: 1,
    representations.known: 2,
    representations.with_slack: 1,
    relations.pair_of_runs: 2,
}


def attack_settings(ledger: Ledger, seed: int, number: int, until: float) -> None:
    """Tries some settings, each with a seed of its own; stops when the time is up."""
    weights = np.array(list(FAMILIES.values()), dtype=float)
    for case in range(number):
        if time.monotonic() > until:
            break
        rng = np.random.default_rng([seed, case])
        family = list(FAMILIES)[rng.choice(len(FAMILIES), p=weights / weights.sum())]
        name = f"{family.__module__.rsplit('.', 1)[-1]}.{family.__name__}"
        if family is relations.pair_of_runs:
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
