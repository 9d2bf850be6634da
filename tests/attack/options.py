"""Bad options: every option of every command, given what no option wants.

The answer is a message of a line or two that names the option and what was given, with status 2; or
an answer without NaN, where the text makes sense after all.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import typer
from typer.testing import CliRunner

import gdpnum as g
from gdpnum.cli import app
from tests.attack.keeper import Case, keep
from tests.attack.ledger import Ledger

TEXTS = (
    *("nan", "inf", "-inf", "-1", "0", "-0.0", "2.5", "1e400", "-1e400", "1e-400", "5e-324"),
    *("1.7e308", "9" * 5000, "1e" + "9" * 5000, "one", "", " ", "None", "true", "1,2", ",", "[1]"),
    *("1/0", "0/0", "1/3", "150%", "-1%", "%", "1%%", "\u0661", "0x10", "1_000", "1e5", "--"),
    *("1:2:3", "1:2:1000000000", "nan:nan:3", "0:1:2", "::", "../x", "/", "x" * 10_000, "a=b"),
    *("1e-5,1e-6", "Gaussian:sigma=nan", "GDP:mu=1e400", "DPSGD:", "best-of-geometric:nan"),
    "\U0001f600",
)  # fmt: skip

#: A good use of each command; the explorer would start, and a checkpoint has a part of its own.
GOOD = {
    "dpsgd": "--noise-multiplier 1 --sample-rate 0.1 --steps 5",
    "calibrate": "--sample-rate 0.1 --steps 10 --mu 1",
    "convert": "--mu 1",
    "sweep": "--noise-multiplier 1 --sample-rate 0.1 --steps 5 --workers 1",
    "compare": "Gaussian:sigma=1 Laplace:scale=1",
    "table": "Gaussian:sigma=1",
    "run": "Gaussian:sigma=1",
    "report": "Gaussian:sigma=1",
    "audit": "good.csv",
}


def attack_options(ledger: Ledger, seed: int, number: int, until: float) -> None:
    """Every option with every text, by chance."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    every = [
        (command, option, text)
        for command in GOOD
        for one in commands[command].params
        for option in one.opts[:1]
        if option.startswith("--") and not getattr(one, "is_flag", False)
        for text in TEXTS
        # Another machine is no business of this one's.
        if option not in ("--scheduler", "--help")
    ]
    chosen = np.random.default_rng([seed, 4]).permutation(len(every))[:number]
    keep(
        ledger,
        "options",
        [
            Case(f"gdpnum {c} {o} {t[:40]!r}", partial(_typed, c, o, t))
            for c, o, t in (every[i] for i in chosen)
        ],
        until,
    )


def _typed(command: str, option: str, text: str) -> Iterator[str]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("good.csv").write_text("score,included\n" + "1,1\n0,0\n" * 20)
            words = GOOD[command].split(" ")
            if option in words:
                place = words.index(option)
                words[place : place + 2] = []
            found = CliRunner().invoke(app, [command, *words, f"{option}={text}"])
        finally:
            os.chdir(before)
    if found.exception is not None and not isinstance(found.exception, SystemExit | g.GdpnumError):
        yield f"BARE: {type(found.exception).__name__}: {str(found.exception)[:150]}"
    elif found.exit_code == 0 and re.search(r"\bnan\b", found.output) and "nan" not in text:
        yield f"NAN: {found.output[:200]}"
    elif found.exit_code == 2:
        yield from _unclear(found.output, option, text)


def _unclear(message: str, option: str, text: str) -> Iterator[str]:
    plain = " ".join(message.split())
    # What has no account, or a target that is met anyway, is told of the run as a whole.
    if any(
        said in plain
        for said in ("without any noise", "less than floats", "cannot be met", "no privacy")
    ):
        return
    named = option in plain or option[2:].replace("-", "_") in plain
    parts = [text if text.strip() else repr(text), *re.split("[:,=]", text)]
    if not named and not any(part.strip() and part[:10] in plain for part in parts):
        yield f"UNNAMED: {plain[:200]}"
    if len(plain) > 1500:
        yield f"LONG: {len(plain)} characters: {plain[:200]}"
