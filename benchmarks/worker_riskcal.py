"""riskcal 1.5.1: the trade-off curve at a few false positive rates. It has no mu to compare."""

import numpy as np
from riskcal.accountants import CTDAccountant
from serve import serve

FPRS = np.array([1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1])


def answer(segments):
    accountant = CTDAccountant()
    accountant.history = [tuple(segment) for segment in segments]
    betas = accountant.get_beta(alpha=FPRS)
    return {"tpr": [float(1 - beta) for beta in betas]}


if __name__ == "__main__":
    serve(answer, ["riskcal", "dp-accounting", "numpy", "scipy"])
