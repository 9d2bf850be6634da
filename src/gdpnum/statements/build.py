"""Statement: everything that a report of a run needs, and `statement`, which computes it."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from gdpnum import _validate
from gdpnum._version import __version__
from gdpnum.account import Account
from gdpnum.accuracy import SMALLEST_TPR
from gdpnum.blocks.block import Block
from gdpnum.blocks.html import html
from gdpnum.blocks.latex import latex
from gdpnum.blocks.markdown import markdown
from gdpnum.blocks.text import text
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import InvalidType, UnsupportedMechanism
from gdpnum.floats import NUMPY, Floats
from gdpnum.measures.gdp import GDPFit, accounted_fit
from gdpnum.mechanisms.mechanism import Mechanism, flat
from gdpnum.releases import largest_loss
from gdpnum.representations import KnownCurve, TruncatedCDP
from gdpnum.risk import REPORTED_FPRS
from gdpnum.statements import document, registry, words
from gdpnum.statements.page import web_page
from gdpnum.statements.record import Record, balanced_fpr
from gdpnum.statements.rows import (
    SIZE_EXPONENT,
    Audited,
    CurvePoints,
    EpsilonRow,
    Fallback,
    ProfilePoints,
    ProfileRow,
    Stated,
    TPRRow,
)
from gdpnum.subject import Subject, plain

#: FPRs of the curve table; (1 - advantage) / 2, where both kinds of error are as likely, is added.
FPRS = REPORTED_FPRS

#: Conventional deltas.
DELTAS = (1e-5, 1e-6, 1e-9)

#: Round FPRs at which the curve is kept: ten a decade, then by the hundred, then towards 1.
_DEEP = [float(f"1e-{power}") for power in range(30, 10, -2)]
_DECADES = [
    float(f"{mantissa}e-{power}")
    for power in range(10, 1, -1)
    for mantissa in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
]
_HUNDREDTHS = [number / 100 for number in range(10, 100)]
_LAST = [0.992, 0.994, 0.995, 0.996, 0.998, 0.999, 0.9995, 0.9999, 0.99999, 0.999999]
KEPT_FPRS = (0.0, *_DEEP, *_DECADES, *_HUNDREDTHS, *_LAST, 1.0)

# Epsilons of the profile table, down to a fiftieth of the last: below, delta hardly differs from
# the advantage. The table ends where delta falls below this.
_TABLE_EPSILONS = [float(f"{mantissa}e{power}") for power in range(-6, 6) for mantissa in (1, 2, 5)]
_SMALLEST_DELTA = 1e-12
_REACH_DOWN = 50.0

# A difference of TPRs that is more than rounding.
_CLEARLY = 1e-9

# Profile points: as many by epsilon, and as many by delta.
_KEPT_EPSILONS = 128

# Orders up to which a rho is tried.
_CAPS = (2.0, 3.0, 4.0, 8.0, 16.0, 32.0, 64.0)


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class Statement(Record):
    """What a run guarantees, how well mu tells it, and what it means as risk.

    Guarantee: every number is a bound on any attack on one record, for neighbours as
    ``neighbouring`` says, under the assumptions listed. ``mu``, ``regret``, ``advantage``, each
    TPR, epsilon, delta and rho are upper bounds, ``mu_lower`` is a lower one; `GDPFit` says what
    they mean. ``pure_epsilon`` is the epsilon at delta = 0, infinite if there is none. ``fallback``
    is there exactly where mu is not enough. ``stated`` has what only a person can say, ``audit``
    what an audit has shown.

    Comes from `gdpnum.statement`, prints as text, and is the same after ``to_json`` and
    ``from_json``.

    >>> import gdpnum
    >>> found = gdpnum.statement(gdpnum.Gaussian(sigma=2.0))
    >>> found
    <Statement of Gaussian(sigma=2.0): mu <= 0.50000, slack 1e-10, regret <= 5.1e-11>
    >>> Statement.from_json(found.to_json()) == found
    True
    """

    # --- in words -------------------------------------------------------------------------------

    @property
    def verdict(self) -> str:
        """Whether mu is enough, in words; not whether the run is private enough."""
        return words.verdict(self)

    @property
    def assumptions(self) -> dict[str, Any]:
        """What the numbers rest on, by name; None where a question does not arise."""
        return words.assumptions(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of mu must be told, in sentences; empty where mu may stand alone."""
        return words.warnings(self)

    # --- in other forms -------------------------------------------------------------------------

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What a reader is told, in order; `gdpnum.blocks` has the renderers."""
        return words.blocks_of(self)

    def __str__(self) -> str:
        return text(self.blocks)

    def __repr__(self) -> str:
        return words.short(self)

    def _repr_html_(self) -> str:
        return html(self.blocks)

    def to_dict(self) -> dict[str, Any]:
        """The statement as dictionaries, lists, texts and plain numbers; infinity is "inf"."""
        return document.document_of(self)

    def to_json(self) -> str:
        """The statement as JSON, by the schema shipped as statement.schema.json.

        Infinities are strings, as JSON has none.
        """
        return document.json_of(self)

    @staticmethod
    def from_json(text: str) -> Statement:
        """The statement that `to_json` wrote, bit for bit; also one of the first schema.

        Whatever contradicts itself is refused. What does not, such as a mu lowered together with
        its curve, `gdpnum.verify` finds: it computes everything again.
        """
        return document.statement_of(text, Statement)

    def to_markdown(self) -> str:
        """The statement as a section of a model card."""
        return markdown(self.blocks)

    def to_latex(self) -> str:
        """The statement as paragraphs and tables for a paper; `gdpnum.table` makes one of many."""
        return latex(self.blocks)

    def to_html(self) -> str:
        """The statement as one self-contained web page."""
        return web_page(self)

    def to_registry(self, **fields: Any) -> str:
        """The statement as an entry of the public registry of deployments, in YAML.

        ``fields`` are those of the registry that only a person can fill in, by their names there,
        such as ``data_curators=["A"]``; those that are required and missing are named in one error.
        https://github.com/opendp/deployments-registry-data
        """
        return registry.entry(self, fields)


def statement(
    mechanism: Subject,
    *,
    slack: float = 1e-10,
    tolerance: float | None = None,
    deltas: Iterable[float] = DELTAS,
    fprs: Iterable[float] = FPRS,
    dataset_size: int | None = None,
    name: str | None = None,
    date: datetime.date | str | None = None,
    protected: str | None = None,
    released: str | None = None,
    batches: str | None = None,
    tuning: str | None = None,
    trust_model: str | None = None,
    dataset: str | None = None,
    model: str | None = None,
    contact: str | None = None,
    audit: Any = None,
) -> Statement:
    """The statement of a run: its mu, how good a summary that is, and what it means as risk.

    Takes a mechanism, a representation, a fit, a trade-off curve, or a statement, whose run is
    stated again; of an asymmetric curve it states what holds for both directions. ``dataset_size``
    adds epsilon at delta = 1 / dataset_size, where one record may be published at will, and at
    dataset_size^-1.1, as is often done; ``name`` is a title for the reader, ``date`` (a date, or
    text such as "2026-03-01") is printed as given. The same input gives the same statement, bit
    for bit; without a date it bears none.

    What only a person knows is text, and "not stated" where it is left out: who is ``protected``
    (a person with at most 3 records), what was ``released`` (the final model), how ``batches`` were
    drawn and how that was checked, ``tuning`` (how many runs, how one was chosen), the
    ``trust_model``, the ``dataset``, the ``model`` with its version, a ``contact``. ``audit`` is
    the result of an audit.

    >>> import gdpnum
    >>> run = gdpnum.DPSGD(noise_multiplier=0.5, sample_rate=0.01, steps=1000)
    >>> found = statement(run)
    >>> f"{found.mu:.2f} {found.regret:.2f} {found.is_complete}"
    '2.97 0.16 False'
    >>> print(found.verdict)
    mu is not enough: report the tables beside it
    """
    wanted_deltas = _validate.probabilities("deltas", deltas)
    wanted_fprs = _validate.probabilities("fprs", fprs)
    if dataset_size is not None:
        advice = "pass the number of records"
        dataset_size = _validate.count("dataset_size", dataset_size, minimum=1, advice=advice)
        wanted_deltas.append(1.0 / dataset_size)
        # Of a size beyond the floats nothing is left.
        wanted_deltas += {float(dataset_size) ** -SIZE_EXPONENT} - {0.0}
    date = _validate.iso_date(date)
    if batches is None:
        # A check of an engine says how they were drawn.
        batches = getattr(mechanism, "batches", None)
    stated = Stated(protected, released, batches, tuning, trust_model, dataset, model, contact)
    _validate.texts(name=name, **stated._asdict())
    run, found, fit = _accounted(mechanism, slack, tolerance)
    curve, pure = found.curve, _pure_epsilon(found)
    rows, end = _epsilons(curve, pure, sorted(set(wanted_deltas), reverse=True))
    balanced = balanced_fpr(fit.advantage)
    if balanced is not None:
        wanted_fprs.append(balanced)
    points = _columns(curve, fit, sorted({*KEPT_FPRS, *wanted_fprs}))
    stating = Statement(
        run=run,
        mu=fit.mu,
        mu_lower=fit.mu_lower,
        slack=fit.slack,
        regret=fit.regret,
        tail_ratio=fit.tail_ratio,
        advantage=fit.advantage,
        # The fact alone: after the colon comes advice, which is not for who reads a statement.
        reason=fit.reason and fit.reason.partition(":")[0],
        pure_epsilon=pure,
        tpr=tuple(row for row in map(TPRRow, *points) if row.fpr in wanted_fprs),
        epsilon=rows,
        fallback=None,
        curve_points=points,
        profile_points=_profile_points(curve, pure, end),
        tolerance=fit.tolerance,
        version=__version__,
        dataset_size=dataset_size,
        name=name,
        date=date,
        stated=stated,
        audit=_audited(audit, fit),
    )
    if stating.is_complete:
        return stating
    return replace(stating, fallback=_fallback(run, curve, pure, end))


def _audited(audit: Any, fit: GDPFit) -> Audited | None:
    """What an audit says; any object with ``sentences()`` and, if it has a table, ``rows()``.

    It contradicts the statement if it proves a larger mu, or refutes a claim that allows as much
    or is not told by a mu: then it is taken to be this one.
    """
    if audit is None or isinstance(audit, Audited):
        return audit
    if not hasattr(audit, "sentences"):
        raise InvalidType(
            f"{_validate.shown('audit', audit)}, not the result of an audit; pass one"
        )
    rows = audit.rows() if hasattr(audit, "rows") else ()
    texts = tuple(tuple(str(cell) for cell in row) for row in rows)
    proved: float = getattr(audit, "mu_lower", 0.0)
    claimed: float | None = getattr(audit, "claim_mu", None)
    allows_as_much = claimed is None or claimed >= (1.0 - 2.0 * fit.tolerance) * fit.mu
    refutes = proved > fit.mu or (bool(getattr(audit, "refuted", False)) and allows_as_much)
    return Audited(tuple(map(str, audit.sentences())), texts, bool(refutes))


def _accounted(
    subject: Subject, slack: float, tolerance: float | None
) -> tuple[Mechanism, Account, GDPFit]:
    """What was run in its plain form, its account, and the fit that was read off it."""
    meant = subject if isinstance(subject, Mechanism) else plain("mechanism", subject)
    run = flat(KnownCurve(meant) if isinstance(meant, TradeoffCurve) else meant)
    slack = _validate.fraction("slack", slack, advice="pass an absolute allowance such as 1e-10")
    # As `fit_gdp` asks, so that the mu is that.
    asked = _validate.accuracy(tolerance, slack=slack)
    with np.errstate(**NUMPY):
        found, fit = accounted_fit(run, slack, asked)
        found = found.down_to(SMALLEST_TPR)
        _ = found.curve
    return run, found, fit


def _pure_epsilon(found: Account) -> float:
    """The largest loss there is; infinite if there is none."""
    if found.releases is None:
        # Gaussians, or nothing at all.
        return math.inf if isinstance(found.known, GaussianCurve) else 0.0
    return largest_loss(found.releases.above)


def _columns(curve: TradeoffCurve, fit: GDPFit, fprs: list[float]) -> CurvePoints:
    by_mu = np.asarray(fit.curve().tpr(np.array(fprs)))
    # Asked at many points, a curve gives those of one convex curve: between them it can be told.
    tprs = np.asarray(curve.tpr(np.array(fprs)))
    # Both are bounds; where mu is exact, it can be the better one.
    tprs = np.where(tprs > by_mu + _CLEARLY, by_mu, tprs)
    return CurvePoints(tuple(fprs), tuple(tprs.tolist()), tuple(by_mu.tolist()))


def _epsilons(
    curve: TradeoffCurve, pure: float, deltas: list[float]
) -> tuple[tuple[EpsilonRow, ...], float]:
    """Epsilon at each delta, and the epsilon from which on there is nothing to tell."""
    asked = np.array([*deltas, _SMALLEST_DELTA])
    *found, end = np.minimum(np.asarray(curve.epsilon(asked)), pure).tolist()
    if math.isfinite(pure):
        end = pure
    elif isinstance(curve, GaussianCurve):
        # There delta_mu is below 1e-13, or as low as the slack lets it come.
        end = curve.mu * (0.5 * curve.mu + 7.5) if math.isfinite(curve.mu) else 1.0
    elif math.isinf(end):
        end = float(curve.knots[-1])
    return tuple(map(EpsilonRow, deltas, found)), end


def _profile_points(curve: TradeoffCurve, pure: float, end: float) -> ProfilePoints:
    epsilons = [np.linspace(0.0, end, _KEPT_EPSILONS)]
    if not isinstance(curve, GaussianCurve):
        smallest = max(_SMALLEST_DELTA, curve.mass_at_infinity)
        if curve.advantage > smallest:
            spread = np.geomspace(curve.advantage, smallest, _KEPT_EPSILONS)
            epsilons.append(np.asarray(curve.epsilon(spread)))
        if curve.knots.size <= _KEPT_EPSILONS:
            epsilons.append(curve.knots)
    found = np.unique(np.concatenate(epsilons))
    found = found[np.isfinite(found) & (found <= end)]
    deltas = np.minimum.accumulate(_deltas(curve, found, pure))
    return ProfilePoints(tuple(found.tolist()), tuple(deltas.tolist()))


def _deltas(curve: TradeoffCurve, epsilons: Floats, pure: float) -> Floats:
    # The lattice of a curve may end after the last loss there is.
    return np.where(epsilons >= pure, 0.0, np.asarray(curve.delta(epsilons)))


def _fallback(run: Mechanism, curve: TradeoffCurve, pure: float, end: float) -> Fallback:
    table = [0.0, *(at for at in _TABLE_EPSILONS if end / _REACH_DOWN < at < end)]
    if end > 0.0 and (math.isfinite(pure) or curve.mass_at_infinity > _SMALLEST_DELTA):
        # Where the profile falls no more.
        table.append(end)
    deltas = _deltas(curve, np.array(table), pure).tolist()
    return Fallback(tuple(map(ProfileRow, table, deltas)), _truncated_cdp(run))


def _truncated_cdp(run: Mechanism) -> TruncatedCDP | None:
    """(rho, cap) with the cap that gives the least epsilon at delta 1e-5, to the per mille."""
    best, least = None, math.inf
    for cap in reversed(_CAPS):
        try:
            found = TruncatedCDP.fit(run, cap=cap)
        except UnsupportedMechanism:
            return None
        epsilon = found.curve("closed_form").epsilon(DELTAS[0])
        if best is None or epsilon < 0.999 * least:
            best, least = found, epsilon
    return best
