"""Blocks as LaTeX that needs no package; every line but a comment can be pasted."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from gdpnum.blocks import block as of
from gdpnum.blocks.block import Block, Given, one_line

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_NAMES = {"mu": r"\mu", "epsilon": r"\varepsilon", "delta": r"\delta", "rho": r"\rho"}
_NUMBER = r"\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"


def latex(blocks: Iterable[Block]) -> str:
    """Paragraphs and tables, with comments that say what is what."""
    return "\n\n".join(filter(None, map(_rendered, blocks))) + "\n"


def _rendered(block: Block) -> str:  # noqa: PLR0911  (one a block)
    match block:
        case of.Title(kind, name, issued):
            named = f"{kind}: {_escaped(name)}" if name else kind
            return (f"% {one_line(issued)}\n" if issued else "") + f"\\paragraph{{{named}.}}"
        case of.Section(title, _):
            return f"% {title}"
        case of.Sentence(pieces, _):
            return _wrapped("".join(map(_shown, pieces)))
        case of.Caution(pieces):
            return _wrapped(r"\textbf{Warning.} " + "".join(map(_shown, pieces)))
        case of.Table(caption, head, rows):
            body = [" & ".join(map(_shown, row)) + r" \\" for row in (head, *rows)]
            end = [r"\hline", r"\end{tabular}"]
            start = [rf"\begin{{tabular}}{{{'l' * len(head)}}}", r"\hline", body[0], r"\hline"]
            return "\n".join([f"% {caption}"] * bool(caption) + [*start, *body[1:], *end])
        case of.Beside(tables):
            return "\n\n".join(map(_rendered, tables))
        case of.Code(code):
            return rf"\texttt{{{_escaped(code)}}}"
        case of.Reference(_, _, key, bibtex):
            cited = rf"Gaussian DP is reported as proposed in~\cite{{{key}}}."
            return "\n".join([cited, *(f"% {line}" for line in bibtex.splitlines())])
        case of.Picture():
            return ""


def _shown(piece: str) -> str:
    return _escaped(piece) if isinstance(piece, Given) else _set(piece)


def _escaped(text: str) -> str:
    r"""A text of the user's, shown as it is.

    >>> print(_escaped("50% of R&D_2"))
    50\% of R\&D\_2
    """
    return "".join(_SPECIAL.get(one, one) for one in one_line(text))


def _set(text: str) -> str:
    r"""Our own words, with formulas and numbers as mathematics.

    >>> print(_set("mu = 1.57 with slack 2e-10, at 10 %: N(0, 1); size^-1.1"))
    $\mu = 1.57$ with slack $2 \cdot 10^{-10}$, at 10\,\%: $N(0, 1)$; $\mathrm{size}^{-1.1}$
    >>> print(_set("1.468e+4"))
    $1.468 \cdot 10^{4}$
    """
    text = re.sub(r"(\d) %", r"\1\\,\\%", re.sub(r"[&#_{}]", r"\\\g<0>", text))
    named = "|".join(_NAMES)
    formula = rf"\b(?:{named})\b(?: = {_NUMBER})?|N\([\d., ]+\)|\b{_NUMBER}\b|\\infty"
    text = re.sub(formula, _formula, text)
    return re.sub(r"([a-z]+)\^(-?[\d.]+\d)", r"$\\mathrm{\1}^{\2}$", text)


def _formula(found: re.Match[str]) -> str:
    text = re.sub(r"[a-z]{2,}", lambda name: _NAMES.get(name[0], name[0]), found[0])
    text = re.sub(r"(?<![\d.])1e(-?\d+)", lambda power: f"10^{{{int(power[1])}}}", text)
    text = re.sub(r"e([-+]?\d+)$", lambda power: rf" \cdot 10^{{{int(power[1])}}}", text)
    is_plain = re.fullmatch(r"[\d.,]+", text)
    return text if is_plain else f"${text}$"


def _wrapped(paragraph: str) -> str:
    return "\n".join(textwrap.wrap(paragraph, 88, break_long_words=False, break_on_hyphens=False))
