"""Epsilon at 1e-5 of each way to draw batches, met from both sides.

The numbers are from the literature's formulas, computed apart from this library.
"""

import pytest

from gdpnum import DPSGD, fit_gdp
from tests.batches.bounds import epsilon_above, epsilon_below

DELTA = 1e-5


def fixed(sigma, batch, size, steps, **more):
    return DPSGD(
        noise_multiplier=sigma,
        batches="fixed",
        batch_size=batch,
        dataset_size=size,
        steps=steps,
        **more,
    )


def allocated(sigma, steps, epochs, **more):
    return DPSGD(
        noise_multiplier=sigma,
        batches="allocated",
        steps_per_epoch=steps,
        epochs=epochs,
        **more,
    )


BRACKETS = [
    (fixed(1, 100, 10_000, 1000), 13.360, 14.821),
    (fixed(2, 100, 10_000, 2000), 2.583, 3.199),
    (fixed(5, 1000, 10_000, 1000), 6.151, 6.914),
    (fixed(1, 100, 10_000, 1000, with_replacement=True), 16.86, 18.44),
    (fixed(2, 100, 10_000, 2000, with_replacement=True), 2.64, 3.32),
    (fixed(5, 1000, 10_000, 1000, with_replacement=True), 6.24, 7.26),
    (fixed(1, 100, 10_000, 1000, records_per_person=2), 26.60, 30.42),
    (fixed(2, 100, 10_000, 1000, records_per_person=3), 6.34, 7.88),
    (fixed(5, 1000, 10_000, 500, records_per_person=2), 9.45, 10.78),
]


@pytest.mark.parametrize(("run", "low", "high"), BRACKETS)
def test_fixed_sizes_have_both_ends_of_their_bracket(run, low, high):
    above, below = epsilon_above(run, DELTA), epsilon_below(run, DELTA)
    # The numbers are rounded to their last digit.
    assert high - 0.01 <= above <= high * 1.003
    assert low * 0.997 <= below <= low + 0.01


@pytest.mark.parametrize(("run", "low", "high"), BRACKETS)
def test_a_fit_of_fixed_sizes_says_where_the_smallest_mu_lies(run, low, high):
    fit = fit_gdp(run)
    assert 0.0 < fit.mu_lower < fit.mu
    assert fit.neighbouring == "replace"


TRUNCATED = [
    ((1, 0.01, 10_000, 120, 1000), {"zero_out": 5.274, "replace": 5.655}),
    ((2, 0.05, 1000, 60, 500), {"zero_out": 3.472, "replace": 5.366}),
    ((0.8, 0.02, 5000, 100, 200), {"zero_out": 17.980, "replace": 18.127}),
]
# The same with the pair that dp-accounting's development version uses.
LOOSER = {"zero_out": [5.297, 3.957, 18.135], "replace": [5.678, 5.745, 18.281]}


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("relation", ["zero_out", "replace", "add_remove"])
def test_truncated_batches_are_tighter_than_the_looser_pair(number, relation):
    (sigma, rate, size, most, steps), values = TRUNCATED[number]
    run = DPSGD(
        noise_multiplier=sigma,
        batches="truncated",
        sample_rate=rate,
        dataset_size=size,
        max_batch_size=most,
        steps=steps,
        neighbouring=relation,
    )
    known = "replace" if relation == "replace" else "zero_out"
    above = epsilon_above(run, DELTA)
    assert values[known] - 0.001 <= above <= values[known] * 1.003
    assert above < LOOSER[known][number]
    assert epsilon_below(run, DELTA) < above


@pytest.mark.parametrize(
    ("sigma", "rate", "bands", "steps", "value"),
    [(1, 0.01, 4, 1000, 4.185), (2, 0.005, 10, 2000, 1.560), (1, 0.02, 8, 800, 11.472)],
)
def test_cyclic_batches_are_poisson_steps_of_their_parts(sigma, rate, bands, steps, value):
    run = DPSGD(
        noise_multiplier=sigma, batches="cyclic", sample_rate=rate, bands=bands, steps=steps
    )
    assert value - 0.001 <= epsilon_above(run, DELTA) <= value * 1.003
    assert value * 0.997 <= epsilon_below(run, DELTA) <= value + 0.001


