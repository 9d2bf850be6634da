"""Program: the group of commands, in which whatever goes wrong becomes one line and a status."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from gdpnum.cli.files import InFile
from gdpnum.cli.wording import in_options
from gdpnum.errors import GdpnumError

#: Nothing that was asked for could be computed.
NOTHING = 1
BAD_INPUT = 2
INTERRUPTED = 130


class Command(TyperCommand):
    """A command whose errors name the options that were typed."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except GdpnumError as error:
            options = {
                str(one.name): max(one.opts, key=len)
                for one in self.params
                if one.param_type_name == "option"
            }
            # By its name: the parser may come from either of two packages.
            typed = [
                name
                for name in options
                if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"
            ]
            is_final = isinstance(error, InFile)
            tell(str(error) if is_final else in_options(str(error), options=options, typed=typed))
            raise typer.Exit(BAD_INPUT) from None


class Program(TyperGroup):
    """A group of commands that never shows a traceback for what its user can mend.

    Bad input, files that cannot be read or written and packages that are missing exit with
    status 2, Ctrl-C with 130.
    """

    def get_params(self, ctx: Any) -> Any:
        # Typer's own options for completion take the shell that runs them for the one that is
        # meant; gdpnum completion asks.
        strangers = ("install_completion", "show_completion")
        return [one for one in super().get_params(ctx) if one.name not in strangers]

    def invoke(self, ctx: Any) -> Any:
        # Here and not in main: what main calls turns an interrupt into lines of its own.
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            tell(str(interrupt) or "interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            raise  # whoever read our output has gone; main ends quietly
        except OSError as error:
            where = f"{error.filename} cannot be used: " if error.filename else ""
            tell(f"{where}{error.strerror or error}; pass another path")
            raise typer.Exit(BAD_INPUT) from None
        except (GdpnumError, ImportError) as error:
            tell(str(error))
            raise typer.Exit(BAD_INPUT) from None

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        def run() -> Any:
            return super(Program, self).main(
                args, prog_name, complete_var, False, windows_expand_args, **extra
            )

        if not standalone_mode:
            return run()
        try:
            status = run()
        except Exception as error:
            # The errors of the parser, whichever package it comes from, know this method.
            if not hasattr(error, "format_message"):
                raise
            tell(f"{error.format_message().rstrip('.')}{_advice(error)}")
            status = BAD_INPUT
        sys.exit(status if isinstance(status, int) else 0)


# Paths are shorter, unless someone tries what happens.
_LONGEST = 1000


def tell(message: str) -> None:
    """Say one line on stderr."""
    typer.echo(f"gdpnum: {flat(message)}", err=True)


def flat(text: str) -> str:
    """A text in one line, with nothing in it that a terminal would obey, and no word too long."""
    words = (word if len(word) <= _LONGEST else f"{word[:80]}..." for word in text.split())
    joined = " ".join(words)
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in joined)


def epilog(*examples: str, note: str = "") -> str:
    """The end of a help text: examples as they are typed, then a note."""
    # \b keeps the lines of a paragraph as they are.
    lines = "\n".join(f"  {line}" for example in examples for line in example.splitlines())
    heading = "Example:" if len(examples) == 1 else "Examples:"
    return f"\b\n{heading}\n{lines}" + (f"\n\n{note}" if note else "")


def _advice(error: Any) -> str:
    command = getattr(getattr(error, "ctx", None), "command_path", None)
    return f"; see {command} --help" if command else ""
