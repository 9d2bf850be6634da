"""The picture of trade-off curves: all rates on even scales, small ones on logarithmic scales."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gdpnum.blocks.drawing import Axis, Frame, Node, node
from gdpnum.floats import Floats

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
    """A curve as it is drawn in each panel."""

    kind: str
    even: str
    log: str

    @staticmethod
    def of(kind: str, tpr: Callable[[Floats], ArrayLike]) -> Line:
        """The line through the TPRs that a function has at the FPRs of each panel."""
        drawn = (
            frame.path(fprs.tolist(), np.asarray(tpr(fprs)).tolist())
            for frame, fprs in ((EVEN, _SPREAD), (LOG, _DEEP))
        )
        return Line(kind, *drawn)

    def drawn(self, frame: Frame) -> Node:
        """The line in one of the frames."""
        return node("path", class_=self.kind, d=self.even if frame is EVEN else self.log)


# The FPRs at which lines are drawn; those of guessing are the TPRs too.
_GUESSING = Line.of("guessing", lambda fprs: fprs)


def panel(
    frame: Frame,
    lines: Sequence[Line],
    *,
    title: str,
    fpr: float,
    marks: Sequence[tuple[str, float]],
) -> Node:
    """Curves in one of the frames, with marks (kind, TPR) at an FPR."""
    at = frame.x(fpr)
    dots = [frame.dot(f"mark {kind}", fpr, tpr) for kind, tpr in marks]
    guide = node("path", class_="guide", d=f"M{at:.2f} {frame.bottom}V{frame.top}")
    drawn = [line.drawn(frame) for line in (_GUESSING, *lines)]
    return frame.drawing(title, frame.axes(), *drawn, guide, *dots)
