"""``gdpnum opacus`` on a checkpoint that Opacus itself wrote."""

import pytest

import gdpnum as library
from tests.cli.invoking import document, gdpnum, refused
from tests.integrations.opacus_training import Training

torch = pytest.importorskip("torch")
opacus = pytest.importorskip("opacus")

pytestmark = [
    pytest.mark.filterwarnings("ignore:Secure RNG turned off"),
    pytest.mark.filterwarnings("ignore:Full backward hook is firing"),
    pytest.mark.filterwarnings("ignore:Optimal order is the"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:torch"),
    pytest.mark.filterwarnings("ignore::FutureWarning:torch"),
]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """Two epochs of a logistic regression on noise."""
    torch.manual_seed(0)
    x = torch.randn(200, 4)
    data = torch.utils.data.TensorDataset(x, (x[:, 0] > 0.0).long())
    model = torch.nn.Linear(4, 2)
    engine = opacus.PrivacyEngine(accountant="prv")
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=torch.utils.data.DataLoader(data, batch_size=20),
        noise_multiplier=1.1,
        max_grad_norm=1.0,
    )
    for _ in range(2):
        for features, labels in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(features), labels).backward()
            optimizer.step()
    path = tmp_path_factory.mktemp("opacus") / "checkpoint.pt"
    engine.save_checkpoint(path=str(path), module=model, optimizer=optimizer)
    return path, engine


def test_the_statement_is_of_the_training(checkpoint):
    path, engine = checkpoint
    found = document("opacus", str(path), "--dataset-size", "200", "--date", "2026-03-01")
    run = library.DPSGD(noise_multiplier=1.1, sample_rate=0.1, steps=20)
    assert found["mechanism"] == repr(run)
    assert found["mu"] == library.fit_gdp(run).mu
    assert found["stated"]["batches"].startswith("not checked: the history does not say")
    (at,) = [row for row in found["epsilon"] if row["delta"] == 1e-5]
    # Opacus estimates the same epsilon by its own lattice.
    assert at["epsilon"] == pytest.approx(engine.get_epsilon(1e-5), rel=0.02)


@pytest.mark.filterwarnings("ignore::gdpnum.dpsgd.AccountingMismatch")
def test_what_the_accountant_saw_is_found_and_accounted_for(tmp_path):
    library.integrations.opacus.register()
    training = Training("gdpnum", poisson_sampling=False).epochs(1)
    path = training.saved(str(tmp_path / "checkpoint.pt"))
    result = gdpnum("opacus", path)
    assert result.exit_code == 0
    assert "mu = 1.0000" in result.stdout
    assert "in a fixed order by SequentialSampler" in " ".join(result.stdout.split())
    assert "warning: batches were drawn in a fixed order" in " ".join(result.stderr.split())


def test_a_model_without_its_accountant_is_no_checkpoint(tmp_path):
    path = tmp_path / "model.pt"
    torch.save(torch.nn.Linear(2, 2).state_dict(), path)
    assert "pass a file that PrivacyEngine.save_checkpoint wrote" in refused("opacus", str(path))
