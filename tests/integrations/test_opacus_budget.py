"""A budget in Opacus's place: the step that would exceed it does not move the parameters."""

import pytest

from gdpnum import OverBudget, PoissonSampled, RenyiBudget
from gdpnum.budget.accountant import BudgetAccountant
from gdpnum.mechanisms import Gaussian

torch = pytest.importorskip("torch")
opacus = pytest.importorskip("opacus")


@pytest.mark.filterwarnings("ignore")
def test_training_ends_before_the_budget_is_exceeded():
    torch.manual_seed(0)
    data = torch.utils.data.TensorDataset(torch.randn(64, 3), torch.randn(64, 1))
    model = torch.nn.Linear(3, 1)
    engine = opacus.PrivacyEngine()
    step = PoissonSampled(Gaussian(sigma=2.0), rate=1 / 8)
    budget = RenyiBudget(epsilon=3.0, delta=1e-5, expected=step)
    engine.accountant = BudgetAccountant(budget)
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=torch.utils.data.DataLoader(data, batch_size=8),
        noise_multiplier=2.0,
        max_grad_norm=1.0,
    )
    taken = 0
    with pytest.raises(OverBudget):  # noqa: PT012  (which step raises is the question)
        for _ in range(10_000):
            for x, y in loader:
                optimizer.zero_grad()
                torch.nn.functional.mse_loss(model(x), y).backward()
                before = [one.detach().clone() for one in model.parameters()]
                optimizer.step()
                taken += 1
    assert taken == len(budget) > 10
    for one, other in zip(before, model.parameters(), strict=True):
        assert torch.equal(one, other)
    assert not budget.can_spend(step)
    assert engine.get_epsilon(1e-5) == pytest.approx(3.0, rel=1e-9)
