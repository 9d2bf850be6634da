"""The report: a statement as one web page that needs nothing else, neither network nor software.

``page`` puts it together, ``sections`` has its words and tables, ``reading`` what is read off at
one FPR, ``picture`` the curve; ``style.css`` and ``script.js`` are copied into the page. The script
only chooses among texts written here, so every number on the page was rounded by the library.
"""

from gdpnum.report.page import html

__all__ = ["html"]
