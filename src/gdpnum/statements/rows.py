"""The rows of a statement, what a person may state beside them, and the limits of its words."""

from __future__ import annotations

from typing import NamedTuple

from gdpnum.representations import TruncatedCDP

#: Up to this slack mu may stand alone: everything about a record may be revealed with that
#: probability. Where the dataset's size is known, also up to this share of 1 / size.
COMPLETE_SLACK, SHARE_OF_ONE_RECORD = 1e-6, 0.1

#: From this ratio of mu to the mu of the advantage on, rare events drive mu: it rounds to 2 or
#: more, so whoever reads mu as typical risk is off by a factor and not by a nuance.
HEAVY_TAIL = 1.5

#: Delta is often set to the size of the dataset to the power of minus c, with c above 1, so that
#: publishing a record outright does not pass; 1.1 is what Ponomareva et al. (2023) recommend.
SIZE_EXPONENT = 1.1

#: (FPR, TPR): a guarantee that allows this TPR at this FPR leaves most records to be found.
MOST_FOUND = (0.01, 0.99)


class Stated(NamedTuple):
    """What only a person can say about a run; None is printed as "not stated"."""

    protected: str | None = None
    released: str | None = None
    batches: str | None = None
    tuning: str | None = None
    trust_model: str | None = None
    dataset: str | None = None
    model: str | None = None
    contact: str | None = None


class Audited(NamedTuple):
    """What an audit has shown, in sentences and in rows of (name, value).

    ``refutes`` says that an attack did better than the statement allows.
    """

    sentences: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()
    refutes: bool = False


class TPRRow(NamedTuple):
    """The most true positives at a false positive rate: by the curve, and by mu with its slack."""

    fpr: float
    tpr: float
    tpr_gdp: float


class EpsilonRow(NamedTuple):
    """The run is (epsilon, delta)-DP."""

    delta: float
    epsilon: float


class ProfileRow(NamedTuple):
    """The run is (epsilon, delta)-DP; in a table by epsilon."""

    epsilon: float
    delta: float


class CurvePoints(NamedTuple):
    """Points of the curve by rising FPR, as `TPRRow` column by column; from FPR 0 to 1.

    The TPRs are the library's own at these FPRs. Between two points, the TPR of the second is a
    bound, as TPRs rise; a straight line is not, as the curve lies above its chords.
    """

    fpr: tuple[float, ...]
    tpr: tuple[float, ...]
    tpr_gdp: tuple[float, ...]


class ProfilePoints(NamedTuple):
    """Points (epsilon, delta) of the privacy profile by rising epsilon.

    Between two points a straight line in exp(epsilon) is a bound; after the last, its delta is.
    """

    epsilon: tuple[float, ...]
    delta: tuple[float, ...]


class Fallback(NamedTuple):
    """What to report beside mu where mu is not enough, and beside the other tables.

    ``truncated_cdp`` is (rho, cap), the cap that serves (epsilon, delta) best; None where no rho
    holds.
    """

    profile: tuple[ProfileRow, ...]
    truncated_cdp: TruncatedCDP | None
