"""Differential privacy accounting in Gaussian DP, where every number is a guarantee.

Describe what was run, then ask::

    run = gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
    fit = gdpnum.fit_gdp(run)            # fit.mu, with its slack, its bracket and its regret
    curve = gdpnum.tradeoff_curve(run)   # curve.tpr(fpr), curve.epsilon(delta), ...

Everything public is a name in this module. A name is loaded when first used, so that describing a
mechanism costs no import of numpy or scipy; ``__init__.pyi`` says where each one is.
"""

import ast
import importlib
import pkgutil


def _homes() -> dict[str, str]:
    """The module of each name, from the stub: a line is ``from gdpnum.x import name as name``."""
    lines = ast.parse(pkgutil.get_data(__name__, "__init__.pyi") or b"").body
    rows = (line for line in lines if isinstance(line, ast.ImportFrom))
    return {one.name: f"{row.module}" for row in rows for one in row.names}


_HOMES = _homes()

# Loaded by name for the command line alone.
_NOT_PUBLIC = {"calibration", "statements"}

__all__ = sorted(set(_HOMES) - _NOT_PUBLIC)  # noqa: PLE0605  (there is one list of names)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES[name]
    if home == __name__:
        return importlib.import_module(f"{__name__}.{name}")
    value: object = getattr(importlib.import_module(home), name)
    globals()[name] = value  # found directly from now on
    return value


def __dir__() -> list[str]:
    # What is public, and nothing that only this file needs.
    return __all__
