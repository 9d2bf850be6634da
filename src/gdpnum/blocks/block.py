"""The blocks."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

__all__ = [
    "Beside",
    "Block",
    "Caution",
    "Code",
    "Given",
    "Picture",
    "Reference",
    "Section",
    "Sentence",
    "Table",
    "Title",
    "one_line",
]


class Given(str):
    """A text that a person gave: shown as it is, never read as markup or as a formula."""

    __slots__ = ()


class Title(NamedTuple):
    """The heading of it all: what it is, and of what."""

    kind: str
    name: Given | None = None
    issued: str = ""


class Section(NamedTuple):
    """The heading of what follows; short forms leave it out."""

    title: str
    key: str


class Sentence(NamedTuple):
    """A paragraph in pieces, of which some may be `Given`; ``role`` says how it is set."""

    pieces: tuple[str, ...]
    role: str = "plain"


class Caution(NamedTuple):
    """What must not be overlooked."""

    pieces: tuple[str, ...]


class Table(NamedTuple):
    """Rows of cells under a head; the first cell of a row names it."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Beside(NamedTuple):
    """Tables side by side where there is room."""

    tables: tuple[Table, ...]


class Code(NamedTuple):
    """What can be typed."""

    text: str


class Picture(NamedTuple):
    """A drawing of a subject, by what it shows; only some formats have it."""

    described: str
    subject: Any


class Reference(NamedTuple):
    """What to cite."""

    citation: str
    url: str
    key: str
    bibtex: str


Block: TypeAlias = (
    Title | Section | Sentence | Caution | Table | Beside | Code | Picture | Reference
)


def one_line(text: str) -> str:
    """A text in one line, with nothing in it that a terminal would obey."""
    flat = " ".join(text.split())
    return (
        flat
        if flat.isprintable()
        else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in flat)
    )
