"""A sweep on a Dask cluster: the same rows, whoever computes them and whoever dies."""

import os
import signal

import pytest

from gdpnum import grid, sweep

distributed = pytest.importorskip("dask.distributed")

pytestmark = pytest.mark.filterwarnings("ignore")

SETTINGS = grid(noise_multiplier=[1.0, 2.0], sample_rate=[0.001, 0.01, 0.1], steps=range(50, 60))


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_a_cluster_gives_the_same_rows(client):
    assert sweep(SETTINGS, executor=client.get_executor()) == sweep(SETTINGS, workers=1)


def test_killing_a_worker_loses_nothing(client):
    pids = list(client.run(os.getpid).values())
    killed = []

    def kill_one(done, total):
        if not killed and done >= 5:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    table = sweep(
        SETTINGS, columns=["mu"], executor=client.get_executor(retries=5), progress=kill_one
    )
    assert killed
    assert not table.errors
    assert table == sweep(SETTINGS, columns=["mu"], workers=1)
