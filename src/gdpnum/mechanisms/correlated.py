"""Correlated noise: DP-FTRL and matrix mechanisms."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import final

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, InvalidType, UnsupportedMechanism
from gdpnum.mechanisms.mechanism import Leaf, Mechanism, Neighbouring, checked_records, repeat
from gdpnum.mechanisms.noise import Gaussian
from gdpnum.mechanisms.sampling import PoissonSampled

# A dense strategy is held entry by entry; beyond this Toeplitz coefficients are the way.
_LARGEST_DENSE = 1024
_MOST_STEPS = 10**6

Strategy = str | tuple[float, ...] | tuple[tuple[float, ...], ...]


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MatrixMechanism(Leaf):
    """Noise correlated over the steps of a training run: C G + sigma Z, G the sums of gradients.

    ``strategy`` is C: a square lower-triangular array; the coefficients of a Toeplitz one, that
    is its first column, with ``steps``; or ``"tree"``, the binary tree over ``steps`` leaves.
    ``noise_multiplier`` is the standard deviation of Z over the clipping norm, C as it is given.

    A record takes part in at most ``max_participations`` steps, at least ``min_separation`` apart
    (1: next to each other); or, with ``epochs``, once an epoch at the same place in each. A fresh
    shuffle every epoch keeps no distance: min_separation 1, max_participations the epochs. The
    release is sens(C) / noise_multiplier-GDP, also where gradients depend on earlier outcomes; the
    sensitivity is exact for bands within the separation, for non-negative falling Toeplitz
    coefficients and for single participation, otherwise a bound (`fit_gdp` brackets it).

    With ``sample_rate`` q and bands b, batches are drawn by cyclic Poisson sampling: records are
    split in b groups once, independently of their values, and in each step every record of the
    group whose turn it is joins with probability q b. Then it is ceil(steps / b) Poisson-sampled
    Gaussians.

    Neighbours: a record's contributions are replaced by nothing ("zero_out") or by another's
    ("replace"); with sampling also "add_remove". Sources: Denisov et al. 2022, Choquette-Choo et
    al. 2023.

    >>> MatrixMechanism(strategy=[1.0, 0.5], steps=6, noise_multiplier=2.0)
    MatrixMechanism(strategy=(1.0, 0.5), steps=6, noise_multiplier=2.0)
    """

    strategy: Strategy
    noise_multiplier: float
    steps: int | None = None
    min_separation: int = 1
    max_participations: int = 1
    epochs: int | None = None
    sample_rate: float | None = None
    neighbouring: Neighbouring = "zero_out"
    records_per_person: int = 1

    def __post_init__(self) -> None:
        advice = "pass the standard deviation of Z divided by the clipping norm"
        _validate.field(self, "noise_multiplier", _validate.positive, advice=advice)
        strategy = _strategy(self.strategy)
        _validate.settle(self, strategy=strategy, steps=_steps(strategy, self.steps))
        self._check_participation()
        self._check_neighbours()

    def _check_participation(self) -> None:
        def count(name: str, advice: str) -> int:
            return _validate.field(self, name, _validate.count, minimum=1, advice=advice)

        steps = self.size
        apart = count("min_separation", "pass 1 for any two steps")
        most = count("max_participations", "pass the most steps that a record takes part in")
        if self.epochs is not None:
            epochs = count("epochs", "pass how often the data is gone through")
            if apart != 1 or most != 1:
                raise InvalidArgument(
                    f"epochs={epochs} is given beside min_separation={apart} and "
                    f"max_participations={most}; pass epochs, or the other two"
                )
            if steps % epochs:
                raise InvalidArgument(
                    f"epochs={epochs} does not divide {steps} steps, so that a record has no fixed "
                    "place in each; pass min_separation and max_participations"
                )
        elif most > -(-steps // apart):
            raise InvalidArgument(
                f"max_participations={most} cannot happen: {steps} steps hold at most "
                f"{-(-steps // apart)} that are min_separation={apart} apart"
            )

    def _check_neighbours(self) -> None:
        relation: Neighbouring = _validate.choice(
            "neighbouring", self.neighbouring, ("zero_out", "replace", "add_remove")
        )
        records = checked_records(self.records_per_person)
        _validate.settle(self, records_per_person=records)
        if self.sample_rate is None:
            if relation == "add_remove":
                raise UnsupportedMechanism(
                    "neighbouring='add_remove' has no bound without sampling: a record more or "
                    "less moves the others to other steps; pass 'zero_out' or 'replace'"
                )
            return
        advice = "pass the chance that a record joins a step"
        rate = _validate.field(self, "sample_rate", _validate.probability, advice=advice)
        bands = self.bands
        if rate * bands > 1.0 + 1e-12:
            raise InvalidArgument(
                f"sample_rate={rate!r} times {bands} bands is above 1; a record joins at most one "
                "step in so many"
            )
        if relation == "replace":
            raise UnsupportedMechanism(
                "neighbouring='replace' has no bound with cyclic sampling; pass 'zero_out', or "
                "'add_remove' where each record drew its group by itself"
            )
        if records > 1:
            raise UnsupportedMechanism(
                f"records_per_person={records} has no bound with cyclic sampling, as a person's "
                "records may be in several groups; use KnownCurve(curve.group(k)) of the curve"
            )
        if self.epochs is not None or self.max_participations > 1 or self.min_separation > 1:
            raise InvalidArgument(
                "participation is given beside sample_rate, which decides it; pass one of the two"
            )

    @property
    def size(self) -> int:
        """The number of steps."""
        return _steps(self.strategy, self.steps)

    @property
    def bands(self) -> int:
        """How many diagonals of C, from the main one down, are not zero; all for a tree."""
        if isinstance(self.strategy, str):
            return self.size
        if not self.rows:
            return max(place for place, entry in enumerate(self.strategy) if entry) + 1
        return max(
            number - column + 1
            for number, row in enumerate(self.rows)
            for column, entry in enumerate(row)
            if entry
        )

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        """The rows of the lower triangle of a dense C; empty for any other."""
        if isinstance(self.strategy, str):
            return ()
        return tuple(row for row in self.strategy if isinstance(row, tuple))

    @property
    def parts(self) -> tuple[tuple[Mechanism, int], ...]:
        """The mechanism itself, once; under sampling, the Poisson-sampled Gaussians it is."""
        if self.sample_rate is None:
            return ((self, 1),)
        bands = self.bands
        noise = Gaussian(
            sigma=math.nextafter(self.noise_multiplier / self.largest_column, 0.0),
            neighbouring=self.neighbouring,
        )
        step = PoissonSampled(noise, rate=_times_up(self.sample_rate, bands))
        return repeat(step, -(-self.size // bands)).parts

    @property
    def largest_column(self) -> float:
        """The largest norm of a column of C, rounded up."""
        if isinstance(self.strategy, str):
            return math.nextafter(math.sqrt(self.size.bit_length()), math.inf)
        rows = self.rows
        columns = [[row[column] for row in rows[column:]] for column in range(len(rows))]
        if not rows:
            columns = [[entry for entry in self.strategy if not isinstance(entry, tuple)]]
        norm = max(math.hypot(*column) for column in columns)
        return math.nextafter(norm, math.inf)

    def __repr__(self) -> str:
        dense = not isinstance(self.strategy, str) and isinstance(self.strategy[0], tuple)
        shown = f"<{self.size} x {self.size} array>" if dense else repr(self.strategy)
        said = [f"strategy={shown}"]
        if not dense:
            said.append(f"steps={self.size}")
        said.append(f"noise_multiplier={self.noise_multiplier!r}")
        for field in fields(self)[3:]:
            value = getattr(self, field.name)
            if value != field.default:
                said.append(f"{field.name}={value!r}")
        return f"MatrixMechanism({', '.join(said)})"


def _times_up(rate: float, bands: int) -> float:
    """The product, rounded up; at most one."""
    product = rate * bands
    if Fraction(product) < Fraction(rate) * bands:
        product = math.nextafter(product, math.inf)
    return min(1.0, product)


def _strategy(given: object) -> Strategy:
    """C as plain numbers: "tree", the coefficients, or the rows of the lower triangle."""
    advice = "pass a square lower-triangular array, Toeplitz coefficients with steps=, or 'tree'"
    if isinstance(given, str):
        return _validate.choice("strategy", given, ("tree",))
    plain = given.tolist() if hasattr(given, "tolist") else given
    if not isinstance(plain, (list, tuple)) or not plain:
        raise InvalidType(f"{_validate.shown('strategy', given)}; {advice}")
    if not any(isinstance(entry, (list, tuple)) for entry in plain):
        coefficients = tuple(
            _validate.real(f"strategy[{place}]", entry) for place, entry in enumerate(plain)
        )
        _refuse_singular(coefficients[0], "strategy[0]")
        return coefficients
    if len(plain) > _LARGEST_DENSE:
        raise InvalidArgument(
            f"strategy has {len(plain)} rows, more than {_LARGEST_DENSE}; pass the coefficients of "
            "a Toeplitz matrix with steps="
        )
    return tuple(_row(number, row, len(plain)) for number, row in enumerate(plain))


def _row(number: int, row: object, size: int) -> tuple[float, ...]:
    """Row i of the lower triangle, columns 0 to i; whatever is above it must be zero."""
    if not isinstance(row, (list, tuple)) or len(row) not in (number + 1, size):
        raise InvalidArgument(
            f"strategy[{number}]={_validate.brief(row)} is not a row of {size} numbers; pass a "
            "square array"
        )
    entries = [
        _validate.real(f"strategy[{number}][{column}]", entry) for column, entry in enumerate(row)
    ]
    above = next((column for column in range(number + 1, len(entries)) if entries[column]), None)
    if above is not None:
        raise InvalidArgument(
            f"strategy[{number}][{above}]={entries[above]!r} is above the diagonal; C must be "
            "lower triangular: a step cannot depend on later ones"
        )
    _refuse_singular(entries[number], f"strategy[{number}][{number}]")
    return tuple(entries[: number + 1])


def _refuse_singular(entry: float, name: str) -> None:
    if entry == 0.0:
        raise InvalidArgument(
            f"{name}=0.0 is on the diagonal, so C has no inverse and its noise does not reach "
            "every step; pass a matrix of full rank"
        )


def _steps(strategy: Strategy, given: object) -> int:
    dense = not isinstance(strategy, str) and isinstance(strategy[0], tuple)
    if given is None:
        if not dense:
            raise InvalidArgument("steps is missing; pass how many steps the strategy is for")
        return len(strategy)
    steps = _validate.count("steps", given, minimum=1, advice="pass the number of steps")
    if steps > _MOST_STEPS:
        raise InvalidArgument(f"steps={steps} is above {_MOST_STEPS}; describe fewer")
    if dense and steps != len(strategy):
        raise InvalidArgument(
            f"steps={steps} beside {len(strategy)} rows of an array; make them agree"
        )
    if not isinstance(strategy, str) and len(strategy) > steps:
        raise InvalidArgument(
            f"strategy has {len(strategy)} coefficients for steps={steps}; pass at most as many"
        )
    return steps
