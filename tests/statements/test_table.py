import re

import pytest

import gdpnum
from gdpnum.statements import statement

RUNS = {
    "first & 2": gdpnum.DPSGD(noise_multiplier=2.0, sample_rate=0.05, steps=100),
    "second": gdpnum.Laplace(scale=5.0),
}


@pytest.mark.parametrize("form", ["latex", "markdown", "text", "html"])
def test_every_format_has_every_run_and_column(form):
    text = gdpnum.table(RUNS, format=form)
    assert all(name in text for name in ("regret", "first", "second"))
    for run in RUNS.values():
        found = statement(run)
        numbers = [float(one) for one in re.findall(r"\d+\.\d+", text)]
        assert any(found.mu <= one <= 1.01 * found.mu for one in numbers)
        assert any(found.regret <= one <= 1.5 * found.regret for one in numbers)
        epsilon = found.epsilon[0].epsilon
        assert any(epsilon <= one <= 1.001 * epsilon for one in numbers)


def test_a_latex_table_has_as_many_cells_in_every_row():
    lines = [
        line for line in gdpnum.table(RUNS, format="latex").splitlines() if line.endswith("\\\\")
    ]
    assert len(lines) == 3
    assert {len(re.findall(r"(?<!\\)&", line)) for line in lines} == {6}
    assert r"first \& 2 & 2 & 0.05 & 100" in lines[1]


def test_different_slacks_have_a_column_and_a_warning():
    runs = [statement(RUNS["second"], slack=slack) for slack in (1e-10, 1e-4)]
    text = " ".join(gdpnum.table(runs).split())
    assert "slack" in text
    assert "not to be compared" in text
    assert "not to be compared" not in " ".join(gdpnum.table(RUNS).split())


def test_statements_keep_their_names_and_deltas_may_differ():
    found = statement(RUNS["second"], name="mine", deltas=[])
    (line,) = [line for line in gdpnum.table([found], delta=1e-4).splitlines() if "mine" in line]
    epsilon = float(line.split()[-1])
    assert 0.19 < gdpnum.tradeoff_curve(RUNS["second"]).epsilon(1e-4) <= epsilon <= 0.2


@pytest.mark.parametrize(
    ("runs", "options", "words"),
    [
        ([], {}, "runs is empty"),
        (RUNS, {"format": "word"}, "format='word' is not an option"),
        (RUNS, {"delta": 2.0}, "delta=2.0 is outside"),
    ],
)
def test_bad_input_is_refused(runs, options, words):
    with pytest.raises(gdpnum.InvalidArgument, match=words):
        gdpnum.table(runs, **options)
