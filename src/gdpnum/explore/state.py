"""State: everything that is set on the page, as one frozen value that is also the link's text."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, fields, replace
from typing import Any, final
from urllib.parse import parse_qsl, quote, urlencode

import gdpnum
from gdpnum import _validate
from gdpnum.errors import InvalidArgument
from gdpnum.explore.fields import FIELDS, PLANNED, shown
from gdpnum.explore.schemes import SCHEMES, Planned, arguments
from gdpnum.mechanisms import Mechanism
from gdpnum.rounding import one_in
from gdpnum.statements.description import run_of
from gdpnum.strict_json import parsed

VIEWS = ("plan", "trade", "compare", "read")

#: What the noise can be found for, and how it is called.
TARGETS = {"mu": "mu", "epsilon": "epsilon at delta", "tpr": "TPR at FPR", "advantage": "advantage"}

#: What a map can show.
MEASURES = {"mu": "mu", "epsilon": "epsilon at delta", "tpr": "TPR at FPR"}

#: What a map can have along an axis.
AXES = ("noise_multiplier", "batch_size", "dataset_size", "epochs")

#: What scores of an attack can be of.
DESIGNS = {"runs": "a run of its own", "one_run": "a canary in one run"}

#: More curves than this cannot be told apart, nor compared while one drags.
MOST_PINS = 4

#: Longer is no link.
LONGEST_LINK = 16_000
_LONGEST_NAME = 60
_OPTIONS: dict[str, tuple[str, ...]] = {
    "view": VIEWS,
    "target": tuple(TARGETS),
    "measure": tuple(MEASURES),
    "across": AXES,
    "up": AXES,
    "scores": tuple(DESIGNS),
}


@final
@dataclass(frozen=True, kw_only=True)
class State(Planned):
    """What is set: a run, and what to see of it.

    ``query`` writes it, `State.of` reads it back; nothing else is remembered.

    >>> state = State.of("noise_multiplier=2&epochs=5")
    >>> state.noise_multiplier, state.epochs, state.batch_size
    (2.0, 5.0, 256)
    >>> State.of(state.query) == state
    True
    """

    fpr: float = 0.1
    delta: float = 1e-5
    target: str = "mu"
    aim: float = 1.0
    view: str = "plan"
    measure: str = "mu"
    across: str = "epochs"
    up: str = "noise_multiplier"
    scores: str = "runs"
    name: str = ""
    #: A run that was read from a file, as the parts of its JSON; empty if there is none.
    parts: str = ""
    #: Runs put aside for comparison, each as the query of its own.
    pins: tuple[str, ...] = ()

    @staticmethod
    def of(query: str) -> State:
        """The state that a link's text holds; what it leaves out is at its default."""
        if len(query) > LONGEST_LINK:
            raise InvalidArgument(
                f"the link holds {len(query)} characters, above {LONGEST_LINK}; pin fewer runs"
            )
        try:
            pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=64)
        except ValueError as error:
            raise InvalidArgument(f"the link cannot be read ({error}); copy it again") from None
        values: dict[str, Any] = {}
        pins = []
        for key, text in pairs:
            if key == "pin":
                pins.append(text)
            else:
                values[key] = _value(key, text)
        return _checked(State(**values, pins=tuple(pins)))

    @property
    def query(self) -> str:
        """The text of the link."""
        pairs = [
            (field.name, _text(getattr(self, field.name)))
            for field in fields(self)
            if field.name in _SHORT or getattr(self, field.name) != field.default
            if field.name != "pins"
        ]
        return urlencode([*pairs, *(("pin", pin) for pin in self.pins)], quote_via=quote)

    @property
    def texts(self) -> dict[str, str]:
        """Each setting as the page writes it."""
        names = (field.name for field in fields(self) if field.name != "pins")
        return {name: _text(getattr(self, name)) for name in names}

    @property
    def fpr_said(self) -> str:
        """The FPR as a share, rounded down if at all: something is told there."""
        return one_in(self.fpr, condition=True)

    @property
    def run(self) -> Mechanism:
        """What is set, as the library describes it."""
        return gdpnum.DPSGD(**arguments(self))

    @property
    def read(self) -> Mechanism | None:
        """The run that was read from a file, if there is one."""
        return State.reading(self.parts) if self.parts else None

    @staticmethod
    def reading(parts: str) -> Mechanism:
        """The run that the parts of its JSON describe."""
        try:
            document = parsed(parts)
        except ValueError as error:
            raise InvalidArgument(f"parts are no JSON ({error}); read the file again") from None
        return run_of(document)

    @property
    def subjects(self) -> tuple[State, ...]:
        """The runs put aside, as states that ask for the same rates as this one."""
        return tuple(replace(State.of(pin), fpr=self.fpr, delta=self.delta) for pin in self.pins)

    @property
    def pin(self) -> str:
        """The run alone, for the list of those put aside."""
        kept = {name: getattr(self, name) for name in (*_RUN, "name", "parts")}
        default = State()
        return urlencode(
            [
                (name, _text(value))
                for name, value in kept.items()
                if value != getattr(default, name)
            ],
            quote_via=quote,
        )


_RUN = (*PLANNED, "batches", "neighbouring")

# Always in the link, so that it says what is run when defaults change.
_SHORT = ("noise_multiplier", "batch_size", "dataset_size", "epochs", "batches", "fpr", "delta")


def _text(value: object) -> str:
    return shown(value) if isinstance(value, (int, float)) else str(value)


def _value(key: str, text: str) -> Any:
    if key in FIELDS:
        return _number(key, text)
    if key in _OPTIONS:
        return _validate.choice(key, text, _OPTIONS[key])
    if key == "batches":
        return _validate.choice(key, text, tuple(SCHEMES))
    if key in ("neighbouring", "parts"):
        return text
    if key == "name":
        return " ".join(text.split())[:_LONGEST_NAME]
    known = [*FIELDS, *_OPTIONS, "batches", "neighbouring", "name", "parts", "pin"]
    advice = _validate.nearest(key, known)
    raise InvalidArgument(f"the link has the key {reprlib.repr(key)}, which is none; {advice}")


def _number(key: str, text: str) -> float:
    field = FIELDS[key]
    try:
        # A count may be typed as 1e4.
        value = int(text) if field.kind == "count" and text.strip().isdecimal() else float(text)
    except ValueError:
        usual = _text(getattr(State, key))
        raise InvalidArgument(
            f"{key}={reprlib.repr(text)} is not a number; pass one such as {usual}"
        ) from None
    if field.kind == "count":
        whole = _validate.positive(key, value, advice=f"pass the {field.label.lower()}")
        if whole != int(whole):
            raise InvalidArgument(f"{key}={value!r} is not whole; pass a whole number")
        return _validate.count(key, int(value), minimum=1)
    if field.kind == "probability":
        # At 0 and 1 there is nothing to see, and no place on a logarithmic scale.
        if not 0.0 < _validate.probability(key, value) < 1.0:
            raise InvalidArgument(f"{key}={value!r} is an end; pass a number between 0 and 1")
        return float(value)
    return _validate.positive(key, value)


def _checked(state: State) -> State:
    allowed = SCHEMES[state.batches].relations
    if state.neighbouring not in allowed:
        # A scheme that lacks the relation brings its own.
        state = replace(state, neighbouring=allowed[0])
    if len(state.pins) > MOST_PINS:
        raise InvalidArgument(f"{len(state.pins)} runs are pinned, above {MOST_PINS}; unpin some")
    if state.across == state.up:
        raise InvalidArgument(f"across={state.across!r} is up too; choose two parameters")
    return state
