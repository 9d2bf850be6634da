import csv
import fcntl
import os
from pathlib import Path

import pytest

from paper import reproduce


class Reproduced:
    """The folder that `reproduce` wrote."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.page = (folder / "index.html").read_text(encoding="utf-8")

    def table(self, slug):
        """The rows of a CSV file by the name in their first column, then by column."""
        with (self.folder / f"{slug}.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return {next(iter(row.values())): row for row in rows}

    def records(self, slug):
        with (self.folder / f"{slug}.csv").open(encoding="utf-8") as file:
            return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory):
    """All of the paper, computed once, even by several workers of xdist."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    base = tmp_path_factory.getbasetemp()
    folder = base.parent / f"paper-{run}" if run else base / "paper"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "index.html").exists():
            reproduce(folder)
    return Reproduced(folder)
