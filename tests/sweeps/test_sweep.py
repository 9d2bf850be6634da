"""Sweeps: the same numbers as one by one, wherever they are computed, and nothing lost."""

import json
import math
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gdpnum import (
    DPSGD,
    ApproxDP,
    InvalidArgument,
    InvalidType,
    KnownCurve,
    Laplace,
    TradeoffCurve,
    fit_gdp,
    grid,
    sweep,
    tradeoff_curve,
)
from tests.examples import mostly_slow
from tests.interrupts import interruptible

SETTINGS = grid(noise_multiplier=[1.0, 2.0], sample_rate=[0.001, 0.01], steps=[50, 100])
COLUMNS = ("mu", "regret", "advantage", "epsilon@1e-05", "delta@1.0", "tpr@0.01")


def alone(setting):
    """The columns of one setting, asked one by one."""
    run = DPSGD(**setting)
    fit, curve = fit_gdp(run), tradeoff_curve(run)
    numbers = (
        fit.mu,
        fit.regret,
        fit.advantage,
        curve.epsilon(1e-5),
        curve.delta(1.0),
        curve.tpr(0.01),
    )
    return {**setting, **dict(zip(COLUMNS, numbers, strict=True)), "error": None}


def test_a_grid_has_all_combinations():
    assert len(SETTINGS) == 8
    assert SETTINGS[0] == {"noise_multiplier": 1.0, "sample_rate": 0.001, "steps": 50}
    assert len({tuple(one.values()) for one in SETTINGS}) == 8
    assert grid(sample_rate=np.array([0.5]))[0]["sample_rate"].__class__ is float


def test_records_are_what_each_setting_says_alone():
    table = sweep(SETTINGS, columns=COLUMNS, workers=1)
    assert list(table) == [alone(setting) for setting in SETTINGS]


@pytest.mark.parametrize("workers", mostly_slow([2, 3], quick=[2]))
def test_records_do_not_depend_on_the_processes(workers):
    assert sweep(SETTINGS, workers=workers) == sweep(SETTINGS, workers=1)


def test_any_executor_will_do():
    with ThreadPoolExecutor(3) as executor:
        assert sweep(SETTINGS, executor=executor) == sweep(SETTINGS, workers=1)


def test_labels_and_mechanisms_are_kept_beside_their_numbers():
    settings = [{**SETTINGS[0], "paper": "ours"}, Laplace(scale=2.0)]
    first, second = sweep(settings, columns=["mu"], workers=1)
    assert first["paper"] == "ours"
    assert second["mechanism"] == "Laplace(scale=2.0)"
    assert second["mu"] == fit_gdp(Laplace(scale=2.0)).mu


def test_a_setting_that_fails_is_a_row_with_its_error():
    bad = {"noise_multiplier": -1.0, "sample_rate": 0.01, "steps": 10}
    table = sweep([SETTINGS[0], bad, SETTINGS[1]], columns=["mu"], workers=2)
    assert [record["error"] is None for record in table] == [True, False, True]
    assert table[1]["mu"] is None
    assert "noise_multiplier=-1.0" in table[1]["error"]
    assert table.errors == (table[1],)


def test_infinity_is_a_float_here_and_a_string_in_json(tmp_path):
    table = sweep([ApproxDP(epsilon=1.0, delta=0.1)], columns=["mu"], workers=1)
    assert table[0]["mu"] == math.inf
    assert json.loads(table.to_jsonl())["mu"] == "inf"
    path = tmp_path / "sweep.jsonl"
    for _ in range(2):
        again = sweep([ApproxDP(epsilon=1.0, delta=0.1)], columns=["mu"], resume=path)
        assert again == table


def test_progress_is_told():
    told = []
    sweep(
        SETTINGS, columns=["mu"], workers=1, progress=lambda done, total: told.append((done, total))
    )
    # What goes together is told together.
    assert told[0] == (0, 8)
    assert told[-1] == (8, 8)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


# --- files --------------------------------------------------------------------------------------


def test_csv_and_json_lines_hold_the_records(tmp_path):
    table = sweep(SETTINGS[:2], columns=["mu"], workers=1)
    lines = table.to_csv(tmp_path / "t.csv").splitlines()
    assert (tmp_path / "t.csv").read_text().splitlines() == lines
    assert lines[0] == "noise_multiplier,sample_rate,steps,mu,error"
    assert float(lines[1].split(",")[3]) == table[0]["mu"]
    assert [json.loads(line) for line in table.to_jsonl().splitlines()] == list(table)


