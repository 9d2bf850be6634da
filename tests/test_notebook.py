"""What a notebook shows: short, plain, and nothing that only the library needs."""

import json

import pytest

import gdpnum
from gdpnum import plot

RUN = gdpnum.DPSGD(noise_multiplier=2.0, sample_rate=0.05, steps=100)


@pytest.fixture(scope="module")
def shown():
    settings = gdpnum.grid(noise_multiplier=[1.0, 2.0], sample_rate=[0.05], steps=[10])
    fit = gdpnum.fit_gdp(RUN)
    return {
        "statement": gdpnum.statement(RUN, name="<b>x</b>"),
        "fit": fit,
        "curve": gdpnum.tradeoff_curve(RUN),
        "gaussian": fit.curve(),
        "comparison": gdpnum.compare(RUN, gdpnum.GDP(mu=1.0)),
        "calibration": gdpnum.calibrate_dpsgd(sample_rate=0.05, steps=100, mu=1.0),
        "table": gdpnum.sweep(settings, columns=["mu", "mu_lower"], workers=1),
    }


KINDS = ("statement", "fit", "curve", "gaussian", "comparison", "calibration", "table")


@pytest.mark.parametrize("kind", KINDS)
def test_a_repr_is_one_short_line(shown, kind):
    assert len(repr(shown[kind])) < 200
    assert "\n" not in repr(shown[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_is_shown_a_table(shown, kind):
    html = shown[kind]._repr_html_()
    assert "<table" in html
    assert "<b>" not in html
    assert "<script" not in html


@pytest.mark.parametrize("kind", KINDS)
def test_a_dictionary_has_plain_values(shown, kind):
    def plain(value):
        if isinstance(value, dict):
            return all(isinstance(key, str) and plain(item) for key, item in value.items())
        if isinstance(value, list):
            return all(map(plain, value))
        return value is None or type(value) in (float, int, str, bool)

    assert plain(shown[kind].to_dict())
    json.dumps(shown[kind].to_dict())


def test_bounds_in_a_notebook_are_still_bounds(shown):
    fit = shown["fit"]
    printed = float(repr(fit).partition("mu <= ")[2].split()[0])
    assert fit.mu <= printed <= 1.001 * fit.mu
    assert float(repr(fit).partition("(>= ")[2].partition(")")[0]) <= fit.mu_lower


def test_names_that_are_completed_are_public():
    assert set(dir(gdpnum)) == set(gdpnum.__all__)
    assert not {"annotations", "importlib", "TYPE_CHECKING"} & set(dir(gdpnum))
    assert set(dir(plot)) == set(plot.__all__)
    assert set(dir(gdpnum.risk)) == set(gdpnum.risk.__all__)


def test_a_sweep_draws_a_bar(capsys):
    settings = gdpnum.grid(noise_multiplier=[1.0, 2.0], sample_rate=[0.05], steps=[10])
    gdpnum.sweep(settings, columns=["mu"], workers=1, progress=True)
    told = capsys.readouterr()
    assert told.out == ""
    assert "2/2" in told.err
    assert "0/2" in told.err
    gdpnum.sweep(settings, columns=["mu"], workers=1, progress=False)
    assert capsys.readouterr().err == ""


def test_a_data_frame_goes_in_and_comes_out():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"noise_multiplier": [1.0, 2.0], "sample_rate": [0.05, 0.05], "steps": [10, 20]}
    )
    found = gdpnum.sweep(frame, columns=["mu"], workers=1)
    records = frame.to_dict("records")
    assert found.records == gdpnum.sweep(records, columns=["mu"], workers=1).records
    assert list(found.to_pandas()["mu"]) == [record["mu"] for record in found]
    assert pandas.DataFrame(found.to_dict()).equals(found.to_pandas())


def test_a_fit_at_another_slack_is_not_compared_silently():
    fit = gdpnum.fit_gdp(RUN, slack=1e-3)
    assert "they are not to be compared" in str(gdpnum.compare(fit, RUN))
    assert "not to be compared" not in str(gdpnum.compare(gdpnum.fit_gdp(RUN), RUN))
