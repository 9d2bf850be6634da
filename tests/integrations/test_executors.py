"""A sweep by Ray and by joblib, as they are: the same rows, whoever computes them."""

import pytest

from gdpnum import InvalidArgument, grid, sweep

pytestmark = pytest.mark.filterwarnings("ignore")

# tpr@ is of the curve, so that rows are handed out, and one setting is refused by the engine.
SETTINGS = [
    *grid(noise_multiplier=[1.0, 2.0], sample_rate=[0.01, 0.1], steps=range(50, 54)),
    {"noise_multiplier": -1.0, "sample_rate": 0.1, "steps": 10},
]
COLUMNS = ["mu", "tpr@0.01"]


@pytest.fixture(scope="module")
def alone():
    return sweep(SETTINGS, columns=COLUMNS, workers=1)


def test_the_rows_are_worth_comparing(alone):
    assert [number for number, row in enumerate(alone) if row["error"]] == [len(SETTINGS) - 1]


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(alone, backend, tmp_path):
    joblib = pytest.importorskip("joblib")
    seen = []
    table = sweep(
        SETTINGS,
        columns=COLUMNS,
        executor=joblib.Parallel(n_jobs=2, backend=backend),
        resume=tmp_path / "rows",
        progress=lambda done, of: seen.append((done, of)),
    )
    assert table == alone
    assert seen[0] == (0, len(SETTINGS))
    assert seen[-1] == (len(SETTINGS), len(SETTINGS))
    # What is on disk is not computed again, by whomever.
    assert sweep(SETTINGS, columns=COLUMNS, resume=tmp_path / "rows", executor=_refusing) == alone


class _Refusing:
    def submit(self, *_):
        raise AssertionError("nothing is left to do")


_refusing = _Refusing()


def test_the_executor_inside_joblib(alone):
    loky = pytest.importorskip("joblib.externals.loky")
    executor = loky.get_reusable_executor(max_workers=2)
    assert sweep(SETTINGS, columns=COLUMNS, executor=executor) == alone


def test_ray(alone, monkeypatch):
    ray = pytest.importorskip("ray")
    with pytest.raises(InvalidArgument, match=r"call ray\.init\(\) first"):
        sweep(SETTINGS, executor=ray)
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        assert sweep(SETTINGS, columns=COLUMNS, executor=ray) == alone
    finally:
        ray.shutdown()
