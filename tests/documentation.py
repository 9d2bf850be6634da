"""The documentation's own reader of code blocks, for the tests that run them."""

import importlib.util
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"

if not (DOCS / "_ext").exists():
    pytest.skip("the pages are not part of this copy", allow_module_level=True)


def _loaded(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


code = _loaded("blocks")
