"""The noise that meets a target is found for every way to draw batches, on the safe side."""

import pytest

from gdpnum import DPSGD, calibrate_dpsgd, fit_gdp

SCHEMES = [
    {"batches": "fixed", "batch_size": 100, "dataset_size": 10_000, "steps": 500},
    {"batches": "shuffled", "epochs": 4},
    {"batches": "allocated", "steps_per_epoch": 50, "epochs": 4},
    {
        "batches": "truncated",
        "sample_rate": 0.01,
        "dataset_size": 10_000,
        "max_batch_size": 140,
        "steps": 500,
    },
    {"batches": "cyclic", "sample_rate": 0.01, "bands": 4, "steps": 500},
]


@pytest.mark.parametrize("described", SCHEMES, ids=lambda one: one["batches"])
def test_calibrated_noise_meets_its_target_and_hardly_more(described):
    found = calibrate_dpsgd(mu=1.0, tolerance=1e-2, **described)
    assert found.achieved <= 1.0
    assert found.mechanism == DPSGD(noise_multiplier=found.noise_multiplier, **described)
    less = DPSGD(noise_multiplier=0.97 * found.noise_multiplier, **described)
    assert fit_gdp(less).mu > 1.0


def test_a_shuffled_run_needs_the_square_root_of_its_epochs():
    found = calibrate_dpsgd(mu=1.0, batches="shuffled", epochs=4)
    assert found.noise_multiplier == pytest.approx(2.0, rel=1e-3)
    assert found.noise_multiplier >= 2.0
