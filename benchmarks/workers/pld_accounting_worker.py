"""PLD_accounting: a Gaussian PLD of dp-accounting, subsampled by it, then composed.

It is made for random allocation (each record in k of t steps), the task "batches"; Poisson
sampling is what can be compared with the others. What it returns has a lattice step of its
own, so that segments which differ do not compose without a regridding by hand.
"""

from functools import reduce

from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
from PLD_accounting import gaussian_allocation_epsilon_range, subsample_pld
from serve import serve


def epsilon(segments, delta, accuracy=1e-4):
    plds = (
        subsample_pld(
            pld=from_gaussian_mechanism(sigma, value_discretization_interval=accuracy),
            sampling_probability=rate,
        ).self_compose(steps)
        for sigma, rate, steps in segments
    )
    composed = reduce(lambda one, other: one.compose(other), plds)
    return {"epsilon": float(composed.get_epsilon_for_delta(delta))}


def batches(run, delta):
    if run["batches"] != "allocated":
        raise NotImplementedError("made for allocation")
    upper, lower = gaussian_allocation_epsilon_range(
        delta=delta,
        sigma=run["noise_multiplier"],
        num_steps=run["steps_per_epoch"],
        num_epochs=run["epochs"],
    )
    return {"epsilon": float(upper), "epsilon_lower": float(lower)}


TASKS = {"epsilon": epsilon, "batches": batches}

if __name__ == "__main__":
    serve(TASKS, ["PLD_accounting", "dp-accounting", "numba", "numpy", "scipy"])
