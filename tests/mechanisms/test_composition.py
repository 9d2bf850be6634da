import copy
import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdpnum
from gdpnum import (
    Composed,
    Gaussian,
    InvalidArgument,
    InvalidType,
    Laplace,
    PoissonSampled,
    PureDP,
    Repeated,
)

G = Gaussian(sigma=2.0)
L = Laplace(scale=5.0)
R = Gaussian(sigma=2.0, neighbouring="replace")

leaves = st.sampled_from([G, L, PureDP(epsilon=1.0), PoissonSampled(G, rate=0.5)])
mechanisms = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda m, n: m * n, inner, st.integers(0, 5)),
        st.builds(lambda m, n: Repeated(m, count=n), inner, st.integers(0, 5)),
        st.builds(lambda a, b: a + b, inner, inner),
        st.lists(inner, min_size=1, max_size=4).map(Composed),
    ),
    max_leaves=8,
)


def counted(mechanism):
    """Count the leaves by walking the description, without ``parts``."""
    if isinstance(mechanism, Repeated):
        return {m: n * mechanism.count for m, n in counted(mechanism.mechanism).items()}
    if isinstance(mechanism, Composed):
        total = {}
        for term in mechanism.mechanisms:
            for leaf, n in counted(term).items():
                total[leaf] = total.get(leaf, 0) + n
        return total
    return {mechanism: 1}


@given(mechanisms)
def test_parts_are_distinct_leaves_with_positive_counts(mechanism):
    parts = mechanism.parts
    assert len({leaf for leaf, _ in parts}) == len(parts)
    assert all(count > 0 and leaf.parts == ((leaf, 1),) for leaf, count in parts)
    assert dict(parts) == {leaf: n for leaf, n in counted(mechanism).items() if n}


@given(mechanisms)
def test_a_repr_evaluates_to_an_equal_mechanism(mechanism):
    twin = eval(repr(mechanism), vars(gdpnum).copy())
    assert twin == mechanism
    assert hash(twin) == hash(mechanism)


@given(mechanisms, mechanisms)
def test_mechanisms_are_equal_exactly_when_their_parts_are(a, b):
    assert (a == b) == (a.parts == b.parts)
    if a == b:
        assert hash(a) == hash(b)


@given(mechanisms, mechanisms)
def test_a_sum_releases_both(a, b):
    assert dict((a + b).parts) == dict(Composed([a, b]).parts)
    total = sum(count for _, count in a.parts) + sum(count for _, count in b.parts)
    assert sum(count for _, count in (a + b).parts) == total


@given(mechanisms)
@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_a_composition_crosses_a_process_boundary(again, mechanism):
    assert again(mechanism) == mechanism


def test_a_composition_prints_as_it_is_written():
    run = PoissonSampled(Gaussian(sigma=9.4), rate=0.32768) * 2000 + L
    assert repr(run) == (
        "PoissonSampled(Gaussian(sigma=9.4), rate=0.32768) * 2000 + Laplace(scale=5.0)"
    )
    assert repr((G + L) * 3) == "(Gaussian(sigma=2.0) + Laplace(scale=5.0)) * 3"


def test_once_is_the_mechanism_itself():
    assert G * 1 is G
    assert Repeated(G, count=1) == G
    assert G == Repeated(G, count=1) == Composed([G])
    assert len({G, G * 1, Repeated(G, count=1), Composed([G])}) == 1


def test_repetition_multiplies_out():
    assert (G * 3) * 4 == 4 * (3 * G) == G * 12
    assert repr(G * 3 * 4) == "Gaussian(sigma=2.0) * 12"
    assert ((G + L) * 3).parts == ((G, 3), (L, 3))
    assert (G + L) * 3 == G * 3 + L * 3


def test_equal_leaves_merge_in_order_of_first_appearance():
    assert (G + L + G).parts == ((G, 2), (L, 1))
    assert (L + (G * 2 + L) * 3).parts == ((L, 4), (G, 6))
    assert isinstance(G + G, Repeated)
    assert G + G == G * 2


