import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gdpnum import GDP, InvalidArgument, InvalidType, fit_gdp
from gdpnum.converter import PLDConverter, gaussian_fdp, get_worst_case_regret
from gdpnum.integrations.pld import from_pld, is_symmetric, ordered_curve
from tests.curves import vertex_lists
from tests.distributions import distribution, identity, randomized_response, side, sides
from tests.examples import examples
from tests.oracles import divergence, loss_masses

EPSILONS = [0.0, 1e-12, 0.03, 0.1, 0.1 + 1e-9, 0.25, 0.4, 0.55, 0.7, 0.7999, 0.8, 1.0, 50.0]


def exact_delta(pld, epsilon):
    found = [
        loss_masses.profile(one._loss_probs, one._infinity_mass, one._discretization, epsilon)
        for one in (pld._pmf_remove, pld._pmf_add)
    ]
    return min(max(found), 1)


# --- the curve of a distribution ----------------------------------------------------------------


@given(sides(), st.none() | sides())
def test_the_curve_is_never_more_private_than_the_distribution(remove, add):
    pld = distribution(remove, add)
    curve = from_pld(pld)
    for epsilon in EPSILONS:
        assert curve.delta(epsilon) >= exact_delta(pld, epsilon)


@given(sides(), st.none() | sides())
def test_the_curve_gives_nothing_away_but_rounding(remove, add):
    pld = distribution(remove, add)
    curve = from_pld(pld)
    for epsilon in EPSILONS:
        assert curve.delta(epsilon) <= exact_delta(pld, epsilon) + 2e-14


@given(sides(), sides())
def test_exchanging_add_and_remove_changes_nothing(remove, add):
    # Each lies above the same exact profile by rounding alone (the test above): 2e-14 between them.
    one, other = distribution(remove, add), distribution(add, remove)
    assert from_pld(one).delta(EPSILONS) == pytest.approx(
        from_pld(other).delta(EPSILONS), abs=2e-14
    )
    first, second = PLDConverter(one), PLDConverter(other)
    assert first.get_mu_and_regret(err=0.3) == pytest.approx(second.get_mu_and_regret(err=0.3))
    assert first.get_beta() == pytest.approx(second.get_beta(), abs=1e-14)


@given(sides(), sides())
def test_negative_epsilons_follow_from_the_symmetry_of_the_relation(remove, add):
    curve = from_pld(distribution(remove, add))
    for epsilon in EPSILONS[:-1]:
        mirrored = 1.0 - math.exp(-epsilon) * (1.0 - curve.delta(epsilon))
        assert curve.delta(-epsilon) == pytest.approx(mirrored, abs=1e-15)


@given(sides())
def test_dense_and_sparse_masses_have_the_same_curve(remove):
    whole = {}
    for number, mass in remove._loss_probs.items():
        whole[round(number)] = whole.get(round(number), 0.0) + mass
    sparse = side(whole, infinite=remove._infinity_mass)
    dense = side(
        (-8, [whole.get(number, 0.0) for number in range(-8, 9)]), infinite=remove._infinity_mass
    )
    first, second = from_pld(distribution(sparse)), from_pld(distribution(dense))
    assert first.delta(EPSILONS) == pytest.approx(second.delta(EPSILONS), abs=1e-15)


def test_losses_may_lie_anywhere():
    far = {-(10**9): 0.25, 0.5: 0.25, 10**9: 0.5}
    curve = from_pld(distribution(side(far, step=1e-6)))
    assert curve.delta(1e-7) == pytest.approx(0.5 + 0.25 * -math.expm1(-4e-7), abs=1e-14)
    assert curve.delta(900.0) == pytest.approx(0.5)
    assert curve.delta(1001.0) == 0.0


def test_what_a_transform_leaves_below_zero_counts_as_nothing():
    noisy = side((-1, [0.2, 0.3, 0.5, -1e-18, 1e-19, -1e-19]))
    clean = side((-1, [0.2, 0.3, 0.5, 0.0, 1e-19, 0.0]))
    first, second = from_pld(distribution(noisy)), from_pld(distribution(clean))
    assert first == second


