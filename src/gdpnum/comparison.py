"""`compare`: which of several mechanisms, curves or representations is the more private."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Any, final

from gdpnum import _validate
from gdpnum.account import as_curve
from gdpnum.accuracy import SMALLEST_TPR
from gdpnum.blocks.block import Sentence, Table
from gdpnum.blocks.html import html
from gdpnum.curve.gaussian import GaussianCurve
from gdpnum.curve.order import BlackwellOrder, Relation, Witness, curve_order
from gdpnum.curve.piecewise import ContourCurve, PiecewiseCurve
from gdpnum.curve.tradeoff import TradeoffCurve
from gdpnum.errors import BudgetExceeded, InvalidArgument, InvalidType
from gdpnum.measures.divergence import DeltaDivergence, delta_divergence
from gdpnum.measures.gdp import GDPFit, fit_gdp
from gdpnum.mechanisms.mechanism import Mechanism
from gdpnum.representations import KnownCurve
from gdpnum.rounding import rounded_down, rounded_up
from gdpnum.subject import Subject

Order = Relation

# A curve that was given may be computed: to this by default, relative to its mu.
_GIVEN = 1e-3


@final
@dataclass(frozen=True)
class Crossing:
    """Where two curves cross: at FPR ``alpha`` both allow the TPR ``tpr``.

    ``lower`` is an FPR at which the first allows clearly more than the second, and ``higher`` one
    at which it allows clearly less. The curves may cross more than once.
    """

    alpha: float
    tpr: float
    lower: Witness
    higher: Witness


@final
@dataclass(frozen=True)
class Pairing:
    """How one subject stands to another.

    ``order`` is of the first against the second. ``crossing`` is there exactly if they are
    "incomparable". ``forward`` is Delta(f, g), how much more the second admits than the first for
    the prior that makes most of it; ``backward`` is Delta(g, f). The order holds at FPRs of
    ``smallest_fpr`` or more: 0 where both curves are known, and 1e-12 where one is computed.
    """

    order: Order
    crossing: Crossing | None
    forward: DeltaDivergence
    backward: DeltaDivergence
    smallest_fpr: float = 0.0

    @property
    def delta_divergence(self) -> DeltaDivergence:
        """The larger of both directions: a metric."""
        return max(self.forward, self.backward)


@final
@dataclass(frozen=True, repr=False)
class Comparison:
    """Several subjects side by side; ``order``, ``crossing`` and so on are of the first two.

    ``mus`` hold at ``slack``, or at its own if a subject is a fit: ``slacks``. ``between(i, j)`` is
    how any subject stands to a later one. Printed, it is a table.
    """

    subjects: tuple[str, ...]
    mus: tuple[float, ...]
    advantages: tuple[float, ...]
    slack: float
    tolerance: float
    pairings: tuple[Pairing, ...]
    slacks: tuple[float, ...] = ()

    @property
    def order(self) -> Order:
        """How the first stands to the second."""
        return self.pairings[0].order

    @property
    def crossing(self) -> Crossing | None:
        """Where the first two cross, if they are incomparable."""
        return self.pairings[0].crossing

    @property
    def delta_divergence(self) -> DeltaDivergence:
        """How far apart the first two are."""
        return self.pairings[0].delta_divergence

    def between(self, first: int, second: int) -> Pairing:
        """How the subject of one number, from 0, stands to that of a larger number."""
        pairs = list(combinations(range(len(self.subjects)), 2))
        pair = _validate.count("first", first), _validate.count("second", second)
        if pair not in pairs:
            raise InvalidArgument(
                f"first={_validate.brief(first)}, second={_validate.brief(second)} is no pair; "
                f"pass two numbers from 0 to {len(self.subjects) - 1}, the smaller first"
            )
        return self.pairings[pairs.index(pair)]

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.subjects)}: the first against the second: {self.order}>"

    def __str__(self) -> str:
        names, *columns = zip(*self._rows(), strict=True)
        width = max(map(len, names))
        lines = [f"{'':{width}}  {'mu':>10}  {'advantage':>10}"]
        rows = zip(names, *columns, strict=True)
        lines += [f"{name:{width}}  {mu:>10}  {advantage:>10}" for name, mu, advantage in rows]
        return "\n".join([*lines, *self._orders()])

    def _repr_html_(self) -> str:
        table = Table(f"At slack {self.slack:g}", ("", "mu", "advantage"), tuple(self._rows()))
        return html([table, *(Sentence((line,)) for line in self._orders())])

    def to_dict(self) -> dict[str, Any]:
        """The comparison as dictionaries, lists, texts and plain floats."""
        pairs = combinations(range(len(self.subjects)), 2)
        return {
            "subjects": list(self.subjects),
            "mus": list(self.mus),
            "advantages": list(self.advantages),
            "slack": self.slack,
            "tolerance": self.tolerance,
            "pairs": [
                {
                    "first": first,
                    "second": second,
                    "order": one.order,
                    "delta_divergence": one.delta_divergence.value,
                    "forward": one.forward.value,
                    "backward": one.backward.value,
                    "smallest_fpr": one.smallest_fpr,
                    "crossing": one.crossing
                    and {"fpr": one.crossing.alpha, "tpr": one.crossing.tpr},
                }
                for (first, second), one in zip(pairs, self.pairings, strict=True)
            ],
        }

    def _rows(self) -> list[tuple[str, str, str]]:
        return [
            (f"[{number}] {name}", rounded_up(mu, digits=5), rounded_up(advantage, digits=5))
            for number, (name, mu, advantage) in enumerate(
                zip(self.subjects, self.mus, self.advantages, strict=True)
            )
        ]

    def _orders(self) -> list[str]:
        lines = []
        for first, second in combinations(range(len(self.subjects)), 2):
            pairing = self.between(first, second)
            delta = f"Delta {rounded_up(pairing.delta_divergence.value, digits=3)}"
            order = f"{pairing.order}{_condition(pairing)}"
            lines.append(f"[{first}] against [{second}]: {order}, {delta}{_where(pairing)}")
        other = [
            name
            for name, slack in zip(self.subjects, self.slacks, strict=False)
            if slack != self.slack
        ]
        if other:
            lines.append(
                f"The mu of {', '.join(other)} is at a slack of its own, the others at "
                f"{self.slack:g}: they are not to be compared."
            )
        return lines


def blackwell_order(first: Subject, second: Subject) -> BlackwellOrder:
    """The order of two curves, of anything that has one; see `BlackwellOrder`.

    Curves are told apart down to false positive rates of about 1e-300, and up to differences of a
    relative 1e-11; Gaussian curves at any rate. `compare` says more, and knows of tolerances.

    >>> from gdpnum import GDP, PureDP, blackwell_order
    >>> blackwell_order(GDP(mu=1.0).curve(), GDP(mu=2.0).curve()).relation
    'more private'
    >>> order = blackwell_order(GDP(mu=1.0).curve(), PureDP(epsilon=1.0).curve())
    >>> order.relation, order.lower.alpha < 0.1 < order.higher.alpha
    ('incomparable', True)
    """
    return curve_order(as_curve("first", first), as_curve("second", second))


def compare(*subjects: Subject, slack: float = 1e-10, tolerance: float = 1e-4) -> Comparison:
    """Which of two or more subjects is the more private: their Blackwell order, and the distance.

    Subjects are mechanisms, trade-off curves, representations such as ``GDP(mu=1.0)``, fits, and
    statements, which stand for the run they are of. The first is "more private" than the second if
    no attack, at any false positive rate, has a higher true positive rate against it, and some have
    a lower one. Where each has the better of it at some rate they are "incomparable", and
    ``crossing`` says where.

    Guarantee: exact for curves, representations and compositions of Gaussians. The curve of
    another mechanism is known to a relative ``tolerance`` of its mu, and a fit to its own, so their
    order is one at FPRs of 1e-12 or more, and a lead counts only if it exceeds the tolerances; two
    that nowhere lead by more are "too close to call", and "more private" says that there is such a
    lead, and none against it. A curve does not say whether it was computed: against a mechanism
    every one but a Gaussian one is taken to be known to 1e-3, as `tradeoff_curve` gives it, or to
    the ``tolerance`` if that is larger; two curves are compared as they are.

    An epsilon is not an order, as each holds at a delta of its own:

    >>> from gdpnum import GDP, mu_from_epsilon_delta
    >>> eight, six = mu_from_epsilon_delta(8.0, 1e-9), mu_from_epsilon_delta(6.0, 1e-5)
    >>> print(compare(GDP(mu=round(eight, 3)), GDP(mu=round(six, 3))))
                               mu   advantage
    [0] GDP(mu=1.262)      1.2620     0.47196
    [1] GDP(mu=1.31)       1.3100     0.48754
    [0] against [1]: more private, Delta 0.00779
    """
    if len(subjects) < 2:
        raise InvalidType(f"{len(subjects)} subjects are given; pass two or more to compare")
    slack = _validate.fraction("slack", slack, advice="pass an allowance such as 1e-10")
    tolerance = _validate.tolerance(tolerance)
    _refuse_mixed(subjects)
    given, subjects = subjects, tuple(_meant(one) for one in subjects)
    curves = [
        as_curve(f"subjects[{number}]", one, tolerance=tolerance)
        for number, one in enumerate(subjects)
    ]
    names = tuple(_name(one) for one in given)
    both = list(zip(subjects, curves, strict=True))
    return Comparison(
        subjects=names,
        mus=tuple(_mu(*one, slack, tolerance) for one in both),
        advantages=tuple(curve.advantage for curve in curves),
        slack=slack,
        tolerance=tolerance,
        slacks=tuple(one.slack if isinstance(one, GDPFit) else slack for one in subjects),
        pairings=tuple(pairing(*two, tolerance) for two in combinations(both, 2)),
    )


def _meant(subject: Subject) -> Subject:
    """The run in place of a statement, whose few points are a looser curve than the run's own."""
    run = getattr(subject, "run", None)
    return run if isinstance(run, Mechanism) and hasattr(subject, "curve") else subject


