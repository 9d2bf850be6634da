"""From mu to delta, epsilon, advantage, TPR and rho, and back: never below, hardly above."""

import math
from decimal import Decimal
from fractions import Fraction
from inspect import signature

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp, mpf

from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.formulas.conversions import (
    _root,
    advantage_from_mu,
    delta_from_mu,
    epsilon_from_mu,
    mu_from_advantage,
    mu_from_epsilon,
    mu_from_epsilon_delta,
    mu_from_rho,
    mu_from_tpr,
    rho_from_mu,
    tpr_from_mu,
)
from tests.oracles.gaussian_dp import (
    gdp_advantage,
    gdp_delta,
    normal_cdf,
    normal_quantile,
)

# How far above the exact value a result may be.
ABOVE = mpf("1e-11")

mus = st.floats(-6.0, 2.0).map(lambda power: 10.0**power)
probabilities = st.one_of(
    st.floats(-300.0, 0.0).map(lambda power: 10.0**power),
    st.floats(-15.0, -0.3).map(lambda power: 1.0 - 10.0**power),
    st.floats(0.01, 0.99),
)
inner_probabilities = probabilities.filter(lambda value: 0.0 < value < 1.0)


@st.composite
def profile_points(draw):
    """A mu, and an epsilon at which its delta is above 1e-300."""
    mu = draw(mus)
    x = draw(st.floats(-min(mu / 2, 40.0), 36.4))
    return mu, mu * max(0.0, x + mu / 2)


@pytest.fixture(autouse=True)
def sixty_digits():
    with mp.workdps(60):
        yield


def exact_delta(epsilon, mu):
    """delta_mu(eps); its two terms share as many digits as mu has zeros."""
    with mp.workdps(60 + max(0, int(-mp.log10(mu)))):
        return gdp_delta(epsilon, mu)


# --- delta --------------------------------------------------------------------------------------


@given(profile_points())
def test_delta_is_not_understated(point):
    mu, epsilon = point
    exact = exact_delta(epsilon, mu)
    assert delta_from_mu(mu, epsilon) >= exact


@given(profile_points())
def test_delta_is_hardly_overstated(point):
    mu, epsilon = point
    assert delta_from_mu(mu, epsilon) <= exact_delta(epsilon, mu) * (1 + ABOVE)


@given(mus, st.floats(0.0, 1e4), st.floats(0.0, 1e4))
def test_delta_falls_in_epsilon(mu, one, other):
    low, high = sorted((one, other))
    assert delta_from_mu(mu, high) <= delta_from_mu(mu, low) * (1 + 1e-11)


@given(mus, mus, st.floats(0.0, 1e4))
def test_delta_rises_in_mu(one, other, epsilon):
    low, high = sorted((one, other))
    assert delta_from_mu(low, epsilon) <= delta_from_mu(high, epsilon) * (1 + 1e-11)


def test_delta_is_zero_without_mu_and_only_then():
    assert delta_from_mu(0.0, 0.0) == delta_from_mu(0.0, 5.0) == 0.0
    assert delta_from_mu(1e-6, 1e4) == delta_from_mu(1.0, 1e300) == 5e-324
    assert delta_from_mu(5e-324, 1e308) > 0.0


def test_delta_is_at_most_one():
    assert delta_from_mu(100.0, 0.0) == delta_from_mu(1e308, 1e308) == 1.0


# --- epsilon ------------------------------------------------------------------------------------


@given(mus, inner_probabilities)
def test_epsilon_is_not_understated(mu, delta):
    """Delta falls in epsilon: at the epsilon returned it must not be above the one asked for."""
    assert exact_delta(epsilon_from_mu(mu, delta), mu) <= delta


@given(mus, inner_probabilities)
def test_epsilon_is_hardly_overstated(mu, delta):
    epsilon = mpf(epsilon_from_mu(mu, delta))
    smaller = epsilon / (1 + ABOVE) - mpf("1e-12") * mu
    assert smaller < 0 or exact_delta(smaller, mu) > delta


@given(mus, inner_probabilities, inner_probabilities)
def test_epsilon_falls_in_delta(mu, one, other):
    low, high = sorted((one, other))
    assert epsilon_from_mu(mu, high) <= epsilon_from_mu(mu, low) * (1 + 1e-11) + 1e-12 * mu