@pytest.mark.parametrize(
    ("relation", "records", "mu", "epsilon"),
    [
        ("zero_out", 1, 1.1180, 5.5509),
        ("replace", 1, 2.2361, 12.595),
        ("replace", 2, 4.4721, 30.579),
    ],
)
def test_shuffled_batches_are_gaussian(relation, records, mu, epsilon):
    run = DPSGD(
        noise_multiplier=2,
        batches="shuffled",
        epochs=5,
        neighbouring=relation,
        records_per_person=records,
    )
    assert fit_gdp(run).mu == pytest.approx(mu, abs=1e-4)
    assert epsilon_above(run, 1e-6) == pytest.approx(epsilon, abs=1e-3)


ALLOCATED = [
    (allocated(1, 100, 1), 0.62094),
    (allocated(1, 1000, 1), 0.1388),
    (allocated(0.8, 1000, 1), 0.28358),
    (allocated(2, 100, 1), 0.1732),
    (allocated(0.6, 500, 1), 1.9447),
    (allocated(1.5, 10, 1), 0.97395),
    (allocated(2, 100, 10), 0.6031),
    (allocated(1, 1000, 10), 0.4645),
    (allocated(1.5, 10, 10), 3.15803),
    (allocated(4, 50, 100), 1.3799),
    (allocated(2, 100, 4, fixed_bins=True), 0.62094),
]


@pytest.mark.parametrize(("run", "value"), ALLOCATED)
def test_allocation_is_known_to_half_a_percent(run, value):
    above, below = epsilon_above(run, DELTA), epsilon_below(run, DELTA)
    rounding = 1e-4 if value < 1.0 else 1e-3
    assert below - rounding <= value <= above + rounding
    assert above <= 1.005 * below


def test_one_of_one_step_is_the_gaussian_itself():
    assert fit_gdp(allocated(2.0, 1, 4)).mu == 1.0


def test_several_of_the_steps_are_as_many_blocks_of_one():
    three = epsilon_above(allocated(2, 99, 1, times_per_epoch=3), DELTA)
    assert three == epsilon_above(allocated(2, 33, 3), DELTA)
    run = allocated(2, 100, 1, times_per_epoch=3)
    # Two blocks of 33 and one of 34, which is hardly better than 33.
    assert 0.98 * three < epsilon_above(run, DELTA) < three
    assert epsilon_below(run, DELTA) < epsilon_above(run, DELTA)


def test_an_exchanged_record_is_one_removed_and_one_added():
    once = allocated(1, 100, 1)
    exchanged = allocated(1, 100, 1, neighbouring="replace")
    assert epsilon_above(exchanged, DELTA) > 2.0 * epsilon_above(once, DELTA)
    # TPR composed with itself, on the curve itself.
    from gdpnum import tradeoff_curve

    curve, other = tradeoff_curve(once), tradeoff_curve(exchanged)
    for alpha in (1e-6, 1e-4, 1e-2, 0.2):
        twice = curve.tpr(curve.tpr(alpha))
        assert twice * 0.999 <= other.tpr(alpha) <= twice * 1.01


@pytest.mark.parametrize("relation", ["add_remove", "zero_out"])
def test_a_blanked_out_record_is_as_private_as_a_removed_one(relation):
    poisson = DPSGD(noise_multiplier=1, sample_rate=0.01, steps=100, neighbouring=relation)
    removed = DPSGD(noise_multiplier=1, sample_rate=0.01, steps=100)
    assert fit_gdp(poisson).mu == fit_gdp(removed).mu
    assert fit_gdp(poisson).neighbouring == relation


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.4, 1.0, 50.0])
@pytest.mark.parametrize("steps", [2, 1000, 10**6])
@pytest.mark.parametrize("epochs", [1, 1000])
def test_allocation_answers_everywhere(sigma, steps, epochs):
    fit = fit_gdp(allocated(sigma, steps, epochs))
    assert 0.0 <= fit.mu_lower < fit.mu <= 1.005 * fit.mu_lower
