"""The published names for DP-SGD: the accountant of the paper's listing."""

import copy
import json
import math
import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import gdpnum
from gdpnum import dpsgd
from gdpnum.dpsgd import AccountingMismatch, CTDAccountant, get_mu_and_regret_for_dpsgd
from gdpnum.integrations.engines import from_engine

REPORTED = {"noise_multiplier": 9.4, "sample_rate": 2**14 / 50_000}
EXACT_MU = 1.567013


def accountant_of(*history):
    accountant = CTDAccountant()
    accountant.history = list(history)
    return accountant


# --- what the published package answers -----------------------------------------------------------


def test_function_gives_mu_and_regret_of_a_published_run():
    mu, regret = get_mu_and_regret_for_dpsgd(**REPORTED, num_steps=2_000)
    assert EXACT_MU <= mu <= EXACT_MU * 1.002
    assert 0.0 <= regret <= 0.002


def test_function_takes_its_arguments_in_the_published_order():
    by_order = get_mu_and_regret_for_dpsgd(1.0, 0.01, 100, 1e-3, 1e-8)
    by_name = get_mu_and_regret_for_dpsgd(
        noise_multiplier=1.0, sample_rate=0.01, num_steps=100, grid_step=1e-3, err=1e-8
    )
    assert by_order == by_name
    assert type(by_order) is tuple


def test_listing_of_the_paper_agrees_with_the_description():
    accountant = CTDAccountant()
    for _ in range(1_000):
        accountant.step(noise_multiplier=1.0, sample_rate=0.001)
    mu, regret = accountant.get_mu_and_regret()
    run = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.001, steps=1_000)
    fit = gdpnum.fit_gdp(run)
    assert (mu, regret) == (fit.mu, fit.regret)
    assert accountant.run == run
    curve = gdpnum.tradeoff_curve(run)
    assert accountant.get_epsilon(1e-5) == accountant.get_epsilon(delta=1e-5) == curve.epsilon(1e-5)
    assert accountant.get_advantage() == curve.advantage


def test_published_keywords_are_accepted():
    accountant = accountant_of((1.0, 0.01, 100))
    for keywords in ({"grid_step": 1e-3}, {"grid_step": 1e-3, "use_connect_dots": True}):
        mu, _ = accountant.get_mu_and_regret(**keywords)
        assert mu == pytest.approx(accountant.get_mu_and_regret()[0], rel=0.02)
        assert len(accountant.get_beta(**keywords)) == 8
        assert 0.0 < accountant.get_advantage(**keywords) < 1.0
    assert accountant.get_mu_and_regret(err=1e-5)[0] < accountant.get_mu_and_regret()[0]


def test_keywords_for_other_accountants_change_nothing():
    accountant = accountant_of((1.0, 0.01, 100))
    assert accountant.get_epsilon(1e-5) == accountant.get_epsilon(
        1e-5, None, eps_error=0.5, delta_error=1e-8, alphas=[2, 3], poisson=True
    )
    assert accountant.get_epsilon(1e-5, grid_step=0.05) != accountant.get_epsilon(1e-5)


def test_beta_is_given_at_eight_alphas_by_default():
    accountant = accountant_of((1.0, 0.01, 1_000))
    advantage = accountant.get_advantage()
    alphas = [1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, (1.0 - advantage) / 2.0]
    betas = accountant.get_beta()
    assert betas.tolist() == accountant.get_beta(alphas).tolist()
    assert betas[-1] == pytest.approx((1.0 - advantage) / 2.0, rel=1e-6)


def test_beta_of_a_number_is_a_number():
    accountant = accountant_of((1.0, 0.01, 1_000))
    assert type(accountant.get_beta(0.1)) is float
    assert type(accountant.get_beta(np.float64(0.1))) is float
    assert accountant.get_beta(np.array([0.1, 0.2])).shape == (2,)


def test_segments_compose():
    accountant = accountant_of((1.0, 0.01, 100), (2.0, 0.02, 50), (1.0, 0.01, 100))
    twice = gdpnum.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=200)
    once = gdpnum.DPSGD(noise_multiplier=2.0, sample_rate=0.02, steps=50)
    assert accountant.run == twice + once
    assert accountant.get_mu_and_regret()[0] == gdpnum.fit_gdp(twice + once).mu
    assert len(accountant) == 250


