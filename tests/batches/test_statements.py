"""What a statement says of batches: how they were drawn, for whom it holds, and what is unknown."""

import pytest

from gdpnum import DPSGD, Statement, statement

SIZES = {"batch_size": 10, "dataset_size": 1000, "steps": 50}
RUNS = {
    "fixed size": (
        DPSGD(noise_multiplier=2.0, batches="fixed", **SIZES),
        ["each a random choice of 10 of 1000 records", "what theory does not know"],
    ),
    "fixed size, with replacement": (
        DPSGD(noise_multiplier=2.0, batches="fixed", with_replacement=True, **SIZES),
        ["drawn with replacement", "replaced by another"],
    ),
    "once an epoch": (
        DPSGD(noise_multiplier=2.0, batches="shuffled", epochs=3, records_per_person=2),
        ["no credit for shuffling", "blanked out", "people with at most 2 records"],
    ),
    "random allocation": (
        DPSGD(noise_multiplier=2.0, batches="allocated", steps_per_epoch=20, epochs=3),
        ["chose one step", "afresh each epoch", "by itself, in secret"],
    ),
    "truncated Poisson": (
        DPSGD(
            noise_multiplier=2.0,
            batches="truncated",
            sample_rate=0.01,
            dataset_size=1000,
            max_batch_size=15,
            steps=50,
        ),
        ["cut at random to 15 records", "the dataset's size, 1000, is public"],
    ),
    "cyclic Poisson": (
        DPSGD(noise_multiplier=2.0, batches="cyclic", sample_rate=0.01, bands=4, steps=50),
        ["13 cycles of 4 steps", "without a look at the data"],
    ),
}


@pytest.mark.parametrize("scheme", RUNS)
def test_a_statement_says_how_batches_were_drawn(scheme):
    run, said = RUNS[scheme]
    found = statement(run)
    text = " ".join(str(found).split())
    for words in said:
        assert words in text
    assert found.assumptions["sampling"] == scheme
    assert "Poisson sampling)" not in text
    assert "clipping norm" in text


@pytest.mark.parametrize("scheme", RUNS)
def test_a_statement_is_the_same_after_json(scheme):
    run, _ = RUNS[scheme]
    found = statement(run)
    again = Statement.from_json(found.to_json())
    assert again.run == run
    assert again.mu == found.mu
    assert found.to_latex()
    assert found.to_html()


def test_what_numerics_know_is_not_called_unknown():
    known = statement(RUNS["random allocation"][0])
    assert "theory" not in str(known)
    exchanged = DPSGD(
        noise_multiplier=2.0,
        batches="allocated",
        steps_per_epoch=20,
        epochs=3,
        neighbouring="replace",
    )
    assert "theory" in str(statement(exchanged))
