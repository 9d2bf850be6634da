"""A sweep on a Dask cluster: the same rows, whoever computes them and whoever dies."""

import os
import signal

import pytest

from gdpnum import grid, sweep

distributed = pytest.importorskip("dask.distributed")

pytestmark = pytest.mark.filterwarnings("ignore")

SETTINGS = grid(noise_multiplier=[1.0, 2.0], sample_rate=[0.01, 0.1], steps=range(50, 55))
# Of the curve: what is of the fit alone is computed together, without the cluster.
COLUMNS = ["mu", "tpr@0.01"]


@pytest.fixture(scope="module")
def alone():
    return sweep(SETTINGS, columns=COLUMNS, workers=1)


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize("executor", [lambda client: client, lambda client: client.get_executor()])
def test_a_cluster_gives_the_same_rows(client, alone, executor):
    assert sweep(SETTINGS, columns=COLUMNS, executor=executor(client)) == alone


def test_killing_a_worker_loses_nothing(client, alone):
    pids = list(client.run(os.getpid).values())
    killed = []

    def kill_one(done, total):
        if not killed and done >= 5:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    table = sweep(SETTINGS, columns=COLUMNS, executor=client, progress=kill_one)
    assert killed
    assert not table.errors
    assert table == alone
