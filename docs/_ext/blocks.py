"""The code blocks of the pages: found in their text, and run as a reader would run them.

One parser for two readers. Sphinx runs the blocks while it builds (``run_blocks``) and shows what
they printed; the tests run the same blocks without Sphinx. A page is one session: each block sees
the names of those before it. It is run in a directory of its own, which is removed afterwards.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

__all__ = ["DOCS", "Block", "Session", "blocks", "pages"]

DOCS = Path(__file__).resolve().parent.parent

_FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_DIRECTIVE = re.compile(r"^\{(?P<name>[\w-]+)\}\s*(?P<argument>.*)$")
_OPTION = re.compile(r"^:(?P<key>[\w-]+):\s*(?P<value>.*)$")


@dataclass(frozen=True)
class Block:
    """A fenced block: the directive or the language it names, its options and its text."""

    page: Path
    line: int
    kind: str
    argument: str
    options: dict[str, str]
    text: str

    @property
    def needs(self) -> tuple[str, ...]:
        """Packages, or names in them, without which the block cannot run."""
        return tuple(self.options.get("needs", "").split())


def pages() -> list[Path]:
    """All pages, in a steady order."""
    return sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)


def blocks(page: Path) -> Iterator[Block]:
    """The outermost fenced blocks of a page."""
    lines = iter(enumerate(page.read_text(encoding="utf-8").splitlines(), 1))
    for number, line in lines:
        opened = _FENCE.match(line)
        if not opened:
            continue
        body = []
        for _, inner in lines:
            if inner.strip() == opened["fence"]:
                break
            body.append(inner)
        info = opened["info"].strip()
        named = _DIRECTIVE.match(info)
        options: dict[str, str] = {}
        if named:
            while body and (option := _OPTION.match(body[0])):
                options[option["key"]] = option["value"]
                body.pop(0)
        kind = f"{{{named['name']}}}" if named else info
        argument = named["argument"] if named else ""
        yield Block(page, number, kind, argument, options, "\n".join(body).strip("\n"))


class Session:
    """The blocks of one page, run one after the other."""

    def __init__(self) -> None:
        self._home = TemporaryDirectory(prefix="gdpnum-docs-")
        self.names: dict[str, Any] = {"__name__": "__page__", "DOCS": DOCS}

    def python(self, code: str, place: str) -> str:
        """Run Python, and return what it printed."""
        printed = io.StringIO()
        with _inside(self._home.name), contextlib.redirect_stdout(printed):
            exec(compile(code, place, "exec"), self.names)
        return printed.getvalue()

    def shell(self, commands: str) -> str:
        """Run the lines that begin with ``$``, with the ``gdpnum`` of this Python first."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        output = []
        for command in re.sub(r"\\\n\s*", "", commands).splitlines():
            if not command.startswith("$ "):
                raise ValueError(f"{command!r} does not begin with '$ '")
            found = subprocess.run(
                command[2:],
                shell=True,
                cwd=self._home.name,
                env={**os.environ, "PATH": path, "COLUMNS": "80"},
                capture_output=True,
                text=True,
                check=False,
            )
            if found.returncode != 0:
                raise RuntimeError(f"{command}\n{found.stdout}{found.stderr}")
            output.append(found.stdout)
        return "".join(output)

    def close(self) -> None:
        """Remove the directory."""
        self._home.cleanup()


@contextlib.contextmanager
def _inside(path: str) -> Iterator[None]:
    # contextlib.chdir is of Python 3.11.
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)
