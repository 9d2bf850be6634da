"""A budget in the place of Opacus's accountant: steps that would exceed it do not happen.

    engine = PrivacyEngine()
    engine.accountant = BudgetAccountant(gdpnum.RenyiBudget(epsilon=2.0, delta=1e-5))
    model, optimizer, loader = engine.make_private(...)

Opacus calls its accountant after noise is added and before parameters move, so `OverBudget` comes
in time: catch it to end the training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gdpnum.account import tradeoff_curve
from gdpnum.budget.gaussian import Budget
from gdpnum.budget.renyi import RenyiBudget
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.mechanisms import Gaussian, Mechanism, PoissonSampled

__all__ = ["BudgetAccountant"]


class BudgetAccountant:
    """Spends for each step of a DPOptimizer, with whatever noise and rate it has by then.

    Poisson-sampled steps need a `RenyiBudget`, steps on the whole dataset either kind.

    >>> accountant = BudgetAccountant(Budget(mu=1.0))
    >>> accountant.step(noise_multiplier=2.0, sample_rate=1.0)
    >>> len(accountant), accountant.budget.spent
    (1, 0.5)
    """

    def __init__(self, budget: Budget | RenyiBudget) -> None:
        if not isinstance(budget, (Budget, RenyiBudget)):
            raise InvalidType(f"budget={budget!r} is not a budget; pass Budget or RenyiBudget")
        self.budget = budget

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Spend for one step; raises `OverBudget` before it is exceeded."""
        noise = Gaussian(sigma=noise_multiplier)
        step: Mechanism = noise
        if sample_rate != 1.0:
            step = PoissonSampled(noise, rate=sample_rate)
        self.budget.spend(step)

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """What the optimizer calls at each step; accumulated batches are refused.

        A record can be in several Poisson batches, so together they are not one sampled step.
        """

        def spend(optimizer: Any) -> None:
            batches = optimizer.accumulated_iterations
            if batches > 1:
                raise InvalidArgument(
                    f"{batches} batches were accumulated before a step; take a step after each, "
                    "or use BatchMemoryManager, which divides one batch"
                )
            self.step(noise_multiplier=optimizer.noise_multiplier, sample_rate=sample_rate)

        return spend

    def get_epsilon(self, delta: float, **_: Any) -> float:
        """The epsilon of the whole budget, spent or not: what holds however the steps are chosen.

        Of a `RenyiBudget` at its own delta or more; of a `Budget` at any.
        """
        if isinstance(self.budget, Budget):
            return float(tradeoff_curve(Gaussian(sigma=1.0 / self.budget.mu)).epsilon(delta))
        return self.budget.epsilon_at(delta)

    @property
    def history(self) -> list[tuple[float, float, int]]:
        """The steps as Opacus keeps them: (noise_multiplier, sample_rate, num_steps)."""
        spent = self.budget.history
        found = []
        for leaf, count in () if spent is None else spent.parts:
            if isinstance(leaf, PoissonSampled) and isinstance(leaf.inner, Gaussian):
                found.append((leaf.inner.sigma, leaf.rate, count))
            elif isinstance(leaf, Gaussian):
                found.append((leaf.sigma, 1.0, count))
        return found

    def __len__(self) -> int:
        """The number of steps so far."""
        return len(self.budget)

    @classmethod
    def mechanism(cls) -> str:
        """The name by which Opacus knows it."""
        return "gdpnum_budget"

    def state_dict(self, destination: dict[str, Any] | None = None) -> dict[str, Any]:
        """The state, for a checkpoint: plain text, no code in it."""
        found: dict[str, Any] = {} if destination is None else destination
        found["mechanism"], found["budget"] = self.mechanism(), self.budget.to_json()
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """The state that `state_dict` gave, of a budget with the same terms."""
        if "budget" not in state_dict:
            raise InvalidArgument("state_dict has no 'budget'; pass what state_dict() gave")
        loaded = type(self.budget).from_json(state_dict["budget"])
        if loaded.terms != self.budget.terms:
            raise InvalidArgument(
                f"state_dict is of {loaded!r}, this budget is {self.budget!r}; load one of the "
                "same terms"
            )
        self.budget = loaded
