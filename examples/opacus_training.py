"""Train a small model with Opacus, and state its privacy at the end.

Needs ``pip install '.[opacus]'``.
"""

import torch
from opacus import PrivacyEngine
from torch.utils.data import DataLoader, TensorDataset

import gdpnum

# A task that a linear model can learn.
torch.manual_seed(0)
features = torch.randn(2000, 8)
labels = (features[:, 0] + features[:, 1] > 0).long()
data = TensorDataset(features, labels)

model = torch.nn.Linear(8, 2)
engine = PrivacyEngine()
model, optimizer, loader = engine.make_private(
    module=model,
    optimizer=torch.optim.SGD(model.parameters(), lr=0.5),
    data_loader=DataLoader(data, batch_size=100),
    noise_multiplier=2.0,
    max_grad_norm=1.0,
)
for _ in range(5):
    for batch, wanted in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(batch), wanted).backward()
        optimizer.step()

# Whatever accountant the engine has, its history, loader and optimizer say what was run.
check = gdpnum.check_engine(engine, loader, optimizer)
print(gdpnum.statement(check, dataset_size=len(data), name="A linear model"))

# What checkpoint.py reads.
engine.save_checkpoint(path="checkpoint.pt", module=model, optimizer=optimizer)
