"""Audits beside JAX-Privacy's auditor on the same scores, and of training with Opacus."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

import gdpnum

EXAMPLES = Path(__file__).parents[2] / "examples"
LEVEL, DELTA = 0.05, 1e-5

ON_THE_PAGE = {
    "no bug": "what was claimed",
    "a layer without noise": "one layer got no noise",
    "batches used twice": "each batch was used twice and counted once",
    "a fixed order": "batches came in a fixed order, not by Poisson sampling",
}


@pytest.fixture(scope="module")
def auditing():
    return pytest.importorskip("jax_privacy.auditing")


def drawn(mu, number, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(mu, size=number), rng.normal(size=number)


@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("number", [60, 1000, 5000])
@pytest.mark.parametrize("delta", [0.0, DELTA, 0.01])
def test_at_a_fixed_threshold_epsilon_is_theirs(auditing, mu, number, delta):
    included, out = drawn(mu, number, 1)
    theirs = auditing.CanaryScoreAuditor(included, out)
    for threshold in (0.5 * mu, 0.5 * mu + 1.0):
        strategy = auditing.Explicit(threshold)
        epsilon = theirs.epsilon_clopper_pearson(
            LEVEL, delta, one_sided=False, threshold_strategy=strategy
        )
        ours = gdpnum.audit(included, out, threshold=threshold, method="clopper_pearson")
        assert ours.epsilon(delta) == pytest.approx(epsilon, abs=1e-9)


def lead(pairs):
    """The mean of ours - theirs, and its standard error."""
    ahead = np.diff(np.array(pairs), axis=1)[:, 0]
    return ahead.mean(), ahead.std(ddof=1) / np.sqrt(ahead.size)


# Theirs divides the level by the vertices of the hull found on the same scores, ours by a number
# fixed in advance; so on one draw either may be ahead. The draws are not those on which our ranks
# were chosen.
@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("number", [200, 1000, 5000])
def test_over_several_thresholds_epsilon_is_at_least_theirs(auditing, mu, number):
    pairs = []
    for seed in range(1000, 1016):
        scores = drawn(mu, number, seed)
        theirs = auditing.CanaryScoreAuditor(*scores)
        epsilon = theirs.epsilon_clopper_pearson(LEVEL, DELTA, one_sided=False)
        pairs.append((epsilon, gdpnum.audit(*scores).epsilon(DELTA)))
    assert lead(pairs)[0] >= 0.0


@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
def test_on_a_split_epsilon_is_theirs_or_more_but_for_chance(auditing, mu):
    # Both choose on one half, each its own, what does best against an epsilon at this delta.
    pairs = []
    for seed in range(1000, 1030):
        scores = drawn(mu, 5000, seed)
        theirs = auditing.CanaryScoreAuditor(*scores)
        strategy = auditing.Split(seed=seed)
        epsilon = theirs.epsilon_clopper_pearson(
            LEVEL, DELTA, one_sided=False, threshold_strategy=strategy
        )
        claim = gdpnum.ApproxDP(epsilon=2.0 * mu, delta=DELTA)
        shown = gdpnum.audit(
            *scores, threshold="split", method="clopper_pearson", claim=claim, seed=seed
        )
        pairs.append((epsilon, shown.epsilon(DELTA)))
    mean, error = lead(pairs)
    assert mean >= -3.0 * error


def test_by_mu_ours_is_at_least_theirs_and_never_above_the_truth(auditing):
    # JAX-Privacy 2.0 takes the modulus of a negative mu, so at small mu its bound is above the
    # truth; where it is not, ours is at least as high.
    truth = {mu: gdpnum.epsilon_from_mu(mu, DELTA) for mu in (0.3, 1.0, 3.0)}
    above = 0
    for mu, exact in truth.items():
        for number in (1000, 5000):
            quantiles = ndtri((np.arange(number) + 0.5) / number)
            theirs = auditing.CanaryScoreAuditor(quantiles + mu, quantiles)
            epsilon = theirs.epsilon_from_gdp(LEVEL, DELTA)
            ours = gdpnum.audit(quantiles + mu, quantiles).epsilon(DELTA, assuming="gaussian")
            assert ours <= exact
            above += epsilon > exact
            assert ours >= epsilon or epsilon > exact
    assert above < 2 * len(truth)


@pytest.mark.parametrize("shift", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("threshold", [1.0, 2.0])
def test_in_one_run_both_epsilons_are_theirs(auditing, shift, threshold):
    included, out = drawn(shift, 500, 3)
    theirs = auditing.CanaryScoreAuditor(included, out)
    strategy = auditing.Explicit(threshold)
    scores = np.concatenate([included, out])
    guesses = int((scores >= threshold).sum())
    ours = gdpnum.audit_one_run(scores, np.arange(1000) < 500, guesses=guesses)
    assert ours.epsilon(DELTA) == pytest.approx(
        theirs.epsilon_one_run(LEVEL, DELTA, threshold_strategy=strategy), abs=2e-6
    )
    assert ours.epsilon(DELTA, assuming="gaussian") == pytest.approx(
        theirs.epsilon_one_run_fdp(LEVEL, DELTA, threshold_strategy=strategy), abs=2e-5
    )


def run(*words):
    done = subprocess.run(
        [sys.executable, EXAMPLES / words[0], *words[1:]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def test_a_run_by_opacus_is_audited_by_its_canaries():
    pytest.importorskip("opacus")
    said = run("audit_one_run.py")
    strong, weak = said.split("Black-box canaries")
    assert "mu is at most 0.98." in strong
    assert "not refuted at level 0.05" in strong
    assert "not refuted at level 0.05" in weak
    bound = float(strong.split("no mu below ")[1].split()[0])
    assert 0.1 < bound < 0.97


@pytest.mark.parametrize(
    ("bug", "verdict"),
    [
        ("no bug", "claim not refuted"),
        ("a layer without noise", "claim refuted"),
        ("batches used twice", "claim refuted"),
        ("a fixed order", "claim refuted"),
    ],
)
def test_planted_bugs_are_refuted_and_only_they(bug, verdict):
    pytest.importorskip("opacus")
    said = run("audit_bugs.py", bug)
    assert f"{verdict} at level 0.05" in said
    # The page on audits has the same number.
    bound = said.split("mu >= ")[1].split(",")[0]
    page = (EXAMPLES.parent / "docs" / "audit.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith(f"| {ON_THE_PAGE[bug]} ")]
    assert row == f"| {ON_THE_PAGE[bug]} | {bound} | {verdict.removeprefix('claim ')} |"
