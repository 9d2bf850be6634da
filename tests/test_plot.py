import math
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy.special import ndtr, ndtri

import gdpnum
from gdpnum import plot
from gdpnum.statements import statement
from tests.examples import mostly_slow

RUN = gdpnum.DPSGD(noise_multiplier=0.5, sample_rate=0.01, steps=1000)
RECORDS = [
    {"sample_rate": rate, "regret": regret, "label": label}
    for label, regrets in {"sigma = 1": (0.02, 0.04), "sigma = 2": (1e-4, 2e-3)}.items()
    for rate, regret in zip((0.1, 0.01), regrets, strict=True)
]
QUANTILES = ndtri((np.arange(400) + 0.5) / 400)
AUDIT = gdpnum.audit(QUANTILES + 1.0, QUANTILES, claim=0.5)
DRAWINGS = {
    "tradeoff": lambda found, ax: plot.tradeoff(found, ax=ax),
    "roc": lambda found, ax: plot.roc(found, ax=ax),
    "difference": lambda found, ax: plot.difference(found, ax=ax),
    "profile": lambda found, ax: plot.profile(found, ax=ax),
    "comparison": lambda found, ax: plot.comparison({"a": found, "b": found.curve()}, ax=ax),
    "comparison_log": lambda found, ax: plot.comparison({"a": found}, ax=ax, scale="log"),
    "regret_sweep": lambda _, ax: plot.regret_sweep(RECORDS, ax=ax),
    "audit": lambda _, ax: plot.audit(AUDIT, ax=ax),
    "audit_log": lambda _, ax: plot.audit(AUDIT, ax=ax, scale="log"),
}


@pytest.fixture(scope="module")
def found():
    return statement(RUN)


@pytest.fixture
def ax():
    return Figure(figsize=(3.3, 2.5)).subplots()


def line(ax, label):
    (one,) = [line for line in ax.get_lines() if line.get_label() == label]
    return np.asarray(one.get_xdata()), np.asarray(one.get_ydata())


def labels(ax):
    return {text.get_text() for text in ax.texts}


@pytest.fixture(scope="module", params=DRAWINGS.values(), ids=DRAWINGS)
def drawn(request, found):
    """Axes of its own with a drawing on them, drawn."""
    axes = request.param(found, None)
    FigureCanvasAgg(axes.figure).draw()
    return axes


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
def test_a_drawing_is_on_the_axes_given_and_changes_nothing_else(found, ax, draw):
    before = dict(mpl.rcParams)
    assert draw(found, ax) is ax
    assert dict(mpl.rcParams) == before


def test_axes_are_labelled_in_words_and_lines_beside_them(drawn):
    assert min(len(drawn.get_xlabel()), len(drawn.get_ylabel())) >= len("Epsilon")
    assert drawn.figure.get_size_inches()[0] == 3.3
    named = [one.get_label() for one in drawn.get_lines() if not one.get_label().startswith("_")]
    assert set(named) - {"guessing"} == labels(drawn)


def test_lines_differ_in_grey(drawn):
    looks = [(one.get_linestyle(), one.get_linewidth()) for one in drawn.get_lines()]
    assert len(set(looks)) == len(looks)


def test_labels_lie_inside_and_apart(drawn):
    renderer = drawn.figure.canvas.get_renderer()
    # Of the text alone: that of an annotation has its leader in it.
    boxes = [Text.get_window_extent(text, renderer) for text in drawn.texts]
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:number])
        assert drawn.figure.bbox.contains(box.x0, box.y0)
        assert drawn.figure.bbox.contains(box.x1, box.y1)


def test_the_tradeoff_curve_drawn_is_that_of_the_run(found, ax):
    plot.tradeoff(found, ax=ax)
    fprs, tprs = line(ax, "this run")
    assert np.array_equal(tprs, gdpnum.tradeoff_curve(RUN).tpr(fprs))
    fprs, tprs = line(ax, "mu = 2.98")
    assert np.allclose(tprs, ndtr(ndtri(fprs) + found.mu), rtol=0, atol=1e-13)


