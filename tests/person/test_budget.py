"""Budgets: a filter that stops in time, whatever the releases are chosen by."""

import json
import math
import threading
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv, ndtr, ndtri

from gdpnum import (
    DPSGD,
    GDP,
    ApproxDP,
    BestOf,
    Budget,
    Gaussian,
    InvalidArgument,
    InvalidType,
    KnownCurve,
    Laplace,
    MatrixMechanism,
    OverBudget,
    PoissonSampled,
    PureDP,
    RenyiBudget,
    TradeoffCurve,
    UnsupportedMechanism,
    fit_gdp,
    tradeoff_curve,
)
from gdpnum.budget.accountant import BudgetAccountant
from tests.examples import examples


def test_the_known_sequence():
    budget = Budget(mu=1.0)
    for mu in (0.6, 0.6, 0.5):
        budget.spend(GDP(mu=mu))
    assert budget.spent == pytest.approx(math.sqrt(0.97))
    assert budget.can_spend(GDP(mu=0.17))
    assert not budget.can_spend(GDP(mu=0.18))
    with pytest.raises(OverBudget, match="what remains"):
        budget.spend(GDP(mu=0.18))
    # Nothing was charged for the refusal.
    budget.spend(GDP(mu=0.17))
    assert budget.remaining == pytest.approx(math.sqrt(1.0 - 0.97 - 0.17**2), rel=1e-9)
    assert len(budget) == 4


def test_sums_are_exact():
    """Nine releases at sigma 3, one by one, fill a budget of one, and nothing more fits."""
    budget = Budget(mu=1.0)
    for _ in range(9):
        budget.spend(Gaussian(sigma=3.0))
    assert budget.spent == 1.0
    assert budget.remaining == 0.0
    assert not budget.can_spend(GDP(mu=1e-150))
    assert budget.can_spend(Gaussian(sigma=1.0) * 0)


@examples(60)
@given(st.lists(st.floats(1e-6, 1.5), max_size=40), st.floats(0.1, 3.0))
def test_no_sequence_of_spending_exceeds_the_budget(wanted, mu):
    budget, total = Budget(mu=mu), Fraction(0)
    for one in wanted:
        fits = total + Fraction(one) ** 2 <= Fraction(mu) ** 2
        assert budget.can_spend(GDP(mu=one)) == fits
        if fits:
            budget.spend(GDP(mu=one))
            total += Fraction(one) ** 2
        else:
            with pytest.raises(OverBudget):
                budget.spend(GDP(mu=one))
    assert Fraction(budget.spent) ** 2 >= total
    assert Fraction(budget.remaining) ** 2 <= Fraction(mu) ** 2 - total
    left = Budget.from_json(budget.to_json())
    assert left.spent == budget.spent
    assert left.remaining == budget.remaining


def test_an_adaptive_adversary_never_exceeds_the_budget():
    """Noise chosen by what was seen: hunt on after promising outcomes, spend all at once after bad.

    The attack adds up the log-likelihood ratio of what it saw; its TPR at any FPR must stay below
    that of mu-GDP.
    """
    mu, trials, rounds = 1.0, 200_000, 12
    rng = np.random.default_rng(11)

    def losses(shift):
        left, loss = np.full(trials, mu**2), np.zeros(trials)
        for _ in range(rounds):
            # mu_t is chosen before the release, from the past alone, and checked.
            greedy = np.where(loss > 0.3, 0.8, np.where(loss < -0.3, 0.05, 0.3))
            step = np.minimum(greedy, np.sqrt(np.maximum(left, 0.0)))
            left -= step**2
            seen = rng.normal(size=trials) + shift * step
            loss += step * seen - 0.5 * step**2
        # What is left is spent at the end.
        step = np.sqrt(np.maximum(left, 0.0))
        seen = rng.normal(size=trials) + shift * step
        return loss + step * seen - 0.5 * step**2

    with_record, without = losses(1.0), losses(0.0)
    for share in (0.05, 0.3, 0.7, 0.95, 0.99, 0.999):
        threshold = np.quantile(without, share)
        hits, false = int((with_record > threshold).sum()), int((without > threshold).sum())
        tpr = float(betaincinv(hits, trials - hits + 1, 1e-7))
        fpr = float(betaincinv(false + 1, trials - false, 1.0 - 1e-7))
        assert tpr <= ndtr(ndtri(fpr) + mu)


