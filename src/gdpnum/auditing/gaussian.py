"""The epsilon of a Gaussian mechanism, from below."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr

from gdpnum import _validate
from gdpnum.auditing.binomial import last_held
from gdpnum.errors import InvalidArgument


def gaussian_epsilon(mu: float, slack: float, delta: float, assuming: object) -> float:
    """The epsilon at which N(mu, 1) against N(0, 1) has a profile of ``delta``, from below."""
    if not _validate.is_text(assuming, "gaussian"):
        raise InvalidArgument(
            f"assuming={_validate.brief(assuming)} is not an option; pass 'gaussian' if the "
            "mechanism's curve is that of a mu, or leave it out"
        )
    # (mu, slack)-GDP promises no more than delta + slack.
    wanted = delta + slack
    if mu == 0.0:
        return 0.0
    if wanted == 0.0:
        return math.inf

    def above(epsilon: float) -> bool:
        """Whether the profile surely exceeds delta: Phi(a) - exp(eps) Phi(b) > delta."""
        a, b = mu / 2.0 - epsilon / mu, -mu / 2.0 - epsilon / mu
        first, ratio = float(log_ndtr(a)), float(log_ndtr(b) - log_ndtr(a)) + epsilon
        return ratio < 0.0 and first + math.log(-math.expm1(ratio)) > math.log(wanted) + 1e-9

    with np.errstate(all="ignore"):
        return last_held(above)
