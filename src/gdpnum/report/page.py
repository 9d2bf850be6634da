"""`html`: the whole page."""

from __future__ import annotations

import json
from importlib.resources import files

from gdpnum import _validate
from gdpnum.errors import InvalidType
from gdpnum.report import sections
from gdpnum.report.head import content_hash, head
from gdpnum.report.picture import picture, positions
from gdpnum.report.reading import Readings, control
from gdpnum.statements import Statement, words

__all__ = ["html"]


def html(statement: Statement) -> str:
    """The statement as one self-contained web page; the same statement gives the same bytes.

    The page loads nothing and runs no script but its own, which its Content-Security-Policy names
    by hash. What the user wrote is shown as text. Without scripts, only the control is missing.

    >>> import gdpnum
    >>> page = html(gdpnum.statement(gdpnum.Gaussian(sigma=2.0), name="A <b>bold</b> release"))
    >>> "A &lt;b&gt;bold&lt;/b&gt; release" in page, "<b>" in page
    (True, False)
    """
    if not isinstance(statement, Statement):
        raise InvalidType(
            f"{_validate.shown('statement', statement)}, not a Statement; "
            "pass what gdpnum.statement returned"
        )
    style, script = _part("style.css"), _part("script.js")
    readings = Readings.of(statement)
    shown = json.dumps(readings.document(positions(readings)), separators=(",", ":"))
    policy = (
        f"default-src 'none'; style-src '{content_hash(style)}'; "
        f"script-src '{content_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    top = head(title=words.title(statement), style=style, policy=policy, version=statement.version)
    return f"""\
{top}
<body>
<main>
{sections.header(statement)}
{sections.verdict(statement)}
<section aria-labelledby="attacker">
<h2 id="attacker">What an attacker can do at best</h2>
{picture(statement, readings)}
{control(statement, readings)}
</section>
{sections.tables(statement)}
{sections.assumed(statement)}
{sections.terms(statement)}
{sections.cite()}
{sections.machines()}
</main>
<script type="application/json" id="statement">{_data(statement.to_json())}</script>
<script type="application/json" id="readings">{_data(shown)}</script>
<script>{script}</script>
</body>
</html>
"""


def _part(name: str) -> str:
    return "\n" + files("gdpnum.report").joinpath(name).read_text(encoding="utf-8")


def _data(document: str) -> str:
    # JSON has "<" in texts only, where this means the same; so nothing can end the element.
    return document.replace("<", "\\u003c")
