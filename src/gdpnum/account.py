"""The account: what was run, bounded once, from above and from below; everything else reads it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from gdpnum import (
    _validate,
    kinds,  # noqa: F401  (makes the mechanisms of the catalogue known)
)
from gdpnum.accuracy import LATTICE_TOLERANCE, SMALLEST_TPR, Accuracy
from gdpnum.bounds.attacks import Attacks
from gdpnum.bounds.better import better_of, bounded_by
from gdpnum.bounds.lines import EVERYTHING, NOTHING, Lines
from gdpnum.contour.estimate import About
from gdpnum.contour.fit import Effort, Fits
from gdpnum.contour.pairs import Run, run_of
from gdpnum.contour.profile import ContourBounds
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.single import single_fit, single_lines
from gdpnum.contour.worth import MORE, MORE_WORK, PATIENCE, POINT, WORK
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.piecewise import ContourCurve, PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.curve.tuning import tuning_kind
from gdpnum.errors import BudgetExceeded, UnsupportedMechanism
from gdpnum.floats import NUMPY
from gdpnum.kind import Missing, kind_of, register
from gdpnum.lattice.engine import LatticeBounds
from gdpnum.mechanisms.mechanism import Mechanism, Neighbouring
from gdpnum.pairs.pair import Pair, Release
from gdpnum.releases import Releases, largest_loss, releases
from gdpnum.renyi.bound import concentrated_lines
from gdpnum.renyi.divergences import ORDERS, renyi_divergences
from gdpnum.renyi.region import region_lines
from gdpnum.subject import plain

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Account:
    """What is known of a run: its trade-off curve from below, and attacks from above.

    Either the curve is known as it is, of a composition of Gaussians or of what is described by its
    curve; or an engine bounds it, when it is first asked: the contour where the pairs are analytic
    and it is the cheaper one, the lattice otherwise. ``is_exact`` says that between the bounds is
    numerical error only; where it is not, the run's own pair is unknown, and the gap is theory's.
    """

    accuracy: Accuracy
    mechanism: Mechanism | None
    neighbouring: Neighbouring | None
    """The relation that it holds for; None where that is for the reader to say."""
    known: TradeoffCurve | None
    releases: Releases | None

    @property
    def is_exact(self) -> bool:
        """Whether only numerical error lies between the bounds."""
        return self.releases is None or self.releases.are_exact

    @cached_property
    def run(self) -> Run | None:
        """The run as the contour takes it; None where it is not for the contour."""
        above = self._integrable
        # A single release dies out slowly along a line.
        return None if len(above) == 1 and above[0].times == 1 else run_of(above)

    @property
    def _integrable(self) -> list[Release]:
        """The releases, if they are known exactly and no lattice is asked for."""
        if self.releases is None or not self.is_exact or self.accuracy.grid_step is not None:
            return []
        return self.releases.above

    @property
    def _single(self) -> Pair | None:
        """The pair of one release alone whose losses are unbounded, and finite."""
        above = self._integrable
        if self.known is not None or len(above) != 1 or above[0].times > 1:
            return None
        pair = above[0].pair
        infinite = pair.mass_at_infinity + pair.mass_at_minus_infinity
        return pair if pair.highest == math.inf and infinite == 0.0 else None

    @cached_property
    def _usual(self) -> Effort | None:
        """The contour, as long as it is the cheaper engine; None where the run is not for it."""
        if self.run is None:
            return None
        # The less noise, the longer a lattice takes; and a finer one than usual is slow anyway.
        least = min(getattr(pair, "sigma", 1.0) for pair, _ in self.run)
        finer = self.accuracy.tolerance < LATTICE_TOLERANCE
        work = MORE_WORK if finer else WORK * min(max(least, 0.63), 1.0) ** -2
        rival = None if finer else self._lattice_time
        return Effort(self.run, work + MORE * len(self.run), rival)

    def _lattice_time(self, mu: float) -> float:
        return self.lattice.milliseconds(mu)

    def _efforts(self, *, patiently: bool = False) -> Iterator[Effort]:
        """What the contour may take: as usual, and where the lattice is slow or of no use."""
        if self._usual is not None:
            if not patiently:
                yield self._usual
            worth = PATIENCE if patiently else min(PATIENCE, POINT * self.lattice.points)
            if worth > 2.0 * self._usual.most:
                yield Effort(self._usual.run, worth)

    @cached_property
    def lattice(self) -> LatticeBounds:
        """What the lattice finds."""
        above, below = ([], []) if self.releases is None else self.releases[:2]
        asked = self.accuracy
        if not self.is_exact:
            # A bracket is as wide as two errors and what theory leaves open: of the first, less.
            asked = replace(asked, tolerance=asked.tolerance / 4.0)
        return LatticeBounds(above, below, asked)

    @cached_property
    def curve(self) -> TradeoffCurve:
        """The trade-off curve: no attack is below it."""
        if self.known is not None:
            return self.known
        if self._profiled is not None:
            return ContourCurve(self._profiled)
        if self._single is not None:
            return PiecewiseCurve(single_lines(self._single))
        bound = None if self.releases is None else self.releases.dominating_mu
        return PiecewiseCurve(self._steep()) if bound is None else GaussianCurve(bound)

    def down_to(self, floor: float) -> Account:
        """One whose curve is accurate down to that TPR: this one, unless its lattice ends before.

        So that mu at a slack is the same whether or not a curve is asked for as well.
        """
        has_none = self.known is not None or self._profiled is not None or self._single is not None
        if has_none or self.accuracy.floor <= floor:
            return self
        return replace(self, accuracy=replace(self.accuracy, floor=floor))

    def _steep(self) -> Lines:
        """The profile from above by the lattice, or by what else is known."""
        steep = self.lattice.steep
        if self.releases is None or self.mechanism is None:
            return steep
        steep = bounded_by(steep, largest_loss(self.releases.above))
        if self.releases.by_divergences:
            steep = better_of(steep, _lines_by_divergences(self.mechanism))
        return steep

    @cached_property
    def attacks(self) -> tuple[Attacks, ...]:
        """Tests that exist: the profile from below."""
        if self._profiled is None:
            return self.lattice.attacks
        return self._profiled.profile.attacks()

    @cached_property
    def _profiled(self) -> ContourBounds | None:
        """The contour's bounds, if the profile is in its reach."""
        for effort in self._efforts():
            with suppress(OutOfReach):
                return ContourBounds(effort, min(self.accuracy.floor, SMALLEST_TPR))
        return None

    @property
    def advantage_bound(self) -> float:
        """The advantage from above, by a formula: close where it is next to nothing."""
        return 1.0 if self._usual is None else self._usual.advantage_bound

    def contour_fit(self, slack: float, *, patiently: bool = False) -> Fits | None:
        """mu, its bracket and its regret by the contour; None where it is not for the contour.

        ``patiently``, where the lattice has not helped.
        """
        single = self._single
        if single is not None and slack > 0.0:
            with suppress(OutOfReach):
                return single_fit(single, slack)
        work = 0.0
        for effort in self._efforts(patiently=patiently) if slack > 0.0 else ():
            # What takes more than that needs no second look.
            if not work < math.inf or effort.most > work:
                try:
                    # How wide the bracket may be is for the asker to say.
                    return effort.fit(slack)
                except OutOfReach as error:
                    work = float(error.work[0])
        return None