def test_the_roc_drawn_is_that_of_the_run(found, ax):
    plot.roc(found, ax=ax)
    fprs, tprs = line(ax, "this run")
    assert fprs.min() <= 1e-6
    assert np.array_equal(tprs, gdpnum.tradeoff_curve(RUN).tpr(fprs))
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_the_difference_is_nowhere_below_minus_the_slack(found, ax):
    plot.difference(found, ax=ax)
    alphas, gained = line(ax, "mu = 2.98")
    exact = gdpnum.tradeoff_curve(RUN).beta(alphas) - ndtr(-ndtri(alphas) - found.mu)
    assert np.allclose(gained, exact, rtol=0, atol=1e-13)
    assert gained.min() >= -found.slack


def test_the_profile_drawn_is_that_of_the_run(found, ax):
    plot.profile(found, ax=ax)
    epsilons, deltas = line(ax, "this run")
    assert np.array_equal(deltas, gdpnum.tradeoff_curve(RUN).delta(epsilons))


def test_a_curve_is_drawn_with_the_mu_passed(ax):
    curve = gdpnum.Laplace(scale=1.0)
    plot.tradeoff(gdpnum.tradeoff_curve(curve), ax=ax, mu=1.0301)
    assert labels(ax) == {"this run", "mu = 1.04"}
    assert labels(plot.tradeoff(gdpnum.tradeoff_curve(curve))) == {"this run"}


EXTREMES = [
    gdpnum.GDP(mu=1.0).curve(),
    gdpnum.GDP(mu=1.0, slack=1e-6).curve(),
    gdpnum.PureDP(epsilon=0.0).curve(),
    gdpnum.ApproxDP(epsilon=1.0, delta=1e-5).curve(),
    gdpnum.ApproxDP(epsilon=0.0, delta=1.0).curve(),
]


@pytest.mark.parametrize("curve", mostly_slow(EXTREMES, quick=EXTREMES[4:]), ids=repr)
def test_extreme_curves_can_be_drawn(curve):
    for draw in (plot.tradeoff, plot.roc, plot.profile):
        assert draw(curve).get_lines()
        FigureCanvasAgg(draw(statement(curve)).figure).draw()


def test_an_infinite_mu_is_drawn_as_allowing_everything(ax):
    found = statement(gdpnum.ApproxDP(epsilon=1.0, delta=1e-5))
    assert math.isinf(found.mu)
    plot.tradeoff(found, ax=ax)
    assert (line(ax, "mu = infinite")[1] == 1.0).all()


def test_a_comparison_draws_each_curve_by_its_name(ax):
    curves = {f"mu {mu:g}": gdpnum.GDP(mu=mu).curve() for mu in (0.5, 1.0, 2.0)}
    plot.comparison(curves, ax=ax)
    for name, curve in curves.items():
        fprs, tprs = line(ax, name)
        assert np.array_equal(tprs, curve.tpr(fprs))
    assert labels(ax) == set(curves)


def test_a_name_is_text_and_no_mathematics(ax):
    plot.comparison({"$\\frac{$": gdpnum.GDP(mu=1.0).curve()}, ax=ax)
    FigureCanvasAgg(ax.figure).draw()


def test_a_sweep_draws_each_label_by_rising_rate(ax):
    plot.regret_sweep([*RECORDS, {"sample_rate": 1, "regret": None, "label": "failed"}], ax=ax)
    rates, regrets = line(ax, "sigma = 1")
    assert (rates.tolist(), regrets.tolist()) == ([0.01, 0.1], [0.04, 0.02])
    assert set(line(ax, "limit for mu alone")[1]) == {0.01}
    assert "failed" not in labels(ax)


