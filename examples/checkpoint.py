"""State the privacy of a model after the fact, from a checkpoint that Opacus saved.

``python checkpoint.py checkpoint.pt`` prints the statement and writes it as a web page. The file is
read without running anything in it, and neither torch nor Opacus is needed.
"""

import sys
from pathlib import Path

import gdpnum

path = Path(sys.argv[1] if len(sys.argv) > 1 else "checkpoint.pt")
run = gdpnum.from_opacus(path)

found = gdpnum.statement(run, name=f"The model in {path.name}")
print(found)

page = path.with_suffix(".html")
page.write_text(found.to_html(), encoding="utf-8")
print(f"As a page: {page}")
