"""The command as a whole: its help, its start, and what goes wrong."""

import json
import pickle
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import gdpnum as library
from gdpnum.cli.files import replacing, write
from gdpnum.cli.program import flat
from tests.cli.invoking import (
    DPSGD,
    command,
    environment,
    gdpnum,
    one_line,
    printed,
    process,
    words,
)
from tests.cli.test_run import TRAINING

COMMANDS = [
    *("dpsgd", "run", "convert", "calibrate", "compare", "sweep", "opacus", "report", "audit"),
    *("verify", "table"),
]


def test_the_version_is_printed():
    assert printed("--version") == f"gdpnum {library.__version__}\n"


def test_without_a_command_help_is_printed():
    assert printed() == printed("--help") == printed("-h")
    assert printed("dpsgd", "-h") == printed("dpsgd", "--help")
    assert all(f"\n  {name} " in printed() for name in [*COMMANDS, "completion"])


# --- help ---------------------------------------------------------------------------------------


def examples(*command):
    """The examples in a help text, as they would be typed."""
    text = printed(*command, "--help").replace("\\\n", " ")
    found = [line.strip() for line in text.splitlines() if line.strip().startswith("gdpnum ")]
    assert found, "no example"
    return found


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 reads no TOML")
@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_the_examples_in_every_help_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "training.toml").write_text(TRAINING)
    for name_of_scores in ("scores.csv", "canaries.csv"):
        lines = (f"{number % 7},{number % 2}\n" for number in range(300))
        (tmp_path / name_of_scores).write_text("".join(lines))
    (tmp_path / "statement.json").write_text(library.statement(library.Laplace(scale=1)).to_json())
    state = {"privacy_accountant_state_dict": {"history": [(1.0, 0.01, 10)]}}
    (tmp_path / "checkpoint.pt").write_bytes(pickle.dumps(state))
    for example in examples(*([name] if name else [])):
        _, *arguments = shlex.split(example)
        if "--plot" in arguments:
            pytest.importorskip("matplotlib")
        assert arguments[0] == (name or "dpsgd")
        written = set(tmp_path.iterdir())
        assert printed(*arguments) or set(tmp_path.iterdir()) > written


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_documents_its_json(name):
    text = printed(name, "--help")
    assert "--json" in text
    assert "JSON keys: " in text or "JSON: " in text


def test_the_documented_keys_of_a_statement_are_there():
    record = json.loads(printed("run", "Laplace:scale=1", "--json"))
    named = " ".join(printed("run", "--help").split()).partition("JSON keys: ")[2]
    for key in ("mu", "mu_lower", "slack", "regret", "verdict", "tail_ratio", "advantage",
                "epsilon", "tpr", "assumptions"):  # fmt: skip
        assert key in record
        assert key in named


# --- start --------------------------------------------------------------------------------------


def test_help_loads_nothing_that_computes():
    program = (
        "import sys; from gdpnum.cli import app\n"
        "for words in ([], ['dpsgd'], ['sweep']): app([*words, '--help'], standalone_mode=False)\n"
        "assert not {'numpy', 'scipy', 'matplotlib'} & set(sys.modules), 'heavy import'"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Usage") == 3


def test_an_answer_loads_no_more_than_it_needs():
    program = (
        "import sys; from gdpnum.cli import app; app(sys.argv[1:], standalone_mode=False);"
        "found = {'matplotlib', 'pandas', 'torch', 'dask', 'gdpnum.sweeps', 'gdpnum.calibration'};"
        "assert not found & set(sys.modules), found & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "dpsgd", *words(DPSGD)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


# --- what goes wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nosuch"], "No such command 'nosuch'; see gdpnum --help"),
        (["dpsgd", *words(DPSGD), "--report", "no/such.md"], "--report no/such.md cannot be"),
    ],
)
def test_a_process_ends_with_status_2_and_one_line(tmp_path, arguments, said):
    done = process(*arguments, folder=tmp_path)
    assert one_line(done.returncode, done.stdout, done.stderr).startswith(said)
    assert not list(tmp_path.iterdir())


def test_an_interrupt_is_one_line(monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setitem(vars(library), "statement", interrupt)
    result = gdpnum("run", "Laplace:scale=1")
    assert (result.exit_code, result.stderr) == (130, "gdpnum: interrupted\n")


def test_a_reader_that_leaves_is_no_error():
    done = subprocess.run(
        f"{shlex.join(command('dpsgd', *words(DPSGD), '--json'))} | head -c 1",
        shell=True,
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    assert (done.stdout, done.stderr) == ("{", "")


def test_letters_that_the_terminal_lacks_are_no_error():
    done = process("run", "Laplace:scale=1", "--name", "Čapek", PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Privacy statement: \\u010capek")


def test_a_line_is_a_line():
    assert flat("a\nb\x1b[31m\tc") == "a b\\x1b[31m c"


# --- files --------------------------------------------------------------------------------------


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before")

    def half_written():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half_written()
    assert path.read_text() == "before"
    write(path, "after")
    assert path.read_text() == "after"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_keeps_its_permissions_and_its_links(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link.txt"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to(path)
    write(link, "after")
    assert link.is_symlink()
    assert path.read_text() == "after"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_to_and_not_replaced():
    done = process("report", "Laplace:scale=1", "--out", "/dev/null")
    assert "does not end in" in done.stderr  # its ending says no form
    with replacing(Path("/dev/null")) as path:
        path.write_text("gone")
    assert not path.is_file()
