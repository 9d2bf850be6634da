"""The records of persons, correlated noise and tuning: brackets are honest, knobs turn."""

import math
from fractions import Fraction

import pytest

from gdpnum import (
    DPSGD,
    BestOf,
    FixedSize,
    Gaussian,
    MatrixMechanism,
    PoissonSampled,
    RandomizedResponse,
    ReportNoisyMax,
    Shuffled,
    Skellam,
    calibrate,
    calibrate_dpsgd,
    fit_gdp,
    per_person,
    statement,
    sweep,
    tradeoff_curve,
)
from gdpnum.calibration.formula import participation
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.kind import kind_of
from gdpnum.measures.divergence import delta_divergence
from gdpnum.pairs.sensitivity import sensitivity
from tests.cli.invoking import document, printed, refused

BOUNDED = MatrixMechanism(
    strategy=(1.0, 0.5, -0.3, 0.2), steps=12, noise_multiplier=2.0, max_participations=3
)


def test_the_regret_of_the_best_is_at_least_that_beside_one_run():
    run = Gaussian(sigma=2.0)
    fit = fit_gdp(BestOf(run, number="geometric", mean=3.0))
    # A score that says nothing makes the best like any other run: that is an attack that exists.
    exact = delta_divergence(GaussianCurve(0.5), fit.curve()).value
    assert exact <= fit.regret <= exact + fit.tolerance
    assert 0.5 * (1.0 - fit.tolerance) <= fit.mu_lower <= 0.5 < fit.mu


def test_of_a_poisson_number_no_attack_is_known():
    fit = fit_gdp(BestOf(Gaussian(sigma=2.0), number="poisson", mean=3.0))
    assert fit.mu_lower == 0.0
    # Beside perfect privacy the most that is given away is half the advantage that mu allows.
    assert fit.regret == pytest.approx(0.5 * fit.curve().advantage)


def test_the_best_of_sampled_runs_has_their_attacks():
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.05, steps=40)
    alone, fit = fit_gdp(run), fit_gdp(BestOf(run, number="geometric", mean=2.0))
    assert alone.mu_lower * (1.0 - 2e-3) <= fit.mu_lower <= alone.mu < fit.mu


def test_bests_compose():
    best = BestOf(Gaussian(sigma=3.0), number="geometric", mean=2.0)
    one, two = fit_gdp(best), fit_gdp(best * 2)
    assert one.mu < two.mu < 2.0 * one.mu
    assert two.mu_lower == pytest.approx(math.sqrt(2.0) / 3.0, rel=2e-3)


@pytest.mark.parametrize("noise", [0.02, 0.3, 40.0])
def test_bounded_sensitivities_are_bracketed_at_any_noise(noise):
    run = MatrixMechanism(
        strategy=BOUNDED.strategy, steps=12, noise_multiplier=noise, max_participations=3
    )
    found, fit = sensitivity(run), fit_gdp(run)
    assert not kind_of(run).is_gaussian(run)
    assert fit.mu <= found.value / noise * (1.0 + 1e-12)
    assert fit.mu_lower <= found.lower / noise


def test_a_bounded_sensitivity_composes_with_what_is_exact():
    both = BOUNDED * 2 + Gaussian(sigma=4.0, neighbouring="zero_out")
    found, fit = sensitivity(BOUNDED), fit_gdp(both)
    high = math.sqrt(2.0 * (found.value / 2.0) ** 2 + 1.0 / 16.0)
    low = math.sqrt(2.0 * (found.lower / 2.0) ** 2 + 1.0 / 16.0)
    assert low <= fit.mu <= high * (1.0 + 1e-12)
    assert low * (1.0 - 2e-3) <= fit.mu_lower <= low
    # Without slack it is the formula, and only a bound.
    assert fit_gdp(both, slack=0.0).mu == pytest.approx(high, rel=1e-12)
    assert fit_gdp(both, slack=0.0).mu_lower <= low


@pytest.mark.parametrize("records", [1, 2, 5])
def test_participation_counts_all_records_of_a_person(records):
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=30, records_per_person=records)
    assert participation(run) == pytest.approx(1.0 - 0.99 ** (30 * records), rel=1e-12)
    # Whoever takes part is revealed, at the worst: no attack beats that, however little the noise.
    noisy = DPSGD(noise_multiplier=0.3, sample_rate=0.01, steps=30, records_per_person=records)
    assert tradeoff_curve(noisy).advantage <= participation(noisy) * (1.0 + 1e-6)


