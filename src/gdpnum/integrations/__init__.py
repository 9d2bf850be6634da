"""Other packages' accountants, engines and checkpoints, as mechanisms of ours.

One file per package, and only that file knows it: ``opacus`` (with ``opacus_checkpoint``),
``dp_accounting`` (with ``pld`` and the ``dp_...`` files; JAX-Privacy comes through its events),
``opendp``, and ``engines`` for whatever has the attributes of one. None imports its package before
it is needed.
"""

from __future__ import annotations

import importlib

_MODULES = ("dp_accounting", "engines", "opacus", "opendp")


def __getattr__(name: str) -> object:
    # So that gdpnum.integrations.opacus.register() needs no import of its own.
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