def test_a_curve_of_one_direction_composes_to_that_of_both():
    p = {1: 0.6, -1: 0.3, -2: 0.1}
    q = {number: mass * math.exp(-0.1 * number) for number, mass in p.items()}
    rest = 1.0 - sum(q.values())
    pld = distribution(
        side(p, infinite=0.0), side({-n: m for n, m in q.items()}, infinite=max(rest, 0.0))
    )
    both, one = from_pld(pld), ordered_curve(pld)
    assert one.symmetrised().delta(EPSILONS) == pytest.approx(both.delta(EPSILONS), abs=1e-12)


def test_a_distribution_without_visible_masses_is_read_by_its_profile():
    class Hidden:
        def get_delta_for_epsilon(self, epsilon):
            return GDP(mu=1.0).curve().delta(epsilon)

    curve = from_pld(Hidden())
    exact = GDP(mu=1.0).curve()
    epsilons = np.linspace(0.0, 12.0, 997)
    assert (curve.delta(epsilons) >= exact.delta(epsilons) * (1.0 - 1e-12)).all()
    assert fit_gdp(curve).mu == pytest.approx(1.0, abs=1e-4)
    assert ordered_curve(Hidden()).delta(1.0) == curve.delta(1.0)


def test_an_optimistic_distribution_is_refused():
    with pytest.raises(InvalidArgument, match="optimistic"):
        from_pld(distribution(side({0: 1.0}, pessimistic=False)))


def test_masses_that_are_not_numbers_are_refused():
    with pytest.raises(InvalidArgument, match="not finite"):
        from_pld(distribution(side({0: math.nan})))


@pytest.mark.parametrize("masses", [{0: 0.5, 1: 0.49}, {0: 0.5, 1: 0.51}, {}])
def test_masses_that_do_not_sum_to_one_are_refused(masses):
    with pytest.raises(InvalidArgument, match="not to 1"):
        from_pld(distribution(side(masses)))
    with pytest.raises(InvalidArgument, match="not to 1"):
        ordered_curve(distribution(side({0: 1.0}), side(masses)))


def test_a_mass_that_is_missing_may_be_at_infinity():
    curve = from_pld(distribution(side({0: 1.0 - 1e-6})))
    assert curve.delta(1e9) == pytest.approx(1e-6)
    assert curve.delta(1e9) >= 1e-6 * (1.0 - 1e-9)
    rounded = from_pld(distribution(side({0: 1.0 - 1e-13})))
    assert rounded.delta(1e9) == 0.0


def test_a_distribution_that_does_not_say_that_it_is_symmetric_is_read_both_ways():
    remove, add = side({0: 1.0}), side({0: 0.5}, infinite=0.5)
    silent = SimpleNamespace(_pmf_remove=remove, _pmf_add=add)
    assert from_pld(silent).delta(0.0) == pytest.approx(0.5)
    assert not is_symmetric(silent)
    assert is_symmetric(SimpleNamespace(_pmf_remove=remove))


@pytest.mark.parametrize("wrong", [None, 1.0, "pld", [1.0]])
def test_what_is_no_distribution_is_refused(wrong):
    with pytest.raises(InvalidType, match="not a privacy loss distribution"):
        PLDConverter(wrong)


# --- mu and regret ------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.01, 0.75, 2.0, 5.0])
def test_randomized_response_has_the_mu_of_its_formula(epsilon):
    exact = -2.0 * stats.norm.ppf(1.0 / (math.exp(epsilon) + 1.0))
    mu = PLDConverter(randomized_response(epsilon)).get_mu(err=0.0)
    assert exact * (1.0 - 1e-12) <= mu <= exact * (1.0 + 1e-11) + 1e-12


