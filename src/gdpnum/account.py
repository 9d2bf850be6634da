"""The account: what was run, bounded once, from above and from below; everything else reads it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np

from gdpnum import kinds  # noqa: F401  (makes the mechanisms of the catalogue known)
from gdpnum.bounds.accuracy import Accuracy, accuracy
from gdpnum.bounds.attacks import Attacks
from gdpnum.bounds.lines import NOTHING, Lines, Vertices
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.piecewise import PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import BudgetExceeded
from gdpnum.floats import NUMPY
from gdpnum.kind import Missing, kind_of
from gdpnum.lattice.engine import LatticeBounds
from gdpnum.mechanisms.mechanism import Mechanism, Neighbouring
from gdpnum.releases import exact_mu, releases
from gdpnum.subject import plain

__all__ = ["Account", "Bounds", "account", "as_curve", "coarsened", "tradeoff_curve"]

T = TypeVar("T")


class Bounds(Protocol):
    """What an engine finds of releases."""

    @property
    def steep(self) -> Lines:
        """The profile from above, over both directions."""

    @property
    def vertices(self) -> tuple[Vertices, ...]:
        """The points that a summary must be below."""

    @property
    def attacks(self) -> tuple[Attacks, ...]:
        """Tests that exist: the profile from below."""


@dataclass(frozen=True, eq=False)
class Account:
    """What is known of a run: its trade-off curve from below, and attacks from above.

    Either the curve is known as it is (``bounds`` is None), of a composition of Gaussians or of
    what is described by its curve; or an engine has bounded it. ``is_exact`` says that between the
    bounds is numerical error only; where it is not, the run's own pair is unknown, and the gap is
    theory's.
    """

    accuracy: Accuracy
    mechanism: Mechanism | None
    bounds: Bounds | None
    is_exact: bool
    known: TradeoffCurve | None = None

    @cached_property
    def curve(self) -> TradeoffCurve:
        """The trade-off curve: no attack is below it."""
        if self.bounds is None:
            return self.known if self.known is not None else PiecewiseCurve(NOTHING)
        return PiecewiseCurve(self.bounds.steep)

    @property
    def neighbouring(self) -> Neighbouring | None:
        """The relation that it holds for; None where that is for the reader to say."""
        return None if self.mechanism is None else self.mechanism.neighbouring


def account(subject: object, asked: Accuracy, *, name: str = "mechanism") -> Account:
    """The account of a run, or of whatever stands for one, to an accuracy.

    Computed once, then read: `tradeoff_curve`, `fit_gdp`, `regret`, `statement` and the rest read
    their numbers off it, and none of them runs an engine itself.
    """
    found = plain(name, subject)
    if isinstance(found, TradeoffCurve):
        return Account(asked, None, None, is_exact=True, known=found)
    mu = exact_mu(found)
    if mu is not None:
        known = GaussianCurve(mu) if mu > 0.0 else PiecewiseCurve(NOTHING)
        return Account(asked, found, None, is_exact=True, known=known)
    only = own_curve(found)
    if only is not None:
        return Account(asked, found, None, is_exact=True, known=only)
    every = releases(found)
    bounds = LatticeBounds(every.above, every.below, asked)
    return Account(asked, found, bounds, is_exact=every.are_exact)


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
    mechanism: object, *, tolerance: float = 1e-3, grid_step: float | None = None
) -> TradeoffCurve:
    """The trade-off curve of a mechanism, from below.

    Guarantee: no attack on the mechanism, at any false positive rate alpha in [0, 1], has a false
    negative rate below ``curve.beta(alpha)``; ``curve.delta`` and ``curve.epsilon`` are upper
    bounds likewise. The curve is accurate in relative terms down to a true positive rate of about
    1e-12: moved by ``tolerance``, relative, in its mu. Compositions of Gaussians have the exact
    curve f_mu.

    >>> import gdpnum
    >>> run = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000)
    >>> curve = gdpnum.tradeoff_curve(run)
    >>> round(curve.advantage, 3), round(curve.epsilon(1e-5), 2)
    (0.161, 1.83)
    """
    with np.errstate(**NUMPY):
        return account(mechanism, accuracy(tolerance, grid_step=grid_step)).curve


def as_curve(name: str, subject: object, *, tolerance: float = 1e-3) -> TradeoffCurve:
    """The curve of what was passed, whichever way it has one."""
    with np.errstate(**NUMPY):
        return account(subject, accuracy(tolerance), name=name).curve


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
