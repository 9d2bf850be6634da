"""A line of progress that is drawn over itself, with nothing but the standard library."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO, final

_WIDTH = 30


@contextmanager
def drawn(stream: TextIO) -> Iterator[Callable[[int, int], None]]:
    """What draws the line, ended when all is done."""
    line = _Line(stream)
    try:
        yield line.show
    finally:
        line.close()


@final
class _Line:
    """How many of all are done, how fast, and how long the rest will take.

    Redrawn when something is done: a thread that does so would be forked into the workers.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._first: tuple[float, int] | None = None

    def show(self, done: int, total: int) -> None:
        """Draw the line anew."""
        now = time.monotonic()
        if self._first is None:
            # What was resumed does not count as speed.
            self._first = now, done
        started, before = self._first
        rate = (done - before) / (now - started) if now > started else 0.0
        speed = ""
        if rate > 0.0:
            minutes, seconds = divmod(round((total - done) / rate), 60)
            hours, minutes = divmod(minutes, 60)
            speed = f"  {rate:.3g}/s  {hours}:{minutes:02}:{seconds:02} left"
        bar = f"{'#' * (_WIDTH * done // max(total, 1)):{_WIDTH}}"
        self._stream.write(f"\r{done}/{total} settings  [{bar}]{speed}\x1b[K")
        self._stream.flush()

    def close(self) -> None:
        """End the line, so that what follows begins on one of its own."""
        if self._first is not None:
            self._stream.write("\n")
            self._stream.flush()
