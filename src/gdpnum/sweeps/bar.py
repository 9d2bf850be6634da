"""A progress bar on standard error."""

from __future__ import annotations

import sys

__all__ = ["bar"]

_WIDTH = 30


def bar(done: int, of: int) -> None:
    """Draw how far a sweep is: over itself on a terminal or in a notebook, ending with a line."""
    filled = _WIDTH * done // max(of, 1)
    end = "\n" if done >= of else ""
    sys.stderr.write(f"\r[{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{of}{end}")
    sys.stderr.flush()
