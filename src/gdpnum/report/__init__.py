"""The report: a statement as one web page that needs nothing else, neither network nor software."""

from __future__ import annotations

from gdpnum import _validate
from gdpnum.errors import InvalidType
from gdpnum.statements import Statement

__all__ = ["html"]


def html(statement: Statement) -> str:
    """The statement as one self-contained web page; the same statement gives the same bytes.

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
    return statement.to_html()
