"""Where false negatives are fewer than the slack, mu is bounded as closely as anywhere else."""

import pytest

from gdpnum import PureDP, fit_gdp
from tests.oracles import naive

# Each was once refused, or its bracket too wide.
CASES = [
    (1.1714817926904404, 86, 1e-12),
    (1.5924093672172575, 122, 1e-10),
    (2.8541171810326116, 61, 1e-10),
    (3.540327465993002, 61, 1e-12),
    pytest.param(3.08428004348914, 147, 1e-12, marks=pytest.mark.slow),
    pytest.param(2.3399927859607237, 243, 1e-10, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("epsilon", "count", "slack"), CASES)
def test_many_pure_releases_have_the_mu_of_their_binomial(epsilon, count, slack):
    exact = naive.mu(naive.repeated(naive.pure_dp(epsilon), count), slack)
    fit = fit_gdp(PureDP(epsilon=epsilon) * count, slack=slack)
    assert fit.mu_lower <= exact <= fit.mu
    assert fit.mu <= exact * 1.002
    assert fit.mu - fit.mu_lower <= 0.005 * fit.mu
