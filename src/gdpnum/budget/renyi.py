"""`RenyiBudget`: a filter for whatever has Renyi divergences, sampled steps among them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import final

import numpy as np

from gdpnum import _validate
from gdpnum.budget.ledger import Ledger
from gdpnum.errors import InvalidArgument, UnsupportedMechanism
from gdpnum.mechanisms import Mechanism
from gdpnum.mechanisms.mechanism import checked
from gdpnum.renyi.concentration import renyi_epsilons


@final
class RenyiBudget(Ledger):
    """A filter for any releases with Renyi divergences, sampled steps among them.

    Guarantee: however the releases were chosen, all that was released is (epsilon, delta)-DP,
    provided that each was spent for before it was made. The divergences of one ``order``, fixed in
    advance, are added up and kept below what that order allows (Feldman and Zrnic 2021). This is
    looser than the curve of a fixed composition: the price of choosing as one goes. Without an
    order it is the one that covers most releases of the kind that is ``expected``, by default
    Gaussian noise; what is then released need not be of that kind.

    >>> from gdpnum import Gaussian, PoissonSampled
    >>> step = PoissonSampled(Gaussian(sigma=1.0), rate=0.01)
    >>> budget = RenyiBudget(epsilon=2.0, delta=1e-5, expected=step)
    >>> sum(1 for _ in budget.steps(range(10_000), mechanism=step)) > 500
    True
    """

    _ARGUMENTS = ("epsilon", "delta", "order")

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        order: float | None = None,
        expected: Mechanism | None = None,
    ) -> None:
        self._epsilon = _validate.positive(
            "epsilon", epsilon, advice="pass the epsilon of the whole"
        )
        self._delta = _validate.probability("delta", delta, advice="pass the delta of the whole")
        if not 0.0 < self._delta < 1.0:
            raise InvalidArgument(
                f"delta={self._delta!r} is not inside (0, 1); pass one such as 1e-5"
            )
        if order is None:
            order = _best_order(self._epsilon, self._delta, expected)
        elif expected is not None:
            raise InvalidArgument(f"order={order!r} is given beside expected; pass one of the two")
        self._order = _validate.real("order", order, advice="pass a Renyi order above 1")
        if not 1.0 < self._order <= 1e6:
            raise InvalidArgument(f"order={self._order!r} is outside (1, 1e6]; pass one in it")
        allowed = _allowed(self._epsilon, self._delta, self._order)
        if allowed <= 0.0:
            raise InvalidArgument(
                f"order={self._order!r} allows nothing at epsilon={self._epsilon!r} and "
                f"delta={self._delta!r}; pass a larger order"
            )
        super().__init__(Fraction(allowed))

    @property
    def order(self) -> float:
        """The Renyi order that is kept."""
        return self._order

    def epsilon_at(self, delta: float) -> float:
        """The epsilon of the whole at another delta, from above."""
        delta = _validate.probability("delta", delta, advice="pass a delta such as 1e-5")
        if delta == 0.0:
            return math.inf
        # What the order allows for epsilon 0, taken from what is allowed in all.
        return max(0.0, float(self._total) - _allowed(0.0, min(delta, 1.0), self._order)) * (
            1.0 + 2.0**-40
        )

    @property
    def spent(self) -> float:
        """The divergence so far, from above."""
        with self._lock:
            return math.nextafter(float(self._spent), math.inf) if self._spent else 0.0

    @property
    def remaining(self) -> float:
        """The divergence that is still covered, from below."""
        with self._lock:
            left = self._total - self._spent
            return max(0.0, math.nextafter(float(left), -math.inf)) if left else 0.0

    def __repr__(self) -> str:
        return (
            f"RenyiBudget(epsilon={self._epsilon!r}, delta={self._delta!r}, "
            f"order={self._order!r}, spent={self.spent!r})"
        )

    def _cost(self, leaf: Mechanism) -> Fraction:
        found = float(renyi_epsilons(leaf, np.array([self._order]))[0])
        if math.isinf(found):
            raise UnsupportedMechanism(
                f"{leaf!r} has an infinite Renyi divergence: it may reveal everything, and "
                "no filter holds for it (arXiv 2602.06756)"
            )
        return Fraction(found)

    def _refusal(self, mechanism: Mechanism) -> str:
        return (
            f"{mechanism!r} would exceed the budget of (epsilon, delta)="
            f"({self._epsilon!r}, {self._delta!r}): what remains is a divergence of "
            f"{self.remaining!r} at order {self._order!r}; release it with more "
            "noise, or not at all"
        )


def _allowed(epsilon: float, delta: float, order: float) -> float:
    """The divergence at one order that gives (epsilon, delta)-DP, from below.

    Canonne, Kamath and Steinke 2020, Proposition 12, solved for the divergence.
    """
    gained = (math.log(delta * order) - (order - 1.0) * math.log1p(-1.0 / order)) / (order - 1.0)
    return epsilon + gained - 2.0**-44 * (epsilon + abs(gained))


def _best_order(epsilon: float, delta: float, expected: Mechanism | None) -> float:
    """The order at which most releases of a kind are allowed."""
    orders = 1.0 + np.geomspace(1e-2, 1e3, 400)
    costs = orders if expected is None else renyi_epsilons(checked("expected", expected), orders)
    allowed = np.array([_allowed(epsilon, delta, order) for order in orders.tolist()])
    return float(orders[int(np.argmax(allowed / np.maximum(costs, 1e-300)))])
