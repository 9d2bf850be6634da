"""What an attack on 0.2.0 found, each as a fact that was once false."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtri

from gdpnum import (
    DPSGD,
    GDP,
    ApproxDP,
    AuditResult,
    Budget,
    CTDAccountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    GdpnumError,
    InvalidArgument,
    KnownCurve,
    Laplace,
    MixtureOfGaussians,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    TradeoffCurve,
    UnsupportedMechanism,
    audit,
    delta_divergence,
    delta_from_mu,
    fit_gdp,
    from_dp_accountant,
    from_pld,
    from_registry,
    get_worst_case_regret,
    per_person,
    regret,
    statement,
    sweep,
    table,
    tradeoff_curve,
    verify,
)


def phi(x):
    return (-x / arb(2).sqrt()).erfc() / 2


def test_randomised_response_does_not_mix_with_added_records():
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=10)
    with pytest.raises(InvalidArgument, match="mix neighbouring relations"):
        RandomizedResponse(epsilon=1.0) + run


@pytest.mark.parametrize("sigma", [0.05, 0.07, 0.5])
def test_no_pure_dp_is_claimed_of_an_unbounded_loss(sigma):
    noise = DiscreteGaussian(sigma=sigma)
    with pytest.raises(UnsupportedMechanism, match="unbounded"):
        PureDP.fit(noise)
    assert math.isinf(tradeoff_curve(noise).epsilon(0.0))
    assert math.isinf(statement(noise).pure_epsilon)


def test_a_curve_that_is_only_a_bound_is_not_attacked():
    curve = tradeoff_curve(DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=50), tolerance=0.1)
    nothing = PureDP(epsilon=0.0).curve()
    fit = fit_gdp(KnownCurve(curve, nothing) * 2)
    assert fit.mu > 0.5
    assert fit.mu_lower == 0.0
    # What a summary may give away against perfect privacy: half its advantage.
    assert fit.regret == pytest.approx(0.5 * fit.curve().advantage, rel=1e-9)
    exact = fit_gdp(DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=100))
    shown = KnownCurve(
        curve, tradeoff_curve(DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=49))
    )
    assert fit_gdp(shown * 2).mu_lower <= exact.mu <= fit_gdp(shown * 2).mu


def test_a_substitute_for_a_tiny_rate_is_not_attacked():
    fit = fit_gdp(PoissonSampled(Gaussian(sigma=1.0), rate=1e-14) * 10)
    assert fit.mu_lower == 0.0 <= fit.mu


def test_a_bound_that_is_infinite_shows_nothing():
    curve, nothing = ApproxDP(epsilon=1.0, delta=0.1).curve(), PureDP(epsilon=0.0).curve()
    for times in (1, 2):
        fit = fit_gdp(KnownCurve(curve, nothing) * times)
        assert math.isinf(fit.mu)
        assert fit.mu_lower == 0.0
    assert math.isinf(fit_gdp(ApproxDP(epsilon=1.0, delta=0.1) * 2).mu_lower)


@pytest.mark.parametrize(("records", "rate", "scale"), [(2, 0.1, 1.0), (3, 0.4, 2.5)])
def test_the_bound_of_a_group_is_not_attacked(records, rate, scale):
    """Of a person's records as many join as a binomial says; each moves the query by one."""
    run = PoissonSampled(DiscreteLaplace(scale=scale), rate=rate)
    fit = fit_gdp(per_person(run, records_per_person=records), slack=1e-6)
    k = np.arange(-150, 151)
    noise = [np.exp(-np.abs(k - j) / scale) for j in range(records + 1)]
    total = 2.0 / -math.expm1(-1.0 / scale) - 1.0
    weights = [
        math.comb(records, j) * rate**j * (1.0 - rate) ** (records - j) for j in range(records + 1)
    ]
    p, q = sum(w * one for w, one in zip(weights, noise, strict=True)) / total, noise[0] / total
    mus = []
    for one, other in ((p, q), (q, p)):
        order = np.argsort(other / one)
        alphas, betas = np.cumsum(other[order]), 1.0 - np.cumsum(one[order]) + 1e-6
        inside = (alphas < 1.0) & (betas < 1.0)
        mus.append((-ndtri(alphas[inside]) - ndtri(betas[inside])).max())
    assert fit.mu_lower <= max(mus) * (1.0 + 1e-9) <= fit.mu * (1.0 + 1e-8)
    assert fit.mu_lower > 0.3 * fit.mu
    # What the claim gives away at epsilon 0, half the difference of the advantages.
    advantage = 0.5 * float(np.abs(p - q).sum())
    assert fit.regret >= 0.5 * (fit.curve().advantage - advantage) - 1e-12