def test_the_adversary_is_run_against_the_budget_itself():
    rng = np.random.default_rng(12)
    for _ in range(50):
        budget, seen = Budget(mu=1.0), 0.0
        while budget.remaining > 1e-3 and len(budget) < 200:
            wanted = abs(seen) % 1.3 + 1e-3
            if budget.can_spend(GDP(mu=wanted)):
                budget.spend(GDP(mu=wanted))
                seen += rng.normal() + wanted
            else:
                seen *= 0.5
                if wanted <= 2e-3:
                    break
        assert Fraction(budget.spent) <= 1


def curve_profile(p, q, epsilon):
    return float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum())


def test_a_rule_on_curves_would_be_exceeded_and_is_refused():
    """The counterexample: each path keeps the target curve, the adaptive whole does not.

    A first answer, then one of two releases by that answer. The target is the best curve below both
    fixed compositions, so a filter on curves lets either path pass.
    """
    first = np.array([0.7, 0.3]), np.array([0.3, 0.7])
    loud = np.array([0.1, 0.9, 0.0]), np.array([0.0, 0.9, 0.1])  # seldom, everything
    quiet = np.array([0.62, 0.38, 0.0]), np.array([0.38, 0.62, 0.0])  # always, a little

    def paths(choice):
        p = np.concatenate([first[0][i] * choice[i][0] for i in range(2)])
        q = np.concatenate([first[1][i] * choice[i][1] for i in range(2)])
        return p, q

    broken = 0.0
    for epsilon in np.linspace(0.0, 3.0, 301):
        target = max(curve_profile(*paths((one, one)), epsilon) for one in (loud, quiet))
        adaptive = max(
            curve_profile(*paths(choice), epsilon) for choice in ((loud, quiet), (quiet, loud))
        )
        broken = max(broken, adaptive - target)
    assert broken > 0.01
    curves = [
        TradeoffCurve.from_vertices([0.0, 0.9, 1.0], [0.9, 0.0, 0.0]),
        TradeoffCurve.from_vertices([0.0, 0.38, 1.0], [1.0, 0.38, 0.0]),
    ]
    for curve in curves:
        with pytest.raises(UnsupportedMechanism, match=r"arXiv 2602\.06756"):
            Budget(mu=3.0).spend(KnownCurve(curve))


@pytest.mark.parametrize(
    "mechanism",
    [
        GDP(mu=0.1, slack=1e-10),
        ApproxDP(epsilon=0.1, delta=1e-6),
        KnownCurve(PureDP(epsilon=0.1).curve()),
        BestOf(Gaussian(sigma=9.0), number="geometric", mean=3),
        DPSGD(noise_multiplier=5.0, sample_rate=0.01, steps=2),
    ],
    ids=repr,
)
def test_what_no_rule_holds_for_is_refused_with_the_reason(mechanism):
    budget = Budget(mu=5.0)
    with pytest.raises(UnsupportedMechanism, match=r"arXiv 2602\.06756"):
        budget.spend(mechanism)
    with pytest.raises(UnsupportedMechanism):
        budget.can_spend(mechanism)
    assert budget.spent == 0.0
    assert budget.history is None


@pytest.mark.parametrize(
    "mechanism",
    [
        Gaussian(sigma=2.0),
        Gaussian(sigma=4.0, neighbouring="replace") * 3,
        Laplace(scale=5.0) * 2,
        PureDP(epsilon=0.3),
        KnownCurve(GDP(mu=0.4).curve()),
        MatrixMechanism(strategy=[1.0, 0.5], steps=6, noise_multiplier=4.0),
        PoissonSampled(Gaussian(sigma=6.0), rate=1.0, records_per_person=2),
        BestOf(Gaussian(sigma=9.0), number=3),
    ],
    ids=repr,
)
def test_what_has_a_mu_without_slack_costs_that(mechanism):
    budget = Budget(mu=2.0)
    budget.spend(mechanism)
    assert budget.spent == pytest.approx(fit_gdp(mechanism, slack=0.0).mu, rel=1e-12)
    assert budget.spent >= fit_gdp(mechanism, slack=0.0).mu * (1.0 - 1e-15)