def test_a_finished_sweep_is_not_computed_again(tmp_path, monkeypatch):
    path = tmp_path / "sweep.jsonl"
    table = sweep(SETTINGS, columns=["mu"], workers=1, resume=path)
    monkeypatch.setattr("gdpnum.sweeps.dispatch.rows", None)
    assert sweep(SETTINGS, columns=["mu"], workers=1, resume=path) == table


def test_a_line_cut_short_is_computed_again(tmp_path):
    path = tmp_path / "sweep.jsonl"
    table = sweep(SETTINGS, columns=["mu"], workers=1, resume=path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 20])
    assert sweep(SETTINGS, columns=["mu"], workers=1, resume=path) == table
    assert path.read_bytes() == whole


@pytest.mark.parametrize("change", [
    {"columns": ["mu", "regret"]}, {"slack": 1e-8}, {"tolerance": 1e-2},
])  # fmt: skip
def test_the_file_of_another_sweep_is_refused_and_left_alone(tmp_path, change):
    path = tmp_path / "sweep.jsonl"
    sweep(SETTINGS[:1], columns=["mu"], workers=1, resume=path)
    before = path.read_bytes()
    with pytest.raises(InvalidArgument, match="is of another sweep"):
        sweep(SETTINGS[:1], **{"columns": ["mu"], **change}, workers=1, resume=path)
    with pytest.raises(InvalidArgument, match="is of another sweep"):
        sweep(SETTINGS[:2], columns=["mu"], workers=1, resume=path)
    assert path.read_bytes() == before


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("Chapter 1\n")
    with pytest.raises(InvalidArgument, match="is no file of a sweep"):
        sweep(SETTINGS[:1], resume=path)
    assert path.read_text() == "Chapter 1\n"
    with pytest.raises(InvalidArgument, match="cannot be"):
        sweep(SETTINGS[:1], resume=tmp_path / "no" / "such" / "folder")


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_sweep_goes_on_and_computes_each_setting_once(tmp_path, workers):
    """A real SIGINT to a real process, then the same command again."""
    script = tmp_path / "run.py"
    script.write_text(
        textwrap.dedent(f"""
        import sys
        from gdpnum import grid, sweep
        import gdpnum.sweeps.dispatch as dispatch

        plain = dispatch.rows

        def counted(settings, wanted):
            found = plain(settings, wanted)
            with open({str(tmp_path / "counted")!r}, "a") as file:
                file.writelines(f"{{number}}\\n" for number, _ in found)
            return found

        dispatch.rows = counted
        settings = grid(noise_multiplier=[1.0], sample_rate=[0.01], steps=range(100, 340))
        try:
            table = sweep(settings, columns=["mu", "epsilon@1e-06"], workers={workers},
                          resume={str(tmp_path / "sweep.jsonl")!r})
        except KeyboardInterrupt:
            sys.exit(130)
        print(len(table), len(table.errors))
        """)
    )
    first = interruptible([sys.executable, str(script)])
    journal = tmp_path / "sweep.jsonl"
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline:
        if journal.exists() and journal.read_text().count("\n") > 20:
            break
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGINT)
    assert first.wait(timeout=60) == 130
    kept = journal.read_text().count("\n") - 1
    assert 20 <= kept < 240
    second = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True
    )
    assert second.stdout == "240 0\n"
    counted = (tmp_path / "counted").read_text().split()
    # In one process the setting being computed when the signal came is the one exception.
    assert len(counted) - len(set(counted)) <= (1 if workers == 1 else 0)
    assert len(set(counted)) == 240


def test_a_killed_worker_loses_nothing(tmp_path):
    """The pool is replaced; what is done stays done."""
    marker = tmp_path / "killed"
    settings = [*SETTINGS, _KillsOnce(str(marker))]
    # Columns that are not computed all together: they go to the workers.
    table = sweep(settings, columns=["mu", "tpr@0.01"], workers=2)
    assert marker.exists()
    assert not table.errors
    assert [record["mu"] for record in table[:8]] == [
        record["mu"] for record in sweep(SETTINGS, columns=["mu", "tpr@0.01"], workers=1)
    ]


class _KillsOnce(dict):
    """A setting whose first worker is killed, as by a lack of memory."""

    def __init__(self, marker):
        super().__init__(SETTINGS[0])
        self.marker = marker

    def __reduce__(self):
        return (_kill_once, (self.marker,))