def test_noise_that_a_person_moves_several_times_is_known_as_it_is():
    fit = fit_gdp(per_person(Laplace(scale=3.0), records_per_person=3), slack=1e-6)
    exact = fit_gdp(Laplace(scale=1.0), slack=1e-6)
    assert fit.mu_lower <= exact.mu
    assert exact.mu_lower <= fit.mu
    assert fit.mu - fit.mu_lower < 2e-3 * exact.mu
    assert fit.regret < exact.regret + 2e-3


def test_masses_at_infinity_do_not_vanish_when_curves_compose():
    one = ApproxDP(epsilon=1.0, delta=1e-17).curve()
    both = one.composed_with(one)
    exact = 1 - (1 - Fraction(1e-17)) ** 2
    assert Fraction(both.delta(3.0)) >= exact
    assert both.delta(3.0) <= float(exact) * (1.0 + 1e-12)


@pytest.mark.parametrize("mu", [0.1, 0.37, 1.0, 2.2, 4.0])
def test_gaussian_numbers_are_never_below_the_exact_ones(mu):
    curve = tradeoff_curve(Gaussian(sigma=1.0 / mu))
    with ctx.workprec(200):
        m = 1 / arb(1.0 / mu)
        assert arb(curve.advantage) >= 2 * phi(m / 2) - 1
        for epsilon in (0.0, 0.1, 1.0, 3.0, 7.5):
            e = arb(epsilon)
            true = phi(m / 2 - e / m) - e.exp() * phi(-m / 2 - e / m)
            assert arb(curve.delta(epsilon)) >= true
        for z in (-6.0, -4.0, -2.0, -0.5, 1.0):
            # The FPR of a quantile: its TPR is that of the quantile moved by mu.
            fpr = float(phi(arb(z)).upper())
            if phi(arb(z)) <= arb(fpr):
                assert arb(curve.tpr(fpr)) >= phi(arb(z) + m)
        assert curve.delta(1.0) <= float(phi(m / 2 - 1 / m)) + 1e-9


def test_losses_add_up_to_an_epsilon_that_holds():
    assert Fraction(PureDP.fit(Laplace(scale=49.0) * 49).epsilon) >= 1
    assert PureDP.fit(Laplace(scale=49.0) * 49).epsilon == pytest.approx(1.0, rel=1e-15)
    assert PureDP.fit(Laplace(scale=0.5) * 3).epsilon == 6.0


# --- loose ---------------------------------------------------------------------------------------


def test_slack_that_makes_a_difference_is_used():
    fit = fit_gdp(Gaussian(sigma=1000.0), slack=1e-5)
    # f_mu - slack touches f_mu' where both have slope -1: 2 Phi(x / 2) - 1 = slack.
    smallest = 1e-3 - 1e-5 * math.sqrt(2.0 * math.pi)
    assert smallest - 1e-12 <= fit.mu <= smallest * (1.0 + 1e-6)
    wide = fit_gdp(GDP(mu=1.0), slack=0.1)
    assert wide.mu - wide.mu_lower < 1e-6
    assert wide.mu < 0.76


@pytest.mark.parametrize("sigma", [0.321397201251454, 0.5])
def test_a_statement_has_the_curve_of_its_own_points(sigma):
    """Claims on one line with the point alpha = beta were dropped where rounding put them so."""
    found = statement(DiscreteGaussian(sigma=sigma))
    epsilons, deltas = map(np.array, found.profile_points)
    read = np.asarray(found.curve().delta(epsilons))
    assert (read <= deltas * (1.0 + 1e-9) + 1e-13).all()
    assert (read >= deltas * (1.0 - 1e-9)).all()
    assert verify(found).holds


def composed_vertices(p, q, times):
    """All outcomes of some releases together: the hull of the tests of both directions."""
    together, other = p, q
    for _ in range(times - 1):
        together, other = np.outer(together, p).ravel(), np.outer(other, q).ravel()
    points = []
    for one, against in ((together, other), (other, together)):
        order = np.argsort(against / one)
        points += zip(
            np.append(0.0, np.cumsum(against[order])),
            np.append(1.0, 1.0 - np.cumsum(one[order])),
            strict=True,
        )
    hull = []
    for x, y in sorted(points):
        while len(hull) > 1 and (hull[-1][0] - hull[-2][0]) * (y - hull[-2][1]) <= (
            hull[-1][1] - hull[-2][1]
        ) * (x - hull[-2][0]):
            hull.pop()
        hull.append((x, y))
    return np.array(hull).T


