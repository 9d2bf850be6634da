"""Packages that are there only if the user wants what needs them."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["imported"]


def imported(module: str, *, extra: str | None = None) -> Any:
    """Import a module of another package; where that is missing, say what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        install = package if extra is None else f"'gdpnum[{extra}]'"
        raise ImportError(f"this needs the package {package}; pip install {install}") from error
