"""The trade-off curve: its kinds, and what is made of curves and of numbers."""

from gdpnum.curve.composed import composed
from gdpnum.curve.document import curve_from_document
from gdpnum.curve.group import group_curve
from gdpnum.curve.numbers import curve_from_profile, curve_from_samples, curve_from_vertices
from gdpnum.curve.order import is_below
from gdpnum.curve.tradeoff import Makers, TradeoffCurve

__all__ = ["TradeoffCurve"]

TradeoffCurve._makers = Makers(
    composed=composed,
    group=group_curve,
    is_below=is_below,
    from_vertices=curve_from_vertices,
    from_samples=curve_from_samples,
    from_profile=curve_from_profile,
    from_json=curve_from_document,
)