@pytest.mark.parametrize(("scale", "rate", "steps"), [(4.115, 0.2375, 3), (0.7, 0.5, 5)])
def test_a_few_outcomes_have_their_own_curve(scale, rate, steps):
    run = PoissonSampled(DiscreteLaplace(scale=scale), rate=rate) * steps
    # A shift by one leaves two losses: the noise is at least as large as the shift, or it is not.
    r = math.exp(-1.0 / scale)
    shown, hidden = 1.0 / (1.0 + r), r / (1.0 + r)
    p = (1.0 - rate) * np.array([hidden, shown]) + rate * np.array([shown, hidden])
    q = np.array([hidden, shown])
    alphas = np.linspace(0.0, 1.0, 501)
    exact = np.interp(alphas, *composed_vertices(p, q, steps))
    found = tradeoff_curve(run).beta(alphas)
    assert (found <= exact + 1e-13).all()
    assert (found >= exact - 1e-9).all()
    fit = fit_gdp(run)
    assert fit.mu - fit.mu_lower < 1e-3 * fit.mu


@pytest.mark.parametrize(
    ("p", "q", "times"),
    [
        ([0.129, 0.871], [0.459, 0.541], 2),
        ([0.2, 0.5, 0.3], [0.35, 0.2, 0.45], 2),
        ([0.05, 0.25, 0.1, 0.6], [0.2, 0.1, 0.3, 0.4], 3),
        # The second direction leads between its own corners only.
        ([0.5, 0.5], [0.4035, 0.5965], 3),
    ],
)
def test_regret_of_composed_curves_is_that_of_their_outcomes(p, q, times):
    p, q = np.array(p), np.array(q)
    alphas, betas = composed_vertices(p, q, 1)
    forward = np.argsort(q / p)
    one = TradeoffCurve.from_vertices(
        np.append(0.0, np.cumsum(q[forward])).clip(0, 1),
        np.append(np.append(1.0, 1.0 - np.cumsum(p[forward])[:-1]), 0.0),
    )
    fit = fit_gdp(KnownCurve(one) * times)
    alphas, betas = composed_vertices(p, q, times)
    epsilons = np.linspace(0.0, 20.0, 100_001)[:, None]
    true = (1.0 - betas - np.exp(epsilons) * alphas).max(axis=1)
    claimed = fit.curve().delta(epsilons[:, 0])
    exact = ((claimed - true) / (1.0 + np.exp(epsilons[:, 0]))).max()
    assert exact <= fit.regret <= 1.02 * exact


# --- crashes, hangs, memory ----------------------------------------------------------------------


def test_a_summary_is_compared_with_what_reveals_everything_now_and_then():
    found = regret(GDP(mu=5.0), TradeoffCurve.from_profile([0.0], [1e-3]))
    assert 0.0 < found < 0.5
    with pytest.raises((InvalidArgument, UnsupportedMechanism)):
        regret(GDP(mu=5.0), ApproxDP(epsilon=0.0, delta=1e-3) * 10)


@pytest.mark.parametrize("slack", [1e-3, 3e-4])
def test_a_slack_that_leaves_little_to_be_told_has_an_answer(slack):
    """So few frequencies are needed there that they are one block; a sum over blocks was empty."""
    run = PoissonSampled(Gaussian(sigma=7.106558558941891), rate=0.015578092764590377) * 10
    fit = fit_gdp(run, slack=slack)
    assert 0.0 <= fit.mu_lower <= fit.mu <= fit_gdp(run, slack=1e-6).mu
    # The advantage without sampling, 2 Phi(mu / 2) - 1, times the chance to be drawn at all.
    drawn = -math.expm1(10 * math.log1p(-0.015578092764590377))
    assert fit.advantage <= drawn * math.erf(math.sqrt(10) / 7.106558558941891 / math.sqrt(8))


@pytest.mark.usefixtures("three_gigabytes")
@pytest.mark.parametrize("mu", [5e6, 2e7, 1e99])
def test_a_mu_beyond_all_sense_has_a_curve(mu):
    curve = tradeoff_curve(GDP(mu=mu, slack=1e-12))
    assert curve.advantage == curve.tpr(1e-300) == 1.0
    assert fit_gdp(GDP(mu=mu, slack=1e-12)).mu <= mu


@pytest.mark.parametrize("step", [math.nan, -1e-4, 0.0, math.inf])
def test_a_loss_distribution_without_a_lattice_is_refused(step):
    masses = SimpleNamespace(
        _loss_probs={1: 0.75, -1: 0.25}, _infinity_mass=0.0, _discretization=step
    )
    pld = SimpleNamespace(_pmf_remove=masses, _pmf_add=masses, _symmetric=True)
    with pytest.raises(InvalidArgument, match="discretisation"):
        from_pld(pld)


