"""A statement in the logs of a training run: what comes back is what went in, infinity included."""

import json
import math

import pytest

import gdpnum

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", params=["finite", "infinite"])
def statement(request):
    run = gdpnum.PureDP(epsilon=0.5) * 3
    if request.param == "infinite":
        run = run + gdpnum.ApproxDP(epsilon=1.0, delta=1e-3)
    found = gdpnum.statement(run, name="a run")
    assert math.isinf(found.mu) == (request.param == "infinite")
    return found


def test_mlflow_keeps_it_whole(statement, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("alembic")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    with mlflow.start_run() as run:
        mlflow.log_dict(statement.to_dict(), "privacy.json")
        mlflow.log_params({"mu": statement.mu})
        mlflow.log_metric("mu", statement.mu)
    text = mlflow.artifacts.load_text(f"{run.info.artifact_uri}/privacy.json")
    assert gdpnum.Statement.from_json(text) == statement
    kept = mlflow.get_run(run.info.run_id).data
    assert float(kept.params["mu"]) == statement.mu
    # Why the page logs a parameter: a metric in a database has no infinity.
    assert math.isfinite(kept.metrics["mu"])


def test_wandb_keeps_it_whole(statement, tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb")
    from wandb.proto import wandb_internal_pb2 as messages

    monkeypatch.setenv("WANDB_SILENT", "true")
    run = wandb.init(mode="offline", project="privacy", dir=str(tmp_path))
    run.config.update({"privacy": statement.to_dict()})
    run.summary["privacy"] = statement.to_dict()
    run.finish()
    wandb.teardown()  # its process writes the last block after that
    (log,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    kept = []
    for data in _records(log.read_bytes()):
        record = messages.Record()
        record.ParseFromString(data)
        kept += [one.value_json for one in record.config.update if one.key == "privacy"]
        kept += [one.value_json for one in record.summary.update if one.key == "privacy"]
    assert len(kept) == 2
    for text in kept:
        assert gdpnum.Statement.from_json(text) == statement


def _records(log):
    """The records of W&B's offline file: LevelDB's log format, in blocks of 32 KiB."""
    at, begun = 7, b""
    while at + 7 <= len(log):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        size, kind = int.from_bytes(log[at + 4 : at + 6], "little"), log[at + 6]
        begun += log[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):  # whole, or the last piece
            yield begun
            begun = b""


def test_strict_json_keeps_it_whole(statement):
    text = json.dumps(statement.to_dict(), allow_nan=False)
    assert gdpnum.Statement.from_json(text) == statement
