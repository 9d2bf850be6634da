"""Our epsilon beside the certified bracket of prv-accountant, on the reference runs."""

import pytest

from gdpnum import CTDAccountant
from tests.catalogue import REFERENCE

prv_accountant = pytest.importorskip("prv_accountant")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")

DELTA = 1e-6


@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: case.name)
def test_our_epsilon_lies_in_the_bracket_of_prv_accountant(case):
    steps = [
        prv_accountant.PoissonSubsampledGaussianMechanism(
            noise_multiplier=one.sigma, sampling_probability=one.rate
        )
        for one in case.segments
    ]
    counts = [one.steps for one in case.segments]
    theirs = prv_accountant.PRVAccountant(
        prvs=steps,
        max_self_compositions=counts,
        # A bracket of about one percent.
        eps_error=0.005 * case.epsilon(DELTA).value,
        delta_error=1e-10,
    )
    lower, _, upper = theirs.compute_epsilon(DELTA, counts)
    accountant = CTDAccountant()
    accountant.history = [(one.sigma, one.rate, one.steps) for one in case.segments]
    assert lower <= accountant.get_epsilon(DELTA) <= 1.01 * upper