def test_an_address_in_a_name_is_no_link():
    said = statement(Gaussian(sigma=1.0), name="www.example.org and WWW.other.org")
    written = said.to_markdown()
    assert "www\\.example.org and WWW\\.other.org" in written
    assert "www." not in written.lower()


@pytest.mark.parametrize(
    ("ask", "name"),
    [
        (lambda: sweep(1j), "settings"),
        (lambda: sweep([Gaussian(sigma=1.0)], columns=3), "columns"),
        (lambda: sweep([Gaussian(sigma=1.0)], columns=[None]), "columns"),
        (lambda: table(3.0), "runs"),
        (lambda: TradeoffCurve.from_vertices([10**400], [0.0]), "alphas"),
        (lambda: get_worst_case_regret(1j, [0.0], 1.0), "alphas"),
        (lambda: get_worst_case_regret([0.0, 1.0], [1.0, 0.0], np.ones(2)), "mu"),
        (lambda: delta_from_mu([[1.0, [2.0]]], 1.0), "lengths"),
        (lambda: audit([[1.0, [2.0]]], [1.0]), "lengths"),
        (lambda: audit([1.0], [1.0], threshold=np.ones(2)), "threshold"),
        (lambda: delta_divergence(GDP(mu=1.0), GDP(mu=2.0), symmetric=np.ones(2)), "symmetric"),
        (lambda: CTDAccountant().step(noise_multiplier=np.ones(2), sample_rate=0.1), "noise"),
        (lambda: from_registry(np.ones(2)), "registry"),
        (lambda: from_dp_accountant(10**5000), "accountant"),
        (lambda: tradeoff_curve(Laplace(scale=1.0)).group(2**63), "records"),
        (lambda: Budget.from_json("[" * 100_000), "Budget"),
        (lambda: AuditResult.from_json("[" * 100_000), "JSON"),
    ],
)
def test_what_was_a_bare_error_or_a_hang_names_its_argument(ask, name):
    with pytest.raises(GdpnumError, match=f"(?i){name}"):
        ask()


def test_a_loss_that_is_no_number_is_not_believed():
    # It was left out as not positive: perfect privacy was claimed.
    for losses in ({math.nan: 1.0}, {math.inf: 1.0}, {"a": 1.0}):
        masses = SimpleNamespace(_loss_probs=losses, _infinity_mass=0.0, _discretization=1.0)
        pld = SimpleNamespace(_pmf_remove=masses, _pmf_add=masses, _symmetric=True)
        with pytest.raises(InvalidArgument, match="pld"):
            from_pld(pld)


def test_a_registry_entry_is_yaml_or_refused():
    pytest.importorskip("yaml")
    for text in ("[" * 100_000, "!!python/object/apply:os.system ['true']", "1" * 10_000):
        with pytest.raises(InvalidArgument, match="registry"):
            from_registry(text)
    entry = {"dp_variant": {"variant_name": "Pure DP"}}
    entry["privacy_loss"] = {"privacy_parameters": {"epsilon": 1.0, "delta": math.nan}}
    with pytest.raises(UnsupportedMechanism):
        from_registry({"deployment": entry})


def test_numpy_may_raise_on_every_floating_point_event():
    run = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=100)
    quiet = fit_gdp(run), tradeoff_curve(run).tpr(0.01), tradeoff_curve(run).epsilon(1e-5)
    with np.errstate(all="raise"):
        loud = fit_gdp(run), tradeoff_curve(run).tpr(0.01), tradeoff_curve(run).epsilon(1e-5)
    assert quiet == loud


@pytest.mark.filterwarnings("error")
def test_a_shift_that_never_happens_is_no_warning():
    mixture = MixtureOfGaussians(sigma=2.0, shifts=[0, 2, 3], weights=[0.8, 0.1, 0.1])
    curve = tradeoff_curve(mixture * 5)
    # To forget four of five releases is a processing: one alone cannot tell more.
    assert curve.epsilon(1e-6) > tradeoff_curve(mixture).epsilon(1e-6)


def test_a_place_that_was_read_from_two_lines_is_no_error():
    run = DPSGD(noise_multiplier=5.060823970298419, sample_rate=0.023837393911639294, steps=7)
    found, beside = fit_gdp(run, slack=1e-6), fit_gdp(run, slack=1e-6, grid_step=2e-4)
    assert beside.mu_lower <= found.mu
    assert found.mu_lower <= beside.mu
