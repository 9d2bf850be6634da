import pytest

from gdpnum import (
    DPSGD,
    Allocated,
    CyclicPoisson,
    FixedSize,
    Gaussian,
    InvalidArgument,
    InvalidType,
    Laplace,
    PoissonSampled,
    Shuffled,
    TruncatedPoisson,
    UnsupportedMechanism,
    fit_gdp,
)

REPLACE = Gaussian(sigma=1.0, neighbouring="replace")
BLANKED = Gaussian(sigma=1.0, neighbouring="zero_out")
PLAIN = Gaussian(sigma=1.0)


def dpsgd(**values):
    return DPSGD(noise_multiplier=1.0, **values)


def test_sizes_and_epochs_stand_for_rate_and_steps():
    assert dpsgd(batch_size=256, dataset_size=60_000, epochs=10) == (
        PoissonSampled(PLAIN, rate=256 / 60_000) * 2344
    )
    assert dpsgd(batch_size=100, dataset_size=1000, epochs=0.25) == (
        PoissonSampled(PLAIN, rate=0.1) * 3
    )
    assert dpsgd(sample_rate=0.3, epochs=3) == PoissonSampled(PLAIN, rate=0.3) * 10


def test_each_word_has_its_description_and_its_relation():
    assert dpsgd(batches="fixed", batch_size=5, dataset_size=50, steps=7) == (
        FixedSize(REPLACE, batch_size=5, dataset_size=50) * 7
    )
    assert dpsgd(
        batches="fixed", batch_size=5, dataset_size=50, epochs=2, with_replacement=True
    ) == (FixedSize(REPLACE, batch_size=5, dataset_size=50, with_replacement=True) * 20)
    assert dpsgd(batches="shuffled", epochs=2.5) == Shuffled(BLANKED) * 3
    assert dpsgd(batches="allocated", steps_per_epoch=9, epochs=2) == Allocated(PLAIN, bins=9) * 2
    assert dpsgd(batches="allocated", steps_per_epoch=9, epochs=2, fixed_bins=True) == (
        Allocated(PLAIN, bins=9, kept=2)
    )
    assert dpsgd(
        batches="truncated", sample_rate=0.1, dataset_size=50, max_batch_size=9, steps=4
    ) == (TruncatedPoisson(PLAIN, rate=0.1, dataset_size=50, max_batch_size=9) * 4)
    assert dpsgd(batches="cyclic", sample_rate=0.1, bands=4, steps=10) == (
        CyclicPoisson(PLAIN, rate=0.1, bands=4) * 3
    )


def test_fewer_whole_batches_are_the_steps_of_an_epoch():
    # Fewer to choose from is the safe side.
    run = dpsgd(batches="allocated", batch_size=30, dataset_size=100, epochs=1)
    assert run == Allocated(PLAIN, bins=3)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"batches": "fixed", "neighbouring": "add_remove"}, "neighbouring='replace' or neighb"),
        ({"batches": "shuffled", "neighbouring": "add_remove"}, "neighbouring='zero_out' or "),
        ({"batches": "cyclic", "neighbouring": "replace"}, "neighbouring='add_remove' or "),
    ],
)
def test_a_relation_without_a_guarantee_is_refused_with_one_that_has_it(values, said):
    more = {
        "fixed": {"batch_size": 5, "dataset_size": 50, "steps": 1},
        "shuffled": {"epochs": 1},
        "cyclic": {"sample_rate": 0.1, "bands": 2, "steps": 1},
    }[values["batches"]]
    with pytest.raises(UnsupportedMechanism, match=said):
        dpsgd(**values, **more)


