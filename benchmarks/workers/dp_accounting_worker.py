"""dp-accounting: privacy loss distributions by connect-the-dots, lattice step 1e-4 by default."""

from functools import reduce

import dp_accounting
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld.privacy_loss_distribution import (
    from_discrete_gaussian_mechanism,
    from_gaussian_mechanism,
)
from dp_accounting.rdp import RdpAccountant
from serve import serve


def epsilon(segments, delta, accuracy=1e-4):
    plds = (_one(accuracy, *segment) for segment in segments)
    composed = reduce(lambda one, other: one.compose(other), plds)
    return {"epsilon": float(composed.get_epsilon_for_delta(delta))}


def _one(interval, sigma, *more):
    """DP-SGD (sigma, rate, steps), or a discrete Gaussian (sigma, times)."""
    grid = {"value_discretization_interval": interval}
    if len(more) == 1:
        return from_discrete_gaussian_mechanism(sigma, **grid).self_compose(more[0])
    rate, steps = more
    return from_gaussian_mechanism(sigma, sampling_prob=rate, **grid).self_compose(steps)


def calibration(rate, steps, **target):
    noise = dp_accounting.calibrate_dp_mechanism(
        PLDAccountant,
        lambda sigma: dp_accounting.SelfComposedDpEvent(
            dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma)), steps
        ),
        target_epsilon=target["epsilon"],
        target_delta=target["delta"],
        # In its favour: its default of 1e-6 takes longer, and is finer than what it is beside.
        tol=1e-3,
    )
    return {"noise": float(noise)}


def batches(run, delta):
    """Fixed sizes by RDP, truncated batches by PLD: what each of its accountants takes."""
    noise = dp_accounting.GaussianDpEvent(run["noise_multiplier"])
    relations = dp_accounting.NeighboringRelation
    if run["batches"] == "fixed":
        kind = (
            dp_accounting.SampledWithReplacementDpEvent
            if run.get("with_replacement")
            else dp_accounting.SampledWithoutReplacementDpEvent
        )
        step = kind(run["dataset_size"], run["batch_size"], noise)
        accountant = RdpAccountant(neighboring_relation=relations.REPLACE_ONE)
    elif run["batches"] == "truncated":
        step = dp_accounting.TruncatedSubsampledGaussianDpEvent(
            dataset_size=run["dataset_size"],
            sampling_probability=run["sample_rate"],
            truncated_batch_size=run["max_batch_size"],
            noise_multiplier=run["noise_multiplier"],
        )
        accountant = PLDAccountant(neighboring_relation=relations.REPLACE_SPECIAL)
    else:
        raise NotImplementedError("no event for these batches")
    accountant.compose(dp_accounting.SelfComposedDpEvent(step, run["steps"]))
    return {"epsilon": float(accountant.get_epsilon(delta))}


TASKS = {"epsilon": epsilon, "calibration": calibration, "batches": batches}

if __name__ == "__main__":
    serve(TASKS, ["dp-accounting", "numpy", "scipy"])
