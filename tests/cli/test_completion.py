"""Completion in the shells themselves, where they are installed."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time

import pytest

from tests.cli.invoking import environment, printed, refused
from tests.examples import mostly_slow

# What is typed, and what must be among what the shell then offers.
LINES = [
    ("gdpnum dps", "dpsgd"),
    ("gdpnum dpsgd --noise-m", "--noise-multiplier"),
    ("gdpnum calibrate --batch-", "--batch-size"),
    ("gdpnum dpsgd --neighbouring rep", "replace"),
    ("gdpnum completion z", "zsh"),
]
# What asks is the same in all shells; beyond bash it is enough that the words arrive.
FEW = LINES[1:3]


@pytest.fixture
def shell(tmp_path):
    """An environment in which gdpnum is a command and the completions are in a file."""
    command = tmp_path / "bin" / "gdpnum"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gdpnum "$@"\n')
    command.chmod(0o755)
    for name in ("bash", "zsh", "fish"):
        (tmp_path / name).write_text(printed("completion", name))
    path = f"{command.parent}:{os.environ['PATH']}"
    return tmp_path, environment(PATH=path, HOME=str(tmp_path), TERM="dumb")


def needs(name):
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")


@needs("bash")
@pytest.mark.parametrize(("typed", "offered"), mostly_slow(LINES, quick=LINES[1:2]))
def test_bash_completes(shell, typed, offered):
    folder, env = shell
    program = (
        f'source "{folder}/bash"; read -ra COMP_WORDS <<< "{typed}"; '
        'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gdpnum gdpnum; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", program], env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert offered in done.stdout.split()


@pytest.mark.slow
@needs("fish")
def test_fish_completes(shell):
    folder, env = shell
    asked = "; ".join(f"complete -C '{typed}'" for typed, _ in FEW)
    program = f"source {folder}/fish; {asked}"
    done = subprocess.run(
        ["fish", "--no-config", "-c", program], env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert {offered for _, offered in FEW} <= set(done.stdout.split())


@pytest.mark.slow
@needs("zsh")
def test_zsh_completes(shell):
    """Typed into a terminal, as zsh completes nowhere else."""
    folder, env = shell
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, env=env, cwd=folder
    )
    os.close(theirs)

    def until(text):
        seen, deadline = "", time.monotonic() + 30.0
        while text not in seen and time.monotonic() < deadline:
            if select.select([ours], [], [], 0.1)[0]:
                seen += os.read(ours, 10_000).decode(errors="replace")
        assert text in seen, seen

    try:
        setup = f"autoload -U compinit; compinit -u; source {folder}/zsh; echo re''ady\n"
        os.write(ours, setup.encode())
        until("ready")
        for typed, offered in FEW:
            os.write(ours, f"{typed}\t".encode())
            until(offered)
            os.write(ours, b"\x15")  # clears the line
    finally:
        running.kill()
        running.wait()
        os.close(ours)


def test_another_shell_is_refused():
    assert refused("completion", "tcsh").startswith("shell='tcsh' is not an option; pass 'bash'")
