"""The report: a statement as one web page that needs nothing else, neither network nor software.

``page`` puts blocks and what is its own together: ``picture``, the curve, and ``reading``, what is
read off at one FPR. ``style.css`` and ``script.js`` are copied into the page. The script only
chooses among texts written here, so every number on the page was rounded by the library.
"""

from gdpnum.statements.page.page import web_page

__all__ = ["web_page"]
