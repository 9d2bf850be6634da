import csv
import io
import itertools
import json
import os
import signal
import subprocess
import sys
import time

import pytest

import gdpnum as library
from gdpnum.cli.settings import grid_of, numbers, settings_in
from gdpnum.sweeps.setting import mechanism_of
from tests.cli.invoking import command, environment, gdpnum, printed, process, refused
from tests.interrupts import interruptible

GRID = ["--noise-multiplier", "1,2", "--sample-rate", "0.001:0.1:3", "--steps", "50,100"]
ONE = ["--noise-multiplier", "1", "--sample-rate", "0.01", "--steps", "50"]
POINT = {"noise_multiplier": "1", "sample_rate": "0.1"}
MU = ["--columns", "mu", "--workers", "1"]

SETTINGS = library.grid(
    noise_multiplier=[1.0, 2.0], sample_rate=[0.001, 0.01, 0.1], steps=[50, 100]
)


# --- settings -----------------------------------------------------------------------------------


def test_options_make_a_grid():
    given = {"noise_multiplier": "1,2", "sample_rate": "0.1%:10%:3", "steps": "50,1e2"}
    assert grid_of(given) == SETTINGS


def test_a_range_is_geometric_with_exact_ends():
    found = numbers("--sample-rate", "0.001:0.9:60")
    assert len(found) == 60
    assert (found[0], found[-1]) == (0.001, 0.9)
    ratios = [after / before for before, after in itertools.pairwise(found)]
    assert max(ratios) - min(ratios) < 1e-9


def test_steps_of_a_range_are_whole_and_distinct():
    found = [one["steps"] for one in grid_of({**POINT, "steps": "1:10:20"})]
    assert found == list(range(1, 11))
    assert all(isinstance(one, int) for one in found)


def test_epochs_take_the_steps_of_each_rate():
    found = grid_of({"noise_multiplier": "1", "sample_rate": "0.1,0.3", "epochs": "3"})
    assert [mechanism_of(one) for one in found] == [
        library.DPSGD(noise_multiplier=1.0, sample_rate=rate, steps=steps)
        for rate, steps in [(0.1, 30), (0.3, 10)]
    ]


def test_batches_say_the_rate():
    (found,) = grid_of(
        {"noise_multiplier": "1", "batch_size": "256", "dataset_size": "6e4", "epochs": "2"}
    )
    assert mechanism_of(found) == library.DPSGD(
        noise_multiplier=1.0, sample_rate=256 / 60_000, steps=469
    )


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_file_holds_settings_with_labels(tmp_path, form):
    settings = [{**one, "paper": "ours"} for one in SETTINGS[:2]]
    path = tmp_path / f"settings.{form}"
    if form == "jsonl":
        path.write_text("\n".join(map(json.dumps, settings)) + "\n\n")
    else:
        text = io.StringIO()
        writer = csv.DictWriter(text, settings[0])
        writer.writeheader()
        writer.writerows(settings)
        path.write_text(text.getvalue())
    assert settings_in(str(path)) == settings


# --- tables -------------------------------------------------------------------------------------


def test_json_is_a_line_for_each_setting():
    lines = printed("sweep", *GRID, "--columns", "mu,epsilon@1e-5", "--workers", "1", "--json")
    wanted = library.sweep(SETTINGS, columns=["mu", "epsilon@1e-5"], workers=1)
    assert [json.loads(line) for line in lines.splitlines()] == list(wanted)


def test_the_table_is_rounded_to_the_safe_side():
    text = printed("sweep", *ONE, "--columns", "mu,mu_lower,tpr@0.1", "--workers", "1")
    header, row = text.splitlines()
    assert header.split() == ["noise_multiplier", "sample_rate", "steps", "mu", "mu_lower",
                              "tpr@0.1"]  # fmt: skip
    (wanted,) = library.sweep(SETTINGS[2:3], columns=["mu", "mu_lower"], workers=1)
    assert row.split()[:3] == ["1", "0.01", "50"]
    assert wanted["mu"] <= float(row.split()[3]) < wanted["mu"] * 1.001
    assert wanted["mu_lower"] * 0.999 < float(row.split()[4]) <= wanted["mu_lower"]


def test_a_table_is_written(tmp_path):
    for ending in ("csv", "jsonl"):
        out = tmp_path / f"sweep.{ending}"
        said = printed("sweep", *GRID, *MU, "--out", str(out))
        assert said == f"12 settings, 0 with an error: {out}\n"
    wanted = library.sweep(SETTINGS, columns=["mu"], workers=1)
    assert (tmp_path / "sweep.csv").read_text() == wanted.to_csv()
    assert (tmp_path / "sweep.jsonl").read_text() == wanted.to_jsonl()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_table_is_written_as_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "sweep.parquet"
    printed("sweep", *ONE, *MU, "--out", str(out))
    assert parquet.read_table(out).num_rows == 1


