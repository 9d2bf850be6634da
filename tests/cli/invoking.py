"""The command, run in this process or in one of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from gdpnum.cli import app

SOURCE = Path(__file__).parents[2] / "src"

DPSGD = {"--noise-multiplier": "9.4", "--sample-rate": "0.3", "--steps": "10"}


def words(options):
    return [text for pair in options.items() for text in pair]


def gdpnum(*arguments, stdin=None):
    """In this process: the result, with exit_code, stdout and stderr."""
    return CliRunner().invoke(app, list(arguments), input=stdin, prog_name="gdpnum")


def printed(*arguments, stdin=None):
    """What a command that goes well prints, with nothing on stderr."""
    result = gdpnum(*arguments, stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, ""), result.stderr
    return result.stdout


def document(*arguments, stdin=None):
    """What it prints as JSON; standard JSON, so infinities are texts."""
    text = printed(*arguments, "--json", stdin=stdin)
    return json.loads(text, parse_constant=_not_json)


def _not_json(name):
    raise AssertionError(f"{name} is not JSON")


def refused(*arguments, stdin=None):
    """The one line, without its prefix, by which a command refuses bad input."""
    result = gdpnum(*arguments, stdin=stdin)
    return one_line(result.exit_code, result.stdout, result.stderr)


def one_line(status, stdout, stderr):
    assert status == 2, (stdout, stderr)
    assert stdout == ""
    assert stderr.count("\n") == 1, stderr
    assert stderr.startswith("gdpnum: ")
    assert "Traceback" not in stderr
    return stderr.removeprefix("gdpnum: ").removesuffix("\n")


def command(*arguments):
    """The words that start the command in a process of its own."""
    return [sys.executable, "-m", "gdpnum", *arguments]


def environment(**changes):
    # The tests' own tree, wherever the process starts.
    return {**os.environ, "PYTHONPATH": str(SOURCE), **changes}


def process(*arguments, folder=None, stdin=None, **changes):
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        input=stdin,
        env=environment(**changes),
    )
