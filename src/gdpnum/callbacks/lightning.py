"""Lightning: beside each checkpoint ``epoch=0.ckpt`` a statement, ``epoch=0.privacy.md``."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

from gdpnum._optional import imported
from gdpnum.callbacks.beside import Beside


class LightningHooks:
    """A Lightning callback that leaves a statement of ``engine`` beside each checkpoint.

    ``engine`` may be left out where the module keeps it as ``privacy_engine``, as Opacus's
    tutorial does. Other arguments are those of `statement`.
    """

    def __init__(self, engine: object = None, **said: Any) -> None:
        super().__init__()
        self.beside = Beside(engine, said)

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Have the files of checkpoints pass through here: no hook of Lightning's knows them."""
        if stage != "fit":
            return
        if self.beside.engine is None:
            self.beside.engine = _LaterEngine(pl_module)
        if not isinstance(trainer.strategy.checkpoint_io, _files_class()):
            files = _files_class()(trainer, self.beside, trainer.strategy.checkpoint_io)
            trainer.strategy.checkpoint_io = files


class _LaterEngine:
    """The engine that a module has once it has made its optimizer."""

    def __init__(self, module: Any) -> None:
        self._module = module

    @property
    def accountant(self) -> Any:
        return self._module.privacy_engine.accountant


class _Files:
    """What writes checkpoints, and statements with them."""

    def __init__(self, trainer: Any, beside: Beside, inner: Any) -> None:
        super().__init__()
        self._trainer, self._beside, self._inner = trainer, beside, inner

    def save_checkpoint(self, checkpoint: Any, path: Any, storage_options: Any = None) -> None:
        self._inner.save_checkpoint(checkpoint, path, storage_options)
        optimizers = self._trainer.optimizers
        optimizer = optimizers[0] if optimizers else None
        self._beside.write(_stem(path), self._trainer.train_dataloader, optimizer)

    def remove_checkpoint(self, path: Any) -> None:
        self._inner.remove_checkpoint(path)
        self._beside.remove(_stem(path))

    def load_checkpoint(self, *arguments: Any, **named: Any) -> Any:
        return self._inner.load_checkpoint(*arguments, **named)

    def teardown(self) -> None:
        self._inner.teardown()


def _stem(path: Any) -> Path:
    found = Path(path)
    return found if found.is_dir() else found.with_suffix("")


@cache
def lightning_class() -> type[LightningHooks]:
    """A `LightningHooks` that is a Callback, of whichever package Lightning came in."""
    members = {"__module__": "gdpnum.callbacks", "__doc__": LightningHooks.__doc__}
    return type("LightningStatement", (LightningHooks, _package().Callback), members)


@cache
def _files_class() -> type:
    io = imported(f"{_package().__name__}.plugins.io", extra="lightning")
    return type("StatementCheckpointIO", (_Files, io.CheckpointIO), {})


def _package() -> Any:
    """``lightning.pytorch``, or ``pytorch_lightning`` where only that is in use."""
    older = "lightning" not in sys.modules and "pytorch_lightning" in sys.modules
    return imported("pytorch_lightning" if older else "lightning.pytorch", extra="lightning")
