"""The asking side of a worker process."""

import json
import select
import subprocess
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


class Peer:
    """A package in a process of its own; started at the first question, again after a stop."""

    def __init__(self, name: str, python: Path, worker: str, *, limit: float = 60.0) -> None:
        self.name = name
        self.versions: dict[str, str] = {}
        self._command = [python, HERE / worker]
        self._limit = limit
        self._process: subprocess.Popen[str] | None = None

    def ask(self, segments: list) -> dict[str, Any]:
        """The answer with its seconds, or {"error": ...} after a crash or the time limit."""
        if self._process is None:
            self._start()
        process = self._process
        if process is None or process.stdin is None:
            return {"error": "does not start"}
        try:
            process.stdin.write(json.dumps(segments) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            self.stop()
            return {"error": "the process died"}
        return self._line()

    def stop(self) -> None:
        """End the process, if any."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.versions = self._line().get("versions", self.versions)

    def _line(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        # One line per answer, so nothing is left in the reader's buffer between two waits.
        ready, _, _ = select.select([self._process.stdout], [], [], self._limit)
        line = self._process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        self.stop()
        return {"error": f"over {self._limit:g} s" if not ready else "the process died"}
