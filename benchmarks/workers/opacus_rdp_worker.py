"""Opacus: its RDP accountant, asked as a privacy engine asks it."""

import time

from opacus.accountants import RDPAccountant
from serve import serve


def epsilon(segments, delta):
    accountant = RDPAccountant()
    # What its step() would build up, without a Python loop over the steps.
    accountant.history = [tuple(segment) for segment in segments]
    return {"epsilon": float(accountant.get_epsilon(delta=delta))}


def step(calls):
    accountant = RDPAccountant()
    start = time.perf_counter()
    for _ in range(calls):
        accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    return {"per_call": (time.perf_counter() - start) / calls}


TASKS = {"epsilon": epsilon, "step": step}

if __name__ == "__main__":
    serve(TASKS, ["opacus", "torch", "numpy", "scipy"])
