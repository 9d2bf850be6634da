"""The table of docs/dp_events.md is what comes out, and what is in it is in order."""

import importlib.util
from pathlib import Path

import pytest

from gdpnum.integrations.dp_accounting import GdpnumAccountant, from_dp_event

package = pytest.importorskip("dp_accounting")

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location(
    "dp_events", ROOT / "benchmarks" / "peers" / "dp_events.py"
)
script = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(script)


def written():
    """{(event, relation): (PLD, RDP, ours, note)} as the page has them."""
    text = script.PAGE.read_text(encoding="utf-8").split(script.BEGIN)[1].split(script.END)[0]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    rows = [[cell.strip(" `") for cell in line[1:-1].split(" | ")] for line in lines]
    return {(row[0], row[1]): row[2:] for row in rows}


WRITTEN = written()
COMPUTED = [
    (name, event, make.missing)
    for make in [script.Maker(package.dp_event)]
    for name, event in script.cases(make)
]
CASES = [
    pytest.param(name, event, relation, id=f"{name}-{label}")
    for name, event, _ in COMPUTED
    for relation, label in script.RELATIONS.items()
]


def test_all_events_are_there():
    named = {name for name, _ in WRITTEN}
    assert named == {name for name, _, _ in COMPUTED}
    kinds = (getattr(package.dp_event, name) for name in dir(package.dp_event))
    base = package.dp_event.DpEvent
    known = {one.__name__ for one in kinds if isinstance(one, type) and issubclass(one, base)}
    known = {name.removesuffix("DpEvent").removesuffix("Event") for name in known - {"DpEvent"}}
    # SelfComposed is the number before an event.
    assert [one for one in known - {"SelfComposed"} if one not in " ".join(named)] == []


@pytest.mark.parametrize(("name", "event", "relation"), CASES)
def test_ours_is_what_the_page_says(name, event, relation):
    label = script.RELATIONS[relation]
    neighbours = package.NeighboringRelation[relation]
    found = script.epsilon_of(package, GdpnumAccountant(neighbours), event)
    said = WRITTEN[name, label][2]
    assert (said == script.REFUSED) == (found is None)
    if found is None:
        with pytest.raises(package.UnsupportedEventError, match=r".{40}"):
            GdpnumAccountant(neighbours).compose(event)
    else:
        assert float(said) == pytest.approx(found, rel=1e-4, abs=1e-4)
        assert from_dp_event(event, neighbouring=label).neighbouring in (
            None,
            label.replace("replace_special", "zero_out"),
        )


@pytest.mark.parametrize("row", WRITTEN, ids=str)
def test_ours_is_no_looser_than_theirs_unless_a_note_says_why(row):
    *theirs, ours, note = WRITTEN[row]
    known = [float(one) for one in theirs if one != script.REFUSED]
    if known and not note:
        assert ours != script.REFUSED
        assert float(ours) <= min(known) * (1.0 + 1e-4) + 1e-4 or ours == "inf"


@pytest.mark.parametrize("name", ["Gaussian(1)", "10 Laplace(3)", "4 ZCDp(0.05)"])
def test_theirs_is_what_the_page_says(name):
    (event,) = [event for one, event, _ in COMPUTED if one == name]
    for relation, label in script.RELATIONS.items():
        found = script.theirs(package, event, package.NeighboringRelation[relation])
        assert [script.shown(one) for one in found] == WRITTEN[name, label][:2]
