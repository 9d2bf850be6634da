"""``gdpnum compare``: which of several runs is the more private."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import gdpnum
from gdpnum.cli import options
from gdpnum.cli.files import replacing
from gdpnum.cli.present import check_plot, save
from gdpnum.cli.program import epilog, flat
from gdpnum.cli.sources import SOURCES, Source, source
from gdpnum.cli.tables import as_json as json_of
from gdpnum.cli.tables import as_table
from gdpnum.errors import InvalidArgument

if TYPE_CHECKING:
    from gdpnum.comparison import Comparison, Crossing, Pairing

__all__ = ["EPILOG", "compare"]

EPILOG = epilog(
    "gdpnum compare training.toml DPSGD:noise_multiplier=2,sample_rate=0.02,steps=1000",
    note=f"{SOURCES}\n\nJSON keys: subjects (a list of label, mechanism, mu, advantage), slack, "
    "tolerance, pairs (a list of first, second, order, delta_divergence, forward, backward, "
    "crossing; first and second count from 0).",
)


def compare(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE SOURCE...", help="Two or more; see below.")
    ],
    *,
    slack: options.Slack = None,
    tolerance: Annotated[
        float | None,
        typer.Option(help="Relative accuracy of the curves that are compared. [default: 1e-4]"),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the curves here (.png, .pdf or .svg); needs gdpnum[plot]."),
    ] = None,
    as_json: options.Json = False,
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
    wishes = options.given(slack=slack, tolerance=tolerance)
    found = gdpnum.compare(*(one.run for one in read), **wishes)
    if plot is not None:
        _draw(plot, read)
    typer.echo(json_of(_document(read, found)) if as_json else "\n".join(_lines(read, found)))


def _draw(path: Path, read: list[Source]) -> None:
    # Numbered: two sources may have the same name.
    curves = {
        f"[{number}] {one.wishes.get('name') or one.label}": gdpnum.tradeoff_curve(one.run)
        for number, one in enumerate(read)
    }
    with replacing(path) as temporary:
        save(gdpnum.plot.comparison(curves, scale="log"), temporary)


def _document(read: list[Source], found: Comparison) -> dict[str, Any]:
    return {
        "subjects": [
            {"label": one.label, "mechanism": repr(one.run), "mu": mu, "advantage": advantage}
            for one, mu, advantage in zip(read, found.mus, found.advantages, strict=True)
        ],
        "slack": found.slack,
        "tolerance": found.tolerance,
        "pairs": [
            {
                "first": first,
                "second": second,
                "order": pairing.order,
                "delta_divergence": pairing.delta_divergence.value,
                "forward": pairing.forward.value,
                "backward": pairing.backward.value,
                "crossing": _crossing(pairing.crossing),
            }
            for first, second, pairing in _pairs(found)
        ],
    }


def _crossing(crossing: Crossing | None) -> dict[str, float] | None:
    return None if crossing is None else {"fpr": crossing.alpha, "tpr": crossing.tpr}


def _pairs(found: Comparison) -> Iterator[tuple[int, int, Pairing]]:
    for first, second in combinations(range(len(found.subjects)), 2):
        yield first, second, found.between(first, second)


def _lines(read: list[Source], found: Comparison) -> Iterator[str]:
    from gdpnum.statements.numbers import delta_shown, upper  # noqa: PLC0415

    rows = [
        (f"[{number}]", upper(mu), upper(advantage), flat(one.label))
        for number, (one, mu, advantage) in enumerate(
            zip(read, found.mus, found.advantages, strict=True)
        )
    ]
    yield as_table([("", "mu", "advantage", f"at slack {delta_shown(found.slack)}"), *rows])
    yield ""
    for first, second, pairing in _pairs(found):
        distance = f"Delta {upper(pairing.delta_divergence.value, digits=3)}"
        yield f"{_sentence(f'[{first}]', f'[{second}]', pairing)} ({distance})."


def _sentence(first: str, second: str, pairing: Pairing) -> str:
    from gdpnum.bounds.accuracy import SMALLEST_TPR  # noqa: PLC0415
    from gdpnum.statements.numbers import fpr_shown, upper  # noqa: PLC0415

    if pairing.order in ("more private", "less private"):
        better, worse = (first, second) if pairing.order == "more private" else (second, first)
        return (
            f"{better} is more private than {worse}: at no FPR of {SMALLEST_TPR:g} or more does "
            "an attack on it have a higher TPR, and at some a lower one"
        )
    if pairing.order == "incomparable" and pairing.crossing is not None:
        lower, higher = pairing.crossing.lower, pairing.crossing.higher
        return (
            f"Neither {first} nor {second} is more private; they cross at about FPR "
            f"{pairing.crossing.alpha:.3g}: at FPR {fpr_shown(lower.alpha)} {first} allows a TPR "
            f"of {upper(lower.first_tpr)} and {second} {upper(lower.second_tpr)}, at FPR "
            f"{fpr_shown(higher.alpha)} {upper(higher.first_tpr)} and {upper(higher.second_tpr)}"
        )
    said = "equally private" if pairing.order == "equal" else "too close to call"
    return f"{first} and {second} are {said}"
