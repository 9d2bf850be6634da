"""``python -m paper [FOLDER]``: the paper computed again, into build/paper or another folder."""

from __future__ import annotations

import sys
from pathlib import Path

from paper.reproduction import reproduce


def _tell(done: int, total: int, doing: str) -> None:
    """One line on stderr that changes, and is gone when all is done."""
    line = f"{done}/{total} {doing}" if done < total else ""
    sys.stderr.write(f"\r\x1b[K{line}")
    sys.stderr.flush()


def main(arguments: list[str]) -> str:
    """The path of the page that was written."""
    if len(arguments) > 1 or any(one.startswith("-") for one in arguments):
        raise SystemExit(f"{__doc__}\nIt takes one argument, the folder to write to.")
    out = Path(arguments[0] if arguments else "build/paper")
    return str(reproduce(out, progress=_tell if sys.stderr.isatty() else None))


if __name__ == "__main__":
    print(main(sys.argv[1:]))
