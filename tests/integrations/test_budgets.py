"""The lines of docs/guides/budgets.md, each run on what the package itself has."""

import importlib.util
import math
import re

import pytest

import gdpnum
from tests.documentation import DOCS

PAGE = (DOCS / "guides" / "budgets.md").read_text(encoding="utf-8")
LINES = [
    (package, line)
    for package, line in re.findall(r"^\| (.*?) \|.*\| `(gdpnum.*)` \|$", PAGE, re.M)
]


def run_of(package, number=0, **names):
    """What the line for a package makes of what it has."""
    line = [line for found, line in LINES if found == package][number]
    return eval(line, {"gdpnum": gdpnum, **names})


def epsilon(run, delta):
    return gdpnum.tradeoff_curve(run).epsilon(delta)


def test_the_table_is_read():
    assert len(LINES) == 8


def test_diffprivlib():
    diffprivlib = pytest.importorskip("diffprivlib")
    accountant = diffprivlib.BudgetAccountant(slack=1e-3)
    for spend in [(0.1, 0)] * 30 + [(0.5, 1e-6), (1, 0)]:
        accountant.spend(*spend)
    run = run_of("diffprivlib", accountant=accountant)
    assert dict(run.parts) == {
        gdpnum.ApproxDP(epsilon=0.1, delta=0.0): 30,
        gdpnum.ApproxDP(epsilon=0.5, delta=1e-6): 1,
        gdpnum.ApproxDP(epsilon=1.0, delta=0.0): 1,
    }
    # Theirs is a bound on the same composition, hence no better than ours.
    most, delta = accountant.total()
    assert epsilon(run, delta) <= most


def test_pipeline_dp():
    pipeline_dp = pytest.importorskip("pipeline_dp")
    from pipeline_dp import dp_computations
    from pipeline_dp.aggregate_params import MechanismType

    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=1.0, total_delta=1e-6)
    accountant.request_budget(MechanismType.LAPLACE, count=2)
    gaussian = accountant.request_budget(MechanismType.GAUSSIAN)
    accountant.request_budget(MechanismType.GENERIC)
    accountant.compute_budgets()
    run = run_of("PipelineDP", accountant=accountant)
    assert sum(count for _, count in run.parts) == 4
    # All that was granted is spent, and no more.
    assert epsilon(run, 1e-6) <= 1.0 + 1e-9
    # Its noise is at least that of the Gaussian mechanism with that epsilon and delta.
    sigma = dp_computations.compute_sigma(gaussian.eps, gaussian.delta, 1.0)
    mu = gdpnum.fit_gdp(run_of("PipelineDP, Gaussian noise", s=gaussian)).mu
    assert 1.0 / sigma <= mu <= 1.01 / sigma


def test_tensorflow_privacy():
    # Its own file, as importing the package takes a TensorFlow of its time.
    found = importlib.util.find_spec("tensorflow_privacy")
    if found is None:
        pytest.skip("no TensorFlow Privacy")
    path = f"{found.submodule_search_locations[0]}/privacy/analysis/compute_dp_sgd_privacy_lib.py"
    spec = importlib.util.spec_from_file_location("compute_dp_sgd_privacy_lib", path)
    theirs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(theirs)
    names = {
        "number_of_examples": 60_000,
        "batch_size": 256,
        "num_epochs": 15,
        "noise_multiplier": 1.1,
    }
    said = theirs.compute_dp_sgd_privacy_statement(
        **names, delta=1e-5, used_microbatching=False, accountant_type=theirs.AccountantType.PLD
    )
    shuffled, poisson = map(float, re.findall(r"Epsilon .*: +([0-9.]+)", said))
    ours = run_of("TensorFlow Privacy, Poisson batches", **names)
    assert epsilon(ours, 1e-5) == pytest.approx(poisson, abs=1e-3)
    ours = run_of("TensorFlow Privacy, shuffled data", **names)
    assert epsilon(ours, 1e-5) == pytest.approx(shuffled, abs=1e-3)


def test_tumult():
    tumult = pytest.importorskip("tmlt.analytics")
    budget = tumult.PureDPBudget(1) / 3
    pure = run_of("Tumult Analytics", 0, budget=budget)
    assert pure.epsilon == pytest.approx(1 / 3, rel=1e-15)
    budget = tumult.RhoZCDPBudget(0.1) - tumult.RhoZCDPBudget(0.03)
    assert run_of("Tumult Analytics", 1, budget=budget).rho == pytest.approx(0.07, rel=1e-15)
    budget = tumult.ApproxDPBudget(0.5, 1e-6)
    expected = gdpnum.ApproxDP(epsilon=0.5, delta=1e-6)
    assert run_of("Tumult Analytics", 2, budget=budget) == expected
    assert math.isinf(gdpnum.fit_gdp(expected).mu)
