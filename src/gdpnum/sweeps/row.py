"""A row: the columns wanted of one setting, or why there are none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gdpnum import _validate
from gdpnum.account import Account, tradeoff_curve
from gdpnum.accuracy import SMALLEST_TPR
from gdpnum.curve.piecewise import ContourCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import GdpnumError, InvalidArgument, InvalidType
from gdpnum.floats import NUMPY
from gdpnum.measures.gdp import GDPFit, accounted_fit, fits_together
from gdpnum.mechanisms import Mechanism
from gdpnum.sweeps.setting import Setting, mechanism_of

_FIT = ("mu", "mu_lower", "regret", "tail_ratio", "slack")

#: Columns that a sweep computes unless others are asked for.
COLUMNS = (
    *("mu", "mu_lower", "regret", "advantage"),
    *("epsilon@1e-05", "epsilon@1e-06", "epsilon@1e-09"),
    *("tpr@0.0001", "tpr@0.01", "tpr@0.1"),
)


@dataclass(frozen=True)
class Wanted:
    """Which columns, and how accurately; checked before any work starts."""

    columns: tuple[str, ...] = COLUMNS
    slack: float = 1e-10
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        _validate.fraction("slack", self.slack, advice="pass an absolute allowance such as 1e-10")
        _validate.positive("tolerance", self.tolerance, advice="pass a relative accuracy")
        for name in self.columns:
            _reader(name)


class _Setting:
    """One mechanism with what is computed of it at most once."""

    def __init__(self, mechanism: Mechanism, wanted: Wanted) -> None:
        self._mechanism, self._wanted = mechanism, wanted

    @cached_property
    def _accounted(self) -> tuple[Account, GDPFit]:
        slack, asked = _validate.slack_and_accuracy(
            self._wanted.slack, self._wanted.tolerance, None
        )
        with np.errstate(**NUMPY):
            return accounted_fit(self._mechanism, slack, asked)

    @cached_property
    def fit(self) -> GDPFit:
        return self._accounted[1]

    @cached_property
    def curve(self) -> TradeoffCurve:
        # The contour's is the same, whatever slack a fit asked for; a lattice is not.
        if "_accounted" in self.__dict__ and self._wanted.slack >= SMALLEST_TPR:
            account = self._accounted[0]
            with np.errstate(**NUMPY):
                found = None if account.run is None else account.curve
            if isinstance(found, ContourCurve):
                return found
        return tradeoff_curve(self._mechanism, tolerance=self._wanted.tolerance)

    @property
    def advantage(self) -> float:
        # Either tells it; the one that is there already is free.
        return self.fit.advantage if "fit" in self.__dict__ else self.curve.advantage


def rows(
    settings: Sequence[tuple[int, Setting]], wanted: Wanted
) -> list[tuple[int, dict[str, Any]]]:
    """The computed columns of each numbered setting; a failure stays with its own row."""
    readers = _readers(wanted)
    return [(number, _row(setting, wanted, readers)) for number, setting in settings]


def rows_together(
    settings: Sequence[tuple[int, Setting]], wanted: Wanted
) -> list[tuple[int, dict[str, Any]]]:
    """Rows of those settings that one go of the contour serves, if all columns are of the fit."""
    if len(settings) < 2 or not set(wanted.columns) <= {*_FIT, "advantage"}:
        return []
    known: list[tuple[int, Mechanism]] = []
    for number, setting in settings:
        # What is wrong with a setting is said when its turn comes.
        with suppress(GdpnumError):
            known.append((number, mechanism_of(setting)))
    readers = _readers(wanted)
    fits = fits_together(
        [mechanism for _, mechanism in known], wanted.slack, _validate.accuracy(wanted.tolerance)
    )
    return [
        (number, _row(mechanism, wanted, readers, fit))
        for (number, mechanism), fit in zip(known, fits, strict=True)
        if fit is not None
    ]


def _row(
    setting: Setting, wanted: Wanted, readers: _Readers, fit: GDPFit | None = None
) -> dict[str, Any]:
    try:
        one = _Setting(mechanism_of(setting), wanted)
        if fit is not None:
            one.__dict__["fit"] = fit
        found = {name: _plain(read(one)) for name, read in readers.items()}
    except (GdpnumError, ArithmeticError, MemoryError, ValueError) as error:
        return {**dict.fromkeys(wanted.columns), "error": f"{type(error).__name__}: {error}"}
    return {**found, "error": None}


def _plain(value: float) -> float | str:
    """A number as JSON has it: infinity is a string there."""
    return value if math.isfinite(value) else str(value)


_Readers = dict[str, Callable[[_Setting], float]]


def _readers(wanted: Wanted) -> _Readers:
    return {name: _reader(name) for name in wanted.columns}


def _reader(name: str) -> Callable[[_Setting], float]:
    """What reads a column off a setting."""
    if not isinstance(name, str):
        raise InvalidType(f"{_validate.shown('columns', name)}, not a text; pass names of columns")
    kind, _, at = name.partition("@")
    if not at and kind in _FIT:
        return lambda one: float(getattr(one.fit, kind))
    if name == "advantage":
        return lambda one: one.advantage
    if kind in ("epsilon", "tpr", "delta"):
        try:
            place = float(at)
        except ValueError:
            place = math.nan
        if kind == "epsilon" and 0.0 <= place <= 1.0:
            return lambda one: one.curve.epsilon(place)
        if kind == "tpr" and 0.0 <= place <= 1.0:
            return lambda one: one.curve.tpr(place)
        if kind == "delta" and math.isfinite(place):
            return lambda one: one.curve.delta(place)
    raise InvalidArgument(
        f"columns holds {name!r}, which is no column; pass {', '.join(map(repr, _FIT))}, "
        "'advantage', 'epsilon@1e-06' (at a delta), 'delta@1.0' (at an epsilon) or 'tpr@0.01' "
        "(at an FPR)"
    )
