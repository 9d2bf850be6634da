"""Hugging Face's Trainer: a statement in the folder of each checkpoint."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from gdpnum._optional import imported
from gdpnum.callbacks.beside import Beside


class TrainerHooks:
    """A TrainerCallback that leaves a statement of ``engine`` in the folder of each checkpoint.

    Other arguments are those of `statement`. The losses and norms that Trainer logs, and keeps in
    ``trainer_state.json``, are of private data and have no noise; a statement does not cover them.
    """

    def __init__(self, engine: object, **said: Any) -> None:
        super().__init__()
        self.beside = Beside(engine, said)

    def on_save(self, args: Any, state: Any, control: Any, **about: Any) -> None:  # noqa: ARG002
        """Write it, once a checkpoint is there."""
        if not state.is_world_process_zero:
            return
        folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        optimizer = about.get("optimizer")
        # accelerate wraps it.
        optimizer = getattr(optimizer, "optimizer", optimizer)
        if folder.is_dir():
            self.beside.write(folder, about.get("train_dataloader"), optimizer)


@cache
def trainer_class() -> type[TrainerHooks]:
    """A `TrainerHooks` that is a TrainerCallback."""
    base = imported("transformers", extra="transformers").TrainerCallback
    members = {"__module__": "gdpnum.callbacks", "__doc__": TrainerHooks.__doc__}
    return type("TrainerStatement", (TrainerHooks, base), members)
