"""The catalogue: one record for each mechanism that describes what was run.

What is known only by a guarantee (`PureDP`, `GDP`, a curve) has its record beside its class, in
``representations``. To add a mechanism: its description in ``mechanisms``, its record here, and one
line below.
"""

from gdpnum.kind import register
from gdpnum.kinds.batches import (
    ALLOCATED,
    CYCLIC_POISSON,
    FIXED_SIZE,
    SHUFFLED,
    TRUNCATED_POISSON,
)
from gdpnum.kinds.correlated import MATRIX_MECHANISM
from gdpnum.kinds.mixture import MIXTURE_OF_GAUSSIANS
from gdpnum.kinds.noise import (
    DISCRETE_GAUSSIAN,
    DISCRETE_LAPLACE,
    GAUSSIAN,
    LAPLACE,
    RANDOMIZED_RESPONSE,
    SKELLAM,
)
from gdpnum.kinds.poisson import POISSON_SAMPLED
from gdpnum.kinds.selection import EXPONENTIAL_MECHANISM, REPORT_NOISY_MAX

__all__ = ["CATALOGUE"]

CATALOGUE = (
    GAUSSIAN,
    LAPLACE,
    DISCRETE_GAUSSIAN,
    DISCRETE_LAPLACE,
    RANDOMIZED_RESPONSE,
    POISSON_SAMPLED,
    FIXED_SIZE,
    SHUFFLED,
    ALLOCATED,
    TRUNCATED_POISSON,
    CYCLIC_POISSON,
    EXPONENTIAL_MECHANISM,
    REPORT_NOISY_MAX,
    SKELLAM,
    MATRIX_MECHANISM,
    MIXTURE_OF_GAUSSIANS,
)

register(*CATALOGUE)