@given(mus, mus, inner_probabilities)
def test_epsilon_rises_in_mu(one, other, delta):
    low, high = sorted((one, other))
    assert epsilon_from_mu(low, delta) <= epsilon_from_mu(high, delta) * (1 + 1e-11) + 1e-12 * low


@given(mus)
def test_epsilon_is_zero_from_the_advantage_on(mu):
    advantage = advantage_from_mu(mu)
    assert epsilon_from_mu(mu, advantage) == epsilon_from_mu(mu, 1.0) == 0.0
    assume(advantage < 1.0)
    assert epsilon_from_mu(mu, advantage * (1 - 1e-9)) > 0.0


def test_epsilon_without_mu_is_zero_and_without_delta_infinite():
    assert epsilon_from_mu(0.0, 0.0) == epsilon_from_mu(0.0, 0.5) == 0.0
    assert epsilon_from_mu(1e-6, 0.0) == epsilon_from_mu(100.0, 0.0) == math.inf


def test_an_epsilon_beyond_the_floats_is_infinite():
    assert epsilon_from_mu(1.3e154, 0.5) == pytest.approx(1.3e154**2 / 2, rel=1e-11)
    assert epsilon_from_mu(1.89e154, 0.5) == epsilon_from_mu(1e300, 0.5) == math.inf


# --- mu of a Gaussian mechanism calibrated to (epsilon, delta) ----------------------------------


@given(st.floats(0.0, 700.0), inner_probabilities)
def test_mu_of_a_calibrated_gaussian_is_not_understated(epsilon, delta):
    """Delta rises in mu: at the mu returned it must not be below the one asked for."""
    assert exact_delta(epsilon, mu_from_epsilon_delta(epsilon, delta)) >= delta


@given(st.floats(0.0, 700.0), inner_probabilities)
def test_mu_of_a_calibrated_gaussian_is_hardly_overstated(epsilon, delta):
    smaller = mpf(mu_from_epsilon_delta(epsilon, delta)) / (1 + ABOVE)
    assert exact_delta(epsilon, smaller) < delta


@given(mus, inner_probabilities)
def test_mu_comes_back_from_its_epsilon(mu, delta):
    epsilon = epsilon_from_mu(mu, delta)
    assume(epsilon > 0.0)
    assert mu_from_epsilon_delta(epsilon, delta) == pytest.approx(mu, rel=1e-9)


@given(st.floats(0.0, 700.0), inner_probabilities)
def test_epsilon_comes_back_from_its_mu(epsilon, delta):
    """A relative error r of mu moves epsilon by r (epsilon + mu + mu^2 / 2) at most."""
    mu = mu_from_epsilon_delta(epsilon, delta)
    allowed = 1e-10 * (epsilon + mu + mu**2)
    assert epsilon_from_mu(mu, delta) == pytest.approx(epsilon, rel=0.0, abs=allowed)


@given(st.floats(0.0, 700.0), st.floats(0.0, 700.0), inner_probabilities, inner_probabilities)
def test_mu_rises_in_epsilon_and_in_delta(one, other, delta, delta_too):
    (low, high), (few, many) = sorted((one, other)), sorted((delta, delta_too))
    assert mu_from_epsilon_delta(low, few) <= mu_from_epsilon_delta(high, few) * (1 + 1e-11)
    assert mu_from_epsilon_delta(low, few) <= mu_from_epsilon_delta(low, many) * (1 + 1e-11)


def test_mu_of_a_calibrated_gaussian_at_the_ends_of_delta():
    assert mu_from_epsilon_delta(0.0, 0.0) == mu_from_epsilon_delta(3.0, 0.0) == 0.0
    assert mu_from_epsilon_delta(0.0, 1.0) == mu_from_epsilon_delta(3.0, 1.0) == math.inf


def test_the_docstring_says_whose_mu_it_is_not():
    text = " ".join(mu_from_epsilon_delta.__doc__.split())
    assert "*not* the mu of an arbitrary (epsilon, delta)-DP mechanism" in text


TABLE_3 = """
0.1: 0.03 0.03 0.02
0.5: 0.14 0.12 0.09
  1: 0.27 0.24 0.18
  2: 0.50 0.45 0.35
  4: 0.92 0.84 0.67
  6: 1.31 1.20 0.97
  8: 1.67 1.53 1.26
 10: 2.00 1.85 1.54
"""