def test_a_setting_that_fails_is_a_row_and_a_word():
    result = gdpnum("sweep", "--noise-multiplier=1,-2", *ONE[2:], *MU)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 3
    assert "noise_multiplier=-2.0 is not positive" in result.stdout
    assert result.stderr.startswith("gdpnum: 1 of 2 settings failed, the first by InvalidArgument")


def test_a_sweep_of_which_nothing_came_says_so_by_its_status():
    result = gdpnum("sweep", "--noise-multiplier=-1,-2", *ONE[2:], *MU)
    assert result.exit_code == 1
    assert result.stderr.startswith("gdpnum: 2 of 2 settings failed")


def test_numbers_in_a_file_are_read_as_those_of_options(tmp_path):
    rows = "noise_multiplier,batch_size,dataset_size,epochs,who\n1,256,6e4,150%,me\n"
    (tmp_path / "settings.csv").write_text(rows)
    lines = '{"noise_multiplier": 1, "sample_rate": "256/60000", "steps": "1e4", "who": "1%"}\n'
    (tmp_path / "settings.jsonl").write_text(lines)
    assert settings_in(str(tmp_path / "settings.csv")) == [
        {"noise_multiplier": 1.0, "batch_size": 256, "dataset_size": 60_000, "epochs": 1.5,
         "who": "me"}
    ]  # fmt: skip
    assert settings_in(str(tmp_path / "settings.jsonl")) == [
        {"noise_multiplier": 1, "sample_rate": 256 / 60_000, "steps": 10_000, "who": "1%"}
    ]


def test_a_sweep_goes_on_from_its_rows(tmp_path, monkeypatch):
    rows = ["--resume", str(tmp_path / "rows.jsonl")]
    first = printed("sweep", *GRID, *MU, *rows)
    monkeypatch.setattr("gdpnum.sweeps.dispatch.rows", None)
    assert printed("sweep", *GRID, *MU, *rows) == first


# --- interrupted --------------------------------------------------------------------------------

LONG = ["sweep", "--noise-multiplier", "1", "--sample-rate", "0.01", "--steps",
        ",".join(map(str, range(1000, 1300))), "--workers", "2"]  # fmt: skip


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """A sweep that Ctrl-C stopped half-way: its folder, its status and what it said."""
    folder = tmp_path_factory.mktemp("sweep")
    rows = folder / "rows.jsonl"
    running = interruptible(
        command(*LONG, "--out", "sweep.csv", "--resume", "rows.jsonl"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(),
    )
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline and not (rows.exists() and rows.read_text().count("\n") > 20):
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGINT)
    stdout, stderr = running.communicate(timeout=60)
    return folder, running.returncode, stdout, stderr


@pytest.mark.slow
def test_an_interrupted_sweep_says_how_to_go_on(interrupted):
    folder, status, stdout, stderr = interrupted
    assert (status, stdout) == (130, "")
    assert stderr == "gdpnum: interrupted; the same command goes on from rows.jsonl\n"
    # The rows, and no part of the table.
    assert [path.name for path in folder.iterdir()] == ["rows.jsonl"]


