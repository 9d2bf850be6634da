"""Callbacks of training frameworks that leave a privacy statement beside each checkpoint.

::

    from gdpnum.callbacks import LightningStatement, TrainerStatement

    lightning.Trainer(callbacks=[LightningStatement(engine, dataset_size=60_000)])
    transformers.Trainer(..., callbacks=[TrainerStatement(engine, dataset_size=60_000)])

``engine`` is what `check_engine` takes, such as an Opacus PrivacyEngine; the loader and the
optimizer are the ones that the framework trains with. Every other argument is one of `statement`.
A checkpoint that is removed takes its statement with it. Neither framework is imported before its
class is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdpnum.callbacks.huggingface import TrainerHooks, trainer_class
from gdpnum.callbacks.lightning import LightningHooks, lightning_class

if TYPE_CHECKING:
    LightningStatement, TrainerStatement = LightningHooks, TrainerHooks

__all__ = ["LightningStatement", "TrainerStatement"]

_CLASSES = {"LightningStatement": lightning_class, "TrainerStatement": trainer_class}


def __getattr__(name: str) -> object:
    if name in _CLASSES:
        return _CLASSES[name]()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
