"""Against the reference values: never below them, and next to them."""

import json
from pathlib import Path

import pytest

from gdpnum import contour

CASES = json.loads((Path(__file__).parents[1] / "reference" / "dpsgd.json").read_text())


def run_of(case):
    return [
        contour.Segment(
            contour.Poisson(one["noise_multiplier"], one["sample_rate"]), one["num_steps"]
        )
        for one in case["steps"]
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["steps"][0].values()))
def test_mu_is_never_below_the_reference(case):
    for slack in ("1e-06", "1e-08", "1e-10", "1e-12"):
        try:
            found = contour.fits([run_of(case)], slack=float(slack), accuracy=1.0, most=3e6)
        except contour.OutOfReach:
            continue
        exact, error = case[f"mu@{slack}"], case[f"mu@{slack}_err"]
        assert found.mu[0] >= exact - error
        # The references were rounded on the way: both ways of the contour are 6e-14 above one.
        assert found.mu_lower[0] <= (exact + error) * (1 + 1e-12)
        if slack == "1e-10":
            assert found.regret[0] >= case["regret@1e-10"] - case["regret@1e-10_err"]
            assert found.advantage[0] >= case["advantage"] - case["advantage_err"]
            assert found.advantage[0] <= case["advantage"] * (1 + 1e-8) + case["advantage_err"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["steps"][0].values()))
def test_epsilon_is_never_below_the_reference(case):
    try:
        found = contour.profile(run_of(case), most=3e6)
    except contour.OutOfReach:
        return
    for delta in ("1e-05", "1e-06"):
        epsilon, _ = found.epsilon(float(delta))
        assert epsilon >= case[f"eps@{delta}"] - case[f"eps@{delta}_err"]
        assert epsilon <= case[f"eps@{delta}"] * (1 + 1e-6) + 2 * case[f"eps@{delta}_err"]


def test_the_papers_setting():
    found = contour.fits([[contour.Segment(contour.Poisson(9.4, 0.32768), 2000)]], slack=1e-10)
    assert f"{found.mu[0]:.8f}" == "1.56727546"
    assert f"{found.regret[0]:.8f}" == "0.00107150"
    assert found.mu[0] - found.mu_lower[0] <= 1e-8 * found.mu[0]