@examples(25)
@given(sides(largest_infinite=0.005), st.none() | sides(largest_infinite=0.005))
def test_mu_holds_and_no_smaller_one_does(remove, add):
    pld, slack = distribution(remove, add), 0.01
    mu = PLDConverter(pld).get_mu(err=slack)
    if mu > 20.0:  # next to no overlap, and next to infinite
        return
    epsilons = np.linspace(0.0, 1.0, 101)
    deltas = np.array([float(exact_delta(pld, epsilon)) for epsilon in epsilons])
    allowed = np.asarray(GDP(mu=mu).curve().delta(epsilons)) + slack
    assert (deltas <= allowed * (1.0 + 1e-12)).all()
    # Where a direction's best attacks lie beyond the diagonal, no mechanism has such a profile.
    alphas, tprs = from_pld(pld).steep.from_zero()
    if mu > 1e-6 and (alphas + tprs <= 1.0 + 1e-9).all():
        # The best attacks are at the vertices; one of them does too well for less.
        less = GDP(mu=mu * (1.0 - 1e-6)).curve().tpr(alphas)
        assert (tprs - slack > less * (1.0 - 1e-12)).any()


def test_a_mass_at_infinity_above_the_slack_has_no_mu():
    converter = PLDConverter(distribution(side({1: 0.5, -1: 0.5 - 1e-9}, infinite=1e-9)))
    assert converter.get_mu() == math.inf
    assert converter.get_mu_and_regret()[0] == math.inf
    assert 0.0 < converter.get_mu(err=2e-9) < math.inf


def test_the_identity_reveals_nothing():
    converter = PLDConverter(identity())
    assert converter.get_mu_and_regret() == (0.0, pytest.approx(0.5e-10, rel=1e-3))
    assert converter.get_advantage() == 0.0
    assert converter.get_beta(0.25) == 0.75


def test_regret_is_that_of_the_vertices():
    converter = PLDConverter(randomized_response(1.0))
    mu, regret = converter.get_mu_and_regret()
    alphas, betas = converter.alphas_symm, converter.betas_symm
    # The published function knows no slack; that of mu is charged, half of it at most.
    assert regret == pytest.approx(get_worst_case_regret(alphas, betas, mu), abs=1e-10)
    assert regret == pytest.approx(0.05754639605009339, abs=1e-9)


# --- the published interface --------------------------------------------------------------------


@pytest.fixture
def converter():
    """Removing tells less than adding does: P = (.6, .4) against Q = (.5, .5), and back."""
    up, down = math.log(0.6 / 0.5), math.log(0.4 / 0.5)
    remove = {up: 0.6, down: 0.4}
    add = {-up: 0.5, -down: 0.5}
    return PLDConverter(distribution(side(remove, step=1.0), side(add, step=1.0)))


def test_f_is_the_curve_of_removing_a_record(converter):
    assert not converter.is_symmetric
    assert set(np.round(converter.alphas, 12)) == {0.0, 0.5, 1.0}
    assert set(np.round(converter.betas, 12)) == {1.0, 0.4, 0.0}
    assert converter.tradeoff_function(0.25) == pytest.approx(0.7)
    assert converter.inverse_tradeoff_function(0.4) == pytest.approx(0.5)
    grid = np.linspace(0.0, 1.0, 11)
    assert converter.tradeoff_function(grid) == pytest.approx(
        np.interp(grid, converter.alphas, converter.betas), abs=1e-12
    )


def test_the_symmetric_curve_is_below_f_and_its_inverse(converter):
    grid = np.linspace(0.0, 1.0, 101)
    symmetric = converter.get_beta(grid)
    assert (symmetric <= converter.tradeoff_function(grid) + 1e-12).all()
    assert (symmetric <= converter.inverse_tradeoff_function(grid) + 1e-12).all()
    assert np.interp(0.5, converter.alphas_symm, converter.betas_symm) == pytest.approx(0.4)
    assert np.interp(0.4, converter.alphas_symm, converter.betas_symm) == pytest.approx(0.5)


def test_by_default_beta_is_told_at_eight_alphas(converter):
    betas = converter.get_beta()
    assert betas.shape == (8,)
    assert betas[-1] == pytest.approx((1.0 - converter.get_advantage()) / 2.0)
    assert (np.diff(betas) < 0.0).all()


def test_a_number_in_is_a_number_out(converter):
    assert type(converter.get_beta(0.1)) is float
    assert type(converter.get_beta(np.float64(0.1))) is float
    assert converter.get_beta([0.1]).shape == (1,)
    assert converter.get_beta(input_alphas=np.array([0.1, 0.2])).shape == (2,)
    assert type(converter.get_mu()) is float
    assert type(converter.get_mu_and_regret()) is tuple


