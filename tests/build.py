"""Mechanisms built from what the catalogue says was run."""

from collections.abc import Iterable
from functools import cache

import gdpnum
from tests.catalogue import REFERENCE, ReferenceRun


def run_of(case: ReferenceRun) -> gdpnum.Mechanism:
    """The DP-SGD run of a reference case."""
    return steps(case.segments)


def steps(segments: Iterable[tuple[float, float, int]]) -> gdpnum.Mechanism:
    """DP-SGD phases given as (sigma, rate, steps)."""
    return gdpnum.Composed(
        gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=count)
        for sigma, rate, count in segments
    )


@cache
def fit_of(name: str, slack: float = 1e-10, tolerance: float = 1e-3) -> gdpnum.GDPFit:
    """The fit of a reference case, computed once for all that is said about it."""
    (case,) = (case for case in REFERENCE if case.name == name)
    return gdpnum.fit_gdp(run_of(case), slack=slack, tolerance=tolerance)
