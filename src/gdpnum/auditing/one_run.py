"""`audit_one_run`: many canaries in one run, each in or out by a coin, against the run's curve."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from gdpnum import _validate
from gdpnum.auditing.claim import claimed, compared_slack, judged
from gdpnum.auditing.guesses import (
    Guesses,
    mu_refuted,
    p_value_of_guesses,
    refuted_by_guesses,
)
from gdpnum.auditing.result import OneRunAudit, level_of
from gdpnum.auditing.runs import checked_confidence
from gdpnum.auditing.scores import Bools, checked_inclusion, checked_scores
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.floats import Floats

# Of the canaries, guessed at either end if nothing else is asked for.
_SHARE = 10

# The shares among which a split chooses, from either end.
_TRIED = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5)

_ADVICE = (
    "pass how many of the highest scores are taken to be included, or a pair with how many of the "
    "lowest are taken to be left out, fixed before the scores were seen; or 'split'"
)


def audit_one_run(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    guesses: int | tuple[int, int] | Literal["split"] | None = None,
    claim: object = None,
    confidence: float = 0.95,
    slack: float | None = None,
    seed: int = 0,
) -> OneRunAudit:
    """A lower bound on mu from one run with many canaries, each included by a fair coin of its own.

    The attack takes the canaries of the highest scores to be included, those of the lowest to be
    left out, and abstains on the others; the number of right guesses is held against every mu, or
    against the claim's whole curve.

    Guarantee: if each canary was included by an independent fair coin and the number of guesses was
    fixed before the scores were seen, then with probability ``confidence`` what was run is
    (mu, slack)-GDP for no mu below ``mu_lower``, for neighbours that differ in one canary's coin;
    a claim that is true is refuted with a probability of at most 1 - confidence. The theorem allows
    the canaries to help each other, so with many of them the bound stays short of mu.

    ``guesses`` is a number g (the g highest scores), a pair (highest, lowest), None (a tenth of the
    canaries at either end) or "split": the pair that does best on one half, by ``seed``, used on
    the other. ``slack`` is that of the mu bounded, by default that of the claim's mu. Where a tie
    leaves open whom to guess, the guesses count as wrong as far as the tied canaries allow.

    Source: Mahloujifar, Melis and Chaudhuri 2024, https://arxiv.org/abs/2410.22235.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> included = rng.random(10_000) < 0.5
    >>> shown = audit_one_run(rng.normal(size=10_000) + included, included, claim=0.5)
    >>> f"{shown.mu_lower:.2f}", shown.verdict
    ('0.64', 'refuted at level 0.05')
    """
    confidence = checked_confidence(confidence)
    seed = _validate.count("seed", seed)
    kept = checked_scores("scores", scores)
    flags = checked_inclusion(included, kept.size)
    if flags.all() or not flags.any():
        raise InvalidArgument(
            f"included is {bool(flags[0])} for every canary, which fair coins do not do; pass "
            "canaries that were included and canaries that were not"
        )
    held = None if claim is None else claimed(claim)
    allowed = compared_slack(slack, held)
    level = level_of(confidence)
    rule: Literal["fixed", "split"] = "fixed"
    if isinstance(guesses, str):
        _validate.choice("guesses", guesses, ("split",))
        rule = "split"
        kept, flags, ends = _split(kept, flags, level, allowed, seed)
    else:
        ends = _ends(guesses, kept.size)
    found = Guesses(kept.size, sum(ends), _correct(kept, flags, ends))
    verdict = {}
    if held is not None:
        refuted, p = refuted_by_guesses(found, held, level), p_value_of_guesses(found, held)
        verdict = judged(held, confidence, refuted=refuted, p_value=p)
    return OneRunAudit(
        confidence=confidence,
        slack=allowed,
        mu_lower=mu_refuted(found, level, allowed),
        **verdict,
        guesses=found,
        guessed_in=ends[0],
        guessed_out=ends[1],
        rule=rule,
    )


def _ends(guesses: object, canaries: int) -> tuple[int, int]:
    """How many are guessed at the upper and at the lower end."""
    if guesses is None:
        tenth = max(1, canaries // _SHARE)
        return tenth, min(tenth, canaries - tenth)
    if isinstance(guesses, tuple):
        if len(guesses) != 2:
            raise InvalidType(f"guesses={guesses!r} is no pair; {_ADVICE}")
        ends = tuple(_validate.count("guesses", one, advice=_ADVICE) for one in guesses)
    else:
        ends = _validate.count("guesses", guesses, advice=_ADVICE), 0
    if not 1 <= sum(ends) <= canaries:
        raise InvalidArgument(
            f"guesses={guesses!r} asks for {sum(ends)} of {canaries} canaries; {_ADVICE}"
        )
    return ends[0], ends[1]


def _correct(scores: Floats, included: Bools, ends: tuple[int, int]) -> int:
    """How many guesses are right, at least: ties are broken against the attack."""
    return _right(scores, included, ends[0]) + _right(-scores, ~included, ends[1])


def _right(scores: Floats, wanted: Bools, number: int) -> int:
    if number == 0:
        return 0
    threshold = np.partition(scores, scores.size - number)[scores.size - number]
    above, tied = scores > threshold, scores == threshold
    open_places = number - int(above.sum())
    wrong = int((tied & ~wanted).sum())
    return int((above & wanted).sum()) + max(0, open_places - wrong)


def _split(
    scores: Floats, included: Bools, level: float, slack: float, seed: int
) -> tuple[Floats, Bools, tuple[int, int]]:
    """One half of the canaries, and the guesses that do best on the other."""
    if scores.size < 4:
        raise InvalidArgument(
            f"scores has {scores.size} canaries, too few to split; pass more, or guesses=..."
        )
    order = np.random.default_rng(seed).permutation(scores.size)
    first, second = order[: scores.size // 2], order[scores.size // 2 :]

    def mu(ends: tuple[int, int]) -> float:
        correct = _correct(scores[first], included[first], ends)
        return mu_refuted(Guesses(first.size, sum(ends), correct), level, slack)

    tried = {max(1, int(share * first.size)) for share in _TRIED}
    number = max(sorted(tried), key=lambda one: mu((one, min(one, first.size - one))))
    ends = number, min(number, second.size - number)
    return scores[second], included[second], ends