@pytest.mark.parametrize("row", TABLE_3.strip().splitlines())
def test_table_3_of_the_paper(row):
    epsilon, entries = row.split(":")
    found = [f"{mu_from_epsilon_delta(float(epsilon), delta):.2f}" for delta in (1e-5, 1e-6, 1e-9)]
    assert found == entries.split()


# --- pure DP ------------------------------------------------------------------------------------


@given(st.one_of(st.floats(-6.0, 4.0).map(lambda power: 10.0**power), st.floats(0.5, 50.0)))
def test_mu_of_pure_dp_is_that_of_randomised_response(epsilon):
    exact = -2 * normal_quantile(1 / (mp.exp(epsilon) + 1))
    assert mu_from_epsilon(epsilon) >= exact
    assert mu_from_epsilon(epsilon) <= exact * (1 + ABOVE)


@given(st.floats(1e-3, 30.0))
def test_the_gaussian_of_pure_dp_covers_its_profile(epsilon):
    """delta_mu(e) is at least (exp(epsilon) - exp(e)) / (exp(epsilon) + 1) for e >= 0."""
    mu = mu_from_epsilon(epsilon)
    for share in (0.0, 0.3, 0.9):
        at = share * mpf(epsilon)
        assert exact_delta(at, mu) >= (mp.exp(epsilon) - mp.exp(at)) / (mp.exp(epsilon) + 1)


def test_mu_of_pure_dp_at_the_ends():
    assert mu_from_epsilon(0.0) == 0.0
    # -Phi^-1(exp(-e)) -> sqrt(2 e)
    assert mu_from_epsilon(1.7e308) == pytest.approx(2.0 * math.sqrt(3.4) * 1e154, rel=1e-12)


# --- attacks ------------------------------------------------------------------------------------


@given(mus)
def test_advantage_is_not_understated(mu):
    assert advantage_from_mu(mu) >= gdp_advantage(mu)


@given(mus)
def test_advantage_is_hardly_overstated(mu):
    assert advantage_from_mu(mu) <= gdp_advantage(mu) * (1 + ABOVE)


@given(inner_probabilities)
def test_mu_of_an_advantage_is_not_understated(advantage):
    assert gdp_advantage(mu_from_advantage(advantage)) >= advantage


@given(inner_probabilities)
def test_mu_of_an_advantage_is_hardly_overstated(advantage):
    assert gdp_advantage(mpf(mu_from_advantage(advantage)) / (1 + ABOVE)) < advantage


def test_advantage_at_its_ends():
    assert advantage_from_mu(0.0) == mu_from_advantage(0.0) == 0.0
    assert advantage_from_mu(1e308) == 1.0
    assert mu_from_advantage(1.0) == math.inf


@given(mus, inner_probabilities)
def test_tpr_is_not_understated(mu, fpr):
    assert tpr_from_mu(mu, fpr) >= normal_cdf(normal_quantile(fpr) + mu)


@given(mus, inner_probabilities)
def test_tpr_is_hardly_overstated(mu, fpr):
    assert tpr_from_mu(mu, fpr) <= normal_cdf(normal_quantile(fpr) + mu) * (1 + ABOVE)


@given(mus, mus, inner_probabilities, inner_probabilities)
def test_tpr_rises_in_mu_and_in_fpr(one, other, fpr, fpr_too):
    (low, high), (few, many) = sorted((one, other)), sorted((fpr, fpr_too))
    assert few <= tpr_from_mu(low, few) <= tpr_from_mu(high, few) * (1 + 1e-11)
    assert tpr_from_mu(low, few) <= tpr_from_mu(low, many) * (1 + 1e-11)


@given(inner_probabilities, inner_probabilities)
def test_mu_of_an_attack_is_neither_understated_nor_much_overstated(one, other):
    fpr, tpr = sorted((one, other))
    exact = normal_quantile(tpr) - normal_quantile(fpr)
    assert mu_from_tpr(tpr, fpr) >= exact
    assert mu_from_tpr(tpr, fpr) <= exact * (1 + ABOVE) + mpf("1e-13")


@given(mus, inner_probabilities)
def test_mu_comes_back_from_its_tpr(mu, fpr):
    """Where TPR has the digits to tell: away from one."""
    tpr = tpr_from_mu(mu, fpr)
    assume(tpr < 0.9)
    assert mu_from_tpr(tpr, fpr) == pytest.approx(mu, rel=1e-11, abs=1e-12)


