"""``gdpnum report``: a statement in the form that its reader wants."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

import gdpnum
from gdpnum import _validate
from gdpnum.cli.files import check_ending, check_writable, write
from gdpnum.cli.options import JSON, STATEMENT, Option, given, one, pairs, stated, takes
from gdpnum.cli.present import FORMS, JSON_KEYS, form_of, today
from gdpnum.cli.program import epilog
from gdpnum.cli.sources import SOURCES, source
from gdpnum.errors import InvalidArgument

_FORMS = {**FORMS, ".yaml": "registry"}

EPILOG = epilog(
    "gdpnum report statement.json --out statement.html",
    "gdpnum report training.toml --format latex",
    note=f"{SOURCES}\n\n{JSON_KEYS}",
)


@takes(
    Option("out", "path", "Write here, by its ending: .html, .md, .tex, .txt, .json or .yaml."),
    Option(
        "form", "word", "Print in this form. [default: text]", tuple(_FORMS.values()), "--format"
    ),
    Option(
        "field",
        "texts",
        "A field of a registry entry, as in --field data_product_region=EU; may be repeated, also "
        "for lists.",
    ),
    one("name", of=STATEMENT),
    one("date", of=STATEMENT),
    one("state", of=STATEMENT),
    JSON,
)
def report(
    file: Annotated[str, typer.Argument(metavar="SOURCE", help="A statement, or what was run.")],
    *,
    out: Path | None,
    form: str | None,
    field: list[str] | None,
    name: str | None,
    date: str | None,
    state: list[str] | None,
    as_json: bool,
) -> None:
    """Write a statement as HTML, Markdown, LaTeX, text or an entry of the registry.

    The JSON of a statement is shown as it is, with nothing computed again; a run is accounted for.
    """
    ways = {"--out": out is not None, "--format": form is not None, "--json": as_json}
    chosen = [word for word, is_given in ways.items() if is_given]
    if len(chosen) > 1:
        raise InvalidArgument(f"{' and '.join(chosen)} contradict each other; pass one of them")
    if form is not None:
        _validate.choice("form", form, tuple(_FORMS.values()))
    if out is not None:
        check_ending("--out", out, tuple(_FORMS))
        check_writable("--out", out)
    read = source(file)
    wishes = given(name=name, date=date, **stated(state))
    found = read.statement
    if found is None:
        found = gdpnum.statement(read.run, **{"date": today(), **read.wishes, **wishes})
    elif wishes:
        raise InvalidArgument(
            f"{read.label} is a statement, which has its name, its date and what it states; make "
            "it with them, or pass what was run"
        )
    wanted = "json" if as_json else _FORMS[out.suffix.lower()] if out else form or "text"
    if field and wanted != "registry":
        raise InvalidArgument("--field is for --format registry; leave it out")
    text = _entry(found, field) if wanted == "registry" else form_of(found, wanted)
    if out is not None:
        write(out, text)
    else:
        typer.echo(text, nl=False)


def _entry(statement: gdpnum.Statement, field: list[str] | None) -> str:
    found = pairs("--field", field, gdpnum.statements.REGISTRY_FIELDS)
    lists = gdpnum.statements.REGISTRY_LISTS
    fields = {key: texts if key in lists else "\n".join(texts) for key, texts in found.items()}
    try:
        return statement.to_registry(**fields)
    except InvalidArgument as error:
        # The example as it is typed here.
        raise InvalidArgument(
            re.sub(r"as in (\w+)=\[?('[^']*')\]?$", r"as in --field \1=\2", str(error))
        ) from None
