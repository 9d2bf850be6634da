"""riskcal, with its defaults. It reports a trade-off curve, an advantage and epsilon, and no mu."""

from functools import reduce

from dp_accounting.pld.privacy_loss_distribution import from_discrete_gaussian_mechanism
from riskcal.accountants import CTDAccountant
from riskcal.analysis import get_beta_from_pld
from riskcal.calibration.dpsgd import (
    find_noise_multiplier_for_advantage,
    find_noise_multiplier_for_err_rates,
)
from serve import serve, stepping


def accountant_of(segments):
    accountant = CTDAccountant()
    # What its step() would build up, without a Python loop over the steps.
    accountant.history = [tuple(segment) for segment in segments]
    return accountant


def epsilon(segments, delta):
    return {"epsilon": float(accountant_of(segments).get_epsilon(delta=delta))}


def tpr(segments, fpr):
    if len(segments[0]) == 2:
        return {"tpr": 1.0 - float(get_beta_from_pld(discrete(segments), fpr))}
    return {"tpr": 1.0 - float(accountant_of(segments).get_beta(alpha=fpr))}


def discrete(segments):
    """The PLD of discrete Gaussians (sigma, times), which it takes from dp-accounting."""
    plds = (from_discrete_gaussian_mechanism(sigma).self_compose(n) for sigma, n in segments)
    return reduce(lambda one, other: one.compose(other), plds)


def calibration(rate, steps, **target):
    run = {"sample_rate": rate, "num_steps": steps}
    if "advantage" in target:
        noise = find_noise_multiplier_for_advantage(target["advantage"], **run)
    else:
        noise = find_noise_multiplier_for_err_rates(target["fpr"], 1.0 - target["tpr"], **run)
    return {"noise": float(noise)}


TASKS = {
    "epsilon": epsilon,
    "tpr": tpr,
    "calibration": calibration,
    "step": stepping(CTDAccountant),
}

if __name__ == "__main__":
    serve(TASKS, ["riskcal", "dp-accounting", "numpy", "scipy"])
