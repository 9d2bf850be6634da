"""`web_page`: the whole page."""

from __future__ import annotations

import json
from importlib.resources import files

from gdpnum.blocks.block import one_line
from gdpnum.blocks.html import content_hash, escaped, head, html
from gdpnum.statements import texts, words
from gdpnum.statements.document import json_of
from gdpnum.statements.page.picture import picture, positions
from gdpnum.statements.page.reading import Readings, control
from gdpnum.statements.record import Record

_COPY = """\
<p class="copy" id="copy" hidden>
<button type="button" data-copies="citation">Copy the citation</button>
<button type="button" data-copies="bibtex">Copy the BibTeX</button>
<span id="copied" role="status"></span>
</p>"""

_MACHINES = """\
<section aria-labelledby="machines">
<h2 id="machines">For machines</h2>
<p>This page holds the whole statement as JSON, every number in full, in the element
<code>&lt;script type="application/json" id="statement"&gt;</code>;
<code>gdpnum.Statement.from_json</code> reads it, and <code>gdpnum verify</code> computes it
again.</p>
</section>"""


def web_page(statement: Record) -> str:
    """The statement as one self-contained web page; the same statement gives the same bytes.

    The page loads nothing and runs no script but its own, which its Content-Security-Policy names
    by hash. What the user wrote is shown as text. Without scripts, only the control is missing.
    """
    style, script = _part("style.css"), _part("script.js")
    readings = Readings.of(statement)
    shown = json.dumps(readings.document(positions(readings)), separators=(",", ":"))
    policy = (
        f"default-src 'none'; style-src '{content_hash(style)}'; "
        f"script-src '{content_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    title = "Privacy statement" + (f": {one_line(statement.name)}" if statement.name else "")
    body = html(
        words.blocks_of(statement),
        draw=lambda drawn: (
            f"{picture(statement, readings, drawn.described)}\n{control(statement, readings)}"
        ),
    )
    # The terms go before the citation, and its buttons after it.
    before, cite, after = body.partition('<section aria-labelledby="cite">')
    after = f"{after.removesuffix('</section>')}{_COPY}\n</section>"
    return f"""\
{head(title=title, style=style, policy=policy, version=statement.version)}
<body>
<main>
{before}{_terms(statement)}
{cite}{after}
{_MACHINES}
</main>
<script type="application/json" id="statement">{_data(json_of(statement))}</script>
<script type="application/json" id="readings">{_data(shown)}</script>
<script>{script}</script>
</body>
</html>
"""


def _terms(statement: Record) -> str:
    rates = (
        ("false positive rate (FPR)", words.relation(statement, "false_positive")),
        ("true positive rate (TPR)", words.relation(statement, "true_positive")),
    )
    lines = "\n".join(
        f"<div><dt>{escaped(term)}</dt><dd>{escaped(meaning)}</dd></div>"
        for term, meaning in (*rates, *texts.TERMS)
    )
    return f"""\
<section aria-labelledby="terms">
<h2 id="terms">Terms</h2>
<dl class="terms">
{lines}
</dl>
</section>"""


def _part(name: str) -> str:
    return "\n" + files("gdpnum.statements.page").joinpath(name).read_text(encoding="utf-8")


def _data(document: str) -> str:
    # JSON has "<" in texts only, where this means the same; so nothing can end the element.
    return document.replace("<", "\\u003c")
