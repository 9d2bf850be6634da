"""Opacus: its PRV accountant, asked as a privacy engine asks it."""

from opacus.accountants import PRVAccountant
from serve import serve, stepping


def epsilon(segments, delta, accuracy=0.01):
    accountant = PRVAccountant()
    # What its step() would build up, without a Python loop over the steps.
    accountant.history = [tuple(segment) for segment in segments]
    return {"epsilon": float(accountant.get_epsilon(delta=delta, eps_error=accuracy))}


TASKS = {"epsilon": epsilon, "step": stepping(PRVAccountant)}

if __name__ == "__main__":
    serve(TASKS, ["opacus", "torch", "numpy", "scipy"])
