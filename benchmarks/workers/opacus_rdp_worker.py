"""Opacus: its RDP accountant, asked as a privacy engine asks it."""

from opacus.accountants import RDPAccountant
from serve import serve, stepping


def epsilon(segments, delta):
    accountant = RDPAccountant()
    # What its step() would build up, without a Python loop over the steps.
    accountant.history = [tuple(segment) for segment in segments]
    return {"epsilon": float(accountant.get_epsilon(delta=delta))}


TASKS = {"epsilon": epsilon, "step": stepping(RDPAccountant)}

if __name__ == "__main__":
    serve(TASKS, ["opacus", "torch", "numpy", "scipy"])