def test_pld_needs_its_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.privacy_loss_distribution", None)
    with pytest.raises(ImportError, match="pip install dp-accounting"):
        accountant_of((1.0, 0.01, 100)).get_pld()


# --- nothing, and no noise ------------------------------------------------------------------------


@pytest.mark.parametrize("history", [(), ((1.0, 0.5, 0),), ((1.0, 0.0, 10),), ((0.0, 0.0, 10),)])
def test_without_a_release_nothing_is_lost(history):
    accountant = accountant_of(*history)
    # Half the slack of 1e-10 is given away, whatever was run.
    assert accountant.get_mu_and_regret() == (0.0, pytest.approx(0.5e-10, rel=1e-3))
    assert accountant.get_epsilon(1e-5) == accountant.get_epsilon(0.0) == 0.0
    assert accountant.get_advantage() == 0.0
    assert accountant.get_beta([0.0, 0.25, 1.0]).tolist() == [1.0, 0.75, 0.0]
    assert len(accountant.get_beta()) == 8


def test_a_step_without_noise_reveals_whom_it_samples():
    accountant = CTDAccountant()
    accountant.step(noise_multiplier=0.0, sample_rate=0.25)
    accountant.step(noise_multiplier=0.0, sample_rate=0.25)
    seen = 1.0 - 0.75**2
    mu, regret = accountant.get_mu_and_regret()
    assert mu == math.inf
    # The curve 1 - seen - alpha against 0.
    assert regret == pytest.approx((1.0 - seen) / 2.0, rel=1e-9)
    assert accountant.get_advantage() == pytest.approx(seen, rel=1e-9)
    assert accountant.get_epsilon(1e-5) == math.inf
    assert accountant.get_epsilon(seen + 1e-9) == 0.0


@pytest.mark.parametrize("rate", [0.1, 1.0])
def test_noise_elsewhere_does_not_make_up_for_a_step_without(rate):
    accountant = accountant_of((1.0, 0.01, 100), (0.0, rate, 1))
    assert accountant.get_mu_and_regret()[0] == math.inf
    assert accountant.get_epsilon(1e-5) == math.inf
    assert accountant.get_advantage() >= rate
    assert accountant.get_beta(0.0) <= 1.0 - rate


# --- counting -------------------------------------------------------------------------------------


def test_equal_steps_share_one_entry():
    accountant = CTDAccountant()
    for _ in range(10_000):
        accountant.step(noise_multiplier=1.0, sample_rate=0.001)
    assert accountant.history == [(1.0, 0.001, 10_000)]
    accountant.step(noise_multiplier=1.5, sample_rate=0.001)
    accountant.step(noise_multiplier=np.float64(1.5), sample_rate=np.float32(0.5))
    assert accountant.history == [(1.0, 0.001, 10_000), (1.5, 0.001, 1), (1.5, 0.5, 1)]
    assert all(type(rate) is float for _, rate, _ in accountant.history)
    assert len(accountant) == 10_002


def test_an_optimizer_counts_its_steps():
    accountant = CTDAccountant()
    count_step = accountant.get_optimizer_hook_fn(sample_rate=0.125)
    count_step(SimpleNamespace(noise_multiplier=1.0, accumulated_iterations=1))
    count_step(SimpleNamespace(noise_multiplier=1.0, accumulated_iterations=1))
    assert accountant.history == [(1.0, 0.125, 2)]


def test_accumulated_batches_are_warned_of():
    """A record can be in several Poisson batches; it then moves the sum several times as far."""
    accountant = CTDAccountant()
    count_step = accountant.get_optimizer_hook_fn(sample_rate=0.125)
    with pytest.warns(AccountingMismatch, match="2 batches .* privacy is overstated"):
        count_step(SimpleNamespace(noise_multiplier=1.0, accumulated_iterations=2))
    assert accountant.history == [(1.0, 0.25, 1)]


@pytest.mark.slow
def test_where_the_accuracy_is_out_of_reach_a_looser_bound_is_told():
    accountant = accountant_of((0.25, 1e-6, 1000))
    with pytest.raises(gdpnum.BudgetExceeded):
        gdpnum.tradeoff_curve(accountant.run)
    epsilon = accountant.get_epsilon(1e-5)
    assert 0.0 < epsilon < math.inf
    # With more noise it is told at full accuracy, and no larger.
    assert epsilon >= accountant_of((0.4, 1e-6, 1000)).get_epsilon(1e-5)


