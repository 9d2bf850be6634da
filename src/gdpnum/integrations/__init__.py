"""Other packages' accountants, engines and checkpoints, as mechanisms of ours.

One file per package, and only that file knows it: ``opacus`` (with ``opacus_checkpoint``),
``dp_accounting`` (with ``pld`` and the ``dp_...`` files; JAX-Privacy comes through its events),
``opendp``, and ``engines`` for whatever has the attributes of one. None imports its package before
it is needed.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["imported"]

_MODULES = ("dp_accounting", "engines", "opacus", "opendp")


def imported(module: str, *, extra: str) -> Any:
    """Import a module of another package; where that is missing, say which extra brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"this needs the package {module.partition('.')[0]}; pip install 'gdpnum[{extra}]'"
        ) from error


def __getattr__(name: str) -> object:
    # So that gdpnum.integrations.opacus.register() needs no import of its own.
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
