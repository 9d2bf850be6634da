"""dp-accounting: calibrate_dp_mechanism with its PLD accountant, to 1e-3 in the noise."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import dp_accounting
from dp_accounting.pld import PLDAccountant
from serve import serve


def answer(case):
    if isinstance(case, list):  # the warm-up
        case = {"rate": 0.1, "steps": 10, "epsilon": 1.0, "delta": 1e-5}
    noise = dp_accounting.calibrate_dp_mechanism(
        PLDAccountant,
        lambda sigma: dp_accounting.SelfComposedDpEvent(
            dp_accounting.PoissonSampledDpEvent(case["rate"], dp_accounting.GaussianDpEvent(sigma)),
            case["steps"],
        ),
        target_epsilon=case["epsilon"],
        target_delta=case["delta"],
        bracket_interval=dp_accounting.ExplicitBracketInterval(0.4, 50.0),
        tol=1e-3,
    )
    return {"noise": float(noise)}


if __name__ == "__main__":
    serve(answer, ["dp-accounting", "numpy", "scipy"])