@pytest.mark.parametrize(
    "bad",
    [
        {"sample_rate": 1.5},
        {"sample_rate": -0.1},
        {"sample_rate": math.nan},
        {"noise_multiplier": -1.0},
        {"noise_multiplier": math.inf},
        {"noise_multiplier": math.nan},
    ],
)
@pytest.mark.parametrize("history", [(), ((1.0, 0.01, 3),)])
def test_a_step_outside_the_allowed_is_refused_without_a_trace(bad, history):
    accountant = accountant_of(*history)
    with pytest.raises(gdpnum.InvalidArgument, match=next(iter(bad))):
        accountant.step(**{"noise_multiplier": 1.0, "sample_rate": 0.01} | bad)
    assert accountant.history == list(history)


def test_a_step_without_a_number_is_refused():
    accountant = CTDAccountant()
    with pytest.raises(gdpnum.InvalidType, match="noise_multiplier"):
        accountant.step(noise_multiplier="1.0", sample_rate=0.01)
    with pytest.raises(gdpnum.InvalidType, match="sample_rate"):
        accountant.step(noise_multiplier=1.0, sample_rate=None)
    assert accountant.history == []


# --- kept answers ---------------------------------------------------------------------------------


def test_answers_are_kept_until_the_history_changes(monkeypatch):
    fits, curves = [], []
    fit_gdp, tradeoff_curve = dpsgd.fit_gdp, dpsgd.tradeoff_curve
    monkeypatch.setattr(dpsgd, "fit_gdp", lambda *a, **k: fits.append(a) or fit_gdp(*a, **k))
    monkeypatch.setattr(
        dpsgd, "tradeoff_curve", lambda *a, **k: curves.append(a) or tradeoff_curve(*a, **k)
    )
    accountant = accountant_of((1.0, 0.01, 100))

    def ask():
        accountant.get_beta()
        accountant.get_advantage()
        return *accountant.get_mu_and_regret(), accountant.get_epsilon(1e-5)

    first = ask()
    assert ask() == first
    assert (len(fits), len(curves)) == (1, 1)
    accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    second = ask()
    assert second > first
    assert (len(fits), len(curves)) == (2, 2)
    accountant.history = [(1.0, 0.01, 100)]  # as Opacus does
    assert ask() == first
    accountant.history.append((1.0, 0.01, 1))
    assert ask()[0] == second[0]
    assert (len(fits), len(curves)) == (4, 4)


# --- saved states ---------------------------------------------------------------------------------


def test_a_state_survives_json():
    accountant = CTDAccountant()
    accountant.history = [(np.float64(1.0), 0.01, np.int64(100)), [2.0, 0.02, 5.0]]
    restored = CTDAccountant()
    restored.load_state_dict(json.loads(json.dumps(accountant.state_dict())))
    assert restored.history == [(1.0, 0.01, 100), (2.0, 0.02, 5)]
    assert restored.get_mu_and_regret() == accountant.get_mu_and_regret()
    restored.step(noise_multiplier=2.0, sample_rate=0.02)
    assert restored.history[-1] == (2.0, 0.02, 6)


def test_a_state_is_a_copy():
    accountant = accountant_of((1.0, 0.01, 100))
    state = accountant.state_dict()
    accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    assert state == {"history": [(1.0, 0.01, 100)], "mechanism": "ctd"}
    filled = {"epoch": 3}
    assert accountant.state_dict(filled) is filled
    assert set(filled) == {"epoch", "history", "mechanism"}
    assert CTDAccountant.mechanism() == "ctd"


def test_an_accountant_can_be_copied_and_pickled():
    accountant = accountant_of((1.0, 0.01, 100))
    epsilon = accountant.get_epsilon(1e-5)
    for again in (copy.deepcopy(accountant), pickle.loads(pickle.dumps(accountant))):
        assert again.get_epsilon(1e-5) == epsilon
        again.step(noise_multiplier=1.0, sample_rate=0.01)
    assert len(accountant) == 100


