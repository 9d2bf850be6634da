"""Every charge covers the operation it is for, and nothing else would if it were not there."""

import pytest

from tests.charges.pins import NAMES, PINS, zeroed


def test_every_charge_has_a_pin():
    assert sorted(PINS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_charge_covers_what_it_is_for(name):
    PINS[name]()


@pytest.mark.parametrize("name", NAMES)
def test_without_a_charge_its_pin_fails(name, monkeypatch):
    zeroed(monkeypatch, name)
    with pytest.raises((AssertionError, ZeroDivisionError)):
        PINS[name]()
