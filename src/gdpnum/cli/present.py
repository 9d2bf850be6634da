"""A statement shown: printed, drawn, and written in the form that a file's ending says."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import gdpnum
from gdpnum._optional import how_to_install
from gdpnum.cli.files import check_ending, check_installed, check_writable, replacing, write
from gdpnum.cli.options import OUTPUT, given, stated

if TYPE_CHECKING:
    from matplotlib.axes import Axes

JSON_KEYS = (
    "JSON keys: mu, mu_lower, slack, regret, verdict, tail_ratio, advantage, epsilon (a list of "
    "{delta, epsilon}), tpr (a list of {fpr, tpr, tpr_gdp}), assumptions, and the rest of "
    "statement.schema.json in gdpnum.statements; infinity is the text inf."
)

#: The forms of a statement, by the ending of its file.
FORMS = {".html": "html", ".md": "markdown", ".tex": "latex", ".txt": "text", ".json": "json"}

# What `statement` calls an option, where that differs.
_NAMES = {"delta": "deltas", "fpr": "fprs"}


def present(
    run: gdpnum.Mechanism, values: dict[str, Any], *, wishes: dict[str, Any] | None = None
) -> None:
    """Compute the statement of a run and show it.

    ``values`` are those of the `STATEMENT` options, and go before ``wishes``, which are arguments
    of `statement` from elsewhere.
    """
    values = dict(values)
    plot, report, as_json = (values.pop(option.name) for option in OUTPUT)
    check_plot(plot)
    if report is not None:
        check_ending("--report", report, tuple(FORMS))
        check_writable("--report", report)
    said = stated(values.pop("state", None))
    asked = given(**{_NAMES.get(name, name): value for name, value in values.items()}, **said)
    found = gdpnum.statement(run, **{"date": today(), **(wishes or {}), **asked})
    # Files first: if one fails, nothing has been said yet.
    if plot is not None:
        save(gdpnum.plot.tradeoff(found), plot)
    if report is not None:
        write(report, form_of(found, FORMS[report.suffix.lower()]))
    typer.echo(form_of(found, "json" if as_json else "text"), nl=False)


def check_plot(plot: Path | None) -> None:
    """Refuse, before any work, a picture that could not be drawn after it."""
    if plot is not None:
        check_ending("--plot", plot, (".png", ".pdf", ".svg"))
        check_writable("--plot", plot)
        check_installed("matplotlib", install=how_to_install("plot"))


def save(axes: Axes, path: Path) -> None:
    """Write the picture that an Axes is on, whole or not at all."""
    with replacing(path) as temporary:
        axes.figure.figure.savefig(temporary)


def form_of(statement: gdpnum.Statement, form: str) -> str:
    """The statement in one of the `FORMS`, ending in a line end."""
    made = {
        "html": statement.to_html,
        "markdown": statement.to_markdown,
        "latex": statement.to_latex,
        "json": statement.to_json,
        "text": statement.__str__,
    }
    text = made[form]()
    return text if text.endswith("\n") else f"{text}\n"


def today() -> str:
    """The date here, as a statement has it."""
    return datetime.date.today().isoformat()
