"""`audit`: a lower bound on mu from an attack's scores in many runs, and the test of a claim."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from gdpnum import _validate
from gdpnum.auditing.claim import Claim, claimed, compared_slack, judged
from gdpnum.auditing.cuts import Cut, Rule, fixed_cut, rank_cuts, split_cut
from gdpnum.auditing.region import Method, p_value, region
from gdpnum.auditing.result import RunsAudit, level_of
from gdpnum.auditing.roc import DRAWN_FPRS, Roc
from gdpnum.auditing.scores import checked_scores
from gdpnum.errors import InvalidArgument

_METHODS: tuple[Method, ...] = ("joint", "clopper_pearson")


def audit(
    scores_in: ArrayLike,
    scores_out: ArrayLike,
    *,
    claim: object = None,
    confidence: float = 0.95,
    threshold: float | Literal["bonferroni", "split"] = "bonferroni",
    method: Method = "joint",
    slack: float | None = None,
    seed: int = 0,
) -> RunsAudit:
    """A lower bound on mu from an attack's scores, one a run, with and without the canary.

    An attack that accuses at a threshold has an FPR and an FNR, of which the errors it made give
    upper bounds FPR' and FNR'. Then mu >= Phi^-1(1 - FPR') - Phi^-1(FNR' + slack).

    Guarantee: if the scores are of independent runs, then with probability ``confidence`` what was
    run is (mu, slack)-GDP for no mu below ``mu_lower``; epsilon, TPR and advantage_lower hold with
    it, all together. A claim that is true is refuted with a probability of at most 1 - confidence.
    Many canaries of one run are not independent runs: see `audit_one_run`.

    ``scores_in`` are those of runs with the canary, the higher the surer the attack was of it; ties
    and infinities may be. ``claim`` is a mu, a statement, a mechanism, a curve, or whatever has
    one; ``slack`` is that of the mu bounded, by default that of the claim's mu. ``threshold`` is a
    number that was fixed before the scores were seen, "bonferroni" (ranks fixed by the numbers of
    runs, each with its share of the level) or "split" (chosen on one half, by ``seed``, used on the
    other). ``method`` says how the two errors are bounded: "joint" by Fisher's product, or
    "clopper_pearson" each at half the level.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> shown = audit(rng.normal(1.0, size=5000), rng.normal(size=5000), claim=0.5)
    >>> f"{shown.mu_lower:.2f}", shown.verdict
    ('0.93', 'refuted at level 0.05')
    """
    confidence = checked_confidence(confidence)
    method = _validate.choice("method", method, _METHODS)
    seed = _validate.count("seed", seed)
    included, out = checked_scores("scores_in", scores_in), checked_scores("scores_out", scores_out)
    held = None if claim is None else claimed(claim)
    allowed = compared_slack(slack, held)
    level = level_of(confidence)
    roc = Roc.of(included, out)
    rule, cuts = _cuts(threshold, included, out, roc, held, level, seed)
    share = level / len(cuts)
    regions = [region(cut.counts, share, method) for cut in cuts]
    auc, advantage = roc.auc_and_advantage()
    verdict = {}
    if held is not None:
        refuted = any(one.refutes(held) for one in regions)
        p = min(p_value(cut.counts, held, method) for cut in cuts) * len(cuts)
        verdict = judged(held, confidence, refuted=refuted, p_value=p)
    return RunsAudit(
        confidence=confidence,
        slack=allowed,
        mu_lower=max(one.mu(allowed) for one in regions),
        **verdict,
        method=method,
        rule=rule,
        included=included.size,
        out=out.size,
        cuts=cuts,
        advantage_lower=max(one.advantage() for one in regions),
        advantage=advantage,
        auc_lower=roc.auc_lower(auc, level),
        auc=auc,
        roc=roc.band(level),
        claim_tpr=None if held is None else tuple(held.tprs(np.array(DRAWN_FPRS)).tolist()),
    )


def checked_confidence(value: object) -> float:
    """A probability with which a bound is to hold."""
    advice = "pass the probability with which the bound is to hold, such as 0.95"
    confidence = _validate.real("confidence", value, advice=advice)
    if not 0.5 <= confidence <= 1.0 - 1e-9:
        raise InvalidArgument(f"confidence={confidence!r} is outside [0.5, 1 - 1e-9]; {advice}")
    return confidence


def _cuts(
    threshold: object,
    included: np.ndarray,
    out: np.ndarray,
    roc: Roc,
    claim: Claim | None,
    level: float,
    seed: int,
) -> tuple[Rule, tuple[Cut, ...]]:
    if isinstance(threshold, str) and threshold == "bonferroni":
        return "bonferroni", rank_cuts(roc)
    if isinstance(threshold, str) and threshold == "split":
        return "split", (split_cut(included, out, claim, level, seed),)
    advice = "pass a number fixed in advance, 'bonferroni' or 'split'"
    return "fixed", (fixed_cut(roc, _validate.real("threshold", threshold, advice=advice)),)
