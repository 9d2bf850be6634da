"""This library: calibrates, and judges the noise that others found."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from serve import serve

from gdpnum import DPSGD, fit_gdp, tradeoff_curve
from gdpnum.calibration import calibrate_dpsgd


def answer(case):
    if isinstance(case, list):  # the warm-up
        case = {"rate": 0.1, "steps": 10, "mu": 1.0}
    case = dict(case)
    rate, steps = case.pop("rate"), case.pop("steps")

    def run(noise):
        return DPSGD(noise_multiplier=noise, sample_rate=rate, steps=steps)

    if "fit" in case:
        return {"mu": fit_gdp(run(case["fit"])).mu}
    if "judge" in case:
        return {"excess": excess(case, run(case["judge"]))}
    found = calibrate_dpsgd(sample_rate=rate, steps=steps, **case)
    return {"noise": found.noise_multiplier, "calls": found.calls}


def excess(case, mechanism, tolerance=1e-5):
    """How far what is achieved lies above the target, relative to it."""
    if "mu" in case:
        return fit_gdp(mechanism, tolerance=tolerance).mu / case["mu"] - 1.0
    curve = tradeoff_curve(mechanism, tolerance=tolerance)
    if "epsilon" in case:
        return curve.epsilon(case["delta"]) / case["epsilon"] - 1.0
    if "tpr" in case:
        return curve.tpr(case["fpr"]) / case["tpr"] - 1.0
    return curve.advantage / case["advantage"] - 1.0


if __name__ == "__main__":
    serve(answer, ["gdpnum", "numpy", "scipy"])
