"""Lightning and Hugging Face's Trainer, for real: a statement beside each checkpoint."""

import sys
import warnings

import pytest

import gdpnum
from gdpnum import DPSGD, Statement
from gdpnum.callbacks.beside import Beside

torch = pytest.importorskip("torch")
opacus = pytest.importorskip("opacus")

from opacus import PrivacyEngine  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402

from tests.integrations.opacus_training import dataset  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

SAID = {"dataset_size": 200, "name": "A linear model", "released": "the last checkpoint"}


def read(file):
    return Statement.from_json(file.read_text(encoding="utf-8"))


# --- Lightning ------------------------------------------------------------------------------------


def lit(lightning, **options):
    """A module that makes its optimizer private, as Opacus's tutorial for Lightning does."""

    class Lit(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 2)
            self.privacy_engine = PrivacyEngine()

        def forward(self, x):
            return self.layer(x)

        def training_step(self, batch, _):
            x, y = batch
            return torch.nn.functional.cross_entropy(self(x), y)

        def configure_optimizers(self):
            loader = self.trainer.fit_loop._data_source.dataloader()
            _, optimizer, self.made = self.privacy_engine.make_private(
                module=self,
                optimizer=torch.optim.SGD(self.parameters(), lr=0.1),
                data_loader=loader,
                noise_multiplier=2.0,
                max_grad_norm=1.0,
                **options,
            )
            return optimizer

    return Lit()


@pytest.fixture
def fitted(tmp_path):
    lightning = pytest.importorskip("lightning.pytorch")
    from opacus.data_loader import DPDataLoader

    def fit(*, poisson, epochs=2, **more):
        plain = DataLoader(dataset(), batch_size=20)
        loader = DPDataLoader.from_data_loader(plain) if poisson else plain
        kept = lightning.callbacks.ModelCheckpoint(
            dirpath=tmp_path, filename="{epoch}", save_top_k=1, monitor=None
        )
        from gdpnum.callbacks import LightningStatement

        trainer = lightning.Trainer(
            max_epochs=epochs,
            accelerator="cpu",
            callbacks=[LightningStatement(**SAID, **more), kept],
            logger=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        module = lit(lightning, poisson_sampling=False)
        trainer.fit(module, loader)
        return module, kept.best_model_path

    return fit


def test_lightning_leaves_a_statement_beside_the_checkpoint(fitted, tmp_path):
    module, path = fitted(poisson=True)
    assert path == str(tmp_path / "epoch=1.ckpt")
    found = read(tmp_path / "epoch=1.privacy.json")
    assert found.run == DPSGD(noise_multiplier=2.0, sample_rate=0.1, steps=20)
    assert found == gdpnum.statement(
        gdpnum.check_engine(module.privacy_engine, module.made, module.trainer.optimizers[0]),
        **SAID,
    )
    assert "Poisson samples at rate 0.1" in found.stated.batches
    assert "A linear model" in (tmp_path / "epoch=1.privacy.md").read_text(encoding="utf-8")
    # The checkpoint of the epoch before is gone, and its statement with it.
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "epoch=1.ckpt",
        "epoch=1.privacy.json",
        "epoch=1.privacy.md",
    ]


def test_lightning_trains_on_what_its_loader_draws(fitted, tmp_path):
    fitted(poisson=False)
    found = read(tmp_path / "epoch=1.privacy.json")
    assert "in a fixed order by SequentialSampler" in found.stated.batches
    assert found.mu == pytest.approx(2**0.5 / 2.0, rel=1e-6)


# --- Hugging Face ---------------------------------------------------------------------------------


class Rows(Dataset):
    """A dataset as Trainer likes it."""

    def __init__(self):
        self.data = dataset()

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        x, y = self.data[index]
        return {"x": x, "labels": y}


def test_trainer_leaves_a_statement_in_the_folder_of_each_checkpoint(tmp_path):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    from gdpnum.callbacks import TrainerStatement

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 2)

        def forward(self, x, labels=None):
            logits = self.layer(x)
            return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    engine = PrivacyEngine()
    plain = Model()
    model, optimizer, loader = engine.make_private(
        module=plain,
        optimizer=torch.optim.SGD(plain.parameters(), lr=0.1),
        data_loader=DataLoader(
            Rows(), batch_size=20, collate_fn=transformers.default_data_collator
        ),
        noise_multiplier=2.0,
        max_grad_norm=1.0,
    )

    class Private(transformers.Trainer):
        def get_train_dataloader(self):
            return loader

    class Cleared(transformers.TrainerCallback):
        """Trainer clears the gradients of the model, Opacus wants those of the optimizer clear."""

        def on_step_end(self, *_, **__):
            optimizer.zero_grad()

    trainer = Private(
        model=model,
        args=transformers.TrainingArguments(
            output_dir=str(tmp_path),
            max_steps=20,
            save_steps=10,
            report_to=[],
            use_cpu=True,
            max_grad_norm=0.0,
            disable_tqdm=True,
            remove_unused_columns=False,
        ),
        train_dataset=Rows(),
        optimizers=(optimizer, None),
        callbacks=[Cleared(), TrainerStatement(engine, **SAID)],
    )
    trainer.model_accepts_loss_kwargs = False  # what Opacus wraps seems to take anything
    trainer.train()
    for steps in (10, 20):
        found = read(tmp_path / f"checkpoint-{steps}" / "privacy.json")
        assert found.run == DPSGD(noise_multiplier=2.0, sample_rate=0.1, steps=steps)
        assert "Poisson samples at rate 0.1" in found.stated.batches
        assert (tmp_path / f"checkpoint-{steps}" / "privacy.md").exists()


# --- either ---------------------------------------------------------------------------------------


def test_a_run_without_a_bound_is_warned_of_and_training_goes_on(tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Beside([("a", 1, 2)], {}).write(tmp_path / "model", None, None)
    assert "no privacy statement beside" in str(caught[0].message)
    assert list(tmp_path.iterdir()) == []


def test_a_statement_that_is_removed_may_be_gone_already(tmp_path):
    Beside([], {}).remove(tmp_path / "model")


def test_neither_framework_is_imported_before_it_is_asked_for():
    import subprocess

    program = (
        "import sys, gdpnum.callbacks;"
        "assert not {'lightning', 'pytorch_lightning', 'transformers', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
