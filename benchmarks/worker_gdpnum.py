"""This library."""

from functools import reduce
from operator import add

from serve import serve

import gdpnum


def answer(segments):
    runs = [
        gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps)
        for sigma, rate, steps in segments
    ]
    fit = gdpnum.fit_gdp(reduce(add, runs), slack=1e-10, tolerance=1e-3)
    return {"mu": float(fit.mu), "regret": float(fit.regret)}


if __name__ == "__main__":
    serve(answer, ["gdpnum", "numpy", "scipy"])
