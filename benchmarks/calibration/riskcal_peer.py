"""riskcal: the noise for an advantage, or for a TPR at an FPR, with its defaults."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from riskcal.calibration.dpsgd import (
    find_noise_multiplier_for_advantage,
    find_noise_multiplier_for_err_rates,
)
from serve import serve


def answer(case):
    if isinstance(case, list):  # the warm-up
        case = {"rate": 0.1, "steps": 10, "advantage": 0.2}
    run = {"sample_rate": case["rate"], "num_steps": case["steps"]}
    if "advantage" in case:
        noise = find_noise_multiplier_for_advantage(case["advantage"], **run)
    else:
        noise = find_noise_multiplier_for_err_rates(case["fpr"], 1.0 - case["tpr"], **run)
    return {"noise": float(noise)}


if __name__ == "__main__":
    serve(answer, ["riskcal", "dp-accounting", "numpy", "scipy"])
