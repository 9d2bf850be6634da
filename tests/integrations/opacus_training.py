"""A logistic regression on noise, trained under an Opacus engine, as the tests need it."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("opacus")

from opacus import PrivacyEngine  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

RECORDS, BATCH = 200, 20
RATE = BATCH / RECORDS


def dataset(records=RECORDS):
    """So many records of four features and a label."""
    torch.manual_seed(0)
    x = torch.randn(records, 4)
    return TensorDataset(x, (x[:, 0] > 0.0).long())


class Training:
    """The training: its engine, model, optimizer and loader."""

    def __init__(
        self,
        accountant,
        noise_multiplier=1.0,
        with_epsilon=None,
        engine=PrivacyEngine,
        loader=None,
        **options,
    ):
        torch.manual_seed(0)
        model = torch.nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.engine = engine(accountant=accountant)
        make = self.engine.make_private
        if with_epsilon is None:
            options["noise_multiplier"] = noise_multiplier
        else:
            make = self.engine.make_private_with_epsilon
            options.update(with_epsilon)
        if loader is None:
            loader = DataLoader(dataset(), batch_size=BATCH)
        self.model, self.optimizer, *criterion, self.loader = make(
            module=model,
            optimizer=optimizer,
            data_loader=loader,
            max_grad_norm=1.0,
            **options,
        )
        self.criterion = criterion[0] if criterion else torch.nn.functional.cross_entropy

    def epochs(self, count):
        """Train so many epochs."""
        for _ in range(count):
            for x, y in self.loader:
                self.batch(x, y)
        return self

    def batch(self, x, y):
        """Train one batch."""
        self.optimizer.zero_grad()
        self.criterion(self.model(x), y).backward()
        self.optimizer.step()

    def saved(self, path):
        """Write a checkpoint."""
        self.engine.save_checkpoint(path=path, module=self.model, optimizer=self.optimizer)
        return path

    def loaded(self, path):
        """Read a checkpoint."""
        self.engine.load_checkpoint(path=path, module=self.model, optimizer=self.optimizer)
        return self
