"""The protected unit: a record, or a person with several of them."""

from __future__ import annotations

from dataclasses import replace

from gdpnum.account import tradeoff_curve
from gdpnum.errors import InvalidArgument
from gdpnum.mechanisms import (
    FixedSize,
    Gaussian,
    MatrixMechanism,
    Mechanism,
    PoissonSampled,
    Shuffled,
)
from gdpnum.mechanisms.dpsgd import records_of_person
from gdpnum.mechanisms.mechanism import checked, composed, repeat
from gdpnum.representations import KnownCurve

__all__ = ["per_person", "protected_unit"]


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
    return KnownCurve(tradeoff_curve(leaf).group(records))


def protected_unit(mechanism: Mechanism) -> str:
    """Whom the guarantee protects, in words.

    >>> from gdpnum import DPSGD
    >>> run = DPSGD(noise_multiplier=2.0, sample_rate=0.01, steps=50)
    >>> protected_unit(run), protected_unit(per_person(run, records_per_person=3))
    ('one record', 'a person with at most 3 records')
    """
    records = checked("mechanism", mechanism).records_per_person
    if records is None:
        return "whatever unit the guarantee was given for"
    return "one record" if records == 1 else f"a person with at most {records} records"