def _is_computed(subject: Subject) -> bool:
    """Whether it is a mechanism, rather than something known by a curve."""
    return isinstance(subject, Mechanism) and not hasattr(subject, "curve")


def _margin(subject: Subject, curve: TradeoffCurve, other: Subject, tolerance: float) -> float:
    """How far, relative to its mu, the curve may be from the subject's own."""
    if isinstance(subject, GDPFit):
        return subject.tolerance if math.isfinite(subject.mu) else 0.0
    if isinstance(curve, GaussianCurve):
        return 0.0
    if _is_computed(subject):
        return tolerance
    is_given = isinstance(subject, (TradeoffCurve, KnownCurve))
    return max(tolerance, _GIVEN) if is_given and _is_computed(other) else 0.0


def _mu(subject: Subject, curve: TradeoffCurve, slack: float, tolerance: float) -> float:
    if isinstance(subject, GDPFit):
        return subject.mu
    if isinstance(subject, Mechanism) and _is_computed(subject):
        # Where no bracket is as narrow as asked, the curve still has a mu, from above.
        with suppress(BudgetExceeded):
            return fit_gdp(subject, slack=slack, tolerance=tolerance).mu
    return fit_gdp(curve, slack=slack).mu


def _name(subject: Subject) -> str:
    if isinstance(subject, GDPFit):
        return f"GDPFit(mu={rounded_up(subject.mu, digits=6)}, slack={subject.slack!r})"
    if isinstance(subject, TradeoffCurve) and not isinstance(subject, GaussianCurve):
        return type(subject).__name__
    return _validate.brief(subject, 72)