def test_relations_and_units_do_not_mix():
    budget = Budget(mu=2.0)
    budget.spend(Gaussian(sigma=4.0))
    with pytest.raises(InvalidArgument, match="mix neighbouring relations"):
        budget.spend(Gaussian(sigma=4.0, neighbouring="replace"))
    with pytest.raises(InvalidArgument, match="mix protected units"):
        budget.spend(PoissonSampled(Gaussian(sigma=9.0), rate=1.0, records_per_person=2))


def test_many_different_costs_do_not_slow_it_down():
    budget = Budget(mu=1.0)
    for sigma in np.linspace(50.0, 60.0, 500):
        budget.spend(Gaussian(sigma=float(sigma)))
    exact = math.fsum(1.0 / sigma**2 for sigma in np.linspace(50.0, 60.0, 500))
    assert budget.spent == pytest.approx(math.sqrt(exact), rel=1e-14)
    assert len(json.loads(budget.to_json())["spent"]) < 10_000


def test_threads_share_a_budget():
    budget, granted = Budget(mu=1.0), []

    def hunt():
        for _ in range(200):
            try:
                budget.spend(Gaussian(sigma=10.0))
            except OverBudget:
                continue
            granted.append(1)

    threads = [threading.Thread(target=hunt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == len(budget) == 100


def test_a_training_loop_ends_when_the_budget_does():
    budget = Budget(mu=1.0)
    steps = list(budget.steps(range(1000), mechanism=Gaussian(sigma=4.0)))
    assert steps == list(range(16))
    released = []
    noisy = Budget(mu=1.0).guard(released.append, mechanism=Gaussian(sigma=1.0))
    noisy(1)
    with pytest.raises(OverBudget):
        noisy(2)
    assert released == [1]


def test_its_state_is_json():
    budget = Budget(mu=1.0)
    budget.spend(Gaussian(sigma=3.0) * 2)
    budget.spend(Gaussian(sigma=5.0))
    again = Budget.from_json(budget.to_json())
    assert again.history == budget.history == Gaussian(sigma=3.0) * 2 + Gaussian(sigma=5.0)
    assert repr(again) == repr(budget)
    assert again.to_json() == budget.to_json()


def test_a_state_that_claims_less_than_its_history_cost_is_not_believed():
    budget = Budget(mu=1.0)
    budget.spend(Gaussian(sigma=2.0))
    state = json.loads(budget.to_json())
    state["spent"] = "0"
    assert Budget.from_json(json.dumps(state)).spent == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"budget": "Budget", "mu": 1.0}',
        '{"budget": "RenyiBudget"}',
        '{"budget": "Budget", "mu": 1.0, "spent": "2", "history": []}',
        '{"budget": "Budget", "mu": 1.0, "spent": "1/0", "history": []}',
    ],
)
def test_what_is_no_state_is_refused(text):
    with pytest.raises(InvalidArgument):
        Budget.from_json(text)


@pytest.mark.parametrize(("mu", "error"), [(-1.0, InvalidArgument), (math.inf, InvalidArgument)])
def test_a_budget_that_is_none_is_refused(mu, error):
    with pytest.raises(error, match="mu"):
        Budget(mu=mu)
    with pytest.raises(InvalidType, match="mechanism"):
        Budget(mu=1.0).spend(0.5)


# --- Renyi --------------------------------------------------------------------------------------

STEP = PoissonSampled(Gaussian(sigma=1.0), rate=0.01)


