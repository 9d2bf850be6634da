"""Train many times with Opacus, with a canary and without, and catch what accounting cannot see.

The accountant keeps what it is told. Here it is told the same each time, and three times that is
not what happens: a layer gets no noise; each batch is used twice; batches come in a fixed order.
Needs ``pip install '.[opacus]'``.
"""

import sys
import warnings

import torch
from opacus import PrivacyEngine
from torch.utils.data import DataLoader, TensorDataset

import gdpnum

warnings.filterwarnings("ignore")  # what torch and opacus say of each other
torch.set_num_threads(1)  # the models are small
RUNS, NOISE, RATE, EPOCHS = 300, 1.0, 0.5, 2

# The last record is the canary: it alone has a value for the second layer, whose weight stays at
# zero, so its clipped gradient is 1 there and nobody else's is anything.
torch.manual_seed(0)
features = torch.cat([torch.randn(63, 4), torch.zeros(1, 4)])
slot = torch.cat([torch.zeros(63, 1), torch.full((1, 1), 1e3)])
labels = torch.cat([(features[:63, :1] > 0).float(), torch.ones(1, 1)])


class Model(torch.nn.Module):
    """A linear model with a layer for the canary."""

    def __init__(self):
        super().__init__()
        self.ordinary = torch.nn.Linear(4, 1, bias=False)
        self.canary = torch.nn.Linear(1, 1, bias=False)

    def forward(self, features, slot):
        """One logit."""
        return self.ordinary(features) + self.canary(slot)


def trained(records, bug):
    """What an attacker sees of the canary in each step of each run, and the accountant's word."""
    model, engine = Model(), PrivacyEngine()
    groups = [
        {"params": model.ordinary.parameters()},
        {"params": model.canary.parameters(), "lr": 0.0},
    ]
    data = TensorDataset(features[:records], slot[:records], labels[:records])
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(groups, lr=0.5),
        data_loader=DataLoader(data, batch_size=32),
        noise_multiplier=NOISE,
        max_grad_norm=1.0,
        poisson_sampling=bug != "a fixed order",
    )
    weights = optimizer.params
    if bug == "a layer without noise":
        add_noise = optimizer.add_noise

        def add_noise_to_all_but_one():
            add_noise()
            weights[-1].grad = weights[-1].summed_grad.clone()

        optimizer.add_noise = add_noise_to_all_but_one

    def step(batch):
        optimizer.zero_grad()
        logits = model(*batch[:2])
        torch.nn.functional.binary_cross_entropy_with_logits(logits, batch[2]).backward()
        optimizer.step()
        return -float(weights[-1].grad) * optimizer.expected_batch_size

    seen, run = [], None
    for _ in range(RUNS):
        with torch.no_grad():
            weights[0].normal_()
            weights[-1].zero_()
        answers = []
        for _ in range(EPOCHS):
            for batch in loader:
                answer = step(batch)
                if bug == "batches used twice":
                    # The accountant hears of a step by this hook, and not of this one.
                    hook, optimizer.step_hook = optimizer.step_hook, None
                    answer = 0.5 * (answer + step(batch))
                    optimizer.step_hook = hook
                answers.append(answer)
        seen.append(answers)
        # One run's worth of the accountant's history.
        run = run or gdpnum.from_opacus(engine.accountant.history)
    return torch.tensor(seen), run


def scores(seen, bug):
    """The loss of what was seen: the best attack on what was claimed or, with a bug, on the bug."""
    if bug == "a fixed order":
        return seen[:, 1::2].sum(1)  # the canary is always in the second batch
    variance = NOISE**2 / (2.0 if bug == "batches used twice" else 1.0)
    return torch.log1p(RATE * torch.expm1((2.0 * seen - 1.0) / (2.0 * variance))).sum(1)


bugs = ("no bug", "a layer without noise", "batches used twice", "a fixed order")
for bug in sys.argv[1:] or bugs:
    torch.manual_seed(1)  # each alike, alone or in a row
    with_canary, run = trained(64, bug)
    without, _ = trained(63, bug)
    found = gdpnum.audit(scores(with_canary, bug), scores(without, bug), claim=run)
    (_, bound, _), *_ = found.rows()  # rounded down, as a lower bound should be
    print(f"{bug}: mu >= {bound}, claim {found.verdict} (p = {found.p_value:.2g})")