def test_attacks_at_the_ends():
    assert tpr_from_mu(3.0, 0.0) == 0.0
    assert tpr_from_mu(3.0, 1.0) == tpr_from_mu(1e308, 1e-300) == 1.0
    assert tpr_from_mu(0.0, 0.3) == 0.3
    assert mu_from_tpr(0.3, 0.3) == 0.0
    with pytest.raises(InvalidArgument, match=r"tpr=0\.1 is below fpr=0\.3.*exchange the two"):
        mu_from_tpr(0.1, 0.3)
    assert mu_from_tpr(0.0, 0.0) == mu_from_tpr(1.0, 1.0) == 0.0
    assert mu_from_tpr(1.0, 0.5) == mu_from_tpr(1e-300, 0.0) == math.inf


FPRS = (1e-4, 1e-3, 0.01, 0.1, 0.25, 0.5, 0.75, 0.95, 0.99)
TABLE_4 = """
0.10: 0.0399 | 0.0001 0.0014 0.0130 0.1187 0.2828 0.5398 0.7807 0.9595 0.9924
0.25: 0.0995 | 0.0003 0.0023 0.0189 0.1511 0.3356 0.5987 0.8224 0.9709 0.9950
0.50: 0.1974 | 0.0006 0.0048 0.0339 0.2172 0.4307 0.6915 0.8799 0.9840 0.9976
0.75: 0.2923 | 0.0015 0.0096 0.0575 0.2975 0.5301 0.7734 0.9228 0.9917 0.9990
1.00: 0.3829 | 0.0033 0.0183 0.0924 0.3891 0.6276 0.8413 0.9530 0.9959 0.9996
1.25: 0.4680 | 0.0068 0.0329 0.1409 0.4874 0.7175 0.8944 0.9729 0.9981 0.9998
1.50: 0.5467 | 0.0132 0.0559 0.2043 0.5865 0.7955 0.9332 0.9852 0.9992 0.9999
2.00: 0.6827 | 0.0428 0.1378 0.3721 0.7638 0.9075 0.9772 0.9963 0.9999 1.0000
"""


@pytest.mark.parametrize("row", TABLE_4.strip().splitlines())
def test_table_4_of_the_paper(row):
    mu, advantage, tprs = row.replace("|", ":").split(":")
    assert f"{advantage_from_mu(float(mu)):.4f}" == advantage.strip()
    assert [f"{tpr_from_mu(float(mu), fpr):.4f}" for fpr in FPRS] == tprs.split()


# --- zero-concentrated DP -----------------------------------------------------------------------


@given(st.floats(0.0, 1e150))
def test_rho_is_the_next_float_from_half_the_square_of_mu(mu):
    rho = rho_from_mu(mu)
    assert Fraction(rho) >= Fraction(mu) ** 2 / 2
    assert rho == 0.0 or Fraction(math.nextafter(rho, 0.0)) < Fraction(mu) ** 2 / 2


@given(st.floats(0.0, 1.79e308))
def test_mu_is_the_next_float_from_the_root_of_twice_rho(rho):
    mu = mu_from_rho(rho, assuming="gaussian")
    assert Fraction(mu) ** 2 >= 2 * Fraction(rho)
    assert mu == 0.0 or Fraction(math.nextafter(mu, 0.0)) ** 2 < 2 * Fraction(rho)


def test_a_square_beyond_the_floats_is_infinite():
    assert rho_from_mu(1e200) == math.inf


@pytest.mark.parametrize("assuming", [None, "", "Gaussian", "laplace", True, 1, ["gaussian"]])
def test_rho_alone_has_no_mu_and_the_error_says_why(assuming):
    with pytest.raises(InvalidArgument) as caught:
        mu_from_rho(0.5, assuming=assuming)
    message = str(caught.value)
    assert message.startswith(f"assuming={assuming!r} is not an option")
    assert "rho-zCDP alone implies no finite mu" in message
    assert "pass assuming='gaussian'" in message


def test_the_assumption_about_rho_cannot_be_left_out():
    with pytest.raises(TypeError, match="assuming"):
        mu_from_rho(0.5)


# --- arguments ----------------------------------------------------------------------------------


def gaussian_mu_from_rho(rho):
    return mu_from_rho(rho, assuming="gaussian")


