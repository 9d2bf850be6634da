"""``gdpnum compare``: which of several runs is the more private."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import gdpnum
from gdpnum.cli.options import JSON, SLACK, Option, given, takes
from gdpnum.cli.present import check_plot, save
from gdpnum.cli.program import epilog, flat
from gdpnum.cli.sources import SOURCES, Source, source
from gdpnum.cli.tables import json_of
from gdpnum.errors import InvalidArgument

EPILOG = epilog(
    "gdpnum compare training.toml DPSGD:noise_multiplier=2,sample_rate=0.02,steps=1000",
    note=f"{SOURCES}\n\nJSON keys: subjects (a list of label, mechanism, mu, advantage), slack, "
    "tolerance, pairs (a list of first, second, order, delta_divergence, forward, backward, "
    "smallest_fpr from which the order holds, crossing; first and second count from 0).",
)


@takes(
    SLACK,
    Option("tolerance", "number", "Relative accuracy of the curves compared. [default: 1e-4]"),
    Option("plot", "path", "Draw the curves here: .png, .pdf or .svg; needs matplotlib."),
    JSON,
)
def compare(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE SOURCE...", help="Two or more; see below.")
    ],
    *,
    slack: float | None,
    tolerance: float | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Tell which of two or more runs is the more private.

    One is more private if no attack, at any FPR, has a higher TPR against it. Where each has the
    better of it at some FPR, neither is, and the answer says where they cross.
    """
    if len(sources) < 2:
        raise InvalidArgument("one source is given; pass two or more to compare")
    if sources.count("-") > 1:
        raise InvalidArgument("standard input, -, is given twice; it can be read once")
    check_plot(plot)
    read = [source(one) for one in sources]
    wishes = given(slack=slack, tolerance=tolerance)
    found = gdpnum.compare(*(one.run for one in read), **wishes)
    if plot is not None:
        _draw(plot, read)
    # What Python says, with the sources by their names.
    named = replace(found, subjects=tuple(flat(one.label) for one in read))
    typer.echo(json_of(_document(read, found)) if as_json else str(named))


def _draw(path: Path, read: list[Source]) -> None:
    # Numbered: two sources may have the same name.
    curves = {
        f"[{number}] {one.wishes.get('name') or one.label}": gdpnum.tradeoff_curve(one.run)
        for number, one in enumerate(read)
    }
    save(gdpnum.plot.comparison(curves, scale="log"), path)


def _document(read: list[Source], found: gdpnum.Comparison) -> dict[str, Any]:
    whole = found.to_dict()
    numbers = zip(read, whole.pop("mus"), whole.pop("advantages"), strict=True)
    whole["subjects"] = [
        {"label": one.label, "mechanism": repr(one.run), "mu": mu, "advantage": advantage}
        for one, mu, advantage in numbers
    ]
    return whole
