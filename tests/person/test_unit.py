"""The unit of a guarantee: a person only with a bound on their records."""

import pytest

import gdpnum

RUN = {"noise_multiplier": 2.0, "sample_rate": 0.01, "steps": 50}


def test_a_person_of_unknown_size_is_refused_with_advice():
    with pytest.raises(gdpnum.InvalidArgument, match=r"unit='person' .* pass the most that anyone"):
        gdpnum.DPSGD(**RUN, unit="person")


def test_a_person_of_known_size_is_the_person():
    assert gdpnum.DPSGD(**RUN, unit="person", records_per_person=3) == gdpnum.per_person(
        gdpnum.DPSGD(**RUN), records_per_person=3
    )


def test_another_unit_is_refused():
    with pytest.raises(gdpnum.InvalidArgument, match="unit='household'"):
        gdpnum.DPSGD(**RUN, unit="household")
