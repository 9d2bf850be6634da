"""The asking side of a worker process."""

import json
import os
import select
import subprocess
from pathlib import Path
from typing import Any

from cases import WARM_UPS
from packages import HERE, ROOT

WORKERS = HERE / "workers"


class Peer:
    """A package in a process of its own; started at the first question, again after a stop."""

    def __init__(self, python: Path, worker: str) -> None:
        self.versions: dict[str, str] = {}
        self._command = [python, WORKERS / f"{worker}.py"]
        self._log = ROOT / ".venvs" / f"{worker}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._warm: set[str] = set()

    def ask(self, task: str, request: dict[str, Any], *, limit: float = 60.0) -> dict[str, Any]:
        """The answer with its seconds, or {"error": ...} after a crash or the time limit."""
        if self._process is None:
            self._start(limit)
        if task not in self._warm:
            self._warm.add(task)
            first = self._answer({"task": task, **WARM_UPS[task]}, limit)
            if self._process is None:
                return first
        return self._answer({"task": task, **request}, limit)

    def stop(self) -> None:
        """End the process, if any."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
            self._warm = set()

    def _start(self, limit: float) -> None:
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            )
        self.versions = self._line(limit).get("versions", self.versions)

    def _answer(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
        if self._process is None or self._process.stdin is None:
            return {"error": f"does not start, see {self._log.relative_to(ROOT)}"}
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self.stop()
            return {"error": "the process died"}
        return self._line(limit)

    def _line(self, limit: float) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        # One line per answer, so nothing is left in the reader's buffer between two waits.
        ready, _, _ = select.select([self._process.stdout], [], [], limit)
        line = self._process.stdout.readline() if ready else b""
        if line:
            return json.loads(line)
        self.stop()
        # `limit` apart from the text, so that a ratio can be bounded from below.
        return {"error": "the process died"} if ready else {"error": "stopped", "limit": limit}


def single(
    python: Path, worker: str, task: str, request: dict[str, Any], *, limit: float = 60.0
) -> dict[str, Any]:
    """A request in a fresh process: seconds of the first call and of later ones, peak memory."""
    command = [python, WORKERS / "single.py", worker, task, json.dumps(request)]
    # A session of its own, so that what it started ends with it.
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=os.name == "posix",
    )
    try:
        out, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return {"error": "stopped", "limit": limit}
    finally:
        _end(process)
    return json.loads(out) if process.returncode == 0 else {"error": "the process died"}


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        if os.name == "posix":
            os.killpg(process.pid, 9)
        else:
            process.kill()
        process.communicate()
