"""One mu and one regret, wherever they are printed: the regret is that of the mu beside it."""

import pytest

import gdpnum
from gdpnum.measures.printed import printed_mu
from tests.cli.invoking import printed as printed_by

# The paper's run, one that mu is no good summary of, and a common one.
RUNS = [(9.4, 0.32768, 2000), (0.5, 0.01, 1000), (1.0, 0.05, 300)]


@pytest.mark.parametrize("setting", RUNS)
def test_every_form_prints_the_same(setting):
    sigma, rate, steps = setting
    run = gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps)
    fit, statement = gdpnum.fit_gdp(run), gdpnum.statement(run)
    mu, regret = printed_mu(fit.mu, fit.regret)
    assert float(mu) >= fit.mu
    assert float(regret) >= fit.regret
    assert f"mu <= {mu} " in repr(fit)
    assert f"regret <= {regret}>" in repr(fit)
    assert (fit.mu, fit.regret) == (statement.mu, statement.regret)
    options = ["--noise-multiplier", sigma, "--sample-rate", rate, "--steps", steps]
    told = printed_by("sweep", *map(str, options), "--columns", "mu,regret")
    forms = [fit._repr_html_(), str(statement), statement.to_html(), statement.to_markdown()]
    forms += [statement.to_latex(), str(gdpnum.table([run])), told]
    for form in forms:
        assert mu in form
        assert regret in form


# On a lattice, where a curve is asked for further down than a fit; and one of next to no privacy.
OTHERS = [
    gdpnum.DPSGD(noise_multiplier=0.5, sample_rate=1e-6, steps=10),
    gdpnum.DPSGD(
        noise_multiplier=1.0, batches="fixed", batch_size=10, dataset_size=1000, steps=100
    ),
    gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=100) + gdpnum.Laplace(scale=3.0),
    gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.5, steps=100_000),
]


@pytest.mark.parametrize("run", OTHERS, ids=["rare", "fixed", "laplace", "large"])
def test_a_statement_has_the_mu_of_the_fit_and_verifies(run):
    fit, statement = gdpnum.fit_gdp(run), gdpnum.statement(run)
    assert (fit.mu, fit.mu_lower, fit.regret) == (
        statement.mu, statement.mu_lower, statement.regret
    )  # fmt: skip
    assert gdpnum.verify(statement.to_json()).holds


def test_bounds_are_rounded_to_their_safe_side_wherever_they_are_shown():
    run = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=1)
    curve, fit = gdpnum.tradeoff_curve(run), gdpnum.fit_gdp(run)
    advantage = float(repr(curve).split("advantage=")[1].split(",")[0])
    assert curve.advantage <= advantage <= curve.advantage * 1.001
    table = gdpnum.sweep([{"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 1}])
    shown = dict(zip(table.columns, table.texts()[0], strict=True))
    assert (shown["mu"], shown["regret"]) == printed_mu(fit.mu, fit.regret)
    assert float(shown["mu_lower"]) <= fit.mu_lower
    assert float(shown["tpr@0.01"]) >= table[0]["tpr@0.01"]
    for line in str(gdpnum.verify(gdpnum.statement(run))).splitlines():
        name, *_ = line.split("  ")
        if name == "advantage":
            assert float(line.split()[1]) >= fit.advantage
        if name == "mu_lower":
            assert float(line.split()[1]) <= fit.mu_lower


def test_the_regret_that_is_printed_is_that_of_the_mu_that_is():
    """Of a Gaussian f_m and a larger mu: half of what the advantages differ by."""
    for mu in (0.123456, 1.234567, 7.6543210):
        printed, regret = printed_mu(mu, 0.0)
        other = gdpnum.GDP(mu=float(printed)).advantage - gdpnum.GDP(mu=mu).advantage
        assert 0.5 * other <= float(regret) <= 0.5 * other * 1.2 + 1e-15