def account(subject: object, asked: Accuracy, *, name: str = "mechanism") -> Account:
    """The account of a run, or of whatever stands for one, to an accuracy.

    Computed once, then read: `tradeoff_curve`, `fit_gdp`, `regret`, `statement` and the rest read
    their numbers off it, and none of them runs an engine itself.
    """
    found = subject if isinstance(subject, Mechanism) else plain(name, subject)
    if isinstance(found, TradeoffCurve):
        return Account(asked, None, None, found, None)
    every = releases(found)
    known: TradeoffCurve | None = None
    mu = every.gaussian_mu
    if mu is not None:
        known = GaussianCurve(mu) if mu > 0.0 else PiecewiseCurve(NOTHING)
        return Account(asked, found, found.neighbouring, known, None)
    if every.by_divergences == len(found.parts):
        # Of what is known by divergences only, several are known by their sums.
        known = PiecewiseCurve(_lines_by_divergences(found))
    elif len(every.above) == every.above[0].times == 1:
        known = own_curve(found)
    return Account(asked, found, found.neighbouring, known, every)


def estimated(
    mechanisms: Sequence[Mechanism], about: Callable[[Sequence[Run]], About]
) -> list[tuple[float, bool]]:
    """About a value of each, not certified, and whether that is close.

    None at all where one of them is not for the contour.
    """
    asked = _validate.accuracy()
    runs = [run for one in mechanisms if (run := account(one, asked).run) is not None]
    if len(runs) < len(mechanisms):
        return []
    with suppress(OutOfReach):
        found = about(runs)
        return list(zip(found.value.tolist(), found.is_close.tolist(), strict=True))
    return []