def test_a_symmetric_distribution_has_one_curve():
    converter = PLDConverter(randomized_response(1.0))
    assert converter.is_symmetric
    assert np.array_equal(converter.alphas, converter.alphas_symm)
    assert np.array_equal(converter.betas, converter.betas_symm)


def test_a_converter_can_be_pickled():
    converter = PLDConverter(randomized_response(1.0))
    mu = converter.get_mu()
    assert pickle.loads(pickle.dumps(converter)).get_mu() == mu


def test_a_slack_outside_its_range_is_refused(converter):
    with pytest.raises(InvalidArgument, match="slack"):
        converter.get_mu(err=1.0)


# --- regret of vertices, and f_mu ---------------------------------------------------------------


@given(vertex_lists(), st.just(0.0) | st.floats(1e-3, 4.0))
def test_worst_case_regret_is_delta_by_its_definition(points, mu):
    alphas, betas = points
    f = lambda alpha: np.interp(alpha, alphas, betas)  # noqa: E731
    expected = divergence.delta_divergence(f, gaussian_fdp(mu), points=20_001)
    # The oracle looks at a grid, between whose points f may fall steeply from the first on.
    assert get_worst_case_regret(alphas, betas, mu) >= expected - 1e-9
    assert get_worst_case_regret(alphas, betas, mu) == pytest.approx(expected, abs=2e-2)


def test_vertices_missing_at_the_ends_do_not_lower_the_regret():
    alphas, betas = np.array([0.0, 0.25, 1.0]), np.array([1.0, 0.25, 0.0])
    whole = get_worst_case_regret(alphas, betas, 2.0)
    assert get_worst_case_regret(alphas[1:2], betas[1:2], 2.0) == pytest.approx(whole)
    assert get_worst_case_regret([0.1, 0.25], [0.7, 0.25], 2.0) == pytest.approx(whole)


def test_a_dent_does_not_lower_the_regret():
    alphas = np.array([0.0, 0.1, 0.2, 0.25, 1.0])
    straight = np.array([1.0, 0.7, 0.4, 0.25, 0.0])
    raised = straight + np.array([0.0, 0.0, 1e-7, 0.0, 0.0])
    plain = get_worst_case_regret(alphas, straight, 2.0)
    assert plain <= get_worst_case_regret(alphas, raised, 2.0) <= plain + 1.01e-7


@pytest.mark.parametrize(
    ("alphas", "betas"),
    [
        ([], []),
        ([0.0, 1.0], [1.0]),
        ([[0.0, 1.0]], [[1.0, 0.0]]),
        ([0.0, 1.5], [1.0, 0.0]),
        ([0.0, 1.0], [1.0, math.nan]),
        ([0.5, 0.2], [0.5, 0.1]),
        ([0.2, 0.5], [0.1, 0.5]),
    ],
)
def test_vertices_that_are_none_are_refused(alphas, betas):
    with pytest.raises(InvalidArgument):
        get_worst_case_regret(alphas, betas, 1.0)


def test_the_regret_of_no_privacy_is_half_of_what_is_left():
    assert get_worst_case_regret([0.0, 1.0], [1.0, 0.0], math.inf) == pytest.approx(0.5)


@pytest.mark.parametrize("mu", [0.0, 0.5, 3.0])
def test_gaussian_fdp_is_f_mu(mu):
    alphas = np.array([0.0, 1e-12, 0.01, 0.5, 1.0])
    expected = stats.norm.cdf(stats.norm.isf(alphas) - mu)
    assert gaussian_fdp(mu)(alphas) == pytest.approx(expected, rel=1e-12)
    assert type(gaussian_fdp(mu)(0.1)) is float


@pytest.mark.parametrize("mu", [-1.0, math.nan, "1"])
def test_gaussian_fdp_needs_a_mu(mu):
    with pytest.raises((InvalidArgument, InvalidType)):
        gaussian_fdp(mu)
