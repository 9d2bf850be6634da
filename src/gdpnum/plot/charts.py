"""The charts, each on one Axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np
from scipy.special import ndtr, ndtri

from gdpnum import _validate
from gdpnum._optional import imported
from gdpnum.account import as_curve
from gdpnum.auditing import RunsAudit
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.floats import Floats
from gdpnum.formulas.gaussian import delta_of_mu, tpr_of_mu
from gdpnum.measures.printed import COMPLETE_REGRET
from gdpnum.plot.labels import label_lines
from gdpnum.rounding import rounded_down, upper
from gdpnum.statements.build import KEPT_FPRS, Statement
from gdpnum.subject import Subject

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, told apart by the colour-blind; styles tell them apart in grey.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#56b4e9", "#e69f00")
_STYLES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))
_GREY = "#777777"

# Mu's line is thin and on top of a broad, light one, so that both are seen where they agree.
_RUN: dict[str, Any] = {"color": "#56b4e9", "linestyle": "-", "linewidth": 2.4}
_BY_MU: dict[str, Any] = {"color": "#a03c00", "linestyle": "--", "linewidth": 1.0}

_ATTACK: dict[str, Any] = {"color": "#0072b2", "linestyle": "-", "linewidth": 1.2}
_CLAIM: dict[str, Any] = {"color": "#d55e00", "linestyle": "--", "linewidth": 1.0}
_PROVED: dict[str, Any] = {"color": "#009e73", "linestyle": "-.", "linewidth": 1.0}

# Inches and points, for a column of a two-column paper.
_WIDTH, _HEIGHT = 3.3, 2.5
_FONT, _LINE = 8.0, 1.2

_SMALLEST_FPR = 1e-6
_SMALLEST_DELTA = 1e-12
_SMALLEST_REGRET = 1e-5
_EPSILONS = 256


def column_axes() -> Axes:
    """A new Axes as wide as a column of a paper; ``.figure.savefig(...)`` writes it."""
    # Not by pyplot: its figures stay in memory until they are closed.
    figure = imported("matplotlib.figure", extra="plot").Figure
    axes: Axes = figure(figsize=(_WIDTH, _HEIGHT), layout="constrained", dpi=200).subplots()
    return axes


def tradeoff(subject: Subject, *, ax: Axes | None = None, mu: float | None = None) -> Axes:
    """The most TPR at each FPR, 1 - f, on even axes from 0 to 1, with that of mu."""
    return _rates(subject, ax, mu, "linear")


def roc(subject: Subject, *, ax: Axes | None = None, mu: float | None = None) -> Axes:
    """The same on logarithmic axes from 1e-6 on, where small FPRs are seen."""
    return _rates(subject, ax, mu, "log")


def _rates(subject: Subject, ax: Axes | None, mu: float | None, scale: str) -> Axes:
    found = _Drawn.of(subject, mu).on(scale)
    ax = _framed(ax, scale)
    lines = ax.plot(found.fpr, found.tpr, **_RUN, label="this run")
    if found.mu is not None:
        lines += ax.plot(found.fpr, found.tpr_by(found.mu), **_BY_MU, label=_mu_label(found.mu))
    return label_lines(ax, lines, size=_FONT)


def _framed(
    ax: Axes | None,
    scale: str,
    vertical: str = "True positive rate, at most",
    smallest: float = _SMALLEST_FPR,
) -> Axes:
    """Axes for TPR against FPR, with the line of guessing."""
    ax = _prepared(ax, "False positive rate", vertical)
    low = 0.0 if scale == "linear" else smallest
    ax.plot([low, 1.0], [low, 1.0], color=_GREY, linewidth=0.6, label="guessing")
    if scale == "linear":
        ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0), aspect="equal")
    else:
        ax.set(xscale="log", yscale="log", xlim=(low, 1.0), ylim=(low, 1.5))
    return ax


def difference(subject: Subject, *, ax: Axes | None = None, mu: float | None = None) -> Axes:
    """What mu gives away, its TPR minus that of the run, against the logarithm of the FPR.

    Nowhere below minus the slack; the closer to zero, the better a summary mu is.
    """
    found = _Drawn.of(subject, mu).beyond(1e-10)
    if found.mu is None:
        raise InvalidArgument("mu=None leaves nothing to compare with; pass the mu of the curve")
    ax = _prepared(ax, "False positive rate", "TPR by mu minus TPR of this run")
    ax.set_xscale("log")
    ax.axhline(0.0, color=_GREY, linewidth=0.6)
    lines = ax.plot(
        found.fpr, found.tpr_by(found.mu) - found.tpr, **_BY_MU, label=_mu_label(found.mu)
    )
    ax.set_xlim(1e-10, 1.0)
    return label_lines(ax, lines, size=_FONT)


def profile(subject: Subject, *, ax: Axes | None = None, mu: float | None = None) -> Axes:
    """The privacy profile, delta on a logarithmic axis against epsilon, with that of mu."""
    epsilons, deltas = _profile(subject)
    shown = _Drawn.of(subject, mu).mu
    ax = _prepared(ax, "Epsilon", "Delta, at most")
    ax.set_yscale("log")
    seen = deltas >= _SMALLEST_DELTA
    lines = ax.plot(epsilons[seen], deltas[seen], **_RUN, label="this run")
    if shown is not None:
        by_mu = np.asarray(delta_of_mu(shown, epsilons))
        seen = by_mu >= _SMALLEST_DELTA
        lines += ax.plot(epsilons[seen], by_mu[seen], **_BY_MU, label=_mu_label(shown))
    ax.set(xlim=(0.0, None), ylim=(_SMALLEST_DELTA, 2.0))
    return label_lines(ax, lines, size=_FONT)


def comparison(
    subjects: Mapping[str, Subject],
    *,
    ax: Axes | None = None,
    scale: Literal["linear", "log"] = "linear",
) -> Axes:
    """Several curves by name, TPR against FPR on even or on logarithmic axes."""
    _validate.choice("scale", scale, ("linear", "log"))
    if not isinstance(cast("object", subjects), Mapping) or not subjects:
        raise InvalidArgument(
            f"{_validate.shown('subjects', subjects)}, or empty; pass a dictionary of curves by "
            "name"
        )
    drawn = {name: _Drawn.of(subject, None) for name, subject in subjects.items()}
    ax = _framed(ax, scale)
    lines = []
    for number, (name, found) in enumerate(drawn.items()):
        points = found.on(scale)
        lines += ax.plot(points.fpr, points.tpr, **_style(number), label=_shown(name))
    return label_lines(ax, lines, size=_FONT)


def regret_sweep(records: Iterable[Mapping[str, Any]], *, ax: Axes | None = None) -> Axes:
    """Regret against the sample rate, a line for each label, with the limit of 0.01.

    Records are dictionaries with ``sample_rate``, ``regret`` and ``label``, such as rows of a
    sweep; those without a regret are left out.
    """
    grouped: dict[str, list[tuple[float, float]]] = {}
    for number, record in enumerate(_validate.iterable("records", records, advice="pass rows")):
        if not isinstance(record, Mapping):
            raise InvalidType(
                f"{_validate.shown(f'records[{number}]', record)}, not a dictionary; pass one"
            )
        missing = [key for key in ("sample_rate", "regret", "label") if key not in record]
        if missing:
            raise InvalidArgument(
                f"records[{number}] has no {missing[0]!r}; pass it in every record"
            )
        if record["regret"] is not None:
            point = (float(record["sample_rate"]), float(record["regret"]))
            grouped.setdefault(str(record["label"]), []).append(point)
    if not grouped:
        raise InvalidArgument("records has none with a regret; pass at least one")
    ax = _prepared(ax, "Sample rate", "Regret of mu")
    ax.set(xscale="log", yscale="log")
    lines = []
    for number, (name, points) in enumerate(grouped.items()):
        rates, regrets = zip(*sorted(points), strict=True)
        lines += ax.plot(
            rates,
            regrets,
            **_style(number),
            marker="os^Dv"[number % 5],
            markersize=2.5,
            label=_shown(name),
        )
    ends = sorted(rate for points in grouped.values() for rate, _ in points)
    limit = [COMPLETE_REGRET, COMPLETE_REGRET]
    lines += ax.plot(
        [ends[0], ends[-1]], limit, color=_GREY, linewidth=0.6, label="limit for mu alone"
    )
    # Where hardly anything is left to lose, how little does not matter.
    ax.set_ylim(bottom=max(ax.get_ylim()[0], _SMALLEST_REGRET))
    return label_lines(ax, lines, size=_FONT)


def audit(
    result: RunsAudit, *, ax: Axes | None = None, scale: Literal["linear", "log"] = "linear"
) -> Axes:
    """The attack's ROC curve with its band, the claim's curve, and that of the mu proved.

    Each point of the band has the audit's confidence by itself. Where the band lies above the
    claim, so does the attack.
    """
    if not isinstance(result, RunsAudit):
        raise InvalidType(
            f"{_validate.shown('result', result)}, not an audit with a ROC curve; pass what "
            "gdpnum.audit returned"
        )
    _validate.choice("scale", scale, ("linear", "log"))
    rows = np.array(result.roc)
    fprs, tprs, lower, upper = rows.T
    smallest = float(fprs[0])
    ax = _framed(ax, scale, "True positive rate", smallest)
    seen = np.full(tprs.size, True)
    if scale == "log":
        seen = tprs > 0.0
        lower = np.maximum(lower, 0.1 * smallest)
    ax.fill_between(fprs, lower, upper, color=_ATTACK["color"], alpha=0.2, linewidth=0.0)
    lines = ax.plot(fprs[seen], tprs[seen], **_ATTACK, label="attack")
    if result.claim_tpr is not None:
        lines += ax.plot(fprs, result.claim_tpr, **_CLAIM, label="claim, at most")
    if result.mu_lower > 0.0:
        proved = ndtr(ndtri(fprs) + result.mu_lower)
        label = f"mu >= {rounded_down(result.mu_lower, digits=3)}"
        lines += ax.plot(fprs, proved, **_PROVED, label=label)
    return label_lines(ax, lines, size=_FONT)


class _Drawn(NamedTuple):
    """The columns of a curve, and of mu where there is one."""

    fpr: Floats
    tpr: Floats
    mu: float | None

    @staticmethod
    def of(subject: Subject, mu: float | None) -> _Drawn:
        if isinstance(subject, Statement):
            if mu is not None:
                raise InvalidArgument(f"mu={mu!r} is given beside a statement, which has its own")
            points = subject.curve_points
            return _Drawn(np.array(points.fpr), np.array(points.tpr), subject.mu)
        fprs = np.array(KEPT_FPRS)
        checked = None if mu is None else _validate.non_negative("mu", mu)
        return _Drawn(fprs, np.asarray(as_curve("subject", subject).tpr(fprs)), checked)

    def on(self, scale: str) -> _Drawn:
        """What axes of a scale show."""
        return self if scale == "linear" else self.beyond(_SMALLEST_FPR)

    def beyond(self, smallest: float) -> _Drawn:
        """Only what a logarithmic axis from ``smallest`` on shows."""
        kept = self.fpr >= smallest
        return _Drawn(self.fpr[kept], self.tpr[kept], self.mu)

    def tpr_by(self, mu: float) -> Floats:
        """Phi(Phi^-1(fpr) + mu), without the slack."""
        return tpr_of_mu(mu, self.fpr)


def _profile(subject: Subject) -> tuple[Floats, Floats]:
    if isinstance(subject, Statement):
        points = subject.profile_points
        return np.array(points.epsilon), np.array(points.delta)
    curve = as_curve("subject", subject)
    last = curve.epsilon(max(_SMALLEST_DELTA, min(1.0, 1.001 * curve.mass_at_infinity)))
    epsilons = np.linspace(0.0, last if math.isfinite(last) else 1.0, _EPSILONS)
    return epsilons, np.asarray(curve.delta(epsilons))


def _prepared(ax: Axes | None, horizontal: str, vertical: str) -> Axes:
    """The Axes given, or a new one, with its words."""
    ax = column_axes() if ax is None else ax
    if not hasattr(ax, "plot"):
        raise InvalidType(f"{_validate.shown('ax', ax)}, not an Axes; pass one of matplotlib's")
    ax.set_xlabel(horizontal, fontsize=_FONT)
    ax.set_ylabel(vertical, fontsize=_FONT)
    ax.tick_params(labelsize=_FONT - 1.0)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _style(number: int) -> dict[str, Any]:
    return {
        "color": _COLOURS[number % len(_COLOURS)],
        "linestyle": _STYLES[number % len(_STYLES)],
        "linewidth": _LINE,
    }


def _mu_label(mu: float) -> str:
    return f"mu = {upper(mu, digits=3)}"


def _shown(name: str) -> str:
    # A dollar would start mathematics, and a leading underscore hides a label.
    return " " * name.startswith("_") + name.replace("$", r"\$")