FUNCTIONS = [
    advantage_from_mu,
    delta_from_mu,
    epsilon_from_mu,
    gaussian_mu_from_rho,
    mu_from_advantage,
    mu_from_epsilon,
    mu_from_epsilon_delta,
    mu_from_tpr,
    rho_from_mu,
    tpr_from_mu,
]
OF_MU = [advantage_from_mu, delta_from_mu, epsilon_from_mu, tpr_from_mu]
ARGUMENTS = [(function, name) for function in FUNCTIONS for name in signature(function).parameters]
NOT_NUMBERS = [True, np.True_, "0.5", None, 0.5j, np.array(0.5), np.array([0.5, 1j]), ["0.5"]]
NOT_FINITE = [math.nan, math.inf, -math.inf, np.float64("nan"), Decimal("NaN"), 10**400]
every_argument = pytest.mark.parametrize(
    ("function", "name"), ARGUMENTS, ids=lambda part: getattr(part, "__name__", part)
)


def call(function, name, value):
    others = dict.fromkeys(signature(function).parameters, 0.5)
    if function is mu_from_tpr:
        others["fpr"] = 0.1  # a TPR is above it
    return function(**{**others, name: value})


@every_argument
@pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
def test_what_is_not_a_number_is_refused_by_name(function, name, value):
    with pytest.raises(InvalidType, match=rf"^{name}=.*not a number; pass "):
        call(function, name, value)


@every_argument
@pytest.mark.parametrize("value", NOT_FINITE, ids=repr)
def test_what_is_not_finite_is_refused_by_name(function, name, value):
    with pytest.raises(InvalidArgument, match=rf"^{name}=.*not a finite float; pass "):
        call(function, name, value)


@every_argument
def test_what_is_out_of_range_is_refused_by_name_and_value(function, name):
    unbounded = name in {"mu", "epsilon", "rho"}
    for value in (-1e-9,) if unbounded else (-1e-9, 1.0 + 1e-9):
        what = "is negative" if unbounded else r"is outside \[0, 1\]"
        with pytest.raises(InvalidArgument, match=rf"^{name}={value!r} {what}; pass "):
            call(function, name, value)


@every_argument
def test_any_kind_of_number_gives_the_same_float(function, name):
    for value in (np.float32(0.25), Fraction(1, 4), Decimal("0.25")):
        found = call(function, name, value)
        assert type(found) is float
        assert found == call(function, name, 0.25)


@pytest.mark.parametrize(
    ("function", "name"),
    [one for one in ARGUMENTS if one[0] not in OF_MU],
    ids=lambda part: getattr(part, "__name__", part),
)
def test_only_what_follows_from_mu_takes_arrays(function, name):
    with pytest.raises(InvalidType, match=rf"^{name}=.*not a number; pass "):
        call(function, name, np.array([0.5, 0.6]))


@pytest.mark.parametrize("function", OF_MU)
def test_an_array_of_mus_is_answered_one_by_one(function):
    mus = np.array([[0.0, 0.5], [1.0, 3.0]])
    others = [np.array([0.2, 0.01])] * (len(signature(function).parameters) - 1)
    found = function(mus, *others)
    assert found.shape == (2, 2)
    for (row, column), value in np.ndenumerate(found):
        assert value == function(mus[row, column], *(other[column] for other in others))
    if others:
        with pytest.raises(InvalidArgument, match=r"shapes \(2,\) and \(3,\) do not go together"):
            function(np.ones(2), np.zeros(3))


@given(st.floats(1e-3, 1e3))
def test_a_root_is_approached_from_above(level):
    def rising(value):
        return value**9 - level

    root = _root(rising, 1e-3, 1e3)
    assert rising(root) >= 0.0
    assert rising(root * (1 - 1e-13)) < 0.0


ENDS = [0.0, 5e-324, 1e-310, 1e-100, 1e-6, 0.1, 0.5, 1 - 2**-53, 1.0]
BEYOND = [3.0, 700.0, 1e8, 1e77, 1e154, 1e155, 1.79e308]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_no_corner_of_the_arguments_gives_nan_or_a_warning(function):
    def corners(name):
        return ENDS + BEYOND if name in {"mu", "epsilon", "rho"} else ENDS

    first, *others = signature(function).parameters
    for value in corners(first):
        for other in corners(others[0]) if others else [None]:
            if function is mu_from_tpr and value < other:
                continue  # refused, as exchanged
            found = function(value, *([other] if others else []))
            assert found >= 0.0, (value, other)