def _lines_by_divergences(mechanism: Mechanism) -> Lines:
    """The curve that the sums of the releases' divergences imply, order by order."""
    lines = EVERYTHING
    with suppress(UnsupportedMechanism):
        # Those at which a release states them, and enough others.
        stated = [getattr(leaf, "orders", ()) for leaf, _ in mechanism.parts]
        orders = np.unique(np.concatenate([ORDERS, *stated]))
        lines = region_lines(orders, renyi_divergences(mechanism, orders).worst)
        rho = sum(n * kind_of(leaf).concentration(leaf, 1.0) for leaf, n in mechanism.parts)
        if math.isfinite(rho):
            lines = better_of(lines, concentrated_lines(rho, math.inf))
    return lines


def own_curve(mechanism: Mechanism) -> TradeoffCurve | None:
    """The curve by which a single release is known, None if there is none."""
    if len(mechanism.parts) != 1 or mechanism.parts[0][1] != 1:
        return None
    leaf = mechanism.parts[0][0]
    kind = kind_of(leaf)
    if isinstance(kind.curve, Missing):
        return None
    curve: TradeoffCurve | None = kind.curve(leaf)
    return None if curve is None else curve.symmetrised()


def tradeoff_curve(
    mechanism: object, *, tolerance: float | None = None, grid_step: float | None = None
) -> TradeoffCurve:
    """The trade-off curve of a mechanism, from below.

    Guarantee: no attack on the mechanism, at any false positive rate alpha in [0, 1], has a false
    negative rate below ``curve.beta(alpha)``; ``curve.delta`` and ``curve.epsilon`` are upper
    bounds likewise. The curve is accurate in relative terms down to a true positive rate of about
    1e-12: moved, relative to its mu, by less than 1e-6 for Gaussian noise, sampled or not, and by
    ``tolerance`` (1e-3 by default) for what has to go on a lattice, as rare jumps do where that is
    quicker. Compositions of Gaussians have the exact curve f_mu.

    >>> import gdpnum
    >>> run = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000)
    >>> curve = gdpnum.tradeoff_curve(run)
    >>> round(curve.advantage, 3), round(curve.epsilon(1e-5), 2)
    (0.161, 1.83)
    """
    with np.errstate(**NUMPY):
        return account(mechanism, _validate.accuracy(tolerance, grid_step=grid_step)).curve


def as_curve(name: str, subject: object, *, tolerance: float | None = None) -> TradeoffCurve:
    """The curve of what was passed, whichever way it has one."""
    with np.errstate(**NUMPY):
        return account(subject, _validate.accuracy(tolerance), name=name).curve


def coarsened(ask: Callable[[float], T], *, tolerance: float, coarsest: float) -> T:
    """The answer at a tolerance or, where that is out of reach, at the next coarser within it."""
    try:
        return ask(tolerance)
    except BudgetExceeded:
        while tolerance < coarsest:
            tolerance *= 10.0
            with suppress(BudgetExceeded):
                return ask(tolerance)
        raise  # the first: it says what was out of reach


def _run_curve(run: Mechanism, tolerance: float) -> TradeoffCurve:
    found = account(run, _validate.accuracy(tolerance)).curve
    # Asked a million times: by its chords.
    return PiecewiseCurve(found.steep) if isinstance(found, ContourCurve) else found


# The best of several runs is known by the account of one.
register(tuning_kind(_run_curve))
