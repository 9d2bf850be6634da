"""Packages that are there only if the user wants what needs them."""

from __future__ import annotations

import importlib
from typing import Any

# What brings the packages of an extra. Not 'gdpnum[plot]': the gdpnum on PyPI is another one.
_BROUGHT_BY = {
    "dask": "'dask[distributed]'",
    "explore": "contourpy starlette uvicorn",
    "jax": "jax-privacy",
    "plot": "matplotlib",
    "registry": "pyyaml",
}


def how_to_install(extra: str) -> str:
    """What to pass to pip install for an extra.

    >>> how_to_install("plot"), how_to_install("opacus")
    ('matplotlib', 'opacus')
    """
    return _BROUGHT_BY.get(extra, extra)


def imported(module: str, *, extra: str | None = None) -> Any:
    """Import a module of another package; where that is missing, say what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        install = package if extra is None else how_to_install(extra)
        raise ImportError(f"this needs the package {package}; pip install {install}") from error