def test_a_renyi_filter_takes_sampled_steps_and_is_looser():
    budget = RenyiBudget(epsilon=2.0, delta=1e-5, expected=STEP)
    taken = len(list(budget.steps(range(5000), mechanism=STEP)))
    # A plan fixed in advance of as many steps costs less.
    assert taken > 500
    assert tradeoff_curve(STEP * taken).epsilon(1e-5) < 2.0
    # And the divergence that is kept gives no more than the target (Canonne et al., Prop. 12).
    order = budget.order
    log_delta = (order - 1.0) * (budget.spent + budget.remaining - 2.0) + (
        (order - 1.0) * math.log1p(-1.0 / order) - math.log(order)
    )
    assert math.exp(log_delta) == pytest.approx(1e-5, rel=1e-9)
    assert math.exp(log_delta) <= 1e-5


def test_a_renyi_filter_knows_its_epsilon_at_other_deltas():
    budget = RenyiBudget(epsilon=2.0, delta=1e-5)
    assert budget.epsilon_at(1e-5) == pytest.approx(2.0, rel=1e-9)
    assert budget.epsilon_at(1e-5) >= 2.0
    assert budget.epsilon_at(1e-7) > 2.0
    assert budget.epsilon_at(0.0) == math.inf


def test_a_renyi_filter_refuses_what_may_reveal_everything():
    with pytest.raises(UnsupportedMechanism, match=r"arXiv 2602\.06756"):
        RenyiBudget(epsilon=2.0, delta=1e-5).spend(ApproxDP(epsilon=0.1, delta=1e-9))


def test_a_renyi_filter_keeps_its_state():
    budget = RenyiBudget(epsilon=2.0, delta=1e-5, order=6.0)
    budget.spend(STEP * 10)
    again = RenyiBudget.from_json(budget.to_json())
    assert again.to_json() == budget.to_json()
    assert again.remaining == budget.remaining
    with pytest.raises(OverBudget, match="order 6"):
        again.spend(STEP * 100_000)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"epsilon": 0.0, "delta": 1e-5}, "epsilon"),
        ({"epsilon": 1.0, "delta": 0.0}, "delta"),
        ({"epsilon": 1.0, "delta": 1.0}, "delta"),
        ({"epsilon": 1.0, "delta": 1e-5, "order": 1.0}, "order"),
        ({"epsilon": 0.1, "delta": 1e-5, "order": 1.01}, "allows nothing"),
        ({"epsilon": 1.0, "delta": 1e-5, "order": 5.0, "expected": STEP}, "one of the two"),
    ],
)
def test_a_renyi_budget_that_is_none_is_refused(given, match):
    with pytest.raises(InvalidArgument, match=match):
        RenyiBudget(**given)


# --- in the place of an accountant --------------------------------------------------------------


def test_an_accountant_spends_for_each_step():
    accountant = BudgetAccountant(Budget(mu=1.0))
    for _ in range(4):
        accountant.step(noise_multiplier=2.0, sample_rate=1.0)
    assert accountant.history == [(2.0, 1.0, 4)]
    with pytest.raises(OverBudget):
        accountant.step(noise_multiplier=2.0, sample_rate=1.0)
    assert accountant.get_epsilon(1e-5) == pytest.approx(GDP(mu=1.0).curve().epsilon(1e-5))
    other = BudgetAccountant(Budget(mu=1.0))
    other.load_state_dict(accountant.state_dict())
    assert len(other) == 4
    with pytest.raises(InvalidArgument, match="same terms"):
        BudgetAccountant(Budget(mu=2.0)).load_state_dict(accountant.state_dict())


def test_an_accountant_of_sampled_steps():
    accountant = BudgetAccountant(RenyiBudget(epsilon=1.0, delta=1e-5))

    class Optimizer:
        noise_multiplier, accumulated_iterations = 2.0, 1

    hook = accountant.get_optimizer_hook_fn(0.01)
    hook(Optimizer())
    assert accountant.history == [(2.0, 0.01, 1)]
    assert accountant.get_epsilon(1e-5) == pytest.approx(1.0, rel=1e-9)
    Optimizer.accumulated_iterations = 2
    with pytest.raises(InvalidArgument, match="BatchMemoryManager"):
        hook(Optimizer())
    with pytest.raises(InvalidType, match="budget"):
        BudgetAccountant(1.0)
