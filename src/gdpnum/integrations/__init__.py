"""Other packages' accountants, engines and checkpoints, as mechanisms of ours.

One file per package, and only that file knows it: ``opacus`` and ``engines`` here. None imports its
package before it is needed.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["imported"]


def imported(module: str, *, extra: str) -> Any:
    """Import a module of another package; where that is missing, say which extra brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"this needs the package {module.partition('.')[0]}; pip install 'gdpnum[{extra}]'"
        ) from error
