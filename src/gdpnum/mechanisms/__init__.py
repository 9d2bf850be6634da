"""Frozen descriptions of what was run; no numerics.

``mechanism`` holds the base class, ``noise`` the single releases, ``sampling`` those on a random
part of the data, ``batches`` other ways to draw one, ``selection`` the best of several candidates,
``composition`` several releases together, ``dpsgd`` the common shorthand.
"""

from gdpnum.mechanisms.batches import (
    Allocated,
    Batches,
    CyclicPoisson,
    FixedSize,
    Shuffled,
    TruncatedPoisson,
)
from gdpnum.mechanisms.correlated import MatrixMechanism
from gdpnum.mechanisms.dpsgd import DPSGD
from gdpnum.mechanisms.mechanism import Composed, Leaf, Mechanism, Neighbouring, Repeated
from gdpnum.mechanisms.mixture import MixtureOfGaussians
from gdpnum.mechanisms.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Skellam,
)
from gdpnum.mechanisms.sampling import PoissonSampled
from gdpnum.mechanisms.selection import ExponentialMechanism, ReportNoisyMax
from gdpnum.mechanisms.tuning import BestOf

__all__ = [
    "DPSGD",
    "Allocated",
    "Batches",
    "BestOf",
    "Composed",
    "CyclicPoisson",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "FixedSize",
    "Gaussian",
    "Laplace",
    "Leaf",
    "MatrixMechanism",
    "Mechanism",
    "MixtureOfGaussians",
    "Neighbouring",
    "PoissonSampled",
    "RandomizedResponse",
    "Repeated",
    "ReportNoisyMax",
    "Shuffled",
    "Skellam",
    "TruncatedPoisson",
]