@pytest.mark.parametrize(
    ("run", "knob"),
    [
        (Skellam(sigma=3.0) * 4, "sigma"),
        (MatrixMechanism(strategy="tree", steps=8, noise_multiplier=2.0), "noise_multiplier"),
        (PoissonSampled(Gaussian(sigma=1.0), rate=0.1, records_per_person=2) * 5, "sigma"),
        (ReportNoisyMax(scale=2.0) * 3, "scale"),
    ],
    ids=["skellam", "tree", "person", "selection"],
)
def test_noise_is_found_for_a_mechanism(run, knob):
    found = calibrate(run, mu=0.8)
    assert found.achieved <= 0.8
    assert fit_gdp(found.mechanism).mu == pytest.approx(0.8, rel=5e-3)
    (leaf,) = {part for part, _ in found.mechanism.parts}
    assert getattr(getattr(leaf, "inner", leaf), knob) == found.value


def test_dpsgd_for_a_person_is_the_same_everywhere():
    said = {"noise_multiplier": 2.0, "sample_rate": 0.02, "steps": 50}
    run = DPSGD(**said, records_per_person=3)
    assert run == per_person(DPSGD(**said), records_per_person=3)
    (row,) = sweep([{**said, "records_per_person": 3}])
    assert row["mu"] == pytest.approx(fit_gdp(run).mu, rel=1e-3)
    options = ["--noise-multiplier", "2", "--sample-rate", "0.02", "--steps", "50"]
    typed = document("dpsgd", *options, "--records-per-person", "3")
    assert typed["mu"] == statement(run).mu
    found = calibrate_dpsgd(sample_rate=0.02, steps=50, mu=0.5, records_per_person=3)
    assert found.mechanism.records_per_person == 3
    assert fit_gdp(found.mechanism).mu <= 0.5


@pytest.mark.parametrize(
    "leaf",
    [
        FixedSize(Gaussian(sigma=2.0, neighbouring="replace"), batch_size=5, dataset_size=100),
        Shuffled(Gaussian(sigma=2.0, neighbouring="zero_out")),
    ],
    ids=repr,
)
def test_batches_with_a_bound_of_their_own_keep_it(leaf):
    person = per_person(leaf * 2, records_per_person=3)
    ((found, count),) = person.parts
    assert (type(found), found.records_per_person, count) == (type(leaf), 3, 2)


def test_a_tuned_run_is_typed():
    options = ["--noise-multiplier", "4", "--sample-rate", "0.02", "--steps", "50"]
    run = DPSGD(noise_multiplier=4.0, sample_rate=0.02, steps=50)
    typed = document("dpsgd", *options, "--tuned", "best-of-geometric:4")
    assert typed["mu"] == statement(BestOf(run, number="geometric", mean=4.0)).mu
    assert "the best of a random, undisclosed number of runs" in " ".join(
        printed("dpsgd", *options, "--tuned", "best-of-poisson:2").split()
    )
    assert refused("dpsgd", *options, "--tuned", "best").startswith("--tuned='best' is not")


def test_a_sentence_names_the_person():
    options = ["--noise-multiplier", "4", "--sample-rate", "0.02", "--steps", "50"]
    text = " ".join(printed("dpsgd", *options, "--records-per-person", "3").split())
    assert "of the people with at most 3 records that were used" in text
    assert "people with several records" not in text


def test_tiny_rates_reveal_at_most_what_joins():
    leaf = PoissonSampled(Gaussian(sigma=1.0), rate=1e-15, records_per_person=4)
    found = kind_of(leaf).pair(leaf)
    exact = 1 - (1 - Fraction(1e-15)) ** 4
    assert exact <= Fraction(found.above.mass_at_infinity) <= exact * (1 + Fraction(1, 2**40))
    assert found.below is None
    assert tradeoff_curve(leaf * 10).mass_at_infinity >= 10 * exact * (1 - Fraction(1, 2**40))


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (Skellam(sigma=3.0), "Skellam noise with noise multiplier 3, once"),
        (
            BOUNDED,
            "correlated over 12 steps with noise multiplier 2, once; a record takes part in at",
        ),
        (
            PoissonSampled(RandomizedResponse(epsilon=1.0), rate=0.1),
            "of respondents who answer with probability 0.1",
        ),
        (
            BestOf(Gaussian(sigma=2.0), number="geometric", mean=3.0) * 2,
            "undisclosed number of runs (geometric, mean 3), 2 times; each run: Gaussian noise",
        ),
    ],
    ids=["skellam", "matrix", "answers", "best"],
)
def test_statements_say_what_was_run_and_are_read_back(run, said):
    made = statement(run)
    assert said in " ".join(str(made).split())
    assert type(made).from_json(made.to_json()).run == run
    tuned = "stay secret" in str(made).replace("\n", " ")
    assert tuned == isinstance(run.parts[0][0], BestOf)
