"""prv-accountant (Gopi, Lee and Wutschitz): the upper end of its bracket of epsilon.

It has no default accuracy; its documentation says "typically around 0.1" of eps_error and 1e-3
delta of delta_error.
"""

from prv_accountant import PRVAccountant
from prv_accountant.privacy_random_variables import PoissonSubsampledGaussianMechanism
from serve import serve


def epsilon(segments, delta, accuracy=0.1):
    times = [steps for _, _, steps in segments]
    accountant = PRVAccountant(
        prvs=[
            PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=rate)
            for sigma, rate, _ in segments
        ],
        max_self_compositions=times,
        eps_error=accuracy,
        delta_error=delta * 1e-3,
    )
    _, _, upper = accountant.compute_epsilon(delta=delta, num_self_compositions=times)
    return {"epsilon": float(upper)}


TASKS = {"epsilon": epsilon}

if __name__ == "__main__":
    serve(TASKS, ["prv-accountant", "numpy", "scipy"])
