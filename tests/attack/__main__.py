"""`python -m tests.attack --seed 1 --minutes 30`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.attack.files import attack_files
from tests.attack.inputs import attack_inputs
from tests.attack.ledger import Ledger
from tests.attack.options import attack_options
from tests.attack.settings import attack_settings
from tests.attack.statements import attack_statements

PARTS = ("settings", "inputs", "options", "statements", "files")


def main() -> int:
    """Attacks part by part; the exit status is 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10.0, help="for all parts together")
    parser.add_argument("--settings", type=int, default=10_000, help="random settings")
    parser.add_argument("--inputs", type=int, default=5_000, help="bad inputs")
    parser.add_argument("--options", type=int, default=5_000, help="bad options of commands")
    parser.add_argument("--statements", type=int, default=1_000, help="mutated statements")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--out", type=Path, default=Path("build/attack"))
    asked = parser.parse_args()
    until = time.monotonic() + 60.0 * asked.minutes
    ledger = Ledger(asked.seed)
    out, before = asked.out.resolve(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        # What a call is talked into writing must not lie in the repository.
        os.chdir(folder)
        try:
            _attack(ledger, asked, until)
        finally:
            os.chdir(before)
    path = out / f"{asked.seed}-{'-'.join(asked.parts)}.json"
    ledger.save(path)
    tried, refused = sum(ledger.tried.values()), sum(ledger.refused.values())
    print(f"{tried} tried, {refused} refused, {len(ledger.findings)} found: {path}")
    return 1 if ledger.findings else 0


def _attack(ledger: Ledger, asked: argparse.Namespace, until: float) -> None:
    if "files" in asked.parts:
        attack_files(ledger, asked.seed, until)
    if "statements" in asked.parts:
        attack_statements(ledger, asked.seed, asked.statements, until)
    if "inputs" in asked.parts:
        attack_inputs(ledger, asked.seed, asked.inputs, until)
    if "options" in asked.parts:
        attack_options(ledger, asked.seed, asked.options, until)
    if "settings" in asked.parts:
        attack_settings(ledger, asked.seed, asked.settings, until)


if __name__ == "__main__":
    sys.exit(main())
