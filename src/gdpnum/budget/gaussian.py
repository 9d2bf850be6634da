"""`Budget`: a filter for releases that are mu-GDP without slack."""

from __future__ import annotations

from fractions import Fraction
from typing import final

from gdpnum import _validate
from gdpnum.budget.ledger import Ledger
from gdpnum.directed import root_above, root_below
from gdpnum.errors import UnsupportedMechanism
from gdpnum.kind import kind_of
from gdpnum.mechanisms import BestOf, Mechanism, PoissonSampled
from gdpnum.representations import GDP, KnownCurve


@final
class Budget(Ledger):
    """A filter and an odometer for releases that are mu_t-GDP without slack.

    Guarantee: however the releases were chosen, each after seeing the outcomes of those before, all
    that was released is mu-GDP for the relation and the unit of the releases, provided that each
    was spent for before it was made.

    Takes Gaussian noise, correlated noise, and whatever has a mu at slack 0 (Laplace noise, pure
    DP, ``GDP(mu=...)``). Refuses what is known with slack or by a curve, for which stopping rules
    are invalid (arXiv 2602.06756), and sampled steps, whose mu without slack ignores the sampling:
    `RenyiBudget` is for those. Sums are exact; threads may share a budget.

    >>> from gdpnum import GDP
    >>> budget = Budget(mu=1.0)
    >>> for mu in (0.6, 0.6, 0.5):
    ...     budget.spend(GDP(mu=mu))
    >>> budget.can_spend(GDP(mu=0.17)), budget.can_spend(GDP(mu=0.18))
    (True, False)
    >>> f"{budget.spent:.4f} {budget.remaining:.4f}"
    '0.9849 0.1732'
    """

    _ARGUMENTS = ("mu",)

    def __init__(self, *, mu: float) -> None:
        self._mu = _validate.non_negative("mu", mu, advice="pass the mu of the whole")
        super().__init__(Fraction(self._mu) ** 2)

    @property
    def mu(self) -> float:
        """The mu of the whole."""
        return self._mu

    @property
    def spent(self) -> float:
        """The mu of what was released so far, from above."""
        with self._lock:
            return root_above(self._spent)

    @property
    def remaining(self) -> float:
        """The mu of the largest release that is still covered, from below."""
        with self._lock:
            return root_below(self._total - self._spent)

    def __repr__(self) -> str:
        return f"Budget(mu={self._mu!r}, spent={self.spent!r})"

    def _cost(self, leaf: Mechanism) -> Fraction:
        _refuse_unfilterable(leaf)
        # Exactly: twenty-five releases at sigma 5 fill a budget of one.
        square = kind_of(leaf).squared_mu(leaf)
        if isinstance(square, float):
            raise UnsupportedMechanism(f"{leaf!r} has no finite mu without slack")
        return square

    def _refusal(self, mechanism: Mechanism) -> str:
        return (
            f"{mechanism!r} would exceed the budget mu={self._mu!r}: what remains is "
            f"mu={self.remaining!r}; release it with more noise, or not at all"
        )


def _refuse_unfilterable(leaf: Mechanism) -> None:
    if isinstance(leaf, PoissonSampled) and leaf.rate < 1.0:
        raise UnsupportedMechanism(
            f"{leaf!r} is a sampled step: without slack its mu ignores the sampling, and a "
            "stopping rule on curves is invalid (arXiv 2602.06756); use RenyiBudget, which is "
            "looser than a plan fixed in advance, or fix the plan and use fit_gdp"
        )
    known = isinstance(leaf, KnownCurve) and not kind_of(leaf).is_gaussian(leaf)
    slack = isinstance(leaf, GDP) and leaf.slack > 0.0
    if known or slack or isinstance(leaf, BestOf) or kind_of(leaf).mass_at_infinity(leaf) > 0.0:
        raise UnsupportedMechanism(
            f"{leaf!r} is known by a curve or with slack, and a rule that stops when composed "
            "curves cross a target does not keep it: which curve comes next may depend on the "
            "outcomes (arXiv 2602.06756); spend for what is mu-GDP without slack, or fix the plan "
            "in advance and use fit_gdp"
        )
