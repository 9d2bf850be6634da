"""``gdpnum sweep --scheduler``: the rows of a real cluster, whoever of it dies."""

import os
import signal
import subprocess
import time

import pytest

from tests.cli.invoking import command, environment, one_line, printed, process

distributed = pytest.importorskip("dask.distributed")

pytestmark = pytest.mark.filterwarnings("ignore")

STEPS = ",".join(map(str, range(500, 600)))
SWEEP = ["sweep", "--noise-multiplier", "1", "--sample-rate", "0.01", "--steps", STEPS, "--json"]


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def rows():
    return printed(*SWEEP, "--workers", "1")


def test_a_cluster_prints_the_same_rows(cluster, rows):
    done = process(*SWEEP, "--scheduler", cluster.scheduler_address)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == rows


def test_killing_a_worker_loses_nothing(cluster, rows, tmp_path):
    with distributed.Client(cluster) as client:
        pid = next(iter(client.run(os.getpid).values()))
    journal = tmp_path / "rows.jsonl"
    running = subprocess.Popen(
        command(*SWEEP, "--scheduler", cluster.scheduler_address, "--resume", str(journal)),
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline and not (
        journal.exists() and journal.read_text().count("\n") > 5
    ):
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    stdout, _ = running.communicate(timeout=120)
    assert running.returncode == 0
    assert stdout == rows


def test_a_scheduler_that_is_not_there_is_one_line(monkeypatch):
    done = process(*SWEEP, "--scheduler", "nonsense")
    said = one_line(done.returncode, done.stdout, done.stderr)
    assert said.startswith("no Dask scheduler answers at nonsense")
