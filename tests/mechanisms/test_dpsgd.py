import math
from dataclasses import fields
from decimal import Decimal

import numpy as np
import pytest

from gdpnum import DPSGD, Gaussian, InvalidArgument, InvalidType, PoissonSampled, Repeated

GOOD = {"noise_multiplier": 1.0, "sample_rate": 0.01, "steps": 100}


def test_dpsgd_is_the_sampled_gaussian_repeated():
    assert DPSGD(**GOOD) == PoissonSampled(Gaussian(sigma=1.0), rate=0.01) * 100


def test_dpsgd_passes_the_neighbouring_relation_on():
    assert DPSGD(**GOOD).neighbouring == "add_remove"
    assert DPSGD(**GOOD, neighbouring="replace").neighbouring == "replace"


def test_sampling_everyone_is_still_described_as_sampling():
    assert DPSGD(noise_multiplier=2.0, sample_rate=1, steps=3).parts == (
        (PoissonSampled(Gaussian(sigma=2.0), rate=1.0), 3),
    )


@pytest.mark.parametrize("steps", [0, 1])
def test_few_steps_are_steps(steps):
    assert DPSGD(noise_multiplier=1.0, sample_rate=0.5, steps=steps) == (
        PoissonSampled(Gaussian(sigma=1.0), rate=0.5) * steps
    )


def test_what_is_checked_by_the_user_s_names_is_as_the_descriptions_themselves_leave_it():
    numbers = Decimal("1.5"), np.float32(0.25), np.int64(7)
    run = DPSGD(noise_multiplier=numbers[0], sample_rate=numbers[1], steps=numbers[2])
    made = Repeated(PoissonSampled(Gaussian(sigma=numbers[0]), rate=numbers[1]), count=numbers[2])
    for one, other in ((run, made), (run.mechanism, made.mechanism)):
        for field in fields(one):
            value, meant = getattr(one, field.name), getattr(other, field.name)
            assert value == meant
            assert type(value) is type(meant)
    assert type(run.mechanism.inner.sigma) is float


@pytest.mark.parametrize(
    ("name", "bad", "error"),
    [
        ("noise_multiplier", 0.0, InvalidArgument),
        ("noise_multiplier", -1.0, InvalidArgument),
        ("noise_multiplier", math.nan, InvalidArgument),
        ("noise_multiplier", math.inf, InvalidArgument),
        ("noise_multiplier", "1", InvalidType),
        ("sample_rate", -0.01, InvalidArgument),
        ("sample_rate", 1.5, InvalidArgument),
        ("sample_rate", math.nan, InvalidArgument),
        ("sample_rate", None, InvalidType),
        ("steps", -1, InvalidArgument),
        ("steps", 10.5, InvalidType),
        ("steps", 1000.0, InvalidType),
        ("steps", True, InvalidType),
        ("neighbouring", "substitute", InvalidArgument),
    ],
)
def test_an_error_names_the_argument_the_user_wrote(name, bad, error):
    with pytest.raises(error, match=f"^{name}="):
        DPSGD(**{**GOOD, name: bad})