def _kill_once(marker):
    if not os.path.exists(marker):  # noqa: PTH110
        with open(marker, "x"):  # noqa: PTH123
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return dict(SETTINGS[0])


# --- bad input, before any work -----------------------------------------------------------------


@pytest.mark.parametrize(("settings", "options", "message"), [
    (SETTINGS, {"columns": ["mu", "epsilon"]}, "'epsilon', which is no column"),
    (SETTINGS, {"columns": ["tpr@2"]}, "'tpr@2', which is no column"),
    (SETTINGS, {"columns": ["epsilon@small"]}, "'epsilon@small', which is no column"),
    (SETTINGS, {"slack": 2.0}, r"slack=2.0 is outside"),
    (SETTINGS, {"tolerance": 0.0}, r"tolerance=0.0 is not positive"),
    (SETTINGS, {"workers": 0}, "workers=0 is below 1"),
    ([{"noise_multiplier": 1.0, "steps": 3}], {}, r"settings\[0\] has no 'sample_rate'"),
])  # fmt: skip
def test_nonsense_is_refused_before_any_work(monkeypatch, settings, options, message):
    monkeypatch.setattr("gdpnum.sweeps.dispatch.rows", None)
    with pytest.raises(InvalidArgument, match=message):
        sweep(settings, **options)


@pytest.mark.parametrize(("settings", "options", "message"), [
    ([3.0], {}, r"settings\[0\]=3.0 is neither"),
    ([{**SETTINGS[0], "label": object()}], {}, "JSON cannot hold"),
    (SETTINGS, {"executor": 4}, "executor=4 has no submit"),
])  # fmt: skip
def test_what_is_no_setting_is_refused_before_any_work(settings, options, message):
    with pytest.raises(InvalidType, match=message):
        sweep(settings, **options)


def test_values_of_a_grid_are_lists():
    with pytest.raises(InvalidType, match="steps=100 is of type int, not a list"):
        grid(steps=100)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("neighboring", "neighbouring"),
        ("neighboring_relation", "neighbouring"),
        ("sigma", "noise_multiplier"),
        ("num_steps", "steps"),
        ("lot_size", "batch_size"),
        ("Sample-Rate", "sample_rate"),
    ],
)
def test_a_misspelt_argument_is_no_label(key, meant):
    """It would be ignored, and the row would be about something else."""
    with pytest.raises(InvalidArgument, match=f"{key!r}, which would be a label.*{meant!r}"):
        sweep([{**SETTINGS[0], key: "replace"}], columns=["mu"], workers=1)


def test_curves_that_print_alike_are_told_apart(tmp_path):
    """A repr shows four digits of the advantage; a resume file must not mix such sweeps."""
    steep = KnownCurve(TradeoffCurve.from_vertices([0.0, 0.001, 1.0], [1.0, 0.699, 0.0]))
    flat = KnownCurve(TradeoffCurve.from_vertices([0.0, 0.35, 1.0], [1.0, 0.35, 0.0]))
    assert repr(steep) == repr(flat)
    path = tmp_path / "sweep.jsonl"
    sweep([flat], columns=["mu"], workers=1, resume=path)
    with pytest.raises(InvalidArgument, match="is of another sweep"):
        sweep([steep], columns=["mu"], workers=1, resume=path)


def test_a_setting_may_say_batches_and_epochs():
    (record,) = sweep(
        [{"noise_multiplier": 1.0, "batch_size": 300, "dataset_size": 1000, "epochs": 3}],
        columns=["mu"],
        workers=1,
    )
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.3, steps=10)  # in floats 3 / 0.3 is above 10
    assert record["mu"] == fit_gdp(run).mu


def test_progress_may_be_drawn(capsys):
    table = sweep(SETTINGS[:3], columns=["mu"], workers=1, progress=True)
    assert table == sweep(SETTINGS[:3], columns=["mu"], workers=1, progress=False)
    drawn = capsys.readouterr().err
    assert "\r0/3 settings  [" in drawn
    assert "3/3 settings  [##############################]" in drawn
    assert drawn.endswith("\n")


def test_a_data_frame_is_a_setting_a_row():
    class Frame:  # as pandas has it
        columns = ("noise_multiplier", "sample_rate", "steps")

        def to_dict(self, orient):
            assert orient == "records"
            return SETTINGS[:2]

    assert sweep(Frame(), columns=["mu"], workers=1) == sweep(
        SETTINGS[:2], columns=["mu"], workers=1
    )
