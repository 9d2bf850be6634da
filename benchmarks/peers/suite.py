"""A peer's own tests, run as they are and with gdpnum's accountant in the place of theirs."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).parent


def outcomes(checkout, tests, paths=(), *, plugin=None):
    """{test: (passed or not, the last line of what it said)} of the given files of a checkout.

    ``paths`` go before what is installed; ``plugin`` is a module of this folder.
    """
    roots = [str(HERE), str(HERE.parents[1] / "src"), str(checkout), *map(str, paths)]
    # The paths first: a peer's development version is to be had before the installed one.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots)}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["-W", "ignore", f"--junitxml={report}", *(["-p", plugin] if plugin else [])]
        subprocess.run(
            [*command, *tests], cwd=checkout, env=environment, check=False, stdout=sys.stderr
        )
        return dict(_cases(ElementTree.parse(report).getroot()))


def _cases(report):
    for case in report.iter("testcase"):
        wrong = [one for one in case if one.tag in ("failure", "error")]
        said = wrong[0].get("message", "").strip().splitlines() if wrong else [""]
        name = f"{case.get('classname').rpartition('.')[2]}.{case.get('name')}"
        yield name, (not wrong, said[0] if said else "")


def commit(checkout):
    """The commit of a checkout."""
    found = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout.strip()


def table(stock, ours):
    """What passes with which, and every difference, as Markdown."""
    counts = [sum(passed for passed, _ in found.values()) for found in (stock, ours)]
    yield f"{len(stock)} tests: {counts[0]} pass with their accountants, {counts[1]} with ours."
    different = [name for name in stock if stock[name][0] != ours.get(name, (False,))[0]]
    if not different:
        yield "No test differs."
        return
    yield ""
    yield "| test | theirs | ours |"
    yield "| --- | --- | --- |"
    for name in different:
        cells = [
            "passes" if passed else said.replace("|", "/")
            for passed, said in (stock[name], ours.get(name, (False, "not collected")))
        ]
        yield f"| `{name}` | {' | '.join(cells)} |"
