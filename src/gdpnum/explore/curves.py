"""The picture of trade-off curves: all rates on even scales, small ones on logarithmic scales."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gdpnum.explore.drawing import Axis, Frame, Node, node

if TYPE_CHECKING:
    from gdpnum.curve.tradeoff import TradeoffCurve

__all__ = ["EVEN", "LOG", "Line", "panel", "rates"]

_EVEN_TICKS = tuple((step / 5, f"{20 * step} %") for step in range(6))
_LOG_TICKS = (*((float(f"1e-{power}"), f"1e-{power}") for power in (10, 8, 6, 4, 2)), (1.0, "1"))

_FPR, _TPR = "false positive rate (FPR)", "true positive rate (TPR), at most"
EVEN = Frame(
    Axis(0.0, 1.0, _EVEN_TICKS, _FPR, log=False), Axis(0.0, 1.0, _EVEN_TICKS, _TPR, log=False)
)
LOG = Frame(Axis(1e-10, 1.0, _LOG_TICKS, _FPR), Axis(1e-10, 1.0, _LOG_TICKS, _TPR))

_SPREAD = np.unique(np.concatenate([np.geomspace(1e-6, 1e-2, 25), np.linspace(0.0, 1.0, 121)]))
_DEEP = np.geomspace(1e-10, 1.0, 121)


@dataclass(frozen=True)
class Line:
    """A curve to draw: TPRs at the FPRs of each panel."""

    kind: str
    spread: tuple[float, ...]
    deep: tuple[float, ...]

    @staticmethod
    def of(kind: str, curve: TradeoffCurve) -> Line:
        return Line(kind, *rates(curve))

    @staticmethod
    def fprs() -> tuple[list[float], list[float]]:
        """Where TPRs are drawn, in each panel."""
        return _SPREAD.tolist(), _DEEP.tolist()


def rates(curve: TradeoffCurve) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The TPRs of a curve, where they are drawn."""
    spread, deep = (np.asarray(curve.tpr(fprs)).tolist() for fprs in (_SPREAD, _DEEP))
    return tuple(spread), tuple(deep)


def panel(
    frame: Frame,
    lines: Sequence[Line],
    *,
    title: str,
    fpr: float,
    marks: Sequence[tuple[str, float]],
) -> Node:
    """Curves in one of the frames, with marks (kind, TPR) at an FPR."""
    even = frame is EVEN
    xs = (_SPREAD if even else _DEEP).tolist()
    drawn = [frame.line(line.kind, xs, line.spread if even else line.deep) for line in lines]
    at = frame.x(fpr)
    dots = [frame.dot(f"mark {kind}", fpr, tpr) for kind, tpr in marks]
    guide = node("path", class_="guide", d=f"M{at:.2f} {frame.bottom}V{frame.top}")
    guessing = frame.line("guessing", [xs[0], *xs], [xs[0], *xs])
    return frame.drawing(title, frame.axes(), guessing, *drawn, guide, *dots)
