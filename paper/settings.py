"""The runs of the paper."""

from __future__ import annotations

import math
from typing import NamedTuple

import gdpnum

__all__ = [
    "HEADLINE",
    "LAPLACE",
    "MISTAKEN_RATE",
    "RATE",
    "TABLE_5",
    "TABLE_6",
    "TOPDOWN_LEVELS",
    "TOPDOWN_RHO",
    "Training",
    "topdown",
    "topdown_sigma",
]

#: Batches of 16,384 out of the 50,000 training images of CIFAR-10.
RATE = 16_384 / 50_000

#: What the numbers printed in Table 2 belong to.
MISTAKEN_RATE = 16_384 / 60_000


class Training(NamedTuple):
    """A DP-SGD run: the epsilon it is known by at delta = 1e-5, its noise and its steps.

    ``reference`` is its mu at slack 1e-10, computed elsewhere in the limit of zero lattice step.
    """

    epsilon: int
    sigma: float
    steps: int
    reference: str

    def run(self, rate: float = RATE) -> gdpnum.Mechanism:
        """What was run."""
        return gdpnum.DPSGD(noise_multiplier=self.sigma, sample_rate=rate, steps=self.steps)


TABLE_5 = (
    Training(1, 40.0, 906, "0.2469"),
    Training(2, 24.0, 1156, "0.4652"),
    Training(3, 20.0, 1656, "0.6682"),
    Training(4, 16.0, 1765, "0.8629"),
    Training(6, 12.0, 2007, "1.2281"),
    Training(8, 9.4, 2000, "1.5673"),
)
TABLE_6 = (
    Training(1, 21.1, 250, "0.2468"),
    Training(2, 15.8, 500, "0.4661"),
    Training(4, 12.0, 1000, "0.8680"),
    Training(8, 9.4, 2000, "1.5673"),
)

#: The run of Figure 1.
HEADLINE = TABLE_5[-1].run()

LAPLACE = gdpnum.Laplace(scale=1.0)

#: Shares of the levels in per cent of the total rho, from the nation to the blocks.
#:
#: The allocation is that of the US Census Bureau of 25 August 2022, which the paper names but does
#: not print. The figures are those of the paper's notebook (interpretable-dp/gdpnum,
#: notebooks/dpsgd_and_topdown.ipynb) and of the code of Su, Su and Wang, arXiv:2410.09296
#: (BuxinSu/Census_2020_Privacy, Numerical/Census_2022_08_eps_delta_division_eps.py).
TOPDOWN_LEVELS = {
    "nation": 2.0,
    "state": 27.4,
    "county": 8.5,
    "population estimates primitive geography": 13.1,
    "tract subset group": 13.1,
    "tract subset": 23.8,
    "block group": 11.8,
    "block": 0.3,
}
TOPDOWN_RHO = 3.65
_QUERIES = 10


def topdown_sigma(share: float) -> float:
    """The noise of a level that has so many per cent of rho, spread over its queries."""
    return math.sqrt(_QUERIES / (2.0 * share / 100.0 * TOPDOWN_RHO))


def topdown() -> gdpnum.Mechanism:
    """The TopDown algorithm of the 2020 US census: ten discrete Gaussian queries a level."""
    return gdpnum.Composed(
        gdpnum.DiscreteGaussian(sigma=topdown_sigma(share)) * _QUERIES
        for share in TOPDOWN_LEVELS.values()
    )
