"""Options of commands, as one table: each is a line here, whichever commands take it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, final

import typer

from gdpnum import _validate
from gdpnum.cli.program import tell
from gdpnum.cli.quantities import fraction_of, whole_of
from gdpnum.errors import InvalidArgument
from gdpnum.training import ARGUMENTS, as_option

#: What --state may say.
STATED = (
    *("protected", "released", "batches", "tuning", "trust_model", "dataset", "model", "contact"),
)

Kind = Literal[
    "number", "exact", "numbers", "whole", "values", "word", "text", "texts", "path", "flag"
]

_METAVARS: dict[Kind, str] = {
    "number": "NUMBER",
    "exact": "NUMBER",
    "numbers": "NUMBER",
    "whole": "WHOLE",
    "values": "VALUES",
    "word": "WORD",
    "text": "TEXT",
    "texts": "KEY=TEXT",
    "path": "FILE",
}


@final
@dataclass(frozen=True)
class Option:
    """An option: its name in Python, what it holds, a line of help, the words it may be.

    A number may be written 1%, 256/60000 or 1e4; one that is "exact" stays a fraction. "numbers"
    may be repeated, "values" are a text of several.
    """

    name: str
    kind: Kind
    help: str
    words: tuple[str, ...] = ()
    spelling: str | None = None

    @property
    def option(self) -> str:
        """As it is typed."""
        return self.spelling or as_option(self.name)

    def parameter(self) -> inspect.Parameter:
        """As the parameter of a function that typer reads; values stay texts."""
        if self.kind == "flag":
            kind: Any = bool
        elif self.kind in ("numbers", "texts"):
            kind = list[str] | None
        else:
            kind = Path | None if self.kind == "path" else str | None
        words = f" One of: {', '.join(self.words)}." if self.words else ""
        told = typer.Option(
            self.option,
            help=f"{self.help}{words}",
            metavar=_METAVARS.get(self.kind),
            autocompletion=self._completed if self.words else None,
        )
        return inspect.Parameter(
            self.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if self.kind == "flag" else None,
            annotation=Annotated[kind, told],
        )

    def read(self, text: Any) -> Any:
        """The value that was typed, None or False if none was."""
        if text is None or self.kind in ("flag", "text", "texts", "word", "values", "path"):
            return text
        if self.kind == "numbers":
            return [float(fraction_of(one, name=self.option)) for one in text] or None
        if self.kind == "whole":
            return whole_of(text, name=self.option)
        number = fraction_of(text, name=self.option)
        if self.name == "sample_rate" and text.strip() == "1":
            tell(
                f"{self.option} 1 takes every record in every step; did you mean 0.01, which is "
                "1%? Write 1.0 if not"
            )
        return number if self.kind == "exact" else float(number)

    def _completed(self, incomplete: str) -> list[str]:
        return [word for word in self.words if word.startswith(incomplete)]


def _of_training() -> tuple[Option, ...]:
    spelled = {argument.name: as_option(argument.name) for argument in ARGUMENTS}
    return tuple(
        Option(
            argument.name,
            "exact" if argument.kind == "number" else argument.kind,
            argument.help.format(**spelled),
            argument.words,
        )
        for argument in ARGUMENTS
    )


#: What was run, as `DPSGD` takes it.
TRAINING = _of_training()

#: What was made of several runs.
TUNED = Option(
    "tuned", "text", "The best of a secret number of runs, such as best-of-geometric:10."
)

SLACK = Option(
    "slack",
    "number",
    "How far a TPR may exceed what mu allows. 0 makes no exception, and with it sampling earns "
    "nothing; above 1e-6 mu never stands alone. [default: 1e-10]",
)
TOLERANCE = Option("tolerance", "number", "Relative numerical accuracy of mu. [default: 1e-3]")
JSON = Option("as_json", "flag", "Print JSON.", spelling="--json")
OUTPUT = (
    Option("plot", "path", "Draw the trade-off curve here: .png, .pdf, .svg; needs matplotlib."),
    Option("report", "path", "Write the statement here too: .html, .md, .tex, .txt or .json."),
    JSON,
)

#: What a statement is asked, and how it is told.
STATEMENT = (
    Option("delta", "numbers", "Report epsilon here, not at 1e-5, 1e-6, 1e-9; may be repeated."),
    Option("fpr", "numbers", "Report the TPR here, not at the usual FPRs; may be repeated."),
    SLACK,
    TOLERANCE,
    Option("name", "text", "A title for the statement."),
    Option("date", "text", "The date it bears, such as 2026-03-01. [default: today]"),
    Option(
        "state",
        "texts",
        "What only you know, as in --state released='final model'; may be repeated. Keys: "
        f"{', '.join(STATED)}.",
    ),
    *OUTPUT,
)


def one(name: str, *, of: Iterable[Option], **changes: Any) -> Option:
    """The option of that name, for a command that takes few of a table."""
    (found,) = (option for option in of if option.name == name)
    return replace(found, **changes)


def takes(*options: Option) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these options, beside the arguments that its own signature names."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def read_and_run(**typed: Any) -> None:
            read = {option.name: option.read(typed.pop(option.name)) for option in options}
            command(**typed, **read)

        signature = inspect.signature(command, eval_str=True)
        named = {option.name for option in options}
        own = [
            one
            for one in signature.parameters.values()
            if one.kind is not one.VAR_KEYWORD and one.name not in named
        ]
        parameters = [*own, *(option.parameter() for option in options)]
        # What typer reads in place of a signature written out.
        vars(read_and_run)["__signature__"] = signature.replace(parameters=parameters)
        read_and_run.__annotations__ = {one.name: one.annotation for one in parameters}
        return read_and_run

    return decorate


def pairs(option: str, values: list[str] | None, known: Sequence[str]) -> dict[str, list[str]]:
    """The texts of an option that takes KEY=TEXT and may be repeated, by key."""
    found: dict[str, list[str]] = {}
    for value in values or []:
        key, equals, text = value.partition("=")
        if not equals or key not in known:
            advice = _validate.nearest(key, known)
            raise InvalidArgument(f"{option} {value!r} is no KEY=TEXT that is known; {advice}")
        found.setdefault(key, []).append(text)
    return found


def stated(values: list[str] | None) -> dict[str, str]:
    """What --state says, as arguments of `gdpnum.statement`."""
    found = pairs("--state", values, STATED)
    for key, texts in found.items():
        if len(texts) > 1:
            raise InvalidArgument(f"--state {key} is there twice; pass it once")
    return {key: texts[0] for key, texts in found.items()}


def given(**values: Any) -> dict[str, Any]:
    """The options that were given, so that the others keep the library's defaults."""
    return {name: value for name, value in values.items() if value not in (None, [])}