GOOD = (1.0, 0.01, 10)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (None, "holds no state"),
        ({}, "holds no state"),
        ([GOOD], "holds no state"),
        ({"history": [GOOD]}, "no 'mechanism'"),
        ({"mechanism": "ctd"}, "no 'history'"),
        ({"mechanism": "prv", "history": [GOOD]}, "mechanism 'prv', not 'ctd'"),
        ({"mechanism": CTDAccountant.mechanism, "history": [GOOD]}, "not 'ctd'"),
        ({"mechanism": "ctd", "history": None}, "history=None is of type NoneType"),
        ({"mechanism": "ctd", "history": "abc"}, "history='abc'"),
        ({"mechanism": "ctd", "history": [GOOD, (1.0, 0.01)]}, r"history\[1\]=\(1.0, 0.01\)"),
        ({"mechanism": "ctd", "history": [GOOD, 3]}, r"history\[1\]=3"),
        ({"mechanism": "ctd", "history": [("1", 0.01, 10)]}, r"history\[0\]: noise_multiplier='1'"),
        ({"mechanism": "ctd", "history": [(-1.0, 0.01, 10)]}, "noise_multiplier=-1.0 is negative"),
        ({"mechanism": "ctd", "history": [(1.0, 1.01, 10)]}, "sample_rate=1.01 is outside"),
        ({"mechanism": "ctd", "history": [(1.0, 0.01, 2.5)]}, "num_steps=2.5"),
        ({"mechanism": "ctd", "history": [(1.0, 0.01, -1)]}, "num_steps=-1"),
        ({"mechanism": "ctd", "history": [(1.0, 0.01, math.nan)]}, "num_steps=nan"),
        ({"mechanism": "ctd", "history": [(1.0, 0.01, True)]}, "num_steps=True"),
    ],
)
def test_a_state_that_is_not_ours_is_refused_without_a_trace(state, message):
    accountant = accountant_of((2.0, 0.5, 7))
    before = accountant.get_mu_and_regret()
    with pytest.raises(gdpnum.InvalidArgument, match=message):
        accountant.load_state_dict(state)
    assert accountant.history == [(2.0, 0.5, 7)]
    assert accountant.get_mu_and_regret() == before


def test_a_history_assigned_wrong_is_named_when_asked():
    accountant = accountant_of((1.0, 0.01))
    for ask in (
        accountant.get_mu_and_regret,
        accountant.get_beta,
        accountant.state_dict,
        lambda: accountant.get_epsilon(1e-5),
        lambda: len(accountant),
        lambda: accountant.step(noise_multiplier=1.0, sample_rate=0.01),
    ):
        with pytest.raises(gdpnum.InvalidArgument, match=r"history\[0\]"):
            ask()


@pytest.mark.parametrize("delta", [-1e-5, 1.5, math.nan])
def test_delta_is_a_probability(delta):
    with pytest.raises(gdpnum.InvalidArgument, match="delta"):
        accountant_of(GOOD).get_epsilon(delta)


@pytest.mark.parametrize("err", [-1e-5, 1.0, math.nan])
def test_err_is_an_allowance(err):
    with pytest.raises(gdpnum.InvalidArgument, match="err"):
        accountant_of(GOOD).get_mu_and_regret(err=err)


# --- engines with three attributes ----------------------------------------------------------------


def test_an_engine_is_read_by_its_attributes():
    engine = SimpleNamespace(noise_multiplier=0.8, sample_rate=0.01, steps=300)
    assert from_engine(engine) == gdpnum.DPSGD(noise_multiplier=0.8, sample_rate=0.01, steps=300)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"steps": None}, gdpnum.InvalidType, "no steps"),
        ({"steps": 2.5}, gdpnum.InvalidArgument, "steps=2.5"),
        ({"steps": lambda: 3}, gdpnum.InvalidArgument, "steps=.*not an int"),
        ({"sample_rate": 2.0}, gdpnum.InvalidArgument, "sample_rate=2.0"),
        ({"noise_multiplier": None, "accountant": 1}, gdpnum.InvalidType, "from_opacus"),
    ],
)
def test_an_engine_of_another_kind_is_refused(changed, error, message):
    values = {"noise_multiplier": 0.8, "sample_rate": 0.01, "steps": 300} | changed
    with pytest.raises(error, match=message):
        from_engine(SimpleNamespace(**values))