@pytest.mark.slow
def test_the_same_command_finishes_it(interrupted):
    folder, *_ = interrupted
    kept = (folder / "rows.jsonl").read_text().splitlines()[1:]
    assert 20 <= len(kept) < 300
    done = process(*LONG, "--out", "sweep.csv", "--resume", "rows.jsonl", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "300 settings, 0 with an error: sweep.csv\n"
    now = (folder / "rows.jsonl").read_text().splitlines()[1:]
    assert now[: len(kept)] == kept
    assert len({json.loads(line)["number"] for line in now}) == len(now) == 300
    assert (folder / "sweep.csv").read_text().count("\n") == 301


# --- progress -----------------------------------------------------------------------------------


def test_progress_is_for_a_terminal_only(tmp_path):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    done = subprocess.run(
        command("sweep", *GRID, *MU),
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(TERM="xterm", COLUMNS="100"),
        check=True,
    )
    os.close(theirs)
    seen = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "12/12 settings" in seen
    assert "/s" in seen  # the rate
    assert "0:00:00 left" in seen
    assert len(done.stdout.splitlines()) == 13


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "pass --noise-multiplier, --sample-rate (or --batch-size and --dataset-size) and one"),
        (ONE[:4], "pass --noise-multiplier, --sample-rate (or"),
        ([*ONE, "--epochs", "3"], "pass --noise-multiplier, --sample-rate (or"),
        ([*ONE, "--settings", "x.csv"], "--settings holds whole settings"),
        ([*ONE[:2], "--sample-rate", "a", *ONE[4:]], "--sample-rate holds 'a', which is no number"),
        ([*ONE[:2], "--sample-rate", "nan", *ONE[4:]], "--sample-rate holds 'nan', which is no"),
        ([*ONE[:2], "--sample-rate", "1:inf:3", *ONE[4:]], "--sample-rate holds '1:inf:3'"),
        ([*ONE[:2], "--sample-rate", "0:1:3", *ONE[4:]], "--sample-rate holds '0:1:3'"),
        ([*ONE[:2], "--sample-rate", "1:2:1", *ONE[4:]], "--sample-rate holds '1:2:1'"),
        ([*ONE[:2], "--sample-rate", "1:2", *ONE[4:]], "--sample-rate holds '1:2'"),
        ([*ONE[:2], "--sample-rate", "1:2:3:4", *ONE[4:]], "--sample-rate holds '1:2:3:4'"),
        ([*ONE[:4], "--steps", "1.5"], "--steps holds '1.5', which is no whole number"),
        ([*ONE, "--columns", "mu,my"], "--columns holds 'my', which is no column"),
        ([*ONE, "--slack", "2"], "--slack=2.0 is outside"),
        ([*ONE, "--workers", "0"], "--workers=0 is below 1"),
        ([*ONE, "--workers", "1", "--scheduler", "tcp://x:1"], "--workers is for this machine"),
        ([*ONE, "--out", "x.xls"], "--out x.xls does not end in .csv, .jsonl or .parquet"),
        ([*ONE, "--out", "no/such/x.csv"], "--out no/such/x.csv cannot be written"),
        ([*ONE, "--out", "x.jsonl", "--resume", "./x.jsonl"], "--out and --resume are the same"),
        ([*ONE, "--resume", "no/such/x.jsonl"], "--resume='no/such/x.jsonl' cannot be written"),
        (["--settings", "none.csv"], "none.csv cannot be read (No such file or directory)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_is_one_line_before_any_work(monkeypatch, options, said):
    monkeypatch.setattr("gdpnum.sweeps.dispatch.rows", None)
    assert refused("sweep", *options).startswith(said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "holds no settings"),
        ("noise_multiplier,sample_rate,steps\n", "holds no settings"),
        ("noise_multiplier,sample_rate,steps\n1,0.1\n", "line 2 has 2 cells where the header"),
        ("noise_multiplier,sample_rate,steps\n1,0.1,2.5\n", "line 2: steps is '2.5', not a whole"),
        ("noise_multiplier,sample_rate,steps\n1,,2\n", "line 2: sample_rate is '', not a number"),
        ("noise_multiplier,batch_size,steps\n1,10,2\n", "settings[0] has no 'sample_rate', only"),
        ("noise_multiplier,sample_rate,steps,fixed_bins\n1,0.1,2,maybe\n", "not true or false"),
        ("noise_multiplier,rate,steps\n1,0.1,2\n", "settings[0] has the key 'rate'"),
        ('{"steps": 1}\n[3]\n', "line 2 is not an object"),
        ('{"steps": 1}\n{\n', "line 2 is not JSON"),
        ('{"steps": NaN}\n', "line 1 is not JSON"),
        ("noise_multiplier,sample_rate,steps\nnan,0.1,2\n", "noise_multiplier is 'nan'"),
    ],
)
def test_bad_files_are_one_line(tmp_path, content, said):
    path = tmp_path / "settings"
    path.write_text(content)
    assert said in refused("sweep", "--settings", str(path))


def test_the_rows_of_another_sweep_are_refused(tmp_path):
    rows = str(tmp_path / "rows.jsonl")
    printed("sweep", *ONE, *MU, "--resume", rows)
    assert "is of another sweep" in refused("sweep", *GRID, *MU, "--resume", rows)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--out", "x.parquet"], "this needs the package pyarrow; pip install pyarrow"),
        (
            ["--scheduler", "tcp://x:1"],
            "this needs the package dask; pip install 'dask[distributed]'",
        ),
    ],
)
def test_a_missing_package_is_named_before_any_work(monkeypatch, option, said):
    monkeypatch.setattr("gdpnum.cli.files.find_spec", lambda _: None)
    for module in ("dask", "dask.distributed"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr("gdpnum.sweeps.dispatch.rows", None)
    assert refused("sweep", *ONE, *option) == said


def test_whole_numbers_may_be_written_as_powers_of_ten():
    found = [one["steps"] for one in grid_of({**POINT, "steps": "1e3,20.0,9007199254740993"})]
    assert found == [1000, 20, 9007199254740993]