def _refuse_mixed(subjects: tuple[Subject, ...]) -> None:
    named = (getattr(subject, "neighbouring", None) for subject in subjects)
    relations = {str(relation) for relation in named if relation is not None}
    if len(relations) > 1:
        raise InvalidArgument(
            f"the subjects hold for different neighbours, {' and '.join(sorted(relations))}; "
            "describe them for the same relation"
        )


def pairing(
    one: tuple[Subject, TradeoffCurve], other: tuple[Subject, TradeoffCurve], tolerance: float
) -> Pairing:
    """How a subject with its curve stands to another; see `compare`."""
    margin = _margin(*one, other[0], tolerance) + _margin(*other, one[0], tolerance)
    first, second = _chords(one[1]), _chords(other[1])
    found = curve_order(first, second, margin=margin)
    lower, higher = found.lower, found.higher
    crossing = None
    if lower is not None and higher is not None:
        crossing = _crossing(first, second, lower, higher)
    return Pairing(
        order=found.relation,
        crossing=crossing,
        forward=delta_divergence(first, second),
        backward=delta_divergence(second, first),
        smallest_fpr=SMALLEST_TPR if margin > 0.0 else 0.0,
    )


def _chords(curve: TradeoffCurve) -> TradeoffCurve:
    """A curve that is asked often, by its chords: a ten-millionth below it, and there at once."""
    return PiecewiseCurve(curve.steep) if isinstance(curve, ContourCurve) else curve


def _crossing(
    first: TradeoffCurve, second: TradeoffCurve, lower: Witness, higher: Witness
) -> Crossing:
    """The curves have changed places between the witnesses; halve until it is found where."""

    def fpr(witness: Witness) -> float:
        # A point (alpha, beta) of an inverse curve is the point (beta, alpha) of the curve.
        return 1.0 - witness.first_tpr if witness.inverted else witness.alpha

    more, less = fpr(lower), fpr(higher)
    for _ in range(200):
        # In logs while both are positive: the crossing may be at 1e-9.
        middle = (more * less) ** 0.5 if min(more, less) > 0.0 else 0.5 * (more + less)
        if middle in (more, less):
            break
        if first.tpr(middle) >= second.tpr(middle):
            more = middle
        else:
            less = middle
    return Crossing(alpha=less, tpr=second.tpr(less), lower=lower, higher=higher)


def _condition(pairing: Pairing) -> str:
    smallest = pairing.smallest_fpr
    return f" at FPRs of {smallest:g} or more" if smallest > 0.0 else ""


def _where(pairing: Pairing) -> str:
    crossing = pairing.crossing
    if crossing is None:
        return ""
    sides = " and ".join(
        f"{rounded_up(one.first_tpr, digits=3)} to {rounded_up(one.second_tpr, digits=3)} "
        f"at FPR {rounded_down(one.alpha, digits=3)}"
        for one in (crossing.lower, crossing.higher)
    )
    return f"; they cross at FPR {crossing.alpha:.3g} (TPR {sides})"
