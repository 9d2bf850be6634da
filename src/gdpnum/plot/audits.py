"""The chart of an audit: what the attack reached, what is claimed, and what is proved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import ndtr, ndtri

from gdpnum import _validate
from gdpnum.auditing import RunsAudit
from gdpnum.errors import InvalidType
from gdpnum.plot.charts import framed
from gdpnum.plot.labels import label_lines
from gdpnum.rounding import rounded_down

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["audit"]

_FONT = 8.0
_ATTACK: dict[str, Any] = {"color": "#0072b2", "linestyle": "-", "linewidth": 1.2}
_CLAIM: dict[str, Any] = {"color": "#d55e00", "linestyle": "--", "linewidth": 1.0}
_PROVED: dict[str, Any] = {"color": "#009e73", "linestyle": "-.", "linewidth": 1.0}


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
    ax = framed(ax, scale, "True positive rate", smallest)
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
    label_lines(ax, lines, size=_FONT)
    return ax
