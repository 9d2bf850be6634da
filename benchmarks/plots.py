"""Pictures of finished results, as small SVG that is the same for the same numbers."""

import io
import re
from pathlib import Path
from typing import Any

from packages import OURS, PACKAGES

# Colours that stay apart for colour-blind readers; this library in black.
_COLOURS = ["#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"]
_MARKS = "osv^Dd<>"
_STYLE = dict(zip(PACKAGES, zip(_COLOURS, _MARKS, strict=True), strict=True))


def draw(path: Path, panels: list[dict[str, Any]]) -> None:
    """Panels side by side, each with a line per package over a log scale."""
    # Imported here, since measuring needs none of it.
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Text stays text, a tenth of the size of its outlines.
    mpl.rcParams.update({"svg.hashsalt": "gdpnum", "svg.fonttype": "none"})
    width = 6.4 if len(panels) == 1 else 8.4
    figure = Figure(figsize=(width, 3.8 if len(panels) == 1 else 3.2), layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        for name, points in panel["series"].items():
            colour, mark = _STYLE[name]
            xs, ys = zip(*points, strict=True)
            axes.plot(
                xs,
                ys,
                marker=mark,
                color=colour,
                markersize=5,
                # Hollow, since some of them lie on top of each other.
                markerfacecolor=colour if name == OURS else "none",
                linewidth=1.6 if name == OURS else 0.9,
                label=name,
            )
        axes.set(xscale="log", yscale=panel["scale"], ylabel=panel["y"])
        if panel["scale"] == "linear":
            axes.set_ylim(bottom=0.0)
        axes.grid(color="#e4e4e4", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(panels[0]["x"], fontsize="medium")
    figure.legend(
        *figure.axes[0].get_legend_handles_labels(),
        loc="outside right upper",
        frameon=False,
        fontsize=8,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = io.StringIO()
    # Without a date, so that a second rendering is the same file.
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    path.write_text(small(drawn.getvalue()), encoding="utf-8")


def small(svg: str) -> str:
    """The same picture: coordinates to a tenth of a point, no names that nothing refers to."""
    for useless in (r"<metadata>.*?</metadata>", r"<!--.*?-->", r"<\?xml.*?\?>", r"<!DOCTYPE.*?>"):
        svg = re.sub(useless, "", svg, flags=re.DOTALL)
    used = set(re.findall(r"#([\w.-]+)", svg))
    svg = re.sub(r' id="([\w.-]+)"', lambda name: name[0] if name[1] in used else "", svg)
    # Within tags only: between them is what the picture says.
    svg = re.sub(r"<[^>]+>", lambda tag: _rounded(tag[0]), svg)
    svg = re.sub(r">\s+<", "><", svg)
    # Lines of a bearable length.
    return re.sub(r"([^\n]{400,}?>)(?=<)", r"\1\n", svg).strip() + "\n"


def _rounded(tag: str) -> str:
    tag = re.sub(r"-?\d+\.\d{2,}", lambda number: f"{float(number[0]):.1f}", tag)
    return re.sub(r"\s+", " ", tag).replace("; ", ";").replace(": ", ":")