def test_a_term_that_stands_alone_is_kept_as_it_was_given():
    step, other = Gaussian(sigma=2.0), Gaussian(sigma=3.0)
    nested = Repeated(Composed([other]), count=3)
    found = Composed([step * 5, nested, Repeated(Gaussian(sigma=4.0), count=1)])
    assert found.mechanisms[0].parts == ((step, 5),)
    assert repr(found) == "Gaussian(sigma=2.0) * 5 + Gaussian(sigma=3.0) * 3 + Gaussian(sigma=4.0)"
    assert repr(Composed([step * 5, step * 5])) == "Gaussian(sigma=2.0) * 10"


def test_adding_step_by_step_does_not_nest():
    run = G
    for _ in range(999):
        run = run + G
    assert run == G * 1000
    assert repr(run) == "Gaussian(sigma=2.0) * 1000"


def test_order_is_part_of_the_description():
    assert G + L != L + G


def test_nothing_released_has_no_parts():
    assert (G * 0).parts == ()
    assert G * 0 == L * 0 == Composed([G * 0, L * 0])
    assert G * 0 + L == L
    assert (G * 0).neighbouring is None
    assert repr(G * 0) == "Gaussian(sigma=2.0) * 0"


def test_relations_do_not_mix():
    for mix in (lambda: G + R, lambda: Composed([L, R * 3]), lambda: (R + R) + L * 2):
        with pytest.raises(InvalidArgument, match=r"mix neighbouring relations.*one relation"):
            mix()


def test_a_stated_guarantee_mixes_with_any_relation():
    assert (PureDP(epsilon=1.0) + G).neighbouring == "add_remove"
    assert (PureDP(epsilon=1.0) + R * 2).neighbouring == "replace"
    assert (PureDP(epsilon=1.0) * 2).neighbouring is None


def test_numpy_integers_count_from_either_side():
    assert np.int64(3) * G == G * np.int64(3) == G * 3
    assert type((G * np.int64(3)).count) is int


@pytest.mark.parametrize("bad", [1.5, 3.0, "3", None, True, np.array([1, 2])])
def test_a_count_is_an_int(bad):
    with pytest.raises(InvalidType, match="count="):
        G * bad
    with pytest.raises(InvalidType, match="count="):
        bad * G
    with pytest.raises(InvalidType, match="count="):
        Repeated(G, count=bad)


def test_a_count_is_not_negative():
    with pytest.raises(InvalidArgument, match="count=-1 is below 0; pass the number of releases"):
        G * -1


def test_only_mechanisms_add():
    for bad in (1, "G", None):
        with pytest.raises(TypeError, match="unsupported operand"):
            G + bad


def test_a_composition_has_at_least_one_mechanism():
    for empty in ([], (), iter(())):
        with pytest.raises(InvalidArgument, match="mechanisms is empty"):
            Composed(empty)


@pytest.mark.parametrize("bad", [G, 1, None])
def test_a_composition_takes_an_iterable(bad):
    with pytest.raises(InvalidType, match="pass a list of mechanisms"):
        Composed(bad)


def test_a_composition_takes_mechanisms_only():
    with pytest.raises(InvalidType, match=r"mechanisms\[1\]='L'"):
        Composed([G, "L"])
    with pytest.raises(InvalidType, match=r"mechanism=1\.0"):
        Repeated(1.0, count=2)


def test_a_composition_takes_a_generator():
    assert Composed(m for m in (G, L)) == G + L


def test_a_composition_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        (G * 2).count = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        (G + L).mechanisms = ()


def test_many_distinct_leaves_are_not_compared_with_each_other(monkeypatch):
    compared = []
    plain = Gaussian.__eq__

    def counted(self, other):
        compared.append(other)
        return plain(self, other)

    monkeypatch.setattr(Gaussian, "__eq__", counted)
    run = Composed(Gaussian(sigma=1.0 + i) for i in range(2_000))
    assert len(run.parts) == 2_000
    assert len(compared) < 10 * 2_000  # each with each would be two million


def test_sum_composes():
    """It begins with zero, which reveals nothing."""
    runs = [Gaussian(sigma=1.0), Laplace(scale=2.0), Gaussian(sigma=1.0)]
    assert sum(runs) == runs[0] + runs[1] + runs[2]
    assert sum(runs[:1]) == runs[0]
    with pytest.raises(TypeError):
        1 + runs[0]
