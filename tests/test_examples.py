"""The examples that need nothing but gdpnum."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "facts"),
    {
        "topdown.py": ("mu = 2.7019", "sqrt(2 rho) = 2.7019", "regret below 1e-7: True"),
        "noise_for_a_risk.py": ("noise multiplier 0.878", "TPR <= 0.01000 at FPR = 0.001"),
        "two_papers.py": ("The second, with the larger epsilon, is more private.",),
        "dp_ftrl.py": ("published: mu = 1.273", "tree: sensitivity", "banded: sensitivity 2.9"),
        "profile_only.py": ("mu = 1.030", "mu is not enough", "mu is inf", "five of them"),
    }.items(),
)
def test_an_example_runs_and_says_what_it_should(name, facts):
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / name],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for fact in facts:
        assert fact in done.stdout
