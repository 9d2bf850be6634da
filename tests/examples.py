"""How much is tried in the quick tests, and how much in `make test-slow`."""

import os
from collections.abc import Collection, Iterable
from typing import Any

import pytest
from hypothesis import settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "steady")


def examples(many: int, few: int | None = None) -> settings:
    """Of hypothesis so many in `make test-slow`; in the quick tests a few, or a quarter of them."""
    return settings(max_examples=(few or max(2, many // 4)) if PROFILE == "steady" else many)


def mostly_slow(cases: Iterable[Any], *, quick: Collection[Any]) -> list[Any]:
    """Cases to parametrise a test with, all but a few of them for `make test-slow`."""
    return [
        one
        if one in quick
        else pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.slow)
        for one in cases
    ]
