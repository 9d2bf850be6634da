"""The command ``gdpnum`` itself: its commands, its version, its help."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from gdpnum._version import __version__
from gdpnum.cli import (
    audit,
    calibrate,
    compare,
    completion,
    convert,
    dpsgd,
    explore,
    opacus,
    report,
    run,
    sweep,
    table,
    verify,
)
from gdpnum.cli.program import Command, Program, epilog

app = typer.Typer(
    cls=Program,
    help="Differential privacy accounting in Gaussian DP, where every number is a guarantee.",
    epilog=epilog(
        "gdpnum dpsgd --noise-multiplier 9.4 --sample-rate 0.32768 --steps 2000",
        note="Each command has its own --help, with an example. Exit status: 0 if all went well, "
        "1 if every setting of a sweep failed, 2 on bad input, 130 if interrupted.",
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Run the command line; the ``gdpnum`` script calls this."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A name in letters that the terminal lacks is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="gdpnum")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gdpnum {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001  (its callback does the work)
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Options before any command."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


_COMMANDS = (
    *(dpsgd, run, convert, calibrate, compare, sweep, opacus, report, audit, explore),
    *(verify, table),
    completion,
)
for _module in _COMMANDS:
    _name = _module.__name__.rpartition(".")[2]
    app.command(_name, cls=Command, epilog=_module.EPILOG)(getattr(_module, _name))