def test_an_audit_is_drawn_with_its_band_the_claim_and_the_bound(ax):
    plot.audit(AUDIT, ax=ax)
    fprs, tprs = line(ax, "attack")
    assert list(zip(fprs, tprs, strict=True)) == [(row.fpr, row.tpr) for row in AUDIT.roc]
    fprs, tprs = line(ax, "claim, at most")
    assert np.allclose(tprs, ndtr(ndtri(fprs) + 0.5), rtol=0, atol=1e-12)
    bound = next(text for text in labels(ax) if text.startswith("mu >= "))
    assert float(bound.removeprefix("mu >= ")) <= AUDIT.mu_lower
    fprs, tprs = line(ax, bound)
    assert np.allclose(tprs, ndtr(ndtri(fprs) + AUDIT.mu_lower), rtol=0, atol=1e-12)
    (band,) = ax.collections
    low = {(row.fpr, row.lower) for row in AUDIT.roc}
    assert low <= {tuple(point) for point in band.get_paths()[0].vertices}


def test_an_audit_that_shows_nothing_can_be_drawn(ax):
    plot.audit(gdpnum.audit([1.0, 2.0], [1.0, 2.0]), ax=ax)
    assert labels(ax) == {"attack"}


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: plot.audit(gdpnum.GDP(mu=1.0)), "not an audit with a ROC curve"),
        (lambda: plot.audit(AUDIT, scale="x"), "scale='x'"),
        (lambda: plot.tradeoff(3), "has no trade-off curve"),
        (lambda: plot.tradeoff(gdpnum.GDP(mu=1.0).curve(), mu=-1.0), "mu=-1.0 is negative"),
        (lambda: plot.tradeoff(statement(gdpnum.Laplace(scale=1.0)), mu=1.0), "has its own"),
        (lambda: plot.tradeoff(gdpnum.GDP(mu=1.0).curve(), ax=3), "not an Axes"),
        (lambda: plot.difference(gdpnum.GDP(mu=1.0).curve()), "mu=None"),
        (lambda: plot.comparison({}), "subjects=.* or empty"),
        (lambda: plot.comparison({"a": 1}), "has no trade-off curve"),
        (lambda: plot.comparison({"a": gdpnum.GDP(mu=1.0).curve()}, scale="x"), "scale='x'"),
        (lambda: plot.regret_sweep([]), "none with a regret"),
        (lambda: plot.regret_sweep([{"regret": 1}]), "has no 'sample_rate'"),
        (lambda: plot.regret_sweep([1]), "not a dictionary"),
    ],
)
def test_bad_input_is_refused(draw, words):
    with pytest.raises(gdpnum.GdpnumError, match=words):
        draw()


def test_without_matplotlib_the_extra_is_named():
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from gdpnum import plot, GDP\n"
        "try: plot.tradeoff(GDP(mu=1.0).curve())\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "pip install matplotlib" in done.stdout, done.stderr


def test_matplotlib_is_imported_only_to_draw():
    program = "import sys, gdpnum.plot; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    "subject",
    [RUN, gdpnum.PureDP(epsilon=1.0), gdpnum.GDP(mu=1.0).curve(), gdpnum.fit_gdp(RUN)],
    ids=lambda one: type(one).__name__,
)
def test_whatever_has_a_curve_is_drawn(subject):
    for draw in (plot.tradeoff, plot.roc, plot.profile):
        assert draw(subject).get_lines()
    assert plot.comparison({"a": subject, "b": RUN}).get_lines()


@pytest.mark.parametrize("draw", [plot.tradeoff, plot.roc])
def test_every_curve_is_tpr_against_fpr(found, draw):
    drawn = draw(found)
    assert (drawn.get_xlabel(), drawn.get_ylabel()) == (
        "False positive rate",
        "True positive rate, at most",
    )
    x, y = line(drawn, "this run")
    assert (np.diff(y) >= 0.0).all()
    assert (y >= x).all()
