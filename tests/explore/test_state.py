"""What is set is the text of the link, and nothing else."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdpnum
from gdpnum.explore.fields import FIELDS, shown
from gdpnum.explore.schemes import SCHEMES, arguments
from gdpnum.explore.state import MEASURES, TARGETS, VIEWS, State

RUNS = {
    "noise_multiplier": st.floats(1e-3, 1e6),
    "batch_size": st.integers(1, 10**12),
    "dataset_size": st.integers(1, 10**15),
    "epochs": st.floats(1e-3, 1e6),
}
REST = {
    "neighbouring": st.sampled_from(["add_remove", "replace"]),
    "fpr": st.floats(1e-300, 1.0, exclude_max=True),
    "delta": st.floats(1e-300, 1.0, exclude_max=True),
    "target": st.sampled_from(list(TARGETS)),
    "aim": st.floats(1e-6, 1e6),
    "view": st.sampled_from(VIEWS),
    "measure": st.sampled_from(list(MEASURES)),
    "name": st.text(max_size=60).map(lambda text: " ".join(text.split())),
}
RUN_STATES = st.builds(State, **RUNS)
STATES = st.builds(
    State, **RUNS, **REST, pins=st.lists(RUN_STATES.map(lambda one: one.pin), max_size=4).map(tuple)
)


@given(STATES)
def test_a_link_restores_the_state(state):
    assert State.of(state.query) == state
    assert State.of(state.query).query == state.query


@given(RUN_STATES)
def test_a_pin_keeps_the_run_and_its_name(state):
    pinned = State.of(replace(state, name="A & B=1", view="trade", fpr=0.5).pin)
    assert pinned == replace(state, name="A & B=1")


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_a_number_is_the_same_when_read_back(value):
    assert float(shown(value)) == value


def test_an_empty_link_is_the_default():
    assert State.of("") == State()


def test_the_stops_of_the_fields_are_states():
    for name, field in FIELDS.items():
        assert list(field.stops) == sorted(set(field.stops)), name
        assert all(
            State.of(f"{name}={shown(stop)}")
            for stop in field.stops
            if name != "records_per_person"
        )


def test_what_was_typed_is_read_as_a_person_means_it():
    assert State.of("batch_size=1e4").batch_size == 10_000
    assert State.of("epochs=2.5").epochs == 2.5
    assert State.of("name=%20a%0A%20b%20").name == "a b"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("noise_multiplier=abc", "noise_multiplier='abc' is not a number"),
        ("noise_multiplier=0", "noise_multiplier=0.0 is not positive"),
        ("noise_multiplier=nan", "noise_multiplier=nan is not a finite float"),
        ("noise_multiplier=1e999", "is not a finite float"),
        ("batch_size=2.5", "batch_size=2.5 is not whole"),
        ("batch_size=-1", "batch_size=-1.0 is not positive"),
        ("batch_size=inf", "is not a finite float"),
        ("fpr=0", "fpr=0.0 is an end"),
        ("fpr=2", "fpr=2.0 is outside"),
        ("view=garden", "view='garden' is not an option"),
        ("batches=by%20hand", "batches='by hand' is not an option"),
        ("epoch=1", "did you mean 'epochs'?"),
        ("across=epochs&up=epochs", "across='epochs' is up too"),
        ("&".join(["pin=x"] * 5), "5 runs are pinned, above 4"),
        ("x=1&" * 70, "cannot be read"),
        (f"name={'x' * 20_000}", "above 16000"),
    ],
)
def test_what_is_no_state_is_refused_by_name(query, said):
    with pytest.raises(gdpnum.InvalidArgument, match=re.escape(said)):
        State.of(query)


def test_the_run_is_the_one_that_the_command_line_makes():
    state = State.of("noise_multiplier=9.4&batch_size=16384&dataset_size=50000&epochs=655.36")
    run = gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=16_384 / 50_000, steps=2000)
    assert state.run == run
    # A step begun is a step, and 0.1 is a tenth.
    assert State.of("batch_size=1&dataset_size=10&epochs=0.11").run.parts[0][1] == 2
    assert State.of("batch_size=1&dataset_size=10&epochs=0.1").run.parts[0][1] == 1


def test_a_batch_larger_than_the_dataset_is_refused():
    with pytest.raises(gdpnum.InvalidArgument, match="batch_size=11 is above dataset_size=10"):
        _ = State.of("batch_size=11&dataset_size=10").run


# --- what the library at hand does not know is left out -------------------------------------------


def test_the_arguments_are_those_of_the_description():
    sizes = "batch_size=100&dataset_size=1000&epochs=3&max_batch_size=200&bands=4"
    said = {name: arguments(State.of(f"{sizes}&batches={name}")) for name in SCHEMES}
    noise = {"noise_multiplier": 1.0}
    both = noise | {"batch_size": 100, "dataset_size": 1000, "epochs": 3}
    assert said == {
        "poisson": both,
        "fixed": both | {"batches": "fixed"},
        "shuffled": noise | {"batches": "shuffled", "epochs": 3},
        "allocated": both | {"batches": "allocated"},
        "truncated": both | {"batches": "truncated", "max_batch_size": 200},
        "cyclic": both | {"batches": "cyclic", "bands": 4},
    }
    state = State.of(f"{sizes}&batches=shuffled&neighbouring=add_remove&records_per_person=3")
    assert state.neighbouring == "zero_out"
    assert arguments(state)["records_per_person"] == 3
    assert "neighbouring" not in arguments(state)


@pytest.mark.parametrize("name", SCHEMES)
def test_every_scheme_is_one_that_the_library_describes(name):
    assert State.of(f"batches={name}").run.parts
