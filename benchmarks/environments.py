"""One virtual environment per package, under .venvs/."""

import subprocess
import sys
import venv
from pathlib import Path

from cases import ROOT


def python_of(name: str, requirements: list[str]) -> Path:
    """The interpreter of .venvs/<name>, made and filled at first use."""
    home = ROOT / ".venvs" / name
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    filled = home / "filled-with.txt"
    wanted = "\n".join(requirements)
    if not filled.exists() or filled.read_text() != wanted:
        print(f"making {home.relative_to(ROOT)} ({', '.join(requirements)})", flush=True)
        venv.create(home, with_pip=True, clear=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", *requirements], check=True, cwd=ROOT
        )
        # Written last: a half-made environment is made again.
        filled.write_text(wanted)
    return python