@pytest.mark.parametrize(
    ("values", "error", "said"),
    [
        ({"batch_size": 60, "dataset_size": 50, "epochs": 1}, InvalidArgument, "above data"),
        (
            {"batches": "fixed", "batch_size": 60, "dataset_size": 50, "steps": 1},
            InvalidArgument,
            "with_replacement=True",
        ),
        ({"batches": "shuffled", "epochs": 0}, InvalidArgument, "epochs=0.0 is not positive"),
        ({"batches": "shuffled"}, InvalidType, "epochs=None"),
        ({"batches": "shuffled", "epochs": 1, "steps": 5}, InvalidArgument, "pass epochs instead"),
        (
            {"batches": "allocated", "steps_per_epoch": 4, "epochs": 1, "times_per_epoch": 5},
            InvalidArgument,
            "times_per_epoch=5 is more than the 4 steps",
        ),
        (
            {"batches": "allocated", "steps_per_epoch": 4, "epochs": 1, "times_per_epoch": 0},
            InvalidArgument,
            "times_per_epoch=0 is below 1",
        ),
        ({"batches": "allocated", "epochs": 1}, InvalidType, "steps_per_epoch=None"),
        ({"sample_rate": 256, "steps": 5}, InvalidArgument, "did you mean batch_size=256"),
        (
            {"sample_rate": 1, "batch_size": 256, "steps": 5},
            InvalidArgument,
            "both given; pass either sample_rate, or batch_size",
        ),
        ({"sample_rate": 0.1, "steps": 5, "epochs": 2}, InvalidArgument, "either steps or epochs"),
        ({"sample_rate": 0.1}, InvalidType, "steps=None"),
        ({"steps": 5}, InvalidType, "sample_rate=None"),
        ({"sample_rate": 0.1, "steps": 5, "bands": 2}, InvalidArgument, "batches='cyclic'"),
        (
            {"sample_rate": 0.1, "steps": 5, "max_batch_size": 2},
            InvalidArgument,
            "did you mean batches='truncated'",
        ),
        (
            {"batches": "truncated", "sample_rate": 0.1, "steps": 5, "max_batch_size": 2},
            InvalidType,
            "dataset_size=None",
        ),
        (
            {"batches": "fixed", "sample_rate": 0.1, "steps": 5},
            InvalidArgument,
            "pass batch_size and dataset_size instead",
        ),
        (
            {"batches": "cyclic", "sample_rate": 0.3, "bands": 4, "steps": 5},
            InvalidArgument,
            "above 1; a step samples one part only",
        ),
        ({"batches": "shuffle", "epochs": 1}, InvalidArgument, "batches='shuffle' is not an opt"),
        (
            {"batches": "shuffled", "epochs": 1, "records_per_person": 0},
            InvalidArgument,
            "records_per_person=0",
        ),
        (
            {"batches": "allocated", "steps_per_epoch": 9, "epochs": 1, "records_per_person": 2},
            UnsupportedMechanism,
            "'fixed' or 'shuffled'",
        ),
    ],
)
def test_what_does_not_fit_is_said(values, error, said):
    with pytest.raises(error, match=said):
        dpsgd(**values)


@pytest.mark.parametrize(
    "leaf",
    [
        FixedSize(REPLACE, batch_size=5, dataset_size=50, with_replacement=True),
        FixedSize(REPLACE, batch_size=5, dataset_size=50, records_per_person=3),
        Shuffled(BLANKED, records_per_person=2),
        Allocated(PLAIN, bins=10, times=3, kept=2),
        TruncatedPoisson(PLAIN, rate=0.1, dataset_size=50, max_batch_size=9),
        CyclicPoisson(PLAIN, rate=0.1, bands=4),
    ],
)
def test_a_description_prints_as_it_is_written(leaf):
    names = [Allocated, CyclicPoisson, FixedSize, Gaussian, Shuffled, TruncatedPoisson]
    assert eval(repr(leaf), {one.__name__: one for one in names}) == leaf
    assert hash(leaf) == hash(leaf * 1)


def test_noise_that_is_not_gaussian_is_refused():
    with pytest.raises(UnsupportedMechanism, match="pass Gaussian noise"):
        Allocated(Laplace(scale=1.0), bins=3)


def test_a_person_with_all_records_has_no_sampling_to_hide_in():
    everyone = FixedSize(REPLACE, batch_size=5, dataset_size=5)
    assert fit_gdp(everyone * 4).mu == 4.0
    some = FixedSize(REPLACE, batch_size=5, dataset_size=6, records_per_person=2)
    fit = fit_gdp(some)
    assert fit.mu == 4.0
    assert fit.mu_lower <= 2.0


def test_a_cut_that_never_cuts_is_poisson():
    cut = TruncatedPoisson(PLAIN, rate=0.01, dataset_size=100, max_batch_size=100)
    assert fit_gdp(cut * 50).mu == pytest.approx(fit_gdp(PoissonSampled(PLAIN, rate=0.01) * 50).mu)


def test_nothing_sampled_reveals_nothing():
    cut = TruncatedPoisson(PLAIN, rate=0.0, dataset_size=100, max_batch_size=10)
    assert fit_gdp(cut * 50).mu == 0.0


def test_a_person_costs_more_than_a_record():
    mus = [
        fit_gdp(FixedSize(REPLACE, batch_size=5, dataset_size=500, records_per_person=k) * 20).mu
        for k in (1, 2, 4)
    ]
    assert mus == sorted(mus)
