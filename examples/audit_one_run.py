"""Audit one training run with Opacus by canaries: the strongest, and some that only query.

Each canary is in the training data or not by a coin of its own. The attack guesses which are, and
how often it is right is held against what the accountant says of this very run.
Needs ``pip install '.[opacus]'``.
"""

import math
import warnings

import torch
from opacus import PrivacyEngine
from torch.utils.data import DataLoader, TensorDataset

import gdpnum

warnings.filterwarnings("ignore")  # what torch and opacus say of each other
torch.manual_seed(0)
CANARIES, NOISE, RATE, EPOCHS = 1000, 1.0, 0.1, 2

# Ordinary records: a task that a linear model can learn. The slots are empty.
records = torch.randn(1000, 8)
labels = (records[:, 0] + records[:, 1] > 0).long()
slots = torch.zeros(1000, CANARIES)

# Worst case: each has a weight of its own, so that its clipped gradient is one coordinate, and no
# other record touches that. An attacker who sees the gradients can do no better.
by_gradient = torch.rand(CANARIES) < 0.5
own_slot = 1e3 * torch.eye(CANARIES)

# Black box: records with the wrong label; the attacker only asks the trained model for its loss.
by_query = torch.rand(CANARIES) < 0.5
strangers = torch.randn(CANARIES, 8)
wrong = (strangers[:, 0] + strangers[:, 1] <= 0).long()

data = TensorDataset(
    torch.cat([records, torch.zeros(int(by_gradient.sum()), 8), strangers[by_query]]),
    torch.cat([slots, own_slot[by_gradient], torch.zeros(int(by_query.sum()), CANARIES)]),
    torch.cat([labels, torch.ones(int(by_gradient.sum())).long(), wrong[by_query]]),
)


class Model(torch.nn.Module):
    """A linear model, and one weight for each canary."""

    def __init__(self):
        super().__init__()
        self.ordinary = torch.nn.Linear(8, 2, bias=False)
        self.canary = torch.nn.Linear(CANARIES, 1, bias=False)
        torch.nn.init.zeros_(self.canary.weight)

    def forward(self, features, slots):
        """Logits; a slot speaks for the label 1."""
        return self.ordinary(features) + self.canary(slots) * torch.tensor([0.0, 1.0])


model, engine = Model(), PrivacyEngine()
groups = [
    {"params": model.ordinary.parameters()},
    {"params": model.canary.parameters(), "lr": 0.0},  # the canaries' gradients stay as they are
]
model, optimizer, loader = engine.make_private(
    module=model,
    optimizer=torch.optim.SGD(groups, lr=1.0),
    data_loader=DataLoader(data, batch_size=int(RATE * len(data))),
    noise_multiplier=NOISE,
    max_grad_norm=1.0,
)
rate = 1.0 / len(loader)
loss_of_canary = torch.zeros(CANARIES)
for _ in range(EPOCHS):
    for features, slot, wanted in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(features, slot), wanted).backward()
        optimizer.step()
        # What the attacker sees of each canary: 0 or 1, plus noise. Then its privacy loss.
        seen = -optimizer.params[-1].grad[0] * optimizer.expected_batch_size
        ratio = torch.expm1((2.0 * seen - 1.0) / (2.0 * NOISE**2))
        loss_of_canary += torch.log1p(rate * ratio)

run = gdpnum.from_opacus(engine, data_loader=loader, optimizer=optimizer)
print(f"By accounting, mu is at most {math.ceil(1e3 * gdpnum.fit_gdp(run).mu) / 1e3}.\n")

# A tenth of the canaries at either end are guessed: fixed here, before any score is looked at.
found = gdpnum.audit_one_run(loss_of_canary.numpy(), by_gradient.numpy(), claim=run)
print(f"Gradient canaries\n{found}\n")

with torch.no_grad():
    logits = model(strangers, torch.zeros(CANARIES, CANARIES))
    score = -torch.nn.functional.cross_entropy(logits, wrong, reduction="none")
found = gdpnum.audit_one_run(score.numpy(), by_query.numpy(), claim=run)
print(f"Black-box canaries\n{found}")
