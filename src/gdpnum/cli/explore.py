"""``gdpnum explore``: a page in the browser that answers while one drags."""

from __future__ import annotations

from typing import Annotated

import typer

from gdpnum.cli.files import check_installed
from gdpnum.cli.program import epilog
from gdpnum.cli.sources import source_of

EPILOG = epilog(
    "gdpnum explore",
    "gdpnum explore --port 0 --no-browser",
    note="It needs the extra explore: in a checkout of gdpnum, pip install '.[explore]'. Nothing "
    "leaves the machine, and other machines are not let in unless --network says so.",
)


def explore(
    *,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(help="The port; 0 is any that is free. [default: 8237, or any if taken]"),
    ] = None,
    network: Annotated[
        bool,
        typer.Option("--network", help="Let other machines in, where --host is reached by them."),
    ] = False,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Plan, trade, compare and read in the browser, on a page served from this machine."""
    for package in ("starlette", "uvicorn", "contourpy"):
        check_installed(package, install="'.[explore]' in a checkout of gdpnum")
    from gdpnum.explore import serve  # noqa: PLC0415

    try:
        serve(
            host=host,
            port=port,
            network=network,
            browser=browser,
            reader=source_of,
            tell=typer.echo,
        )
    except KeyboardInterrupt:
        # How one ends it.
        return
