"""``gdpnum verify``: a statement computed again."""

from __future__ import annotations

from typing import Annotated

import typer

import gdpnum
from gdpnum.cli.files import read_text
from gdpnum.cli.options import JSON, takes
from gdpnum.cli.program import epilog, tell
from gdpnum.cli.tables import json_of
from gdpnum.errors import Contradiction

_REFUTED = 1

EPILOG = epilog(
    "gdpnum verify statement.json",
    note="Exit status: 0 if every number holds, 1 if one claims more privacy than the description "
    "gives or the file contradicts itself, 2 if it cannot be read. What was run, and what is "
    "stated in words, is taken as it is.\n\nJSON keys: holds, findings (a list of {name, stated, "
    "computed, holds}); infinity is the text inf.",
)


@takes(JSON)
def verify(
    file: Annotated[str, typer.Argument(metavar="STATEMENT", help="The JSON of a statement.")],
    *,
    as_json: bool,
) -> None:
    """Compute a statement again from its description, and say what agrees."""
    text = read_text(file)
    try:
        result = gdpnum.verify(text)
    except Contradiction as error:
        tell(str(error))
        raise typer.Exit(_REFUTED) from None
    if as_json:
        findings = [one._asdict() for one in result.findings]
        typer.echo(json_of({"holds": result.holds, "findings": findings}))
    else:
        typer.echo(str(result))
    if not result.holds:
        raise typer.Exit(_REFUTED)
