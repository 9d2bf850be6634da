"""The curve as SVG: all FPRs on even scales, and small ones on logarithmic scales."""

from __future__ import annotations

import math

import numpy as np

from gdpnum.blocks.drawing import Axis, Frame, path
from gdpnum.blocks.html import escaped
from gdpnum.statements.page.reading import Readings
from gdpnum.statements.record import Record
from gdpnum.statements.rows import TPRRow

# Of a drawing and of the frame in it, in its own units: about a pixel on a phone.
_WIDTH, _HEIGHT = 360, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 342.0, 66.0, 280.0

_EVEN_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_MOST_LOG_TICKS = 6

# Where along the frame a label touches its line.
_RUN_AT, _MU_AT, _GUESSING_AT = 0.36, 0.5, 0.74

Position = tuple[float, float, float]
"""Across, and down for the curve and for mu."""


def positions(readings: Readings) -> list[list[Position]]:
    """Where the marks go in each panel, row by row."""
    return [[_position(panel, row) for panel in _panels(readings)] for row in readings.rows]


def picture(statement: Record, readings: Readings, described: str) -> str:
    """The figure: both panels, with marks at the reading shown first."""
    panels = "\n".join(
        _drawing(statement, panel, number, readings, described)
        for number, panel in enumerate(_panels(readings))
    )
    return f"""\
<figure>
<div class="panels">
{panels}
</div>
<figcaption>The most true positives that any attack has at each false positive rate. Thick line:
this run. Thin dashed line: what mu alone allows. Thin straight line: guessing. The curve upside
down, 1 &minus; TPR, is the trade-off curve.</figcaption>
</figure>"""


def _panels(readings: Readings) -> tuple[Frame, Frame]:
    """Even scales, and logarithmic ones down to a power of ten, where a tick is, that is not 0."""
    power = max(math.floor(math.log10(readings.rows[0].fpr) + 1e-9), -300)
    steps = range(0, 1 - power, math.ceil(-power / (_MOST_LOG_TICKS - 1)))
    even = tuple((rate, f"{100 * rate:.0f}\u00a0%") for rate in _EVEN_TICKS)
    small = tuple((float(f"1e-{step}"), f"1e-{step}" if step else "1") for step in steps)
    return (
        _frame(Axis(0.0, 1.0, even, "All false positive rates", log=False)),
        _frame(
            Axis(float(f"1e{power}"), 1.0, small, "Small false positive rates, logarithmic scales")
        ),
    )


def _frame(both: Axis) -> Frame:
    return Frame(both, both, _WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM)


def _position(frame: Frame, row: TPRRow) -> Position:
    run, mu = (round(frame.y(rate), 1) for rate in (row.tpr, row.tpr_gdp))
    return round(frame.x(row.fpr), 1), run, mu


def _drawing(
    statement: Record, panel: Frame, number: int, readings: Readings, described: str
) -> str:
    rows = list(map(TPRRow, *statement.curve_points))
    drawn = [_position(panel, row) for row in rows if row.fpr >= panel.across.low]
    run, mu = ([(x, places[line]) for x, *places in drawn] for line in (0, 1))
    # Points that fall together are drawn once.
    return f"""\
<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-labelledby="title{number} desc{number}">
<title id="title{number}">{panel.across.name}</title>
<desc id="desc{number}">{escaped(described)}</desc>
<text class="heading" x="0" y="15">{panel.across.name}</text>
{_axes(panel)}
<path class="guessing" d="M{_LEFT} {_BOTTOM}L{_RIGHT} {_TOP}"/>
<path class="run" d="{path(dict.fromkeys(run))}"/>
<path class="mu" d="{path(dict.fromkeys(mu))}"/>
{_marks(_position(panel, readings.rows[readings.start]))}
{_labels(statement, run, mu)}
</svg>"""


def _axes(panel: Frame) -> str:
    lines = [f'<path class="axis" d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}"/>']
    for rate, text in panel.across.ticks:
        x, y = round(panel.x(rate), 1), round(panel.y(rate), 1)
        lines += [
            f'<path class="grid" d="M{_LEFT} {y}H{_RIGHT}M{x} {_BOTTOM}v4"/>',
            f'<text class="tick" x="{x}" y="{_BOTTOM + 18}" text-anchor="middle">{text}</text>',
            f'<text class="tick" x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{text}</text>',
        ]
    middle = (_LEFT + _RIGHT) / 2
    lines += [
        f'<text class="name" x="{middle}" y="{_HEIGHT - 6}" text-anchor="middle">'
        "False positive rate</text>",
        '<text class="name" x="0" y="35">True positive rate, at most</text>',
    ]
    return "\n".join(lines)


def _labels(
    statement: Record, run: list[tuple[float, float]], mu: list[tuple[float, float]]
) -> str:
    """Names beside the lines.

    TPRs rise, and mu's line is above the run's. So there is room below and to the right of the run,
    and above and to the left of mu, and no leader crosses a line.
    """
    named = "by mu, infinite" if math.isinf(statement.mu) else f"by mu = {statement.headline[0]}"
    (x, y), (u, v) = _touched(run, _RUN_AT), _touched(mu, _MU_AT)
    over = max(v - 26, _TOP - 8)
    across = _LEFT + _GUESSING_AT * (_RIGHT - _LEFT)
    along = _BOTTOM - _GUESSING_AT * (_BOTTOM - _TOP)
    return f"""\
<path class="leader" d="M{x:.1f} {y + 3:.1f}l16 19M{u:.1f} {v - 1:.1f}L{u - 9:.1f} {over:.1f}"/>
<text class="label" x="{x + 18:.1f}" y="{y + 30:.1f}">this run</text>
<text class="label" x="{u - 12:.1f}" y="{over + 2:.1f}" text-anchor="end">{named}</text>
<text class="aside" x="{across + 8:.1f}" y="{along + 16:.1f}">guessing</text>"""


def _touched(places: list[tuple[float, float]], at: float) -> tuple[float, float]:
    x = _LEFT + at * (_RIGHT - _LEFT)
    across, down = zip(*places, strict=True)
    return x, float(np.interp(x, across, down))


def _marks(place: Position) -> str:
    x, run, mu = place
    return f"""\
<g class="marks" data-marks>
<path d="M{x} {_BOTTOM}V{_TOP}"/>
<circle class="mu" cx="{x}" cy="{mu}" r="4"/>
<circle class="run" cx="{x}" cy="{run}" r="4"/>
</g>"""
