"""The directives ``run`` and ``output``: code that is run while the page is built.

``run`` shows Python and, below it, what it printed in this very build::

    ```{run}
    print(gdpnum.fit_gdp(run).mu)
    ```

Its argument may be ``shell``: lines that begin with ``$``. Its options:

- ``hide``: do not show the code, only what it printed or drew;
- ``silent``: do not show what it printed;
- ``as``: how to show what was printed: ``text`` (by default), ``page`` (Markdown that is part of
  the page), or a language to highlight it in, such as ``latex``;
- ``picture``: an alternative text; the block leaves a matplotlib figure in ``figure``, or Axes in
  ``axes``;
- ``needs``: packages. Such a block is not run by the build. What it prints follows in a block
  ``output``, and ``tests/integrations/test_docs_guides.py`` compares the two where the packages
  are.
"""

from __future__ import annotations

import hashlib
import re
import traceback
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from blocks import Session
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_KEY = "gdpnum-session"

# Characters of a line of a terminal, and the word that follows a break with what is tied to it.
_WIDTH = 80
_CHUNK = re.compile(r"\S+(?: (?:[%=]|\d)\S*)*")


class Run(SphinxDirective):
    """Code, run here; what it printed is shown."""

    has_content = True
    optional_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "hide": directives.flag,
        "silent": directives.flag,
        "as": directives.unchanged,
        "picture": directives.unchanged,
        "needs": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """The nodes of the code and of its result."""
        code = "\n".join(self.content)
        is_shell = self.arguments == ["shell"]
        shown: list[nodes.Node] = []
        if "hide" not in self.options:
            shown.append(_literal(code, "console" if is_shell else "python"))
        if "needs" in self.options:
            return shown
        # Lines up to the code, so that a traceback names the line of the page.
        padding = "\n" * self.content_offset
        session = self._session()
        try:
            printed = (
                session.shell(code) if is_shell else session.python(padding + code, self._page)
            )
        except Exception:
            raise self.error(f"the block failed:\n{traceback.format_exc()}") from None
        if "picture" in self.options:
            shown.append(self._picture(session))
        if printed and "silent" not in self.options:
            shown += self._shown(printed)
        return shown

    @property
    def _page(self) -> str:
        return str(self.env.doc2path(self.env.docname))

    def _session(self) -> Session:
        sessions = self.env.temp_data
        if _KEY not in sessions:
            sessions[_KEY] = Session()
        found: Session = sessions[_KEY]
        return found

    def _shown(self, printed: str) -> list[nodes.Node]:
        kind = self.options.get("as", "text")
        if kind == "page":
            return self.parse_text_to_nodes(printed, allow_section_headings=False)
        if kind == "text":
            return [_printed(printed.rstrip("\n"))]
        return [_literal(printed.rstrip("\n"), kind, "output")]

    def _picture(self, session: Session) -> nodes.Node:
        figure = session.names.pop("figure", None)
        if figure is None:
            figure = session.names.pop("axes").figure
        name = hashlib.sha256(f"{self._page}:{self.lineno}".encode()).hexdigest()[:16]
        folder = Path(self.env.app.outdir) / "_pictures"
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
        depth = self.env.docname.count("/")
        alt = self.options["picture"]
        markup = f'<img class="picture" src="{"../" * depth}_pictures/{name}.svg" alt="{alt}">'
        return nodes.raw("", f"<p>{markup}</p>", format="html")


class Output(SphinxDirective):
    """What the block before it prints; compared by a test, not run here."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The node of the text."""
        return [_printed("\n".join(self.content))]


def _literal(text: str, language: str, *classes: str) -> nodes.Node:
    return nodes.literal_block(text, text, language=language, classes=list(classes))


def _printed(text: str) -> nodes.Node:
    """What was printed: on a phone, lines broken for a terminal join again and tables scroll."""
    lines = text.split("\n")
    shown, is_table = [], False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        # A cell that goes on below itself belongs to its table.
        if (_has_columns(line) or (is_table and line.startswith("    "))) != is_table:
            is_table = not is_table
            shown.append('<span class="columns">' if is_table else "</span>")
        is_prose = not is_table and following[:1].strip() and not _has_columns(following)
        # As textwrap does: where the next word, with what is tied to it, would not have fitted.
        broken = is_prose and len(f"{line} {_CHUNK.match(following)[0]}") > _WIDTH
        end = '<span class="fold">\n</span>' if broken else "\n"
        shown.append(escape(line, quote=False) + end)
    content = "".join([*shown, "</span>" if is_table else ""]).rstrip("\n")
    classes = "output highlight-text notranslate"
    markup = f'<div class="{classes}"><div class="highlight"><pre>{content}</pre></div></div>'
    return nodes.raw("", markup, format="html")


def _has_columns(line: str) -> bool:
    return "  " in line.strip()


def _end_session(app: Sphinx, _: object) -> None:
    session = app.env.temp_data.pop(_KEY, None)
    if session is not None:
        session.close()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("run", Run)
    app.add_directive("output", Output)
    app.connect("doctree-read", _end_session)
    # Pictures lie in the output, so pages are read in the process that knows it.
    return {"parallel_read_safe": False, "parallel_write_safe": True}
