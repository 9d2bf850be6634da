"""One virtual environment per package, under .venvs/."""

import subprocess
import sys
import venv
from pathlib import Path

from packages import PACKAGES, ROOT


def python_of(name: str) -> Path:
    """The interpreter of a package's environment, made and filled at first use."""
    package = PACKAGES[name]
    home = ROOT / ".venvs" / package.environment
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    filled = home / "filled-with.txt"
    wanted = "\n".join(argument for step in package.steps for argument in step)
    if not filled.exists() or filled.read_text() != wanted:
        print(f"making {home.relative_to(ROOT)} ({wanted.replace(chr(10), ', ')})", flush=True)
        venv.create(home, with_pip=True, clear=True)
        for step in package.steps:
            pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
            subprocess.run([*pip, *step], check=True, cwd=ROOT)
        # Written last: a half-made environment is made again.
        filled.write_text(wanted)
    return python
