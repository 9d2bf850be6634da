import pytest

import gdpnum as library
from gdpnum.cli.calibrate import _batch
from tests.cli.invoking import document, printed, refused

NOISE = ["calibrate", "--sample-rate", "0.01", "--steps", "1000"]


def test_the_setting_meets_its_target_as_printed():
    found = document(*NOISE, "--mu", "1")
    assert found["found"] == "noise_multiplier"
    assert found["target"] == {"kind": "mu", "value": 1.0, "at": 1e-10}
    assert 0.999 <= found["achieved"] <= 1.0
    text = printed(*NOISE, "--mu", "1")
    shown = float(text.split()[2].rstrip(":"))
    assert shown >= found["noise_multiplier"]  # more noise meets it too
    run = library.DPSGD(noise_multiplier=shown, sample_rate=0.01, steps=1000)
    assert library.fit_gdp(run, tolerance=1e-4).mu <= 1.0


def test_a_rate_comes_with_the_batch_that_keeps_it():
    options = ["--noise-multiplier", "1", "--dataset-size", "50000", "--steps", "1000"]
    found = document("calibrate", *options, "--epsilon", "2", "--delta", "1e-5")
    assert found["found"] == "sample_rate"
    assert found["batch_size"] / 50000 <= found["sample_rate"] < (found["batch_size"] + 1) / 50000
    text = printed("calibrate", *options, "--epsilon", "2", "--delta", "1e-5")
    assert f"batch size        {found['batch_size']}\n" in text


def test_batches_are_rounded_down_whatever_floats_do():
    assert _batch(0.29, 100) == 29  # in floats 0.29 * 100 is below 29
    assert _batch(0.299, 100) == 29
    assert _batch(1.0, 7) == 7


def test_steps_are_whole():
    options = ["--noise-multiplier", "5", "--sample-rate", "1.0", "--mu", "1"]
    assert document("calibrate", *options)["steps"] == 25
    assert printed("calibrate", *options).startswith("Steps 25: the largest that meets mu <= 1.0")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            "--sample-rate 0.01 --mu 1",
            "--noise-multiplier and --steps are left out; pass two of --noise-multiplier, ",
        ),
        ("--sample-rate 0.01 --steps 10", "no target is given; pass one of --mu"),
        ("--sample-rate 0.01 --steps 10 --mu 1 --advantage 0.1", "--mu and --advantage are given"),
        ("--sample-rate 0.01 --steps 10 --epsilon 1", "--epsilon is given without --delta"),
        ("--sample-rate 0.01 --steps 10 --fpr 0.1 --mu 1", "--fpr is given without --tpr"),
        (
            "--sample-rate 0.01 --steps 10 --tpr 0.01 --fpr 0.1",
            "--tpr=0.01 is not above --fpr=0.1: guessing at random reaches that; pass a larger "
            "--tpr,",
        ),
        ("--sample-rate 0.01 --steps 10 --mu 1 --slack 2", "--slack=2.0 is outside [0, 1)"),
        ("--sample-rate 0.01 --steps 10 --mu 0", "--mu=0.0 is not positive"),
        ("--noise-multiplier 1 --epochs 2 --mu 1", "epochs need a sample rate above 0"),
        ("--noise-multiplier 0.1 --sample-rate 1.0 --mu 0.01", "mu <= 0.01"),
    ],
)
def test_bad_input_is_one_line(options, said):
    assert refused("calibrate", *options.split()).startswith(said)


def test_what_was_given_is_printed_in_full():
    options = ["--sample-rate", "0.00123456789", "--steps", "1234567", "--mu", "1"]
    text = printed("calibrate", *options)
    assert "steps             1234567\n" in text
    assert "sample rate       0.00123456789\n" in text


def test_a_dataset_beyond_all_floats_is_refused():
    options = ["--sample-rate", "0.01", "--steps", "10", "--mu", "1", "--dataset-size", "1" * 401]
    assert refused("calibrate", *options).startswith("--dataset-size='1111")


def test_sizes_and_epochs_say_the_run():
    sizes = ["--batch-size", "600", "--dataset-size", "6e4", "--epochs", "10"]
    assert document("calibrate", *sizes, "--mu", "1") == {
        **document(*NOISE, "--mu", "1"),
        "batch_size": 600,
    }
