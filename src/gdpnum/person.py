"""The protected unit: a record, or a person with several of them."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace

import numpy as np

from gdpnum import _validate
from gdpnum.account import account, tradeoff_curve
from gdpnum.bounds.attacks import Attacks
from gdpnum.bounds.claims import lower_hull
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidArgument
from gdpnum.floats import NUMPY
from gdpnum.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    FixedSize,
    Gaussian,
    Laplace,
    MatrixMechanism,
    Mechanism,
    PoissonSampled,
    Shuffled,
)
from gdpnum.mechanisms.dpsgd import records_of_person
from gdpnum.mechanisms.mechanism import checked, composed, repeat
from gdpnum.representations import KnownCurve


def per_person(mechanism: Mechanism, *, records_per_person: int | None) -> Mechanism:
    """The same run, protecting a person with at most so many records instead of one record.

    Poisson-sampled Gaussian noise, correlated noise, and batches that are shuffled or of a fixed
    size have a bound of their own; of everything else the curve is composed with itself
    (`TradeoffCurve.group`).

    Raises `InvalidArgument` where the number is not known (None): without it nothing holds.

    >>> from gdpnum import DPSGD
    >>> per_person(DPSGD(noise_multiplier=2.0, sample_rate=0.01, steps=50), records_per_person=3)
    PoissonSampled(Gaussian(sigma=2.0), rate=0.01, records_per_person=3) * 50
    """
    checked("mechanism", mechanism)
    records = records_of_person(records_per_person)
    if records == 1 or not mechanism.parts:
        return mechanism
    terms = [repeat(_for_person(leaf, records), count) for leaf, count in mechanism.parts]
    return composed(terms)


def _for_person(leaf: Mechanism, records: int) -> Mechanism:
    if leaf.records_per_person not in (None, 1):
        raise InvalidArgument(
            f"{leaf!r} protects {leaf.records_per_person} records already; describe one record"
        )
    if isinstance(leaf, Gaussian) and leaf.neighbouring != "replace":
        return PoissonSampled(leaf, rate=1.0, records_per_person=records)
    if isinstance(leaf, MatrixMechanism | FixedSize | Shuffled) or (
        isinstance(leaf, PoissonSampled)
        and isinstance(leaf.inner, Gaussian)
        and leaf.neighbouring != "replace"
    ):
        return replace(leaf, records_per_person=records)
    return KnownCurve(tradeoff_curve(leaf).group(records), _shown(leaf, records))


def _shown(leaf: Mechanism, records: int) -> TradeoffCurve:
    """The curve of attacks that exist on a person with so many records, or at least on one of them.

    That of a group is a bound only: what dataset after dataset allows, no two need show together.
    Noise on a query is moved once a record.
    """
    if isinstance(leaf, Laplace):
        leaf = replace(leaf, scale=math.nextafter(leaf.scale / records, math.inf))
    elif isinstance(leaf, DiscreteLaplace | DiscreteGaussian):
        with suppress(InvalidArgument):
            leaf = replace(leaf, sensitivity=leaf.sensitivity * records)
    found = account(leaf, _validate.accuracy())
    if found.known is not None:
        return found.known
    with np.errstate(**NUMPY):
        return _curve_of(found.attacks[0]) if found.attacks else GaussianCurve(0.0)


def _curve_of(tests: Attacks) -> TradeoffCurve:
    """The curve of tests and of guessing: their lower convex hull."""
    alphas = np.concatenate([[0.0, 1.0], np.exp(np.minimum(tests.log_alpha, 0.0))])
    betas = np.concatenate([[1.0, 0.0], np.clip(tests.beta, 0.0, 1.0)])
    order = np.lexsort((betas, alphas))
    alphas, betas = alphas[order], np.minimum.accumulate(betas[order])
    first = np.append(True, np.diff(alphas) > 0.0)
    return TradeoffCurve.from_vertices(*lower_hull(alphas[first], betas[first]))
